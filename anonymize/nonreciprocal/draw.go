package nonreciprocal

import (
	"context"
	"math/bits"
	"math/rand/v2"
)

// Draw draws one assignment from a regular graph such that every edge is in it with the same
// probability: one of as many disjoint assignments as the degree, chosen uniformly, without
// drawing the others.
//
// A graph of even degree is halved by random closed walks (an Euler split; see halver), and the
// draw goes on in one of the halves; which edges that has is decided at random for each walk.
// A graph of odd degree m gives one assignment by closed walks of algorithm 1, shortened (see
// shortWalk); with probability 1/m it is the one, else the draw goes on in the rest, of degree
// m-1. So every edge is kept with probability 1/m of all.
//
// Time O(edges), plus O(n log n) for each odd degree on the way; memory 18 bytes an edge.
func Draw(ctx context.Context, g *Graph, rng *rand.Rand) ([]int32, error) {
	if g.Len() == 0 {
		return nil, nil
	}
	slots, degree := g.slots, len(g.Slots(0))
	h := &halver{ctx: ctx, rng: rng, n: g.Len()}
	for degree > 1 {
		if degree%2 == 1 {
			assignment, rest, err := h.takeOne(slots, degree)
			if err != nil || rng.IntN(degree) == 0 {
				return assignment, err
			}
			slots, degree = rest, degree-1
		}
		half, _, err := h.halve(slots, degree)
		if err != nil {
			return nil, err
		}
		slots, degree = half, degree/2
	}
	return append([]int32(nil), slots...), nil
}

// ClosedWalk draws all assignments as Draw does, by closed walks that use every edge once for each
// halving. It is an [Extractor]: the assignments are disjoint, together every edge, and each edge
// is equally likely in each.
func ClosedWalk(ctx context.Context, g *Graph, rng *rand.Rand) ([][]int32, int64, error) {
	if g.Len() == 0 {
		return nil, 0, nil
	}
	h := &halver{ctx: ctx, rng: rng, n: g.Len()}
	order, slots := chained(g)
	out, err := h.all(nil, slots, len(g.Slots(0)))
	for i, assignment := range out {
		named := make([]int32, len(order))
		for p, v := range assignment {
			named[order[p]] = order[v]
		}
		out[i] = named
	}
	return out, h.steps, err
}

// chained numbers the nodes of a regular graph anew, each followed where possible by one that it
// is joined to, so that what a walk needs next is mostly near in memory. order are the old
// numbers, slots the graph in the new ones. What is drawn does not depend on how nodes are
// numbered.
func chained(g *Graph) (order, slots []int32) {
	n, degree := g.Len(), len(g.Slots(0))
	order, slots = make([]int32, 0, n), make([]int32, 0, n*degree)
	number := make([]int32, n) // 1 + the new number
	for start := range int32(n) {
		for u := start; number[u] == 0; {
			order = append(order, u)
			number[u] = int32(len(order))
			for _, v := range g.Slots(u) {
				if number[v] == 0 {
					u = v
					break
				}
			}
		}
	}
	for _, u := range order {
		for _, v := range g.Slots(u) {
			slots = append(slots, number[v]-1)
		}
	}
	return order, slots
}

// halver divides graphs by closed walks (the halving is Gabow's, "Using Euler partitions to edge
// color bipartite multigraphs", 1976, with every turn drawn at random).
//
// In the bipartite view, where an edge goes from a record to a slot, a walk that comes to a slot
// leaves it by another of the slot's edges, and comes to a record, which it leaves by another
// edge, until it is where it began. Which edge it leaves by is drawn at random and used up with
// the one it came by; so it comes to the same to pair all edges at each record and at each slot
// beforehand, at random. Of the edges of a walk those that are gone along from record to slot are
// in one half, the others in the other: every record and every slot has as many in both. Each walk
// goes either way with the same probability.
//
// Algorithm 1 of xue-2012, one assignment at a time, needs many visits of each edge for each
// assignment where this needs one for each halving.
type halver struct {
	ctx   context.Context
	rng   *rand.Rand
	n     int
	bits  uint64 // random bits left over
	some  int
	steps int64

	edges  []int32 // into slot v: edges[v*degree : v*degree+in[v]], in random order
	in     []int32
	mate   []int32 // the edge that each is paired with at its slot
	walked []bool  // by pair of edges at a record
}

// all appends all assignments of a graph, which it changes.
func (h *halver) all(out [][]int32, slots []int32, degree int) ([][]int32, error) {
	if degree == 1 {
		h.steps += int64(len(slots))
		return append(out, slots), nil
	}
	if degree%2 == 1 {
		assignment, rest, err := h.takeOne(slots, degree)
		if err != nil {
			return nil, err
		}
		out, slots, degree = append(out, assignment), rest, degree-1
	}
	one, other, err := h.halve(slots, degree)
	if err == nil {
		if out, err = h.all(out, one, degree/2); err == nil {
			out, err = h.all(out, other, degree/2)
		}
	}
	return out, err
}

// takeOne draws one assignment and tells what it leaves.
func (h *halver) takeOne(slots []int32, degree int) (assignment, rest []int32, err error) {
	w := newWalker(h.ctx, regular(h.n, degree, slots), h.rng)
	if assignment, err = w.round((*walker).shortWalk); err != nil {
		return nil, nil, err
	}
	h.steps += w.steps
	rest = make([]int32, 0, h.n*(degree-1))
	for u := range int32(h.n) {
		rest = append(rest, w.row(u, w.left)...)
	}
	return assignment, rest, nil
}

// halve returns the halves of a graph of even degree. Edges 2i and 2i+1 are paired at their record.
func (h *halver) halve(slots []int32, degree int) (one, other []int32, err error) {
	slots = h.pair(slots, degree)
	one, other = make([]int32, len(slots)/2), make([]int32, len(slots)/2)
	h.steps += int64(len(slots))
	for start := range h.walked {
		if start&0xfff == 0 && h.ctx.Err() != nil {
			return nil, nil, context.Cause(h.ctx)
		}
		e := int32(2 * start)
		if !h.walked[start] {
			e |= h.below(2)
		}
		for ; !h.walked[e>>1]; e = h.mate[e^1] {
			h.walked[e>>1] = true
			one[e>>1], other[e>>1] = slots[e], slots[e^1]
		}
	}
	return one, other, nil
}

// pair pairs the edges at each record, by shuffling its row in the result, and at each slot.
func (h *halver) pair(slots []int32, degree int) []int32 {
	if len(h.mate) < len(slots) {
		h.edges, h.mate = make([]int32, len(slots)), make([]int32, len(slots))
		h.in = make([]int32, h.n)
	}
	shuffled := append([]int32(nil), slots...)
	clear(h.in)
	for begin := 0; begin < len(slots); begin += degree {
		row := shuffled[begin : begin+degree]
		for i := degree - 1; i > 0 && degree > 2; i-- { // two edges can be paired in one way only
			j := h.below(uint32(i + 1))
			row[i], row[j] = row[j], row[i]
		}
		for i, v := range row {
			into := h.edges[int(v)*degree : (int(v)+1)*degree]
			at := h.in[v]
			j := at
			if degree > 2 {
				j = h.below(uint32(at + 1))
			}
			into[at], into[j] = into[j], int32(begin+i)
			h.in[v]++
		}
	}
	for i := 0; i < len(slots); i += 2 {
		e, f := h.edges[i], h.edges[i+1]
		h.mate[e], h.mate[f] = f, e
	}
	h.walked = make([]bool, len(slots)/2)
	return shuffled
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
