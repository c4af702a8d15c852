package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/cluster"
	"mingle/cluster/fake"
	"mingle/cluster/judge"
	"mingle/internal/soak"
	"mingle/pipeline"
)

// stays are lines of items under groups, and of sensitive items, of which some are in the hierarchy
// too: some lines have one kind alone, or nothing.
type stays struct {
	dir  string
	rng  *rand.Rand
	args []string // of both commands
	list []string // of sensitive items

	diverse bool // of baskets: some items are sensitive
}

func someStays(t *testing.T, rng *rand.Rand) *stays {
	t.Helper()
	s := &stays{dir: t.TempDir(), rng: rng, list: []string{"hiv", "tb", "flu"}}
	between, extension := " ", "dat"
	if rng.IntN(2) == 0 {
		between, extension = ",", "basket"
	}
	lines := make([]string, 60+rng.IntN(200))
	for i := range lines {
		var items []string
		for range rng.IntN(5) {
			if it := fmt.Sprint("i", int(16*rng.Float64()*rng.Float64())); !strings.Contains(
				strings.Join(items, " ")+" ", it+" ") {
				items = append(items, it)
			}
		}
		for x, one := range s.list {
			if rng.IntN(8+8*x) == 0 {
				items = append([]string{one}, items...)
			}
		}
		if len(items) == 0 && extension == "basket" {
			items = []string{"i0"}
		}
		lines[i] = strings.Join(items, between) + "\n"
	}
	s.write(t, "one/in."+extension, strings.Join(lines, ""))
	files := 1 + rng.IntN(3)
	for f := range files {
		own := lines[f*len(lines)/files : (f+1)*len(lines)/files]
		s.write(t, fmt.Sprintf("many/in.%s/part%d", extension, f), strings.Join(own, ""))
	}
	var tree strings.Builder
	for i := range 16 {
		fmt.Fprintf(&tree, "i%d;g%d;h%d;*\n", i, i/2, i/4)
	}
	tree.WriteString("hiv;g1;h0;*\nmeasles;viral;h9;*\n")
	s.write(t, "tree.csv", tree.String())
	s.write(t, "list.txt", strings.Join(append(s.list, "measles"), "\n")+"\n")
	s.args = []string{
		"-H", filepath.Join(s.dir, "tree.csv"), "--sensitive", filepath.Join(s.dir, "list.txt"),
		"-k", fmt.Sprint(2 + rng.IntN(4)), "-m", fmt.Sprint(1 + rng.IntN(3)),
		"-l", fmt.Sprint(2 + rng.IntN(3)),
		"--input-format", map[string]string{"dat": "fimi", "basket": "basket"}[extension],
	}
	return s
}

func (s *stays) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// path is the one file or folder that fits a pattern.
func (s *stays) path(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(s.dir, pattern))
	if err != nil || len(found) != 1 {
		t.Fatal(pattern, found, err)
	}
	return found[0]
}

// asked is the release that flags of "mingle spark anonymize km" ask for.
func (s *stays) asked(t *testing.T, algorithm string) (*sparkRelease, *cluster.Release, error) {
	t.Helper()
	r := &sparkRelease{algorithm: algorithm, output: filepath.Join(s.dir, "many", "out")}
	f := pflag.NewFlagSet("km", pflag.ContinueOnError)
	r.register(f)
	r.who(f)
	r.parts.register(f)
	if err := f.Parse(s.args); err != nil {
		t.Fatal(err)
	}
	release, err := r.made([]string{s.path(t, "many/in.*")})
	if err == nil {
		release.Engine = &fake.Engine{Rng: fake.Own(s.rng), Lines: 1 + s.rng.IntN(40), Work: func(
			ctx context.Context, verb string, plan, in io.Reader, out io.Writer,
		) error {
			return cluster.Work(ctx, verb, plan, pipeline.Version, in, out)
		}}
	}
	return r, release, err
}

// onOneMachine makes the release of the same flags on one machine: the file and its report.
func (s *stays) onOneMachine(
	t *testing.T, asked *cluster.Release, tree string, a anonymize.Algorithm,
) (published, report string, err error) {
	t.Helper()
	out, rep := filepath.Join(s.dir, "one", "out"), filepath.Join(s.dir, "one", "report.json")
	job := pipeline.Job{
		Family: pipeline.KM{
			Layout: asked.Layout.Options(), Hierarchy: tree, Promise: asked.Promise, Algorithm: a,
			Sensitive: filepath.Join(s.dir, "list.txt"),
		},
		Input: s.path(t, "one/in.*"), Output: out, Report: rep, Recipe: "mingle",
	}
	if _, err := job.Run(t.Context()); err != nil {
		return "", "", err
	}
	return text(t, out), text(t, rep), nil
}

// With sensitive items, too, the release on a cluster has the lines and the report of one machine;
// where there is none on one machine, there is none.
func TestSparkHidesSensitiveItemsSoak(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 50))
	made := 0
	instances := soak.Share(16, 40)
	for i := range instances {
		s := someStays(t, rng)
		a := []anonymize.Algorithm{
			global.AA{}, global.VPA{Parts: 3}, global.AA{}, exact.Algorithm{},
		}[i%4]
		flags, release, err := s.asked(t, a.Name())
		if err != nil {
			t.Fatal(err)
		}
		release.Vertical.Parts = 3
		lines, rep, refused := s.onOneMachine(t, release, flags.tree.path, a)
		var got bytes.Buffer
		release.Announce = func(ctx context.Context, files []string) (func() error, error) {
			in := &inTurn{ctx: ctx, files: files, open: release.Engine.Open}
			defer in.close()
			made, err := pipeline.Elsewhere{
				Hierarchy: flags.tree.path, Original: filepath.Base(release.Input), Published: "out",
				Layout: release.Layout.Options(), Promise: release.Promise, Algorithm: a.Name(),
				Sensitive: flags.sensitive, Recipe: "mingle",
			}.Report(ctx, in)
			if err != nil {
				return nil, err
			}
			return func() error { return made.WriteJSON(&got) }, nil
		}
		done, err := release.Make(t.Context())
		if refused != nil || err != nil {
			if refused == nil || err == nil {
				t.Fatalf("one machine says %v, the cluster %v", refused, err)
			}
			continue
		}
		made++
		var published strings.Builder
		for _, f := range done.Files {
			published.WriteString(text(t, f))
		}
		if published.String() != lines {
			t.Fatalf("published\n%s\none machine publishes\n%s", published.String(), lines)
		}
		if got.String() != rep {
			t.Fatalf("reported\n%s\none machine reports\n%s", got.String(), rep)
		}
	}
	if made < instances/3 {
		t.Errorf("only %d releases were made", made)
	}
}

// text is a file.
func text(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A list with an item that nobody knows, or that is spelt in another way, is refused as on one
// machine.
func TestSparkRefusesLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 51))
	for _, one := range []struct{ list, want string }{
		{"hiv\ntb\nflu\nnobody\n", `"nobody" is neither in the data nor in the hierarchy`},
		{"hiv \ntb\nflu\n", `lists "hiv ", and the data has "hiv"`},
		{"hiv\ntb\nflu\ng1\n", `"g1" is a group`},
	} {
		list, want := one.list, one.want
		s := someStays(t, rng)
		s.write(t, "list.txt", list)
		flags, release, err := s.asked(t, "aa")
		if err != nil {
			t.Fatal(err)
		}
		_, _, refused := s.onOneMachine(t, release, flags.tree.path, global.AA{})
		_, err = release.Make(t.Context())
		for who, err := range map[string]error{"one machine": refused, "the cluster": err} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %s says %v", list, who, err)
			}
		}
		if _, err := os.Stat(release.Output); err == nil {
			t.Errorf("%q: there is a release", list)
		}
	}
}

// A release that does not keep its promise ends "mingle spark verify" with the exit code of that.
func TestSparkVerdict(t *testing.T) {
	for holds, want := range map[bool]int{true: codeDone, false: codeBroken} {
		var out bytes.Buffer
		a := &app{out: &out, console: console{out: &out, errs: &out}}
		err := a.sparkVerdict(&judge.Finding{Holds: holds})
		if got := exitCode(err); got != want || !strings.HasPrefix(out.String(), "the promise ") {
			t.Errorf("%v: exit code %d, and %q", holds, got, out.String())
		}
	}
}

// What Spark says is for its owner alone, also in a file that was there.
func TestSparkLogIsTheOwners(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	log, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 || info.Size() != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
