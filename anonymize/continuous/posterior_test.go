package continuous_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize/continuous"
	"mingle/dataset/bag"
	"mingle/hierarchy"
	"mingle/internal/posterior"
	"mingle/internal/soak"
	"mingle/privacy"
)

// smallBags is every bag of at most most values.
func smallBags(values []int64, most int) [][]int64 {
	var out [][]int64
	for n := 0; n <= most; n++ {
		posterior.Multisets(len(values), n, func(chosen []int) {
			b := []int64{}
			for _, c := range chosen {
				b = append(b, values[c])
			}
			out = append(out, b)
		})
	}
	return out
}

// knownOf is every bag of 1 to m values of a record, as text.
func knownOf(m int) func(record string) []string {
	cache := map[string][]string{}
	return func(record string) []string {
		if out, ok := cache[record]; ok {
			return out
		}
		seen := map[string]bool{}
		out := []string{}
		values := strings.Fields(record)
		for mask := 1; mask < 1<<len(values); mask++ {
			var b []string
			for i, v := range values {
				if mask>>i&1 == 1 {
					b = append(b, v)
				}
			}
			if key := strings.Join(b, " "); len(b) <= m && !seen[key] {
				seen[key] = true
				out = append(out, key)
			}
		}
		cache[record] = out
		return out
	}
}

// TestPosteriorOfBagsSoak enumerates all originals of small bags. The figures stand in
// docs/threat-model.md.
func TestPosteriorOfBagsSoak(t *testing.T) {
	values := []int64{0, 1, 2, 10, 11}[:soak.Share(4, 5)]
	bags := smallBags(values, soak.Share(2, 3))
	records := soak.Share(3, 4)
	for _, a := range continuous.Algorithms() {
		for m := 1; m <= 2; m++ {
			t.Run(fmt.Sprintf("%s/m=%d", a, m), func(t *testing.T) {
				var worlds []posterior.World
				posterior.Multisets(len(bags), records, func(chosen []int) {
					original := make([][]int64, len(chosen))
					for i, c := range chosen {
						original[i] = bags[c]
					}
					w, ok := worldOf(t, a, original, privacy.Continuous{K: 2, M: m})
					if !ok {
						return
					}
					// the enumeration leaves other orders out
					if worlds = append(worlds, w); len(worlds)%101 == 0 {
						slices.Reverse(original)
						turned, _ := worldOf(t, a, original, privacy.Continuous{K: 2, M: m})
						if !slices.Equal(linesOf(turned), linesOf(w)) {
							t.Fatalf(
								"%q is published as %q, in reverse order as %q", w.Records,
								w.Lines, turned.Lines,
							)
						}
					}
				})
				r := posterior.Enumerate(worlds, posterior.Knowledge{Known: knownOf(m)}, 2, 1)
				if a == "aa" && r.Under > 0 {
					t.Errorf("aa leaves somebody fewer than k candidates")
				}
				t.Logf("%d of %.0f releasable originals of %d records: %.3f %% "+
					"with somebody under k, fewest %d: %v as %v, knowing %s",
					int(r.Under), r.Originals, records, 100*r.Share(r.Under), r.Fewest,
					r.Example.Records, r.Example.Lines, r.Known)
			})
		}
	}
}

// linesOf are the records and what they are published as, in no order.
func linesOf(w posterior.World) (out []string) {
	for i, record := range w.Records {
		out = append(out, record+" as "+w.Lines[i])
	}
	slices.Sort(out)
	return out
}

// worldOf publishes an original; ok is false where no release keeps the promise.
func worldOf(
	t *testing.T, a string, original [][]int64, p privacy.Continuous,
) (w posterior.World, ok bool) {
	t.Helper()
	in := continuous.Input{
		Data: bag.FromInts(original), Promise: p, Threshold: 0.001, Kind: bag.Numbers(),
		Algorithm: a,
	}
	if a == "aa" {
		in.Tree = roundingTree(t)
	}
	r, err := continuous.Anonymize(t.Context(), in)
	var infeasible *privacy.Infeasible
	if errors.As(err, &infeasible) {
		return w, false
	}
	if err != nil {
		t.Fatalf("%v: %v", original, err)
	}
	published := r.Published()
	for i := range original {
		w.Records = append(w.Records, strings.Join(in.Data.Texts(i), " "))
		w.Lines = append(w.Lines, strings.Join(published.Texts(i), " "))
	}
	return w, true
}

var rounding *hierarchy.Tree

// roundingTree is one tree over all values, so that it tells nothing of the data.
func roundingTree(t *testing.T) *hierarchy.Tree {
	t.Helper()
	if rounding == nil {
		var err error
		if rounding, err = hierarchy.Read(strings.NewReader(
			"0;[0-1];[0-2];[0-11]\n1;[0-1];[0-2];[0-11]\n2;[2-2];[0-2];[0-11]\n"+
				"10;[10-11];[0-11]\n11;[10-11];[0-11]\n",
		),
			hierarchy.ReadOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return rounding
}
