package itemset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// What two lists have in common is found, and no further than is asked.
func TestEachCommon(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2_000 {
		long := ascending(rng, 1+rng.IntN(400), 1000)
		short := ascending(rng, rng.IntN(len(long)+1), 1000)
		var want, got []int32
		for _, i := range short {
			if slices.Contains(long, i) {
				want = append(want, i)
			}
		}
		want = want[:rng.IntN(len(want)+1)]
		eachCommon(short, long, func(i int32) bool {
			if len(got) < len(want) {
				got = append(got, i)
				return true
			}
			return false
		})
		if !slices.Equal(got, want) {
			t.Fatalf("%v and %v have %v in common, want %v", short, long, got, want)
		}
	}
	last := []int32{0, math.MaxInt32}
	n := 0
	eachCommon(last, last, func(int32) bool { n++; return true })
	if n != 2 {
		t.Errorf("%d in common at the ends, want 2", n)
	}
}

// ascending is n different numbers below a limit, ascending.
func ascending(rng *rand.Rand, n, limit int) []int32 {
	var out []int32
	for _, i := range rng.Perm(limit)[:n] {
		out = append(out, int32(i))
	}
	slices.Sort(out)
	return out
}
