package pbproof

import (
	"errors"
	"slices"

	"mingle/release"
)

// bound is the bound that multipliers give in a situation. The rows, times their multipliers, say
//
//	sum of (weight - slack) x  >=  sum of need times multiplier,
//
// and what is left of the weights, the slack, is at least the least slack of any choice closed
// downwards. That is by the hierarchy: going up, what is below a node and itself has a slack of at
// least rest + (total - rest) x of the node, where total is that of all of it and rest the least of
// what is below the node where it is not lifted. If total > rest, the parent's x takes the place of
// the node's, which is no less; else 1 does, which is no less either.
type bound struct {
	w           *writer
	free        []bool
	rows        terms
	value       int64
	slack       []int64
	total, rest []int64
	children    [][]int32 // free ones of free nodes
	roots       []int32   // free ones whose parents are not
}

func (w *writer) bound(proof *release.Proof, s *situation) (*bound, error) {
	n := len(w.parent)
	b := &bound{
		w: w, free: make([]bool, n), slack: slices.Clone(w.weight), rest: make([]int64, n),
		children: make([][]int32, n),
	}
	for v := range n {
		b.free[v] = s.counts[v] && s.known[v] == undecided
	}
	said := w.saidBy(s, b.free)
	for _, row := range proof.Rows {
		if err := b.row(row, said); err != nil {
			return nil, err
		}
	}
	b.total = slices.Clone(b.slack)
	for v := range int32(n) {
		if !b.free[v] {
			continue
		}
		least := min(b.total[v], b.rest[v])
		if up := b.up(v); up >= 0 {
			b.total[up] += b.total[v]
			b.rest[up] += least
			b.children[up] = append(b.children[up], v)
		} else {
			b.value += least
			b.roots = append(b.roots, v)
		}
	}
	return b, nil
}

// row adds a row times its multiplier.
func (b *bound) row(row release.ProofRow, said *rules) error {
	nodes := make([]int32, len(row.Nodes))
	for i, u := range row.Nodes {
		nodes[i] = u - int32(b.w.tree.Leaves())
		if nodes[i] < 0 || int(nodes[i]) >= len(b.free) || !b.free[nodes[i]] {
			return errDecided
		}
	}
	slices.Sort(nodes)
	id := said.row(nodes, row.Need)
	if id == 0 || row.Y < 0 {
		return errors.New("a row of the proof does not follow from the clauses")
	}
	b.rows = b.rows.constraint(id, row.Y)
	b.value += int64(row.Need) * row.Y
	for _, v := range nodes {
		b.slack[v] -= row.Y
	}
	return nil
}

// handOn is what makes the parent's x, or 1, take the place of that of v, or 0 at a root.
func (b *bound) handOn(ts terms, v int32) terms {
	switch d := b.total[v] - b.rest[v]; {
	case d < 0:
		return ts.literal(int(v), false, -d)
	case b.up(v) >= 0:
		return ts.constraint(b.w.below[v], d)
	default:
		return ts.literal(int(v), true, d)
	}
}

// under hands on what is below v.
func (b *bound) under(ts terms, v int32) terms {
	for _, c := range b.children[v] {
		ts = b.handOn(b.under(ts, c), c)
	}
	return ts
}

// among hands on some nodes and what is below them.
func (b *bound) among(ts terms, nodes []int32) terms {
	for _, v := range nodes {
		ts = b.handOn(b.under(ts, v), v)
	}
	return ts
}

// all hands on everything: with the rows it says that the free variables weigh at least value.
func (b *bound) all() terms { return b.among(nil, b.roots) }
