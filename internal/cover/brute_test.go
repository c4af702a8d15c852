package cover

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// random is a small program: a random forest, weights of which some are zero, clauses of one to
// four variables.
func random(rng *rand.Rand) *Program {
	n := 1 + rng.IntN(12)
	parent, weight := make([]int32, n), make([]int64, n)
	for v := range n {
		parent[v] = -1
		if v < n-1 && rng.IntN(4) > 0 {
			parent[v] = int32(v + 1 + rng.IntN(n-v-1))
		}
		if rng.IntN(5) > 0 {
			weight[v] = int64(rng.IntN(40)) * 10
		}
	}
	p := New(parent, weight)
	for range rng.IntN(3 * n) {
		vars := make([]int32, 1+min(rng.IntN(5), 3))
		if rng.IntN(12) > 0 && len(vars) == 1 {
			vars = make([]int32, 2)
		}
		for i := range vars {
			vars[i] = int32(rng.IntN(n))
		}
		p.Add(vars...)
	}
	return p
}

// optimum is the weight of the lightest solution, by enumeration.
func optimum(p *Program, fix []int8) (int64, bool) {
	best, found := int64(0), false
	x := make([]bool, p.Vars())
	for bits := range 1 << p.Vars() {
		ok := true
		for v := range x {
			x[v] = bits>>v&1 == 1
			ok = ok && (fix == nil || fix[v] == Free || x[v] == (fix[v] == In))
		}
		if ok && p.Feasible(x) {
			if cost := p.Cost(x); !found || cost < best {
				best, found = cost, true
			}
		}
	}
	return best, found
}

func TestSolveAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 4000 {
		p := random(rng)
		want, _ := optimum(p, nil)
		r := p.Solve(t.Context(), Options{})
		if !r.Proven() || r.Cost != want || !p.Feasible(r.X) || p.Cost(r.X) != want {
			t.Fatalf("program %d: found %d (bound %d), the optimum is %d: %+v", i, r.Cost, r.Lower,
				want, p)
		}
		if r := p.Solve(t.Context(), Options{Upper: want + 1}); r.X == nil || r.Cost != want {
			t.Fatalf("program %d: nothing under %d, the optimum is %d", i, want+1, want)
		}
		if want > 0 {
			if r := p.Solve(t.Context(), Options{Upper: want}); r.X != nil || r.Lower < want {
				t.Fatalf("program %d: %d under the optimum %d", i, r.Cost, want)
			}
		}
		if r := p.Solve(t.Context(), Options{Nodes: 1}); r.Lower > want || r.X == nil ||
			!p.Feasible(r.X) {
			t.Fatalf("program %d: one node gives the bound %d, the optimum is %d", i, r.Lower, want)
		}
	}
}

func TestFixAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for i := range 3000 {
		p := random(rng)
		fix := make([]int8, p.Vars())
		for v := range fix {
			if rng.IntN(4) == 0 {
				fix[v] = int8(rng.IntN(3) - 1)
			}
		}
		want, feasible := optimum(p, fix)
		r := p.Solve(t.Context(), Options{Fix: slices.Clone(fix)})
		if feasible != (r.X != nil) || feasible && (r.Cost != want || r.Lower != want) {
			t.Fatalf("program %d: found %d, %v; the optimum is %d, %v", i, r.Cost, r.X, want,
				feasible)
		}
	}
}

func TestBackboneAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	backbone := 0
	for i := range 2000 {
		p := random(rng)
		best, _ := optimum(p, nil)
		for v, state := range p.Backbone(t.Context(), best+1) {
			if state == Free {
				continue
			}
			backbone++
			fix := make([]int8, p.Vars())
			fix[v] = Out
			if cost, ok := optimum(p, fix); ok && cost <= best {
				t.Fatalf("program %d: %d is said to be in every optimum", i, v)
			}
		}
	}
	if backbone == 0 {
		t.Fatal("no program has a backbone: the test tests nothing")
	}
}

func TestSameResultTwice(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		p := random(rng)
		a, b := p.Solve(t.Context(), Options{}), p.Solve(t.Context(), Options{})
		if !slices.Equal(a.X, b.X) || a.Nodes != b.Nodes {
			t.Fatal("the same program has two answers")
		}
	}
}

// Feasible tells whether a choice is closed downwards and hits every clause.
func (p *Program) Feasible(x []bool) bool {
	for v, up := range p.parent {
		if up >= 0 && x[up] && !x[v] {
			return false
		}
	}
	for c := range p.Clauses() {
		need := p.need[c]
		for _, v := range p.Clause(c) {
			if x[v] {
				need--
			}
		}
		if need > 0 {
			return false
		}
	}
	return true
}

// Proven tells whether X is a lightest solution.
func (r Result) Proven() bool { return r.X != nil && r.Lower >= r.Cost }
