package nonreciprocal

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Draw draws one assignment from a regular graph such that every edge is in it with the same probability: one of as many
// disjoint assignments as the degree, chosen uniformly, without drawing the others.
//
// A graph of even degree is halved by random closed walks in its bipartite view that use every edge once: their hops
// from records to slots are one half, those from slots back to records the other. As a walk leaves every record and every
// slot as often one way as the other, both halves are regular of half the degree. One half is chosen with probability
// 1/2 and the draw goes on in it. A graph of odd degree m gives one assignment by [ClosedWalk]'s walks; with probability
// 1/m it is the one, else the draw goes on in the rest, of degree m-1. So every edge is kept with probability 1/m of
// all. (The halving is Gabow's, "Using Euler partitions to edge color bipartite multigraphs", 1976, with every hop drawn at
// random; algorithm 1 of xue-2012 needs many visits of each edge where this needs less than four in all.)
//
// Time O(edges), plus O(n log n) for each odd degree on the way; memory 10 bytes an edge.
func Draw(ctx context.Context, g *Graph, rng *rand.Rand) ([]int32, error) {
	n := g.Len()
	if n == 0 {
		return nil, nil
	}
	slots, degree := g.slots, len(g.Slots(0))
	h := &halver{ctx: ctx, rng: rng, n: n}
	for degree > 1 {
		if degree%2 == 0 {
			half, err := h.halve(slots, degree)
			if err != nil {
				return nil, err
			}
			slots, degree = half, degree/2
			continue
		}
		w := newWalker(ctx, regular(n, degree, slots), rng)
		assignment, err := w.round((*walker).shortWalk)
		if err != nil || rng.IntN(degree) == 0 {
			return assignment, err
		}
		rest := make([]int32, 0, n*(degree-1))
		for u := range int32(n) {
			rest = append(rest, w.row(u, w.left)...)
		}
		slots, degree = rest, degree-1
	}
	return slices.Clone(slots), nil
}

// halver divides a graph in two.
type halver struct {
	ctx  context.Context
	rng  *rand.Rand
	n    int
	bits uint64 // random bits left over
	some int

	forth []int32 // the unused edges of record u: forth[u*degree : u*degree+out[u]], by slot
	back  []int32 // the unused edges into slot v: back[v*degree : v*degree+in[v]], by record
	out   []int32
	in    []int32
}

// halve returns one of the halves, each with probability 1/2.
func (h *halver) halve(slots []int32, degree int) ([]int32, error) {
	h.prepare(slots, degree)
	outward := h.rng.Uint64()&1 == 0
	half := make([]int32, len(slots)/2)
	filled := make([]int32, h.n)
	keep := func(u, v int32) {
		half[int(u)*degree/2+int(filled[u])] = v
		filled[u]++
	}
	for start := range int32(h.n) {
		if start&0xfff == 0 && h.ctx.Err() != nil {
			return nil, context.Cause(h.ctx)
		}
		for u := start; h.out[u] > 0; { // else the walk is closed and nothing is left at its start
			v := h.take(h.forth, h.out, u, degree)
			drop(h.back, h.in, v, u, degree)
			if outward {
				keep(u, v)
			}
			u = h.take(h.back, h.in, v, degree) // there is one: the walk has come in once more than it has gone out
			drop(h.forth, h.out, u, v, degree)
			if !outward {
				keep(u, v)
			}
		}
	}
	return half, nil
}

// prepare lists the edges at each record and each slot.
func (h *halver) prepare(slots []int32, degree int) {
	if h.forth == nil {
		h.forth, h.back = make([]int32, len(slots)), make([]int32, len(slots))
		h.out, h.in = make([]int32, h.n), make([]int32, h.n)
	}
	copy(h.forth, slots)
	clear(h.in)
	for u := range h.out {
		h.out[u] = int32(degree)
		for _, v := range slots[u*degree : (u+1)*degree] {
			h.back[int(v)*degree+int(h.in[v])] = int32(u)
			h.in[v]++
		}
	}
}

// take uses up a random edge of a list and tells its other end.
func (h *halver) take(lists, left []int32, at int32, degree int) int32 {
	row := lists[int(at)*degree:]
	j := h.below(uint32(left[at]))
	left[at]--
	end := row[j]
	row[j] = row[left[at]]
	return end
}

// drop strikes the edge to end from a list.
func drop(lists, left []int32, at, end int32, degree int) {
	row := lists[int(at)*degree : int(at)*degree+int(left[at])]
	left[at]--
	for j, other := range row {
		if other == end {
			row[j] = row[left[at]]
			return
		}
	}
}

// below is a uniform number below n, by rejection from as few random bits as it takes.
func (h *halver) below(n uint32) int32 {
	need := bits.Len32(n - 1)
	for {
		if h.some < need {
			h.bits, h.some = h.rng.Uint64(), 64
		}
		x := uint32(h.bits & (1<<need - 1))
		h.bits >>= need
		h.some -= need
		if x < n {
			return int32(x)
		}
	}
}
