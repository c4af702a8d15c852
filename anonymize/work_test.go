package anonymize_test

import (
	"math"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/dataset"
)

// Three transactions of 4, 3 and 1 items have 8 items, 6+3 pairs, 4+1 triples, and one set of four.
func TestSetsToCount(t *testing.T) {
	b := dataset.NewBuilder(dataset.MustDictionary([]string{"a", "b", "c", "d"}))
	b.Add([]int32{0, 1, 2, 3})
	b.Add([]int32{0, 1, 2})
	b.Add([]int32{3})
	d := b.Build()
	want := []float64{8, 9, 5, 1}
	for m := 1; m <= 6; m++ {
		if got := anonymize.Sets(d, m); !slices.Equal(got, want[:min(m, 4)]) {
			t.Errorf("m=%d: %v, want %v", m, got, want[:min(m, 4)])
		}
	}
	if anonymize.Choose(10_000, 3) != 166_616_670_000 || anonymize.Choose(2, 3) != 0 {
		t.Error("10,000 things have", anonymize.Choose(10_000, 3), "sets of three")
	}
	long := make([]int, 10_001)
	long[10_000] = 3
	for size, sets := range anonymize.SetsOf(long, 10_000) {
		want := min(math.MaxFloat64, 3*anonymize.Choose(10_000, size+1))
		off := math.Abs(sets-want) / want
		if size < 20 && off > 1e-12 || sets > math.MaxFloat64 || !(sets > 0) {
			t.Fatalf("%g sets of %d, want %g", sets, size+1, want)
		}
	}
	if anonymize.CountRate(d) <= 0 {
		t.Error("nothing is counted in a second")
	}
}
