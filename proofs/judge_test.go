// Package proofs holds what a prover has shown, and compares it with what runs: second judges of
// the releases of every family, proved in Dafny.
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

	"mingle/internal/soak"
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

// judges are the files of what is proved, a family each, and what two of them have in common.
var judges = []string{"sets.dfy", "km.dfy", "coherence.dfy", "bags.dfy", "nonreciprocal.dfy"}

// proved tells whether Dafny proves a text in place of a file without an error or a method that
// takes too long, with what it says; given are options.
func proved(t *testing.T, file, text string, options ...string) (bool, string) {
	t.Helper()
	dir := t.TempDir()
	for _, f := range judges {
		if f == file {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, f), []byte(source(t, f)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := run(t, dir, "", "dafny", append([]string{"/compile:0", file}, options...)...)
	said := verdict.FindStringSubmatch(out)
	return said != nil && said[1] != "0" && said[2] == "0", out
}

func source(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"assume", "{:axiom}", "{:verify", "{:extern", "decreases *"} {
		if strings.Contains(string(text), way) {
			t.Fatalf("%s has %s, with which something is believed, not shown", file, way)
		}
	}
	return string(text)
}

// Dafny proves everything in the judges.
func TestJudgesAreProved(t *testing.T) {
	dafny(t)
	for _, file := range judges {
		ok, out := proved(t, file, source(t, file), "/timeLimit:300")
		if !ok {
			t.Fatal(out)
		}
		t.Log(file, verdict.FindString(out))
	}
}

// It does not prove what is false: the prover is at work.
func TestFalseClaimsAreNotProved(t *testing.T) {
	dafny(t)
	for _, c := range []struct{ file, part, true, false string }{
		{"sets.dfy", "TakeFromSet", "|s - {i}| == |s| - 1", "|s - {i}| == |s| - 2"},
		{"km.dfy", "Beyond", "Valid(r) && !Within(c, 0, |r.parent|)", "Valid(r)"},
		{"sets.dfy", "AddToSet", "requires Within(s, i + 1, n) && i < n", "requires i < n"},
		{"coherence.dfy", "Fewer", "|a * b| <= |a|", "|a * b| < |a|"},
		{"bags.dfy", "PartFits", "requires Part(r, numbers, terms, at, open, of)", ""},
		{
			"nonreciprocal.dfy", "OneOnly", "requires Matched(r, a) && Matched(r, b)",
			"requires |a| == |b|",
		},
	} {
		text := source(t, c.file)
		if strings.Count(text, c.true) != 1 {
			t.Fatalf("%s has %q not once", c.file, c.true)
		}
		text = strings.Replace(text, c.true, c.false, 1)
		ok, out := proved(t, c.file, text, "/timeLimit:10", "/proc:*"+c.part+"*")
		if ok {
			t.Errorf("%s is proved though it is false\n%s", c.part, out)
		}
	}
}

// world is a release to be judged by both.
type world interface {
	fmt.Stringer
	numbers(b *strings.Builder)                   // as serve.dfy reads it, without the line's end
	edited(rng *rand.Rand) world                  // by one edit
	holds(ctx context.Context, t *testing.T) bool // says the verifier that runs
}

// spellSet writes the size of a set and its elements.
func spellSet[T int | int32](b *strings.Builder, set []T) {
	fmt.Fprintf(b, " %d", len(set))
	for _, x := range set {
		fmt.Fprintf(b, " %d", x)
	}
}

// compiled is the directory of the proved judges as a program.
func compiled(t *testing.T) string {
	t.Helper()
	dafny(t)
	dir := t.TempDir()
	out, err := run(t, ".", "", "dafny", "/compile:2", "/noVerify",
		"/out:"+filepath.Join(dir, "judge.exe"), "serve.dfy", "shell.cs")
	if err != nil || !strings.Contains(out, "Compiled assembly") {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// The verifier and the proved judges say the same of random releases of every family, and of what
// one, two and three edits make of them.
func TestJudgesAgreeSoak(t *testing.T) {
	dir := compiled(t)
	for _, family := range []struct {
		name   string
		random func(t *testing.T, rng *rand.Rand) (world, bool)
	}{
		{"km", randomKM},
		{"coherence", randomCoherence},
		{"continuous", randomBags},
		{"nonreciprocal", randomNonreciprocal},
	} {
		t.Run(family.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(23, 7+uint64(soak.Turn())))
			judged, accepted := 0, 0
			for want := soak.Share(400, 20_000); judged < want; {
				var worlds []world
				for len(worlds) < min(want-judged, 4000) {
					w, ok := family.random(t, rng)
					for range 4 {
						if ok {
							worlds = append(worlds, w)
							w = w.edited(rng)
						}
					}
				}
				accepted += agree(t, dir, worlds)
				judged += len(worlds)
			}
			if accepted < judged/20 || accepted > 19*judged/20 {
				t.Errorf("%d of %d are accepted: that tests too little", accepted, judged)
			}
			t.Logf("%d releases, %d accepted", judged, accepted)
		})
	}
}

// agree compares the verdicts, and counts the releases that are accepted.
func agree(t *testing.T, dir string, worlds []world) (accepted int) {
	t.Helper()
	var text strings.Builder
	for _, w := range worlds {
		w.numbers(&text)
		text.WriteString("\n")
	}
	out, err := run(t, dir, text.String(), "mono", "judge.exe")
	said := strings.Fields(out)
	if err != nil || len(said) != len(worlds) {
		t.Fatalf("%v: %d verdicts of %d releases\n%.2000s", err, len(said), len(worlds), out)
	}
	for i, w := range worlds {
		holds := w.holds(t.Context(), t)
		if holds {
			accepted++
		}
		if (said[i] == "1") != holds {
			t.Fatalf("the proved judge says %s, the verifier %v, of %v", said[i], holds, w)
		}
	}
	return accepted
}
