package itemset

import (
	"math/rand/v2"
	"slices"
	"testing"
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
			v, want := NewView(x, cut), &Rare{}
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
				checkLift(t, c, got.Set(i))
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

// checkLift fails where a rare set is lifted otherwise than by the index, or a set that it is
// lifted to has another support.
func checkLift(t *testing.T, c *Cuts, set []int32) {
	t.Helper()
	for first := range set {
		got, want := c.Lift(set, first), c.index.Lift(set, first, c.k)
		if !slices.Equal(got, want) {
			t.Fatalf("%v is lifted to %v, by the index to %v", set, got, want)
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
