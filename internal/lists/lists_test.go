package lists_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/internal/lists"
)

// Lists have what a list for each number would have, and begin anew.
func TestLists(t *testing.T) {
	var l lists.Lists[int]
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		want := make([][]int, 1+rng.IntN(20))
		of := make([]int32, rng.IntN(200))
		l.Begin(len(want))
		for e := range of {
			of[e] = int32(rng.IntN(len(want)))
			want[of[e]] = append(want[of[e]], e)
			l.Count(of[e])
		}
		l.Room()
		for e, x := range of {
			l.Put(x, e)
		}
		for x := range want {
			if got := l.Of(int32(x)); !slices.Equal(got, want[x]) {
				t.Fatalf("seed %d: list %d is %v, want %v", seed, x, got, want[x])
			}
		}
	}
}
