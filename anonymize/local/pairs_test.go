package local

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Pairs are counted in maps of the rows as in the rows, and the rare ones are listed in the same
// order.
func TestPairsInMaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 92))
	rare := 0
	for range 200 {
		c := randomRows(t, rng)
		p := &c.pairs
		clear(p.counts)
		c.countPairsInRows()
		counts, listed := slices.Clone(p.counts), slices.Clone(p.rare)
		clear(p.counts)
		p.rare = p.rare[:0]
		c.countPairsInMaps()
		if !slices.Equal(p.rare, listed) {
			t.Fatalf("%v are rare, in rows %v", p.rare, listed)
		}
		for y := 1; y < p.n; y++ { // the first stands for what is not published
			if !slices.Equal(p.counts[y*p.n+1:][:p.n-1], counts[y*p.n+1:][:p.n-1]) {
				t.Fatalf("node %d: counts %v, in rows %v", y, p.counts[y*p.n:][:p.n], counts[y*p.n:][:p.n])
			}
		}
		rare += len(listed)
	}
	if rare < 1000 {
		t.Errorf("%d pairs were rare", rare)
	}
}

// randomRows is a counter with rows of random sets and weights, some of them out, and some with a
// node that they publish no longer.
func randomRows(t *testing.T, rng *rand.Rand) *counter {
	const nodes = 20
	work := int64(0)
	c := &counter{
		terms: &terms{ctx: t.Context(), k: 4, m: 3, work: &work}, space: newSpace(nodes, 3),
	}
	c.begin(nodes-1, -1)
	for n := range int32(1 + rng.IntN(200)) {
		var set []int32
		for v := range int32(nodes - 1) {
			if rng.IntN(1+int(v)) < 2 {
				set = append(set, v)
			}
		}
		c.add(n, share{weight: 1 + int32(rng.IntN(3))}, set, false)
	}
	c.forget()
	c.addUp()
	c.beginPairs()
	for range rng.IntN(20) {
		n := int32(rng.IntN(len(c.list)))
		if set := c.flat[c.begins(n):c.end[n]]; c.share[n].weight == 0 || len(set) == 0 {
			continue
		} else if y := set[rng.IntN(len(set))]; rng.IntN(2) == 0 && y > 0 {
			c.lose(n, c.nodes[y], rng.IntN(8))
		} else {
			c.drop(n)
		}
	}
	return c
}
