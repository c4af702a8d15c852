package nonreciprocal

// Assignments from a regular graph, one after the other, by walks.
//
// Source: xue-2012, algorithm 1 (line numbers are its own). In the unified view a node is a record
// together with the slot it is matched with at the moment. A walk leaves a node not yet matched by
// a random unused edge, arrives at the record that holds the slot reached, and goes on from there
// until it is closed. Where it visits a node again it forgets the cycle it made, because leaving a
// node again overwrites where it was left to before. The hops of the cycle that remains become
// matches.
//
// Deviation: the walk is shortened (shortWalk), and for most edges none is needed (draw.go).
// Complexity: O(n log n) hops an assignment. Memory 4 bytes an edge and 30 a record.

import (
	"context"
	"math/rand/v2"
)

// An Extractor draws disjoint assignments from a regular graph: together they use every edge, each
// edge once. A row of the result is one assignment, the slot of every record. The graph must be
// regular; steps counts the hops that were taken.
type Extractor func(
	ctx context.Context, g *Graph, rng *rand.Rand,
) (assignments [][]int32, steps int64, err error)

// extract runs one round an assignment. A round matches all records by cycles that find makes from
// a record not yet matched; then the edges of the assignment are used up, and what is left is
// regular of one degree less.
func extract(
	ctx context.Context, g *Graph, rng *rand.Rand, find func(w *walker, start int32) error,
) ([][]int32, int64, error) {
	w := newWalker(ctx, g, rng)
	out := make([][]int32, 0, w.left)
	for w.left > 0 {
		assignment, err := w.round(find)
		if err != nil {
			return nil, 0, err
		}
		out = append(out, assignment)
	}
	return out, w.steps, nil
}

// walker is the state of a round. rows[u*degree : u*degree+left] are the unused edges of record u;
// the first tried[u] of them have been taken in the present walk.
type walker struct {
	ctx    context.Context
	rng    *rand.Rand
	n      int
	degree int
	left   int
	rows   []int32
	steps  int64

	slot    []int32  // A_r: the slot each record is matched with, valid or not (line 1)
	holder  []int32  // the record matched with each slot
	matched []bool   // the record's match is valid (line 14)
	open    []uint64 // bitmap: the slot is held by a record that is not matched (shortWalk only)

	walk  int32
	seen  []int32 // the walk in which the record was last left
	tried []int32 // how many edges of the record that walk has taken
	child []int32 // the slot it was last left to
	path  []int32
}

func newWalker(ctx context.Context, g *Graph, rng *rand.Rand) *walker {
	n := g.Len()
	w := &walker{ctx: ctx, rng: rng, n: n}
	if n > 0 {
		w.degree = len(g.Slots(0))
	}
	w.left = w.degree
	w.rows = append([]int32(nil), g.slots...)
	w.slot, w.holder = make([]int32, n), make([]int32, n)
	w.matched, w.open = make([]bool, n), make([]uint64, (n+63)/64)
	w.seen, w.tried, w.child = make([]int32, n), make([]int32, n), make([]int32, n)
	return w
}

// round makes one assignment of unused edges and uses them up.
func (w *walker) round(find func(w *walker, start int32) error) ([]int32, error) {
	for u := range w.n {
		w.slot[u], w.holder[u], w.matched[u] = int32(u), int32(u), false
		w.seen[u] = 0
	}
	w.walk = 0
	for i := range w.open {
		w.open[i] = ^uint64(0)
	}
	for _, u := range w.rng.Perm(w.n) { // line 5: the next in a random order is a random one of L
		if w.matched[u] {
			continue
		}
		if err := find(w, int32(u)); err != nil {
			return nil, err
		}
		w.match(int32(u))
	}
	w.left--
	for u := range w.n {
		row := w.row(int32(u), w.left+1)
		for j, v := range row {
			if v == w.slot[u] {
				row[j], row[w.left] = row[w.left], v
				break
			}
		}
	}
	return append([]int32(nil), w.slot...), nil
}

func (w *walker) row(u int32, length int) []int32 {
	return w.rows[int(u)*w.degree : int(u)*w.degree+length]
}

// match makes the hops of the cycle through start the matches of its records (lines 13 and 14).
func (w *walker) match(start int32) {
	w.path = append(w.path[:0], start)
	for v := w.child[start]; v != w.slot[start]; v = w.child[w.holder[v]] {
		w.path = append(w.path, w.holder[v])
	}
	for _, u := range w.path {
		w.slot[u] = w.child[u]
		w.holder[w.child[u]] = u
		w.matched[u] = true
	}
}

// shortWalk walks from start to any unmatched node, and leaves the cycle in child.
//
// All unmatched nodes count as one: what an unmatched record is matched with is a placeholder, so
// a walk that arrives at any of them exchanges placeholders with it and is closed. It goes to such
// a node wherever it can, by a random one of the edges there, and otherwise by any edge, without
// remembering those it took. Algorithm 1 as printed goes on until it finds the very node it began
// at, which takes n hops in the mean however few nodes are unmatched; a walk to any unmatched node
// takes n/|L| (Goel, Kapralov, Khanna, "Perfect matchings in O(n log n) time in regular bipartite
// graphs", STOC 2010), so that an assignment takes O(n log n) hops on every regular graph. It ends
// with probability 1 because every unmatched node can be reached (theorem 4.1).
func (w *walker) shortWalk(start int32) error {
	u := start
	for {
		if w.steps++; w.steps&0xffff == 0 && w.ctx.Err() != nil {
			return context.Cause(w.ctx)
		}
		row := w.row(u, w.left)
		free := w.path[:0] // not in use during a walk
		for _, v := range row {
			if w.open[v>>6]>>(v&63)&1 != 0 {
				free = append(free, v)
			}
		}
		if len(free) > 0 {
			v := free[w.rng.IntN(len(free))]
			w.child[u] = v
			w.open[v>>6] &^= 1 << (v & 63)
			w.exchange(start, w.holder[v])
			return nil
		}
		v := row[w.rng.IntN(len(row))]
		w.child[u] = v
		u = w.holder[v]
	}
}

// exchange swaps the slots of two records.
func (w *walker) exchange(a, b int32) {
	w.slot[a], w.slot[b] = w.slot[b], w.slot[a]
	w.holder[w.slot[a]], w.holder[w.slot[b]] = a, b
}
