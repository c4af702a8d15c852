package pipeline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/auto"
	"mingle/anonymize/global"
	"mingle/anonymize/local"
	"mingle/privacy"
	"mingle/report"
)

// A bound on memory changes the way, not the result: release, audit and report are the same bytes,
// in every format, with sensitive items and without. The report tells of no attack where the bound
// leaves no room for one.
func TestMemoryChangesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it says nothing about goroutines: a minute for the race detector")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var long strings.Builder
	long.WriteString("tid,item,shop\n")
	for tx := range 3000 {
		fmt.Fprintf(&long, "t%d,i1,s%d\n", tx, tx%7)
		for range rng.IntN(7) {
			fmt.Fprintf(&long, "t%d,i%d,s%d\n", tx, 2+int(rng.ExpFloat64()*20)%58, tx%7)
		}
	}
	var tree strings.Builder
	for i := range 60 {
		fmt.Fprintf(&tree, "i%d;g%d;h%d;ALL\n", i, i/4, i/20)
	}
	for _, out := range []string{"out.dat", "out.csv", "out.jsonl"} {
		for _, l := range []int{0, 2} {
			want := ""
			for _, memory := range []int64{0, 1, 1 << 30} {
				dir := t.TempDir()
				family := KM{
					Hierarchy: put(t, dir, "tree.csv", tree.String()),
					Promise:   privacy.KM{K: 5, M: 2, L: l}, Algorithm: global.AA{},
				}
				if l > 0 {
					family.Sensitive = put(t, dir, "sensitive.txt", "i58\ni59\n")
				}
				job := Job{
					Family: family, Input: put(t, dir, "in.csv", long.String()),
					Memory: memory, OmitTimings: true, Workers: 2, Key: &report.Key{1},
					Output: dir + "/" + out, Report: dir + "/report.json",
					Audit: dir + "/audit.json",
				}
				if _, err := job.Run(context.Background()); err != nil {
					t.Fatal(err)
				}
				got := get(t, job.Output) + get(t, job.Audit) + get(t, job.Report)
				if memory == 1 { // the adversarial test is left out
					got = get(t, job.Output)
				}
				if want == "" {
					want = got
				}
				if !strings.HasPrefix(want, got) {
					t.Fatalf(
						"%s, l=%d: with a bound of %d bytes something else is published", out, l,
						memory,
					)
				}
			}
		}
	}
}

// Local goes level by level where its search does not fit and at most two items are known: alone
// and within auto. The release keeps the promise, and the report says so.
func TestMemoryMakesLevels(t *testing.T) {
	if testing.Short() {
		t.Skip("it says nothing more to the race detector")
	}
	rng := rand.New(rand.NewPCG(1, 3))
	var lines, tree strings.Builder
	for range 60_000 {
		for range 2 + rng.IntN(20) {
			fmt.Fprintf(&lines, "i%d ", int(rng.ExpFloat64()*20)%60)
		}
		lines.WriteString("\n")
	}
	for i := range 60 {
		fmt.Fprintf(&tree, "i%d;g%d;h%d;ALL\n", i, i/4, i/20)
	}
	for _, algorithm := range []anonymize.Algorithm{local.Algorithm{}, auto.Algorithm{}} {
		for _, bound := range []int64{100 << 20, 1 << 30} {
			dir := t.TempDir()
			job := Job{
				Family: KM{
					Hierarchy: put(t, dir, "tree.csv", tree.String()),
					Promise:   privacy.KM{K: 50, M: 2}, Algorithm: algorithm,
				},
				Input: put(t, dir, "in.dat", lines.String()), Memory: bound, Workers: 2,
				Key: &report.Key{1}, Seed: &[32]byte{1}, OmitTimings: true,
				Output: dir + "/out.dat", Audit: dir + "/audit.json",
			}
			if _, err := job.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			byLevel := strings.Contains(get(t, job.Audit), "level by level")
			if byLevel != (bound == 100<<20) {
				t.Errorf("%s with a bound of %d bytes: level by level %v", algorithm.Name(), bound,
					byLevel)
			}
		}
	}
}

// Local is specialised in parts where the whole does not fit, and the release keeps the promise;
// the audit file says so.
func TestMemoryMakesParts(t *testing.T) {
	if testing.Short() {
		t.Skip("parts of small data are made under the race detector, too")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var lines, tree strings.Builder
	for range 8000 {
		for range 2 + rng.IntN(20) {
			fmt.Fprintf(&lines, "i%d ", int(rng.ExpFloat64()*20)%60)
		}
		lines.WriteString("\n")
	}
	for i := range 60 {
		fmt.Fprintf(&tree, "i%d;g%d;h%d;ALL\n", i, i/4, i/20)
	}
	for _, memory := range []int64{0, 80 << 20} {
		dir := t.TempDir()
		job := Job{
			Family: KM{
				Hierarchy: put(t, dir, "tree.csv", tree.String()),
				Promise:   privacy.KM{K: 5, M: 3}, Algorithm: local.Algorithm{},
			},
			Input: put(t, dir, "in.dat", lines.String()), Room: memory, Workers: 2,
			Key: &report.Key{1}, Seed: &[32]byte{1}, OmitTimings: true,
			Output: dir + "/out.dat", Audit: dir + "/audit.json",
		}
		if _, err := job.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		inParts := strings.Contains(get(t, job.Audit), "dealt by chance")
		if inParts != (memory > 0) {
			t.Errorf("with a bound of %d bytes: in parts %v", memory, inParts)
		}
	}
}
