package itemset

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
)

// From one pair more than there are places for on, the data is expanded in ranges; what is visited
// stays the same.
func TestPlacesAtTheBoundary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	tree, err := hierarchy.Fanout([]string{"a", "b", "c", "d", "e", "f", "g"}, 3)
	if err != nil {
		t.Fatal(err)
	}
	b := dataset.NewBuilder(tree.LeafDict())
	for range 40 {
		var tx []int32
		for leaf := range int32(7) {
			if rng.IntN(2) == 0 {
				tx = append(tx, leaf)
			}
		}
		b.Add(tx)
	}
	merged := dataset.Merge(b.Build())
	index := IndexOf(merged, tree)
	visited := func(places int64) (sets []string) {
		w := NewWalk(SourceOf(merged, tree, index))
		if w.mostPairs != math.MaxInt32 {
			t.Fatalf("there are %d places, an int32 has %d", w.mostPairs, math.MaxInt32)
		}
		if w.mostPairs = places; places == 0 {
			w.mostPairs = w.expanded()
		}
		err := w.Leaves(context.Background(), Pass{M: 3, K: 8, Repair: func(path []int32) {
			sets = append(sets, fmt.Sprint(path))
		}})
		if err != nil {
			t.Fatal(err)
		}
		return sets
	}
	want := visited(math.MaxInt32)
	all := NewWalk(SourceOf(merged, tree, index)).expanded()
	for _, places := range []int64{0, all - 1, all / 2, 30, 1} {
		if got := visited(places); len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%d places: %d sets, want %d", places, len(got), len(want))
		}
	}
}
