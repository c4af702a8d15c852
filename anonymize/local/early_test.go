package local

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// What is left of rows when those with a rare set have left, as far as they may, is the same in
// whatever order they leave: it is what a plain look at all sets, again and again, leaves.
func TestPeelIsTheSameInAnyOrder(t *testing.T) {
	oneGoroutine(t)
	rng := rand.New(rand.NewPCG(61, 62))
	some, early := 0, 0
	for range 2000 {
		c := drawnCounter(rng)
		c.m, c.k = 3, 2+rng.IntN(4)
		c.forget()
		c.begin(0, int32(len(c.space.number)-1)) // the last is left out
		c.ctx = t.Context()
		c.space.cells.most *= rng.IntN(5) // without room for pairs, too
		var rows [][]int32
		var weights []int32
		var may []bool
		for n := range int32(5 + rng.IntN(60)) {
			set := drawnSet(rng, len(c.space.number)-1)
			slices.Sort(set) // as what is published is
			rows, weights = append(rows, set), append(weights, 1+rng.Int32N(2))
			may = append(may, rng.IntN(6) > 0)
			c.add(n, share{weight: weights[n]}, set, false)
		}
		c.forget()
		c.ready()
		c.check(func(_ []int32, occs []occurrence) {
			for _, o := range occs {
				if c.share[o.n].weight > 0 && may[o.n] {
					c.drop(o.n)
				}
			}
		}, func(n int32) bool {
			if may[n] {
				early++
				c.drop(n)
			}
			return may[n]
		})
		left := peeled(rows, weights, may, int32(c.k))
		for n, is := range left {
			if is != (c.share[n].weight > 0) {
				t.Fatalf("k=%d: row %d of %v: left is %v", c.k, n, rows, is)
			}
			if !is {
				some++
			}
		}
	}
	if some == 0 || early == 0 {
		t.Errorf("%d rows left, %d of them early", some, early)
	}
}

// peeled tells which rows are left when all that may leave have left, as long as they have a rare
// set of at most two nodes.
func peeled(rows [][]int32, weights []int32, may []bool, k int32) []bool {
	left := slices.Repeat([]bool{true}, len(rows))
	for again := true; again; {
		again = false
		counts := map[pair]int32{}
		for n, set := range rows {
			eachUpToTwo(set, func(p pair) {
				if left[n] {
					counts[p] += weights[n]
				}
			})
		}
		for n, set := range rows {
			rare := false
			eachUpToTwo(set, func(p pair) { rare = rare || counts[p] < k })
			if rare && left[n] && may[n] {
				left[n], again = false, true
			}
		}
	}
	return left
}

// eachUpToTwo calls do with the sets of at most two nodes: none is -1.
func eachUpToTwo(set []int32, do func(p pair)) {
	do(pair{-1, -1})
	for _, y := range set {
		for _, z := range set {
			if y < z {
				do(pair{y, z})
			}
		}
		do(pair{y, -1})
	}
}

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
