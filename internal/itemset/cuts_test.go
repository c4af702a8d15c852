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
		x := randomIndex(t, rng)
		switch n % 20 { // what is not counted in cells
		case 0:
			x.weights = make([]int32, x.n)
		case 1:
			x.units = make([]int32, x.n)
		}
		k, most, limit := 2+rng.IntN(9), 1+rng.IntN(4), rng.IntN(6)
		c := NewCuts(x, k, 1+rng.IntN(3))
		if n%2 == 0 {
			c.occurrences = 0 // the first cut is counted, not one below it
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
			if !slices.Equal(got.Sets, want.Sets) {
				t.Fatalf("cut %v: %v, a view has %v", cut, got.Sets, want.Sets)
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
