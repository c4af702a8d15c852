package cover

import (
	"math/bits"
	"slices"
)

// Cliques. When every two of a set K of variables have a clause, at most one of K stays out: at
// least |K|-1 are chosen. That one constraint implies all its clauses, and its relaxation is much
// tighter: with clauses alone every variable at one half is feasible. So the two-variable clauses
// of a program are replaced by a clique cover of their graph.

// maxCliqueVars is the largest program whose graph is looked at: the adjacency takes a bit a pair.
const maxCliqueVars = 1 << 12

// bitset is a set of variables.
type bitset []uint64

func newBitset(n int) bitset      { return make(bitset, (n+63)/64) }
func (b bitset) has(v int32) bool { return b[v>>6]&(1<<(v&63)) != 0 }
func (b bitset) set(v int32)      { b[v>>6] |= 1 << (v & 63) }
func (b bitset) unset(v int32)    { b[v>>6] &^= 1 << (v & 63) }
func (b bitset) or(o bitset) {
	for i, w := range o {
		b[i] |= w
	}
}

func (b bitset) and(o bitset) {
	for i, w := range o {
		b[i] &= w
	}
}

func (b bitset) common(o bitset) int {
	n := 0
	for i, w := range o {
		n += bits.OnesCount64(b[i] & w)
	}
	return n
}

func (b bitset) each(f func(v int32)) {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			f(int32(i<<6 + bits.TrailingZeros64(w)))
		}
	}
}

// cliques is the task with its two-variable clauses, and constraints of all but one, replaced by
// cliques that cover them, and without the clauses these imply. A clique takes over the multiplier
// of the clause it grew from.
func (t *task) cliques() *task {
	var grow []int // constraints that are cliques
	for c := range t.Clauses() {
		if t.isClique(c) {
			grow = append(grow, c)
		}
	}
	if len(grow) < 2 || t.Vars() > maxCliqueVars {
		return t
	}
	slices.SortStableFunc(grow, func(a, b int) int { return len(t.Clause(b)) - len(t.Clause(a)) })
	g := newGraph(t.Program, grow)
	out := &task{
		Program: &Program{parent: t.parent, weight: t.weight, start: []uint32{0}},
		orig:    t.orig,
	}
	for c := range t.Clauses() {
		if !t.isClique(c) && (t.need[c] > 1 || !g.joins(t.Clause(c))) {
			out.append(t.Clause(c), t.need[c])
			out.y = append(out.y, t.y[c])
		}
	}
	for _, c := range grow {
		if seed := g.uncovered(t.Clause(c)); seed != nil {
			k := g.grow(seed)
			out.append(k, int32(len(k)-1))
			out.y = append(out.y, t.y[c])
		}
	}
	return out
}

// graph joins two variables when at least one of them is chosen.
type graph struct {
	edges []bitset
	left  []bitset // edges of the program that no clique covers yet
	cand  bitset   // working space
}

// newGraph takes the edges of some constraints that are cliques, and those they imply: a clause on
// two variables holds for everything below them too.
func newGraph(p *Program, cliques []int) *graph {
	n := p.Vars()
	g := &graph{edges: make([]bitset, n), left: make([]bitset, n), cand: newBitset(n)}
	for v := range n {
		g.edges[v], g.left[v] = newBitset(n), newBitset(n)
	}
	for _, c := range cliques {
		for _, a := range p.Clause(c) {
			for _, b := range p.Clause(c) {
				if a != b {
					g.edges[a].set(b)
					g.left[a].set(b)
				}
			}
		}
	}
	for range 2 { // first what is below one end of an edge, then what is below the other
		for v := n - 1; v >= 0; v-- {
			if up := p.parent[v]; up >= 0 {
				g.edges[v].or(g.edges[up])
			}
		}
		for v := range n {
			g.edges[v].each(func(w int32) { g.edges[w].set(int32(v)) })
		}
	}
	return g
}

// uncovered is what a clique is grown from to cover the edges of a constraint: itself, or nothing
// when they all are covered.
func (g *graph) uncovered(vars []int32) []int32 {
	for i, a := range vars {
		for _, b := range vars[:i] {
			if g.left[a].has(b) {
				return slices.Clone(vars)
			}
		}
	}
	return nil
}

// grow adds variables to a clique until it is maximal, those first that keep most others possible
// and cover new edges. The result is ascending.
func (g *graph) grow(k []int32) []int32 {
	copy(g.cand, g.edges[k[0]])
	for _, v := range k[1:] {
		g.cand.and(g.edges[v])
	}
	for {
		best, most := int32(-1), -1
		g.cand.each(func(v int32) {
			score := g.cand.common(g.edges[v])
			for _, w := range k {
				if g.left[v].has(w) {
					score += 4
				}
			}
			if score >= most {
				best, most = v, score
			}
		})
		if best < 0 {
			break
		}
		k = append(k, best)
		g.cand.and(g.edges[best])
	}
	for _, v := range k {
		for _, w := range k {
			g.left[v].unset(w)
		}
	}
	slices.Sort(k)
	return k
}

// joins tells whether two of the variables have an edge.
func (g *graph) joins(vars []int32) bool {
	for i, a := range vars {
		for _, b := range vars[:i] {
			if g.edges[a].has(b) {
				return true
			}
		}
	}
	return false
}

// isClique tells whether all but one of constraint c are needed.
func (p *Program) isClique(c int) bool {
	n := len(p.Clause(c))
	return n >= 2 && int(p.need[c]) == n-1
}
