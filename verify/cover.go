package verify

import (
	"slices"

	"mingle/hierarchy"
)

// reader reads one published line after the other as the set of originals it may come from: every
// item is published as the lowest published node at or above it, and every published node has an
// item.
//
// So a node's own leaves, those below it and below no lower node of the line, are what it may stand
// for. The originals of a line are the unions of one non-empty set of own leaves a node; a line
// with a node that has none comes from no original. An item is in all of them exactly if it is the
// one own leaf of its node, and a set of items is in one of them exactly if every item has a node
// at or above it.
type reader struct {
	tree *hierarchy.Tree
	line []int32 // what is read
	in   []bool  // by node: it is in the line
	own  []int32 // by node of the line: the number of its own leaves
}

func newReader(t *hierarchy.Tree) *reader {
	return &reader{tree: t, in: make([]bool, t.Nodes()), own: make([]int32, t.Nodes())}
}

// read takes a line of distinct nodes; false if it comes from no original.
func (r *reader) read(line []int32) bool {
	for _, u := range r.line {
		r.in[u] = false
	}
	r.line = line
	for _, u := range line {
		r.in[u], r.own[u] = true, int32(r.tree.LeafCount(u))
	}
	for _, u := range line {
		if a := r.above(u); a >= 0 {
			r.own[a] -= int32(r.tree.LeafCount(u))
		}
	}
	return !slices.ContainsFunc(line, func(u int32) bool { return r.own[u] == 0 })
}

// above is the lowest node of the line above u, -1 if there is none.
func (r *reader) above(u int32) int32 {
	a := r.tree.Parent(u)
	for a >= 0 && !r.in[a] {
		a = r.tree.Parent(a)
	}
	return a
}

// leaves calls do with the own leaves of a node of the line, ascending, until it says no.
func (r *reader) leaves(u int32, do func(x int32) bool) {
	lo, hi := r.tree.Range(u)
	for x := lo; x < hi; {
		next := x + 1
		own := true
		for a := x; a != u; a = r.tree.Parent(a) {
			if r.in[a] {
				_, next = r.tree.Range(a)
				own = false
			}
		}
		if own && !do(x) {
			return
		}
		x = next
	}
}

// certain appends the items that are in every original of the line, ascending.
func (r *reader) certain(out []int32) []int32 {
	from := len(out)
	for _, u := range r.line {
		if r.own[u] == 1 {
			r.leaves(u, func(x int32) bool {
				out = append(out, x)
				return true
			})
		}
	}
	slices.Sort(out[from:])
	return out
}
