package order_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize/order"
)

// cheapest is the naive twin: equation 1 of xue-2012 by recursion over every size of the last
// segment.
func cheapest(n int, b order.Bounds, gap func(int) int32) (int64, bool) {
	if n == 0 {
		return 0, true
	}
	best, found := int64(0), false
	for size := b.Min; size <= b.Max && size <= n; size++ {
		c, ok := cheapest(n-size, b, gap)
		if !ok {
			continue
		}
		if n-size > 0 {
			c += int64(gap(n - size))
		}
		if !found || c < best {
			best, found = c, true
		}
	}
	return best, found
}

func TestSegmentsAreCheapest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 2000 {
		n := 1 + rng.IntN(22)
		b := order.Bounds{Min: 1 + rng.IntN(6)}
		b.Max = b.Min + rng.IntN(4)
		gaps := make([]int32, n)
		for i := range gaps {
			gaps[i] = int32(rng.IntN(5))
		}
		gap := func(j int) int32 { return gaps[j] }
		want, feasible := cheapest(n, b, gap)
		ends := order.Segments(n, b, gap)
		cost, begin := int64(0), 0
		for _, end := range ends {
			if size := end - begin; size < 1 || size > b.Max || feasible && size < b.Min {
				t.Fatalf("trial %d: n %d, sizes %v: segment of %d in %v", trial, n, b, size, ends)
			}
			if begin > 0 {
				cost += int64(gaps[begin])
			}
			begin = end
		}
		if begin != n {
			t.Fatalf("trial %d: segments %v do not cover %d", trial, ends, n)
		}
		if feasible && cost != want {
			t.Fatalf("trial %d: n %d, sizes %v, gaps %v: cost %d of %v, brute force %d", trial, n,
				b, gaps, cost, ends, want)
		}
	}
}

func TestSegmentsWhereSizesDoNotAddUp(t *testing.T) {
	flat := func(int) int32 { return 1 }
	for n, want := range map[int][]int{5: {5}, 350: {350}, 351: {175, 351}, 700: {350, 700}} {
		got := order.Segments(n, order.Bounds{Min: 300, Max: 350}, flat)
		if len(got) != len(want) || got[len(got)-1] != n {
			t.Errorf("%d records: ends %v, want %d segments", n, got, len(want))
		}
		if !slices.IsSorted(got) {
			t.Errorf("%d records: ends %v are not ascending", n, got)
		}
	}
}
