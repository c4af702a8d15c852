package itemset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
)

// At one cut after another of the same data, in any order, Cuts lists the rare sets of a view, in
// its order and within its limit: counted anew, by what was counted below, or in part.
func TestCutsListWhatViewsList(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 8))
	sets, above, inPart := 0, 0, 0
	for n := range 1500 {
		merged, tree := randomMerged(t, rng)
		x, data := IndexOf(merged, tree), DataOf(merged)
		if n%3 == 0 {
			x.bound = int64(rng.IntN(2000)) // nodes are dealt into groups
		}
		if n%4 < 2 {
			data.Reader = func() func(i int) []int32 { return merged.Cursor().Tx }
		}
		switch n % 20 { // what is not counted in cells
		case 0:
			x.weights = make([]int32, x.n)
			data.Weights = x.weights
		case 1:
			x.units = make([]int32, x.n)
			data.Units = x.units
		}
		k, most, limit := 2+rng.IntN(9), 1+rng.IntN(4), rng.IntN(6)
		if n%20 == 0 {
			limit = 0 // what weighs nothing is listed for each row that has it
		}
		c := NewCuts(data, x, k, 1+rng.IntN(3))
		c.segment = 1 + int64(rng.IntN(60))
		if n%2 == 0 {
			c.data.Occurrences = 1 // the first cut is counted, not one below it
		}
		for range 6 {
			cut := randomCut(rng, x.tree)
			before := slices.Clone(c.tables)
			got, err := c.Smallest(t.Context(), cut, most, func(int) int { return limit })
			if err != nil {
				t.Fatal(err)
			}
			v, want := NewView(x, cut, 2), &Rare{}
			for size := 1; size <= most && want.Len() == 0; size++ {
				s := Search{Size: size, K: k, Limit: limit, Workers: 1}
				if want, err = v.rareByProjection(t.Context(), s); err != nil {
					t.Fatal(err)
				}
			}
			if n%20 == 0 {
				got.Sets, want.Sets = distinct(got), distinct(want)
			}
			if !slices.Equal(got.Sets, want.Sets) {
				t.Fatalf("cut %v: %v, a view has %v", cut, got.Sets, want.Sets)
			}
			for i := range got.Len() {
				checkLift(t, c, got.Set(i), got.Support(i))
			}
			if sets += got.Len(); got.Len() > 0 && got.Size != want.Size {
				t.Fatalf("sets of %d are said to be of %d", want.Size, got.Size)
			}
			for size, b := range before {
				switch now := c.tables[size]; {
				case b != nil && b == now:
					above++
				case b != nil:
					inPart++
				}
			}
		}
	}
	if sets < 5000 || above < 1000 || inPart < 200 {
		t.Errorf("%d sets, %d tables used again, %d counted in part: the test tests little",
			sets, above, inPart)
	}
}

// Where a cut has too many nodes for cells, what is listed is the beginning of what a view lists:
// up to the end of the first part that has a rare set, with any bound on memory.
func TestCutsListTheFirstPart(t *testing.T) {
	const items, k = 3000, 3
	rng := rand.New(rand.NewPCG(28, 12))
	labels := make([]string, items)
	for i := range labels {
		labels[i] = fmt.Sprintf("%04d", i)
	}
	tree, err := hierarchy.Fanout(labels, 5)
	if err != nil {
		t.Fatal(err)
	}
	before := 0 // of the sets that a view lists, how many are not
	for n := range 6 {
		b := dataset.NewBuilder(tree.LeafDict())
		for i := range int32(items) {
			for range k + i/50 { // the first items are in few transactions
				b.Add([]int32{i})
			}
		}
		for range 3000 { // and in no pair
			x := int32(500*n) + rng.Int32N(items-int32(500*n)-1)
			b.Add([]int32{x, x + 1 + rng.Int32N(items-x-1)})
		}
		merged := dataset.Merge(b.Build())
		x := IndexOf(merged, tree)
		x.bound = int64(n%3) << 20
		cut := make([]int32, items)
		for i := range cut {
			cut[i] = int32(i)
		}
		c := NewCuts(DataOf(merged), x, k, 2)
		got, err := c.Smallest(t.Context(), cut, 2, func(int) int { return 5 })
		if err != nil {
			t.Fatal(err)
		}
		v := NewView(x, cut, 2)
		want, err := v.rareByProjection(t.Context(), Search{Size: 2, K: k, Limit: 5, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		parts := FirstParts(v.support, 2, c.data.Occurrences)
		end := endOfFirst(parts, v, want)
		if !slices.Equal(got.Sets, want.Sets[:end]) {
			t.Fatalf("%d numbers are listed, not the first %d of %d", len(got.Sets), end,
				len(want.Sets))
		}
		before += len(want.Sets) - end
	}
	if before < 1000 {
		t.Errorf("all but %d sets are listed: the test tests little", before/2)
	}
}

// endOfFirst is how many numbers of a list are of sets whose rarest node is in the first part that
// has any.
func endOfFirst(parts []int, v *View, r *Rare) int {
	first := slices.Index(v.nodes, r.Sets[0])
	part := slices.IndexFunc(parts, func(end int) bool { return first < end })
	for i := range r.Len() {
		if slices.Index(v.nodes, r.Set(i)[0]) >= parts[part] {
			return i * r.Size
		}
	}
	return len(r.Sets)
}

// checkLift fails where a rare set is lifted otherwise than by the index, or a set that it is
// lifted to has another support.
func checkLift(t *testing.T, c *Cuts, set []int32, its int) {
	t.Helper()
	for first := range set {
		got, support := c.Lift(set, its, first)
		if by := c.index.Lift(set, first, c.k); !slices.Equal(got, by) {
			t.Fatalf("%v is lifted to %v, by the index to %v", set, got, by)
		}
		want := c.index.Support(got)
		if len(got) == 1 {
			want = c.index.NodeSupport(got[0])
		}
		if support >= 0 && support != want {
			t.Fatalf("%v is said to have %d, and has %d", got, support, want)
		}
		sets := [][]int32{set, got, got}
		supports, err := c.Supports(t.Context(), sets)
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range supports {
			if want := c.index.Support(sets[i]); n != want {
				t.Fatalf("%v has %d, by the index %d", sets[i], n, want)
			}
		}
	}
}

// distinct is the sets of a list without those that are as the one before.
func distinct(r *Rare) (out []int32) {
	for i := range r.Len() {
		if i == 0 || !slices.Equal(r.Set(i), r.Set(i-1)) {
			out = append(out, r.Set(i)...)
		}
	}
	return out
}
