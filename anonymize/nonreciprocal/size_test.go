package nonreciprocal

import (
	"errors"
	"math"
	"testing"

	"mingle/dataset"
	"mingle/internal/memory"
	"mingle/privacy"
)

// records are n empty ones.
func records(n int) *dataset.Dataset {
	b := dataset.NewBuilder(dataset.MustDictionary([]string{"a"}))
	for range n {
		b.Add(nil)
	}
	return b.Build()
}

// The last edge that fits is taken, the next is refused, also where records times matches is beyond
// an int64.
func TestEdgesAtTheBoundary(t *testing.T) {
	if maxEdges != math.MaxInt32 {
		t.Fatalf("%d edges have no place in an int32", maxEdges)
	}
	for _, c := range []struct {
		records, k int
		most       int64
		fits       bool
	}{
		{4, 3, 12, true},
		{4, 3, 11, false},
		{5, 3, 14, false},
		{5, 3, 15, true},
		{3, 715_827_882, maxEdges, true},  // 2^31 - 2 edges
		{3, 715_827_883, maxEdges, false}, // 2^31 + 1
		{1000, math.MaxInt64 / 10, maxEdges, false},
	} {
		in := Input{Data: records(c.records), Promise: privacy.Nonreciprocal{K: c.k}}
		if err := in.edgesFit(c.most); (err == nil) != c.fits {
			t.Errorf("%d records, k=%d, %d edges: %v", c.records, c.k, c.most, err)
		}
	}
}

// What there is no room for is refused before the work, with a forecast.
func TestGraphIsForetold(t *testing.T) {
	in := Input{
		Data: records(100), Promise: privacy.Nonreciprocal{K: 10}, Room: 1000*bytesAnEdge - 1,
	}
	var short *memory.Short
	if _, err := Anonymize(t.Context(), in); !errors.As(err, &short) || short.Least != in.Room+1 {
		t.Errorf("%v", err)
	}
	in.Room++
	if _, err := Anonymize(t.Context(), in); err != nil {
		t.Error(err)
	}
}
