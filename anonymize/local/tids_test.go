package local

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// What the lists of rows give is what a look at every row gives, however rows are counted, put out
// and deprived of nodes before the lists are made, and after.
func TestTids(t *testing.T) {
	oneGoroutine(t)
	rng := rand.New(rand.NewPCG(51, 52))
	listed, merged := 0, 0
	for range 300 {
		c, rows := drawnCounter(rng), [][]int32{}
		for range 4 {
			for range rng.IntN(4 * behind) {
				set := drawnSet(rng, len(c.space.number))
				c.add(int32(len(rows)), share{weight: 1 + rng.Int32N(3)}, set, false)
				rows = append(rows, set)
			}
			c.addUp()
			for n := range int32(len(rows)) {
				spoil(rng, c, n, rows[n])
			}
			for range 20 {
				y, z := 1+rng.Int32N(int32(len(c.nodes)-1)), 1+rng.Int32N(int32(len(c.nodes)-1))
				c.gather(y)
				sameOccurrences(t, c, y, y)
				if y == z {
					continue
				}
				c.gatherPair(pair{y: y, z: z})
				sameOccurrences(t, c, y, z)
				_, first := c.tids.list(y)
				_, second := c.tids.list(z)
				if first && second {
					merged++
				} else if first || second {
					listed++
				}
			}
		}
	}
	if listed == 0 || merged == 0 {
		t.Errorf("%d pairs of a listed node and another, %d of two listed ones", listed, merged)
	}
}

// drawnCounter is empty, and knows at least three nodes.
func drawnCounter(rng *rand.Rand) *counter {
	work, nodes := int64(0), 10+rng.IntN(40)
	c := &counter{
		terms: &terms{k: 2, m: 2 + rng.IntN(2), work: &work},
		space: newSpace(nodes, 3),
	}
	c.begin(0, -1)
	c.know([]int32{1, 2, 3})
	return c
}

// drawnSet has some of the nodes from 1 on, the first ones more often.
func drawnSet(rng *rand.Rand, nodes int) (set []int32) {
	for v := int32(1); int(v) < nodes; v++ {
		if rng.IntN(int(v)+1) == 0 {
			set = append(set, v)
		}
	}
	rng.Shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] })
	return set
}

// spoil puts a row out at times, or takes a node from it.
func spoil(rng *rand.Rand, c *counter, n int32, set []int32) {
	switch at := c.flat[c.begins(n):c.end[n]]; {
	case c.share[n].weight == 0:
	case rng.IntN(40) == 0:
		c.drop(n)
	case rng.IntN(10) == 0 && len(set) > 0:
		if i := rng.IntN(len(set)); slices.Contains(at, c.space.number[set[i]]) {
			c.lose(n, set[i], rng.IntN(8))
		}
	}
}

// sameOccurrences compares the occurrences that are listed, of one of two nodes, with those of a
// look at every row.
func sameOccurrences(t *testing.T, c *counter, y, z int32) {
	t.Helper()
	got := slices.Clone(c.occs)
	of := y
	if len(got) > 0 {
		of = c.flat[got[0].at]
	}
	var want []occurrence
	for n := int32(len(c.list)) - 1; n >= 0; n-- {
		set := c.flat[c.begins(n):c.end[n]]
		at := slices.Index(set, of)
		if c.share[n].weight > 0 && at >= 0 && slices.Contains(set, y) && slices.Contains(set, z) {
			want = append(want, occurrence{n, c.begins(n) + int32(at)})
		}
	}
	if of != y && of != z || !slices.Equal(got, want) {
		t.Fatalf("occurrences of %d in rows with %d and %d are %v, not %v", of, y, z, got, want)
	}
}
