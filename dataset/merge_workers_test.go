package dataset

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Several goroutines recode merged data as one does.
func TestRecodeBySeveralIsThatByOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 4))
	b := NewBuilder(Unnamed(60))
	for range 3 * fewTransactions {
		var tx []int32
		for range rng.IntN(6) {
			tx = append(tx, rng.Int32N(60))
		}
		b.Add(tx)
	}
	to := make([]int32, 60)
	for it := range to {
		to[it] = rng.Int32N(31) - 1 // some are left out
	}
	m := Merge(b.Build())
	want := m.Recode(Unnamed(30), to)
	for _, workers := range []int{2, 3, 7} {
		got := m.RecodeBy(Unnamed(30), to, workers)
		if !slices.Equal(got.items, want.items) || !slices.Equal(got.offsets, want.offsets) ||
			!slices.Equal(got.Weights, want.Weights) || !slices.Equal(got.Of, want.Of) {
			t.Fatalf("%d goroutines recode otherwise than one", workers)
		}
	}
}
