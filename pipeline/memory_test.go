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
// and within auto. The release keeps the promise, and the audit file says so.
func TestMemoryMakesLevels(t *testing.T) {
	if testing.Short() {
		t.Skip("it says nothing more to the race detector")
	}
	lines, tree := baskets(3, 60_000)
	for _, algorithm := range []anonymize.Algorithm{local.Algorithm{}, auto.Algorithm{}} {
		for _, bound := range []int64{100 << 20, 1 << 30} {
			audit := audited(t, lines, tree, Job{
				Family: KM{Promise: privacy.KM{K: 50, M: 2}, Algorithm: algorithm}, Memory: bound,
			})
			byLevel := strings.Contains(audit, "level by level")
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
	lines, tree := baskets(2, 8000)
	for _, room := range []int64{0, 80 << 20} {
		audit := audited(t, lines, tree, Job{
			Family: KM{Promise: privacy.KM{K: 5, M: 3}, Algorithm: local.Algorithm{}}, Room: room,
		})
		if inParts := strings.Contains(audit, "dealt by chance"); inParts != (room > 0) {
			t.Errorf("with a bound of %d bytes: in parts %v", room, inParts)
		}
	}
}

// baskets are transactions of up to 21 of 60 items, and a hierarchy of these.
func baskets(seed uint64, n int) (lines, tree string) {
	rng := rand.New(rand.NewPCG(1, seed))
	var in, groups strings.Builder
	for range n {
		for range 2 + rng.IntN(20) {
			fmt.Fprintf(&in, "i%d ", int(rng.ExpFloat64()*20)%60)
		}
		in.WriteString("\n")
	}
	for i := range 60 {
		fmt.Fprintf(&groups, "i%d;g%d;h%d;ALL\n", i, i/4, i/20)
	}
	return in.String(), groups.String()
}

// audited runs a job on transactions and a hierarchy, and returns its audit file.
func audited(t *testing.T, lines, tree string, job Job) string {
	t.Helper()
	dir := t.TempDir()
	family := job.Family.(KM)
	family.Hierarchy = put(t, dir, "tree.csv", tree)
	job.Family, job.Input, job.Workers = family, put(t, dir, "in.dat", lines), 2
	job.Key, job.Seed, job.OmitTimings = &report.Key{1}, &[32]byte{1}, true
	job.Output, job.Audit = dir+"/out.dat", dir+"/audit.json"
	if _, err := job.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return get(t, job.Audit)
}
