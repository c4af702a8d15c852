package itemset

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
)

// rareByDefinition lists the rare sets of a size.
func rareByDefinition(x *Index, cut []int32, size, k int) [][]int32 {
	nodes := slices.Compact(slices.Clone(cut))
	var out [][]int32
	var rec func(from int, set []int32)
	rec = func(from int, set []int32) {
		if len(set) > 0 {
			s := x.Support(set)
			if len(set) == size && s > 0 && s < k {
				out = append(out, slices.Clone(set))
			}
			if len(set) == size || s == 0 {
				return
			}
		}
		for i := from; i < len(nodes); i++ {
			rec(i+1, append(slices.Clone(set), nodes[i]))
		}
	}
	rec(0, nil)
	return out
}

func randomCut(rng *rand.Rand, t *Tree) []int32 {
	of := make([]int32, t.nodes())
	for u := int32(t.nodes()) - 1; u >= 0; u-- {
		up := t.parent[u]
		switch {
		case up >= 0 && of[up] >= 0:
			of[u] = of[up]
		case int(u) < t.leaves || up >= 0 && rng.IntN(4) == 0:
			of[u] = u
		default:
			of[u] = -1
		}
	}
	return of[:t.leaves]
}

// randomIndex is of up to 40 transactions over up to 12 items.
func randomIndex(t *testing.T, rng *rand.Rand) *Index {
	t.Helper()
	m, tree := randomMerged(t, rng)
	return IndexOf(m, tree)
}

func randomMerged(t *testing.T, rng *rand.Rand) (*dataset.Merged, *hierarchy.Tree) {
	t.Helper()
	tree, err := hierarchy.Fanout(strings.Split("abcdefghijkl", "")[:2+rng.IntN(11)], 2+rng.IntN(3))
	if err != nil {
		t.Fatal(err)
	}
	b := dataset.NewBuilder(tree.LeafDict())
	share := 0.1 + 0.7*rng.Float64()
	for range 1 + rng.IntN(40) {
		var tx []int32
		for i := range int32(tree.Leaves()) {
			if rng.Float64() < share {
				tx = append(tx, i)
			}
		}
		b.Add(tx)
	}
	return dataset.Merge(b.Build()), tree
}

func TestRareAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	found := 0
	for range 1500 {
		x := randomIndex(t, rng)
		cut, k := randomCut(rng, x.tree), 2+rng.IntN(5)
		v := NewView(x, cut, 2)
		for size := 1; size <= 5; size++ {
			got, err := v.Rare(t.Context(), Search{Size: size, K: k, Workers: 1 + rng.IntN(3)})
			if err != nil {
				t.Fatal(err)
			}
			listed := map[string]bool{}
			for i := range got.Len() {
				set := slices.Clone(got.Set(i))
				if s := x.Support(set); s == 0 || s >= k {
					t.Fatalf("%v of support %d is listed as rare, k=%d", set, s, k)
				}
				slices.Sort(set)
				if listed[key(set)] {
					t.Fatalf("%v is listed twice", set)
				}
				listed[key(set)] = true
			}
			for _, set := range rareByDefinition(x, cut, size, k) {
				slices.Sort(set)
				found++
				if !listed[key(set)] {
					t.Fatalf("%v of support %d is not listed, k=%d", set, x.Support(set), k)
				}
			}
		}
	}
	if found < 1000 {
		t.Fatalf("only %d rare sets: the test tests little", found)
	}
}

// A lifted set is rare still, has a node at or above each node of the set, and cannot be lifted
// further.
func TestLift(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	lifted := 0
	for range 1000 {
		x := randomIndex(t, rng)
		cut, k := randomCut(rng, x.tree), 2+rng.IntN(5)
		for _, set := range rareByDefinition(x, cut, 1+rng.IntN(3), k) {
			up := x.Lift(set, rng.IntN(len(set)), k)
			if s := x.Support(up); s == 0 || s >= k {
				t.Fatalf("%v is lifted to %v of support %d, k=%d", set, up, s, k)
			}
			above := func(u int32) bool {
				return slices.ContainsFunc(up, func(v int32) bool { return x.tree.covers(v, u) })
			}
			for _, u := range set {
				if !above(u) {
					t.Fatalf("%v is lifted to %v: nothing is above %d", set, up, u)
				}
			}
			for _, u := range up {
				p := x.tree.parent[u]
				if p < 0 || p == x.tree.root() {
					continue
				}
				further := []int32{p}
				for _, v := range up {
					if !x.tree.covers(p, v) {
						further = append(further, v)
					}
				}
				if x.Support(further) < k {
					t.Fatalf("%v is lifted to %v, not to %v, k=%d", set, up, further, k)
				}
			}
			if !slices.Equal(set, up) {
				lifted++
			}
		}
	}
	if lifted < 1000 {
		t.Errorf("only %d sets were lifted: the test tests little", lifted)
	}
}

func key(set []int32) string { return string(slices.Clone(set)) }

func TestRareLimit(t *testing.T) {
	tree, err := hierarchy.Fanout([]string{"a", "b", "c", "d", "e", "f"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	b := dataset.NewBuilder(tree.LeafDict())
	b.Add([]int32{0, 1, 2, 3, 4, 5})
	b.Add([]int32{0})
	for i := range int32(6) {
		b.Add([]int32{i})
	}
	v := NewView(IndexOf(dataset.Merge(b.Build()), tree), []int32{0, 1, 2, 3, 4, 5}, 2)
	all, err := v.Rare(t.Context(), Search{Size: 2, K: 2})
	if err != nil || all.Len() != 15 {
		t.Fatalf("%d sets, %v", all.Len(), err)
	}
	some, err := v.Rare(t.Context(), Search{Size: 2, K: 2, Limit: 2})
	if err != nil || some.Len() != 2+2+2+2+1 {
		t.Fatalf("%d sets, %v", some.Len(), err)
	}
}

// Counting in cells lists the same sets as projecting, in the same order, cut off at the same
// place.
func TestRareInCellsAndProjected(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 3))
	inCells := 0
	for range 1500 {
		x := randomIndex(t, rng)
		cut := randomCut(rng, x.tree)
		for size := 2; size <= 4; size++ {
			s := Search{
				Size: size, K: 2 + rng.IntN(9), Workers: 1 + rng.IntN(3), Limit: rng.IntN(6),
			}
			v := NewView(x, cut, 2)
			if len(v.nodes) < size || !v.fitsCells(size) {
				continue
			}
			got, err := v.rareByCells(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			want, err := v.rareByProjection(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Sets, want.Sets) {
				t.Fatalf("size %d: in cells %v, projected %v", size, got.Sets, want.Sets)
			}
			if inCells += got.Len(); got.Size != size {
				t.Fatalf("sets of %d are said to be of %d", size, got.Size)
			}
		}
	}
	if inCells < 10_000 {
		t.Errorf("only %d sets were found in cells: the test tests little", inCells)
	}
}

// Sets are those that somebody would count one by one.
func TestSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 50 {
		x := randomIndex(t, rng)
		v := NewView(x, randomCut(rng, x.tree), 2)
		for size := 1; size <= 4; size++ {
			want := int64(0)
			for i := range uint32(v.rows.len()) {
				row := v.rows.row(i)
				for mask := range 1 << len(row) {
					if bits.OnesCount(uint(mask)) == size {
						want++
					}
				}
			}
			if got := v.Sets(size); got != want {
				t.Fatalf("size %d: %d sets, want %d", size, got, want)
			}
		}
	}
	if got := choose(1000, 20); got <= 1<<39 {
		t.Errorf("20 of 1000: %d", got)
	}
}

// Any number of goroutines makes the same rows.
func TestViewsOfWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	const items = 14
	tree, err := hierarchy.Fanout(strings.Split("abcdefghijklmn", ""), 2)
	if err != nil {
		t.Fatal(err)
	}
	b := dataset.NewBuilder(tree.LeafDict())
	for range 5 * fewestInRange {
		var tx []int32
		for leaf := range int32(items) {
			if rng.IntN(2) == 0 {
				tx = append(tx, leaf)
			}
		}
		b.Add(tx)
	}
	x := IndexOf(dataset.Merge(b.Build()), tree)
	if x.n < 2*fewestInRange {
		t.Fatalf("%d transactions are different: one range", x.n)
	}
	cut := randomCut(rng, x.tree)
	one := NewView(x, cut, 1)
	for _, workers := range []int{2, 7} {
		v := NewView(x, cut, workers)
		if !slices.Equal(v.rows.ids, one.rows.ids) || !slices.Equal(v.rows.start, one.rows.start) {
			t.Errorf("%d workers make other rows", workers)
		}
	}
}
