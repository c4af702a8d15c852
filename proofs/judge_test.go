// Package proofs holds what a prover has shown, and compares it with what runs: judge.dfy is a
// second judge of releases, proved in Dafny.
package proofs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/brute"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/verify"
)

// dafny skips the test where there is no Dafny.
func dafny(t *testing.T) {
	t.Helper()
	for _, name := range []string{"dafny", "mono"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed: tools/dafny.sh installs it on Debian", name)
		}
	}
}

// run runs a command in a directory and gives what it prints.
func run(t *testing.T, dir, stdin, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var verdict = regexp.MustCompile(`verifier finished with (\d+) verified, (\d+) errors?\n`)

// proved tells whether Dafny proves a text without an error or a method that takes too long, with
// what it says; given are options.
func proved(t *testing.T, text string, options ...string) (bool, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "judge.dfy"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := run(t, dir, "", "dafny", append([]string{"/compile:0", "judge.dfy"}, options...)...)
	said := verdict.FindStringSubmatch(out)
	return said != nil && said[1] != "0" && said[2] == "0", out
}

func source(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("judge.dfy")
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"assume", "{:axiom}", "{:verify", "{:extern", "decreases *"} {
		if strings.Contains(string(text), way) {
			t.Fatalf("judge.dfy has %s, with which something is believed, not shown", way)
		}
	}
	return string(text)
}

// Dafny proves everything in judge.dfy.
func TestJudgeIsProved(t *testing.T) {
	dafny(t)
	ok, out := proved(t, source(t), "/timeLimit:300")
	if !ok {
		t.Fatal(out)
	}
	t.Log(verdict.FindString(out))
}

// It does not prove what is false: the prover is at work.
func TestFalseClaimsAreNotProved(t *testing.T) {
	dafny(t)
	for part, claim := range map[string][2]string{
		"Take":   {"|s - {i}| == |s| - 1", "|s - {i}| == |s| - 2"},
		"Beyond": {"Valid(r) && !Within(c, 0, |r.parent|)", "Valid(r)"},
	} {
		text := source(t)
		if strings.Count(text, claim[0]) != 1 {
			t.Fatalf("judge.dfy has %q not once", claim[0])
		}
		text = strings.Replace(text, claim[0], claim[1], 1)
		if ok, out := proved(t, text, "/timeLimit:10", "/proc:*"+part+"*"); ok {
			t.Errorf("%s is proved though it is false\n%s", part, out)
		}
	}
}

// world is a release to be judged.
type world struct {
	in        anonymize.Input
	published *dataset.Dataset
}

// numbers spells a release as serve.dfy reads it.
func (w world) numbers(b *strings.Builder) {
	p, t := w.in.Promise, w.in.Tree
	negative := 0
	if p.NegativeKnowledge {
		negative = 1
	}
	fmt.Fprintf(b, "%d %d %d %d %d %d", p.K, p.L, p.M, negative, t.Leaves(), t.Nodes())
	for u := range int32(t.Nodes()) {
		fmt.Fprintf(b, " %d", t.Parent(u))
	}
	secrets := 0
	if w.in.Sensitive != nil {
		secrets = w.in.Sensitive.Dict().Len()
	}
	fmt.Fprintf(b, " %d %d", secrets, w.in.Data.Len())
	set := func(items []int32) {
		fmt.Fprintf(b, " %d", len(items))
		for _, x := range items {
			fmt.Fprintf(b, " %d", x)
		}
	}
	for i := range w.in.Data.Len() {
		set(w.in.Data.Tx(i))
		set(w.published.Tx(i))
		if w.in.Sensitive != nil {
			set(w.in.Sensitive.Tx(i))
		} else {
			set(nil)
		}
	}
	b.WriteString("\n")
}

// random is a small original with a release of it by some algorithm, or with random nodes.
func random(t *testing.T, rng *rand.Rand) (world, bool) {
	t.Helper()
	in := brute.Random(rng)
	algorithms := []anonymize.Algorithm{
		global.AA{}, exact.Algorithm{}, local.Algorithm{}, partition.Algorithm{},
	}
	in.Seed = &[32]byte{byte(rng.IntN(256))}
	n := rng.IntN(len(algorithms) + 2)
	if n < len(algorithms) {
		g, err := algorithms[n].Anonymize(t.Context(), in)
		if err != nil {
			return world{}, false
		}
		return world{in, g.Published()}, true
	}
	b := dataset.NewBuilder(in.Tree.Dict())
	for i := range in.Data.Len() {
		var line []int32
		for _, u := range in.Data.Tx(i) {
			for u != in.Tree.Root() && rng.IntN(2) == 0 {
				u = in.Tree.Parent(u)
			}
			line = append(line, u)
		}
		b.Add(line)
	}
	return world{in, b.Build()}, true
}

// edited is a release with one label dropped, added or exchanged for that above it, or with two
// lines exchanged.
func (w world) edited(rng *rand.Rand) world {
	t := w.in.Tree
	var lines [][]int32
	for i := range w.published.Len() {
		lines = append(lines, append([]int32(nil), w.published.Tx(i)...))
	}
	if len(lines) == 0 {
		return w
	}
	i, j := rng.IntN(len(lines)), rng.IntN(len(lines))
	switch line := lines[i]; {
	case rng.IntN(4) == 0:
		lines[i], lines[j] = lines[j], lines[i]
	case len(line) == 0 || rng.IntN(3) == 0:
		lines[i] = append(line, int32(rng.IntN(t.Nodes())))
	case rng.IntN(2) == 0:
		lines[i] = line[1:]
	default:
		at := rng.IntN(len(line))
		line[at] = max(line[at], t.Parent(line[at]))
	}
	b := dataset.NewBuilder(t.Dict())
	for _, line := range lines {
		b.Add(line)
	}
	return world{w.in, b.Build()}
}

// holds is the verdict of the verifier that runs.
func (w world) holds(ctx context.Context, t *testing.T) bool {
	t.Helper()
	f, err := verify.KM(ctx, verify.KMInput{
		Tree: w.in.Tree, Published: w.published, PublishedSensitive: w.in.Sensitive,
		Original: w.in.Data, OriginalSensitive: w.in.Sensitive, Promise: w.in.Promise, Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return f.Holds
}

// The verifier and the proved judge say the same of random releases and of what one edit makes of
// them.
func TestJudgesAgreeSoak(t *testing.T) {
	dafny(t)
	dir := t.TempDir()
	out, err := run(t, ".", "", "dafny", "/compile:2", "/noVerify",
		"/out:"+filepath.Join(dir, "judge.exe"), "serve.dfy", "shell.cs")
	if err != nil || !strings.Contains(out, "Compiled assembly") {
		t.Fatalf("%v\n%s", err, out)
	}
	rng := rand.New(rand.NewPCG(23, 7))
	var worlds []world
	var text strings.Builder
	for range soak.Share(150, 5000) {
		w, ok := random(t, rng)
		if !ok {
			continue
		}
		for range 4 {
			w.numbers(&text)
			worlds = append(worlds, w)
			w = w.edited(rng)
		}
	}
	out, err = run(t, dir, text.String(), "mono", "judge.exe")
	said := strings.Fields(out)
	if err != nil || len(said) != len(worlds) {
		t.Fatalf("%v: %d verdicts of %d releases\n%.2000s", err, len(said), len(worlds), out)
	}
	accepted := 0
	for i, w := range worlds {
		holds := w.holds(t.Context(), t)
		if holds {
			accepted++
		}
		if (said[i] == "1") != holds {
			t.Errorf("the proved judge says %s, the verifier %v, of %+v\noriginal %v\npublished %v",
				said[i], holds, w.in.Promise, linesOf(w.in.Data), linesOf(w.published))
		}
	}
	if accepted < len(worlds)/10 || accepted > 9*len(worlds)/10 {
		t.Errorf("%d of %d are accepted: that tests too little", accepted, len(worlds))
	}
	t.Logf("%d releases, %d accepted", len(worlds), accepted)
}

func linesOf(d *dataset.Dataset) [][]string {
	var out [][]string
	for i := range d.Len() {
		out = append(out, d.Labels(i))
	}
	return out
}
