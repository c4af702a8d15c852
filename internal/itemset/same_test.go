package itemset_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/brute"
	"mingle/internal/itemset"
)

// A walk with hardly any memory, or by several workers, visits the same paths in the same order,
// whatever is taken out of it on the way, and whether the data is at the cut or put there as it
// goes.
func TestWalkIsTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for n := range 3000 {
		in := brute.Random(rng)
		seed := rng.Uint64()
		want := visits(t, in, seed, 0, 1, false)
		for _, bound := range []int64{1, 50, 200, 1000} {
			if got := visits(t, in, seed, bound, 1, n%2 == 0); !slices.Equal(got, want) {
				t.Fatalf("with %d bytes\n%v, without a bound\n%v", bound, got, want)
			}
		}
		for _, workers := range []int{2, 5} {
			if got := visits(t, in, seed, 0, workers, n%2 == 0); !slices.Equal(got, want) {
				t.Fatalf("with %d workers\n%v, with one\n%v", workers, got, want)
			}
		}
	}
}

// visits spells the paths of one walk at a random cut in which random nodes are deactivated.
func visits(
	t *testing.T, in anonymize.Input, seed uint64, bound int64, workers int, late bool,
) []string {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	cuts := brute.Cuts(in.Tree)
	cut := cuts[rng.IntN(len(cuts))].Map()
	merged := dataset.Merge(in.Data)
	index := itemset.IndexOf(merged, in.Tree)
	s := itemset.SourceOf(merged, in.Tree, index)
	s.To, s.Bound = cut, bound
	if !late {
		s.Data, s.To = itemset.DataOf(merged.Recode(in.Tree.Dict(), cut)), nil
	}
	w := itemset.NewWalk(s)
	var out []string
	err := w.Leaves(t.Context(), itemset.Pass{
		M: in.Promise.M, K: in.Promise.K, Workers: workers,
		Repair: func(path []int32) {
			out = append(out, fmt.Sprint(path))
			if rng.IntN(3) == 0 {
				w.Deactivate(path[rng.IntN(len(path))])
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
