package local

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// In maps of the rows the same rows leave as in the rows, and that takes as much.
func TestDropInMaps(t *testing.T) {
	dropped := 0
	for seed := range uint64(200) {
		inRows := randomRows(t, rand.New(rand.NewPCG(seed, 95)))
		inMaps := randomRows(t, rand.New(rand.NewPCG(seed, 95)))
		for _, c := range []*counter{inRows, inMaps} {
			c.leaves = func(n int32) bool {
				if n%7 > 0 {
					c.drop(n)
				}
				return n%7 > 0
			}
			c.listTids()
		}
		inMaps.fillMaps()
		for y := int32(1); int(y) < len(inRows.nodes); y++ {
			if inRows.by[y].weight == 0 {
				continue
			}
			one, other := inRows.dropBeside(y), inMaps.dropInMaps(y)
			if one != other || !slices.Equal(inRows.share, inMaps.share) {
				t.Fatalf("seed %d, node %d: took %d in rows, %d in maps; left are %v and %v",
					seed, y, one, other, inRows.share, inMaps.share)
			}
		}
		for n := range inRows.share {
			if inRows.share[n].weight == 0 {
				dropped++
			}
		}
	}
	if dropped < 1000 {
		t.Errorf("%d rows left", dropped)
	}
}
