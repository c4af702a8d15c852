package spark_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/cluster"
	"mingle/cluster/judge"
	"mingle/cluster/spark"
	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/generate"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/internal/testdata"
	"mingle/privacy"
)

// version is that of the worker, which is built from the same source.
const version = "0.2.0"

// program builds the worker.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mingle")
	build := exec.Command("go", "build", "-o", path, "mingle/cmd/mingle")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// versions are those of Spark that are tried where they are installed, or the one that is named.
func versions() []string {
	if one := os.Getenv("MINGLE_SPARK_VERSION"); one != "" {
		return []string{one}
	}
	if os.Getenv("SPARK_HOME") != "" {
		return []string{"of SPARK_HOME"}
	}
	return []string{"3.5.*", "4.0.*"}
}

// start starts a cluster of two workers; the test is skipped where there is no such Spark or no
// Java.
func start(t *testing.T, version string) spark.Options {
	t.Helper()
	script, err := filepath.Abs("../../tools/spark.sh")
	if err != nil {
		t.Fatal(err)
	}
	run := t.TempDir()
	sh := func(verb string) (string, error) {
		cmd := exec.Command("sh", script, verb)
		cmd.Env = append(os.Environ(), "MINGLE_SPARK_RUN="+run, "SPARK_DAEMON_JAVA_OPTS="+brief,
			"MINGLE_SPARK_VERSION="+version)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("%w: %s", err, errs.String())
		}
		return string(out), nil
	}
	if _, err := sh("found"); err != nil && os.Getenv("SPARK_HOME") == "" {
		t.Skipf("Spark is not installed: %v", err)
	}
	t.Setenv("SPARK_LOCAL_IP", "127.0.0.1")
	t.Cleanup(func() {
		if _, err := sh("stop"); err != nil {
			t.Error(err)
		}
	})
	told, err := sh("start")
	if err != nil {
		t.Skipf("this machine does not let a cluster start: %v", err)
	}
	found := regexp.MustCompile(`SPARK_HOME='(.*)' MINGLE_SPARK_MASTER='(.*)'`).
		FindStringSubmatch(told)
	if found == nil {
		t.Fatalf("the cluster says %q", told)
	}
	return spark.Options{Home: found[1], Master: found[2], Worker: program(t), Conf: []string{
		"spark.ui.enabled=false", "spark.driver.memory=768m", "spark.executor.memory=768m",
		"spark.sql.shuffle.partitions=4", "spark.driver.extraJavaOptions=" + brief,
		"spark.executor.extraJavaOptions=" + brief,
	}}
}

// brief are options for Java programs that live for a minute: compiling more thoroughly, and
// collecting garbage on several threads, cost more than they save.
const brief = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

// original is one of the public data sets, in a folder of several files.
type original struct {
	folder string
	layout split.Layout
	tree   *hierarchy.Tree
	lines  *dataset.Dataset // as read

	// without the sensitive items, and these alone; nil: there are none
	data, sensitive *dataset.Dataset
}

// lines is a public data set, or one that is made: "quest-5000000" has so many transactions.
func lines(t *testing.T, name string) []byte {
	t.Helper()
	if number, made := strings.CutPrefix(name, "quest-"); made {
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		return quest(t, n)
	}
	f, err := os.Open(testdata.Path(t, name+"/"+name+".dat.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	packed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(packed)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// quest is n transactions made out of patterns, of ten of a thousand items on average.
func quest(t *testing.T, n int) []byte {
	t.Helper()
	var text []byte
	err := generate.Quest(generate.QuestParams{
		Transactions: n, AvgLength: 10, AvgPattern: 4, Correlation: generate.Correlation,
		Corruption: generate.Corruption, Seed: 7,
	}, func(tx []int32) error {
		for i, it := range tx {
			if i > 0 {
				text = append(text, ' ')
			}
			text = strconv.AppendInt(text, int64(it), 10)
		}
		text = append(text, '\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func read(t *testing.T, name string, files int) *original {
	t.Helper()
	text := lines(t, name)
	o := &original{folder: t.TempDir(), layout: split.Layout{Format: dataset.Fimi}}
	for i, rest := 0, text; i < files; i++ {
		end := len(rest)
		if i < files-1 {
			end = len(rest)/(files-i) + 1
			end += bytes.IndexByte(rest[end:], '\n') + 1
		}
		path := filepath.Join(o.folder, fmt.Sprintf("part-%d.dat", i))
		if err := os.WriteFile(path, rest[:end], 0o666); err != nil {
			t.Fatal(err)
		}
		rest = rest[end:]
	}
	d, err := dataset.Read(t.Context(), bytes.NewReader(text), o.layout.Options())
	if err != nil {
		t.Fatal(err)
	}
	made, err := hierarchy.Fanout(d.Dict().Labels(), 5)
	if err != nil {
		t.Fatal(err)
	}
	var spelt bytes.Buffer
	if err := hierarchy.Write(&spelt, made, hierarchy.ARX); err != nil {
		t.Fatal(err)
	}
	o.layout.Hierarchy, o.lines = spelt.Bytes(), d
	o.bind(t)
	return o
}

// bind numbers the items as the workers do.
func (o *original) bind(t *testing.T) {
	t.Helper()
	var plain *dataset.Dataset
	var err error
	if o.tree, err = o.layout.Tree(); err != nil {
		t.Fatal(err)
	}
	if plain, o.sensitive, err = o.layout.Apart(o.lines); err != nil {
		t.Fatal(err)
	}
	if o.data, err = o.tree.Encode(plain); err != nil {
		t.Fatal(err)
	}
}

// hide makes every tenth item a sensitive one, of those that are in at most one of 20 lines.
func (o *original) hide(t *testing.T) {
	t.Helper()
	o.layout.Sensitive = nil
	for x, n := range o.lines.Supports() {
		if 20*n <= o.lines.Len() && x%10 == 3 {
			o.layout.Sensitive = append(o.layout.Sensitive, o.lines.Dict().Label(int32(x)))
		}
	}
	o.bind(t)
}

// joined is published lines with their sensitive items.
func (o *original) joined(t *testing.T, d *dataset.Dataset) *dataset.Dataset {
	t.Helper()
	if o.sensitive == nil {
		return d
	}
	d, err := dataset.Join(d, o.sensitive)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// algorithms are those of one machine.
var algorithms = map[string]anonymize.Algorithm{
	"aa": global.AA{}, "exact": exact.Algorithm{}, "vpa": global.VPA{},
	"local": local.Algorithm{}, "partition": partition.Algorithm{},
}

// seedOf is the seed of an algorithm that leaves something to chance.
func seedOf(algorithm string) *[32]byte {
	if algorithm == "local" {
		return &[32]byte{20}
	}
	return nil
}

// local is what an algorithm publishes on one machine.
func (o *original) local(t *testing.T, algorithm string, p privacy.KM) []byte {
	t.Helper()
	g, err := algorithms[algorithm].Anonymize(t.Context(), anonymize.Input{
		Data: o.data, Tree: o.tree, Promise: p, Sensitive: o.sensitive,
		Seed: seedOf(algorithm),
	})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := dataset.Write(&out, o.joined(t, g.Published()), o.layout.Options()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// proof is releases of one data set.
type proof struct {
	data, algorithm string
	sizes           []int // m
	l               int   // 0: no sensitive items
}

// proofs are what every run of the tests looks at, the most telling ones first; see enough.
// MINGLE_SPARK_PROOF asks for others; see tools/spark-proof.sh.
func proofs() []proof {
	asked := os.Getenv("MINGLE_SPARK_PROOF")
	if asked == "" {
		return []proof{
			{"groceries", "aa", []int{2}, 8},
			{"bms-webview-1", "aa", []int{2}, 0},
			{"groceries", "exact", []int{2}, 0},
			{"groceries", "aa", []int{3}, 0},
			{"bms-webview-1", "exact", []int{1}, 0},
			{"bms-webview-2", "aa", []int{2}, 0},
			{"retail", "aa", []int{2}, 0},
			{"groceries", "exact", []int{2}, 8},
			{"groceries", "vpa", []int{2}, 0},
			{"groceries", "local", []int{2}, 8},
			{"bms-webview-1", "exact", []int{2, 3}, 0},
		}
	}
	algorithms := []string{"aa", "exact", "vpa"} // those that publish what one machine does
	if some := os.Getenv("MINGLE_SPARK_ALGORITHMS"); some != "" {
		algorithms = strings.Split(some, ",")
	}
	var out []proof
	for _, l := range []int{0, 8}[:soak.Share(1, 2)] {
		for _, name := range strings.Split(asked, ",") {
			for _, algorithm := range algorithms {
				out = append(out, proof{name, algorithm, []int{1, 2, 3}, l})
			}
		}
	}
	return out
}

// enough is how long releases are begun on one cluster, counted from its first: as long as
// MINGLE_SPARK_TIME says (90s), or for 20 seconds, so that make test does not wait for Spark, and
// in a soak for two minutes. Those that are asked for by MINGLE_SPARK_PROOF are all begun.
func enough() time.Duration {
	if os.Getenv("MINGLE_SPARK_PROOF") != "" {
		return 1 << 62
	}
	if d, err := time.ParseDuration(os.Getenv("MINGLE_SPARK_TIME")); err == nil {
		return d
	}
	return time.Duration(soak.Share(20, 120)) * time.Second
}

// patient tells whether every version of Spark does all that is tested; else the later ones make
// releases alone.
func patient() bool { return os.Getenv("MINGLE_SPARK_TIME") != "" || soak.All() }

// busy is how much is left of the time of all tests when this one gives up, on a machine that does
// much else.
const busy = time.Minute

// within is the time that a test has.
func within(t *testing.T) context.Context {
	t.Helper()
	end, ok := t.Deadline()
	if !ok {
		return t.Context()
	}
	ctx, cancel := context.WithDeadline(t.Context(), end.Add(-busy))
	t.Cleanup(cancel)
	return ctx
}

// give ends a test for which there is no time, and fails one that has another fault.
func give(t *testing.T, ctx context.Context, err error) {
	t.Helper()
	if ctx.Err() != nil {
		t.Skip("there is no time left: the machine does too much else")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// On a cluster of two machines the published files are those of one, byte for byte; the judge
// finds a line that was changed, and one that was left out.
func TestSparkPublishesAsOneMachineSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("a cluster takes a minute")
	}
	if _, err := exec.LookPath("java"); err != nil {
		t.Skip("Java is not installed")
	}
	for _, v := range versions() {
		t.Run(v, func(t *testing.T) { publishes(t, v) })
	}
}

// publishes makes releases on one cluster, in one session.
func publishes(t *testing.T, sparkVersion string) {
	options := start(t, sparkVersion)
	part := "400k"
	if strings.Contains(os.Getenv("MINGLE_SPARK_PROOF"), "quest-") {
		part = "16m"
	}
	options.Conf = append(options.Conf, "spark.sql.files.maxPartitionBytes="+part,
		// which must change nothing of what is written
		"spark.hadoop.mapreduce.output.fileoutputformat.compress=true",
		"spark.sql.parser.escapedStringLiterals=true", "spark.sql.parquet.writeLegacyFormat=true")
	ctx := within(t)
	engine, err := spark.Open(ctx, options)
	give(t, ctx, err)
	defer engine.Close()
	if os.Getenv("MINGLE_SPARK_PROOF") == "" && (patient() || sparkVersion == versions()[0]) {
		t.Run("tables and queries", func(t *testing.T) { asTables(ctx, t, engine) })
		t.Run("persons", func(t *testing.T) { ofPersons(ctx, t, engine) })
		t.Run("parts", func(t *testing.T) { inParts(ctx, t, engine) })
	}
	begun := time.Now()
	for _, one := range proofs() {
		if ctx.Err() != nil {
			t.Skipf("there is no time left for %s and what comes after it", one.data)
		}
		o := read(t, one.data, 3)
		if one.l > 0 {
			o.hide(t)
		}
		for _, m := range one.sizes {
			name := fmt.Sprintf("%s %s %d l=%d", one.data, one.algorithm, m, one.l)
			t.Run(name, func(t *testing.T) {
				if time.Since(begun) > enough() {
					t.Skip("what there was time for has passed; tools/spark-proof.sh makes all")
				}
				o.proves(ctx, t, engine, one.algorithm, privacy.KM{K: 5, M: m, L: one.l})
			})
		}
	}
	missing := cluster.Release{
		Engine: engine, Version: "another", Input: t.TempDir(), Layout: split.Layout{
			Format: dataset.Fimi, Hierarchy: []byte("a;*\nb;*\n"),
		}, Promise: privacy.KM{K: 2, M: 1}, Output: filepath.Join(t.TempDir(), "out"),
	}
	if err := os.WriteFile(filepath.Join(missing.Input, "x"), []byte("a b\na b\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := missing.Make(ctx); ctx.Err() == nil && (err == nil ||
		!strings.Contains(err.Error(), "the driver is mingle another")) {
		t.Errorf("a worker of another version: %v", err)
	}
}

// proves makes a release, compares it with that of one machine, and has others judged, in which
// something is wrong.
func (o *original) proves(
	ctx context.Context, t *testing.T, engine *spark.Engine, algorithm string, p privacy.KM,
) {
	t.Helper()
	jobs, begun := 0, time.Now()
	made, err := cluster.Release{
		Engine: engine, Version: version, Input: o.folder, Layout: o.layout, Promise: p,
		Output: filepath.Join(t.TempDir(), "out"), Algorithm: algorithm, Seed: seedOf(algorithm),
		Progress: func(stage string) {
			if strings.HasPrefix(stage, "counting") {
				jobs++
			}
		},
	}.Make(ctx)
	give(t, ctx, err)
	t.Logf("%d counts, %v", jobs, time.Since(begun).Round(time.Second))
	var got bytes.Buffer
	for _, f := range made.Files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		got.Write(text)
	}
	if want := o.local(t, algorithm, p); !bytes.Equal(got.Bytes(), want) {
		t.Fatalf("%d bytes, %d on one machine, or others", got.Len(), len(want))
	}
	if algorithm == "aa" && (p.M == 3 || p.L > 0 && p.M == 2) {
		tampered(ctx, t, engine, o, p, got.Bytes())
	}
	if algorithm == "aa" && p.L > 0 && p.M == 2 {
		compared(ctx, t, engine, o, got.Bytes())
	}
}

// asTables makes a release of lines as a table, one of that table, and one of a query of it;
// queries whose rows are not lines are refused.
func asTables(ctx context.Context, t *testing.T, engine *spark.Engine) {
	t.Helper()
	dir := t.TempDir()
	lines := "a b\n\nb c d\na c\nd\na b\nb\na d\n"
	packed, err := hex.DecodeString("425a68393141592653595f12bc5b0000075100001040003c00200030c006689a5c" +
		"c53674952c00c3c5dc914e142417c4af16c0") // by bzip2
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "in.dat"), []byte(lines), 0o666),
		os.WriteFile(filepath.Join(dir, "in.dat.bz2"), packed, 0o666))
	if err != nil {
		t.Fatal(err)
	}
	r := cluster.Release{
		Engine: engine, Version: version, Promise: privacy.KM{K: 2, M: 2}, Layout: split.Layout{
			Format: dataset.Fimi, Hierarchy: []byte("a;AB;*\nb;AB;*\nc;CD;*\nd;CD;*\n"),
		},
	}
	query := "SELECT array_join(items, ' ') FROM parquet.`" + filepath.Join(dir, "table") + "`"
	for _, one := range []struct {
		input, query, output string
		table                bool
	}{
		{"in.dat", "", "table", true},
		{"table", "", "of-table", false},
		{"in.dat.bz2", "", "of-bz2", false},
		{"", query, "of-query", false},
	} {
		own := r
		own.Query, own.Output, own.Table = one.query, filepath.Join(dir, one.output), one.table
		if own.Input = filepath.Join(dir, one.input); one.table {
			own.Promise.M = 1 // which the lines keep as they are
		}
		_, err := own.Make(ctx)
		give(t, ctx, err)
	}
	if got := text(t, filepath.Join(dir, "of-bz2")); got != text(t, filepath.Join(dir, "of-table")) {
		t.Errorf("a .bz2 is published as %q", got)
	}
	first, last := text(t, filepath.Join(dir, "of-table")), text(t, filepath.Join(dir, "of-query"))
	if want := "AB\n\nAB CD\nAB CD\nCD\nAB\nAB\nAB CD\n"; first != want || last != want {
		t.Errorf("published as %q, %q and %q", want, first, last)
	}
	numbers(ctx, t, engine, r)
	for _, q := range []string{
		"SELECT CAST(NULL AS STRING)", "SELECT 'a', 'b'", "SELECT 1", "SELECT concat('a', char(10))",
		"SELECT a FROM nowhere", "SELECT 'a'; SELECT 'b'",
	} {
		err := engine.Rows(ctx, q, filepath.Join(dir, "refused"))
		if err == nil || strings.HasSuffix(err.Error(), ": ") {
			t.Errorf("%s: %v", q, err)
		}
	}
}

// numbers makes a release of a table whose items are whole numbers, which a query writes.
func numbers(ctx context.Context, t *testing.T, engine *spark.Engine, r cluster.Release) {
	t.Helper()
	dir := t.TempDir()
	r.Layout.Hierarchy = []byte("1;*\n2;*\n")
	r.Input, r.Output = filepath.Join(dir, "table"), filepath.Join(dir, "out")
	err := engine.Parquet(ctx, "SELECT array(id % 2 + 1) AS items FROM range(8)", r.Input)
	give(t, ctx, err)
	_, err = r.Make(ctx)
	give(t, ctx, err)
	if got := text(t, r.Output); strings.Count(got, "1\n") != 4 || len(got) != 16 {
		t.Errorf("published as %q", got)
	}
}

// text is the files of a folder one after another.
func text(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "part-*"))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(text)
	}
	return out.String()
}

// tampered judges a release of which a line was changed, and one that lacks a line.
func tampered(
	ctx context.Context, t *testing.T, engine *spark.Engine, o *original, p privacy.KM,
	published []byte,
) {
	t.Helper()
	files, err := cluster.Files(ctx, engine, o.layout, o.folder)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(published, []byte("\n"))
	at := len(lines) / 2
	for what, changed := range map[string][]byte{
		"exchanged": bytes.Join(append(append(append([][]byte{}, lines[:at]...), lines[at+1],
			lines[at]), lines[at+2:]...), nil),
		"left out": bytes.Join(append(append([][]byte{}, lines[:at]...), lines[at+1:]...), nil),
	} {
		path := filepath.Join(t.TempDir(), "changed.dat")
		if err := os.WriteFile(path, changed, 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := judge.Release{
			Engine: engine, Version: version, Layout: o.layout, Tree: o.tree,
			Published: []string{path}, Original: files, K: p.K, M: p.M, L: p.L,
		}.Judge(ctx)
		give(t, ctx, err)
		if f.Holds && !bytes.Equal(lines[at], lines[at+1]) {
			t.Errorf("%s: the judge finds nothing", what)
		}
	}
	if p.L == 0 {
		return
	}
	path := filepath.Join(t.TempDir(), "kept.dat") // which does not keep so large an l
	if err := os.WriteFile(path, published, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := judge.Release{
		Engine: engine, Version: version, Layout: o.layout, Tree: o.tree,
		Published: []string{path}, K: p.K, M: p.M, L: 1000,
	}.Judge(ctx)
	give(t, ctx, err)
	if f.Holds || !strings.Contains(fmt.Sprint(f.Breaches), "more than 1/1000 of their lines") {
		t.Errorf("with an l of 1000 the judge finds %+v", f.Breaches)
	}
}
