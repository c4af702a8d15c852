package local

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Pairs are foreseen as bits as they are one by one.
func TestPairsAreForeseenAsBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for range 200 {
		p := &pairs{n: 1 + rng.IntN(150)}
		p.counts = make([]int32, p.n*p.n)
		for at := range p.counts {
			if p.counts[at] = int32(rng.IntN(8)); rng.IntN(4) == 0 {
				p.counts[at] += queued
			}
		}
		var f foreseen
		f.begin()
		listed := false
		for range 20 {
			var nodes []int32
			for _, y := range rng.Perm(p.n)[:rng.IntN(p.n+1)] {
				nodes = append(nodes, int32(y))
			}
			want := [2]int32{}
			for a, y := range nodes {
				for _, z := range nodes[a+1:] {
					switch n := p.counts[int(y)*p.n+int(z)] &^ queued; {
					case n == 0:
						want[0]++
					case n < 5:
						want[1]++
					}
				}
			}
			fresh, helped := f.foresee(p, slices.Clone(nodes), 5)
			if got := [2]int32{fresh, helped}; got != want {
				t.Fatalf("%d nodes, as bits: %t: %v, want %v", len(nodes), f.listed, got, want)
			}
			listed = listed || f.listed
		}
		if p.n > 20 && !listed {
			t.Errorf("%d nodes: never as bits", p.n)
		}
	}
}
