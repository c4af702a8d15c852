package cover

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// What is repaired hits all clauses, stays closed, and has all that it had. A single clause is hit
// by what adds least.
func TestRepair(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := random(rng)
		x := make([]bool, p.Vars())
		for v := p.Vars() - 1; v >= 0; v-- {
			up := p.parent[v]
			x[v] = up >= 0 && x[up] || rng.IntN(6) == 0
		}
		before := slices.Clone(x)
		p.Repair(x)
		for v, had := range before {
			if had && !x[v] {
				t.Fatalf("seed %d: variable %d was taken out", seed, v)
			}
		}
		if !p.Feasible(x) {
			t.Fatalf("seed %d: %v misses a clause", seed, x)
		}
		if p.Clauses() == 1 {
			fix := make([]int8, p.Vars())
			for v, had := range before {
				if had {
					fix[v] = In
				}
			}
			if want, _ := optimum(p, fix); p.Cost(x) != want {
				t.Fatalf("seed %d: %d, the least is %d", seed, p.Cost(x), want)
			}
		}
	}
}
