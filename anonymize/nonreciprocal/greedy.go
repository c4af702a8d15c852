package nonreciprocal

import (
	"context"
	"errors"
	"slices"
)

// errDeadEnd tells that a greedy walk found no slot it may take.
var errDeadEnd = errors.New("the greedy walk came to a dead end: every slot left carries a label the record has matched before")

// Greedy is the regular graph that xue-2012 extracts from the complete graph (algorithm 1 with the choices of algorithm
// 2): l rounds of closed walks, each hop to the nearest eligible slot in the cyclic order of positions, looking to both
// sides at once. labels[p] is the label of the record at position p, dist measures two positions. The result has
// positions for records.
//
// Not in the paper: where no slot is eligible, which its text excludes by assumption, an error is returned; and an edge
// from a settled record to the slot it holds is no hop. Where all labels differ neither happens.
//
// Time is quadratic at least. No release is made from it, because it does not keep l-diversity. It makes sure that the slots a
// record matches were built for records of different labels. But labels are published with the true matches, which are
// drawn afterwards. Then two of these slots may carry the same label (docs/algorithms/nonreciprocal.md has how often).
func Greedy(ctx context.Context, labels []int32, l int, dist func(p, q int32) int32) (*Graph, error) {
	n := len(labels)
	w := &greedyWalker{
		labels: labels, dist: dist, n: n,
		slot: make([]int32, n), holder: make([]int32, n), settled: make([]bool, n), child: make([]int32, n),
		seen: make([]int32, n), tried: make([][]int32, n),
	}
	rows := make([][]int32, n)
	for range l {
		if err := w.round(ctx, rows); err != nil {
			return nil, err
		}
		for p := range rows {
			rows[p] = append(rows[p], w.slot[p])
		}
	}
	return regular(n, l, slices.Concat(rows...)), nil
}

type greedyWalker struct {
	labels []int32
	dist   func(p, q int32) int32
	n      int

	slot, holder []int32 // as in walker
	settled      []bool
	child        []int32
	walk         int32
	seen         []int32
	tried        [][]int32 // slots taken from the position in the present walk
}

// round makes one assignment that is disjoint from those in rows.
func (w *greedyWalker) round(ctx context.Context, rows [][]int32) error {
	for p := range int32(w.n) {
		w.slot[p], w.holder[p], w.settled[p] = p, p, false
	}
	for start := range int32(w.n) {
		if w.settled[start] {
			continue
		}
		w.walk++
		for p := start; ; {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			v := w.pick(p, start, rows[p])
			if v < 0 {
				return errDeadEnd
			}
			w.tried[p] = append(w.tried[p], v)
			w.child[p] = v
			if p = w.holder[v]; p == start {
				break
			}
		}
		w.settle(start)
	}
	return nil
}

func (w *greedyWalker) settle(start int32) {
	cycle := []int32{start}
	for v := w.child[start]; v != w.slot[start]; v = w.child[w.holder[v]] {
		cycle = append(cycle, w.holder[v])
	}
	for _, p := range cycle {
		w.slot[p] = w.child[p]
		w.holder[w.child[p]] = p
		w.settled[p] = true
	}
}

// pick is algorithm 2. matched are the slots of p in earlier rounds.
func (w *greedyWalker) pick(p, start int32, matched []int32) int32 {
	if w.seen[p] != w.walk {
		w.seen[p], w.tried[p] = w.walk, w.tried[p][:0]
	}
	last := int32(-1) // the option of last resort: a record this walk has left before
	for j := 0; j <= w.n/2; j++ {
		v := w.better(p, start, w.eligible(p, w.at(int(p)+j), matched), w.eligible(p, w.at(int(p)-j), matched))
		switch {
		case v < 0:
		case w.fresh(v, start):
			return v
		case last < 0:
			last = v
		}
	}
	return last
}

func (w *greedyWalker) at(p int) int32 { return int32((p + w.n) % w.n) }

// eligible is slot v where p may take it, else -1 (lines 8 to 11).
func (w *greedyWalker) eligible(p, v int32, matched []int32) int32 {
	if slices.Contains(w.tried[p], v) || w.settled[p] && w.slot[p] == v {
		return -1
	}
	for _, o := range matched {
		if o == v || w.labels[o] == w.labels[v] {
			return -1
		}
	}
	return v
}

// better is the one to go to of two eligible slots: to a record not left yet, then the nearer one, then the first.
func (w *greedyWalker) better(p, start, a, b int32) int32 {
	switch {
	case a < 0:
		return b
	case b < 0 || a == b:
		return a
	case w.fresh(a, start) != w.fresh(b, start):
		if w.fresh(a, start) {
			return a
		}
		return b
	case w.dist(p, b) < w.dist(p, a):
		return b
	}
	return a
}

// fresh tells whether a hop to slot v makes no deviant cycle.
func (w *greedyWalker) fresh(v, start int32) bool {
	h := w.holder[v]
	return h == start || w.seen[h] != w.walk
}
