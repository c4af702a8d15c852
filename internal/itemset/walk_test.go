package itemset_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/brute"
	"mingle/internal/itemset"
)

// paths spells the leaves of the count tree of depth m in the order of the walk.
func paths(t testing.TB, d *dataset.Dataset, tree *hierarchy.Tree, m, k int) []string {
	t.Helper()
	merged := dataset.Merge(d)
	index := itemset.IndexOf(merged, tree)
	var out []string
	err := itemset.NewWalk(itemset.SourceOf(merged, tree, index)).Leaves(t.Context(),
		itemset.Pass{M: m, K: k, Repair: func(path []int32) {
			var names []string
			for _, u := range path {
				names = append(names, tree.Label(u))
			}
			out = append(out, fmt.Sprintf("%s:%d", strings.Join(names, ""), index.Support(path)))
		}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The count tree for m=2 of terrovitis-2008, figure 5, in its order A B a2 b1 b2 a1 (ALL is left
// out, as the paper advises).
func TestCountTreeOfFigure5(t *testing.T) {
	in := brute.Figure2()
	d, tree := in.Data, in.Tree
	all := 1 << 30
	if got, want := strings.Join(paths(t, d, tree, 1, all), " "),
		"A:4 B:4 a2:3 b1:3 b2:3 a1:2"; got != want {
		t.Errorf("m=1: %s, want %s", got, want)
	}
	// a1 alone is a leaf of the tree too: it is last in the order, so nothing extends it.
	want := "AB:4 Ab1:3 Ab2:3 Ba2:3 Ba1:2 a2b1:2 a2b2:2 a2a1:1 b1b2:2 b1a1:1 b2a1:2 a1:2"
	if got := strings.Join(paths(t, d, tree, 2, all), " "); got != want {
		t.Errorf("m=2: %s, want %s", got, want)
	}
	// "The first leaf node encountered with a support less than 2 is a1 (path a2-a1)": section 4.3.
	if got := strings.Join(paths(t, d, tree, 2, 2), " "); got != "a2a1:1 b1a1:1" {
		t.Errorf("rare for k=2: %s", got)
	}
}

// expand is the naive twin of the walk's data: every transaction with all ancestors below the root.
func expand(d *dataset.Dataset, tree *hierarchy.Tree) *dataset.Dataset {
	b := dataset.NewBuilder(tree.Dict())
	for i := range d.Len() {
		var tx []int32
		for _, leaf := range d.Tx(i) {
			for _, u := range tree.Path(leaf) {
				if u != tree.Root() {
					tx = append(tx, u)
				}
			}
		}
		b.Add(tx)
	}
	return b.Build()
}

func TestWalkVisitsWhatEnumerationFinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		in := brute.Random(rng)
		wide := expand(in.Data, in.Tree)
		want := map[string]bool{}
		for i := range wide.Len() {
			brute.Sets(wide.Tx(i), in.Promise.M, func(set []int32) {
				if len(set) == in.Promise.M && unrelated(in.Tree, set) &&
					brute.Support(wide, set) < in.Promise.K {
					want[fmt.Sprint(set)] = true
				}
			})
		}
		merged := dataset.Merge(in.Data)
		index := itemset.IndexOf(merged, in.Tree)
		got := map[string]bool{}
		err := itemset.NewWalk(itemset.SourceOf(merged, in.Tree, index)).Leaves(t.Context(),
			itemset.Pass{M: in.Promise.M, K: in.Promise.K, Repair: func(path []int32) {
				set := slices.Sorted(slices.Values(path))
				if index.Support(set) != brute.Support(wide, set) ||
					index.AtLeast(set, in.Promise.K) {
					t.Fatalf("support of %v is %d, by enumeration %d", set, index.Support(set),
						brute.Support(wide, set))
				}
				if len(set) == in.Promise.M {
					got[fmt.Sprint(set)] = true
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("%d rare paths, by enumeration %d", len(got), len(want))
		}
		for set := range want {
			if !got[set] {
				t.Fatalf("%s is missed", set)
			}
		}
	}
}

func unrelated(t *hierarchy.Tree, set []int32) bool {
	for i, a := range set {
		for _, b := range set[i+1:] {
			if t.Related(a, b) {
				return false
			}
		}
	}
	return true
}

func TestSetsVisitsWhatOccurs(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		in := brute.Random(rng)
		want := map[string]int{}
		for i := range in.Data.Len() {
			brute.Sets(in.Data.Tx(i), in.Promise.M, func(set []int32) {
				if len(set) > 0 {
					want[fmt.Sprint(set)]++
				}
			})
		}
		err := itemset.Sets(t.Context(), itemset.DataOf(dataset.Unmerged(in.Data)), in.Promise.M,
			func(set []int32, txs []itemset.Place) itemset.Next {
				if want[fmt.Sprint(set)] != len(txs) {
					t.Fatalf("%v: in %d transactions, by enumeration %d", set, len(txs),
						want[fmt.Sprint(set)])
				}
				delete(want, fmt.Sprint(set))
				return itemset.Descend
			})
		if err != nil || len(want) > 0 {
			t.Fatalf("%v; missed %v", err, want)
		}
	}
}

func TestSetsSkipsAndStops(t *testing.T) {
	d := dataset.FromLabels([][]string{{"a", "b", "c"}})
	var seen []string
	err := itemset.Sets(t.Context(), itemset.DataOf(dataset.Unmerged(d)), 3,
		func(set []int32, _ []itemset.Place) itemset.Next {
			seen = append(seen, fmt.Sprint(set))
			switch fmt.Sprint(set) {
			case "[0 1]":
				return itemset.Skip
			case "[1]":
				return itemset.Stop
			}
			return itemset.Descend
		})
	if got, want := strings.Join(seen, ""), "[0][0 1][0 2][1]"; got != want || err != nil {
		t.Errorf("visited %s, want %s (%v)", got, want, err)
	}
}

func TestEndedContext(t *testing.T) {
	in := brute.Figure2()
	d, tree := in.Data, in.Tree
	merged := dataset.Merge(d)
	index := itemset.IndexOf(merged, tree)
	why := errors.New("stop")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(why)
	visit := itemset.Pass{M: 2, K: 2, Repair: func([]int32) {}}
	if err := itemset.NewWalk(itemset.SourceOf(merged, tree, index)).Leaves(ctx,
		visit); !errors.Is(err, why) {
		t.Errorf("Leaves: %v", err)
	}
	if err := itemset.Sets(ctx, itemset.DataOf(dataset.Unmerged(d)), 2,
		func([]int32, []itemset.Place) itemset.Next { return itemset.Descend }); !errors.Is(err,
		why) {
		t.Errorf("Sets: %v", err)
	}
}

// Long lists, with and without bitmaps, against enumeration.
func TestIndexOnLongLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	var leaves []string
	for i := range 40 {
		leaves = append(leaves, fmt.Sprint(i))
	}
	tree, err := hierarchy.Fanout(leaves, 4)
	if err != nil {
		t.Fatal(err)
	}
	b := dataset.NewBuilder(tree.LeafDict())
	for range 3000 {
		var tx []int32
		for range rng.IntN(5) {
			tx = append(tx, int32(40*rng.Float64()*rng.Float64()*rng.Float64()))
		}
		b.Add(tx)
	}
	d := b.Build()
	wide := expand(d, tree)
	merged := dataset.Merge(d)
	for name, index := range map[string]*itemset.Index{
		"all":       itemset.IndexOf(merged, tree),
		"forgetful": itemset.NewIndex(itemset.DataOf(merged), itemset.TreeOf(tree), 1, 1),
	} {
		t.Run(name, func(t *testing.T) { checkIndex(t, index, wide, tree) })
	}
}

func checkIndex(t *testing.T, index *itemset.Index, wide *dataset.Dataset, tree *hierarchy.Tree) {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 10))
	for range 400 {
		var set []int32
		for len(set) < 1+rng.IntN(3) {
			if u := int32(rng.IntN(tree.Nodes() - 1)); !slices.Contains(set, u) {
				set = append(set, u)
			}
		}
		want := brute.Support(wide, set)
		if got := index.Support(set); got != want {
			t.Fatalf("support of %v: %d, by enumeration %d", set, got, want)
		}
		for _, k := range []int{1, want, want + 1} {
			if k > 0 && index.AtLeast(set, k) != (want >= k) {
				t.Fatalf("AtLeast(%v, %d) with support %d", set, k, want)
			}
		}
	}
}
