package local

import (
	"context"
	"encoding/binary"
	"slices"

	"mingle/dataset"
)

// This file sees to condition (c) of docs/definitions.md in a release that keeps condition (a): an
// item may be at a node u only if nothing is published at or below the child of u above it, and
// then too few transactions may be left for what is known though enough publish u.
//
// A branch is a child c of a node u that some transaction publishes together with nodes below c
// that leave out part of c. Another transaction that publishes u has the branch open if it
// publishes nothing at or below c. Sets J of items without an open branch are in k transactions by
// (a): every transaction that publishes the same nodes is compatible with J. What is left are the
// sets of published nodes and open branches of a transaction, one open branch at least. For each of
// them the transactions are counted that leave nothing out below any of its nodes; where these are
// fewer than k, its nodes are replaced by their children, down to the items.
//
// Where a J is compatible with too few, all that is published at or below its branch goes back to
// u, in all transactions, which keeps (a) (see generalize); c is no branch any more then, so this
// ends. It depends on what is published alone, and changes nothing where nothing fails.
//
// Time: the sets of at most m published nodes of each distinct line of fewer than k transactions
// that has an open branch, times the lines that publish the rarest of its nodes. Memory: the lines,
// 64 MB for those below nodes, and maxKnown sets.

// compatibility is the search for such J in one release.
type compatibility struct {
	*recoding
	k, m     int
	lines    *dataset.Merged // distinct published lines
	with     [][]int32       // by node: the lines that publish it
	branches [][]int32       // by node: its children that are branches
	known    map[string]bool // sets that are in order
	failing  []int32         // branches
	covering map[int32][]int32
	bytes    int // of covering
	lists    [][]int32
}

// makeCompatible ensures condition (c), unless the context ends.
func (r *recoding) makeCompatible(ctx context.Context, k, m int) {
	for ctx.Err() == nil && r.nests() {
		c := newCompatibility(r, k, m)
		if c.check(ctx); len(c.failing) == 0 {
			return
		}
		for _, b := range c.failing {
			r.generalize(r.under(b, nil), r.tree.Parent(b))
		}
	}
}

// nests tells whether some transaction publishes a node and one above it; where none does, (c)
// follows from (a).
func (r *recoding) nests() bool {
	for i := range int32(r.merged.Len()) {
		for _, v := range r.published(i) {
			for a := r.tree.Parent(v); a >= 0; a = r.tree.Parent(a) {
				if r.publishes(i, a) {
					return true
				}
			}
		}
	}
	return false
}

func newCompatibility(r *recoding, k, m int) *compatibility {
	b := dataset.NewBuilder(r.tree.Dict())
	for i := range int32(r.merged.Len()) {
		b.Add(r.published(i))
	}
	c := &compatibility{
		recoding: r, k: k, m: m, lines: dataset.Merge(b.Build()),
		with: make([][]int32, r.tree.Nodes()), branches: make([][]int32, r.tree.Nodes()),
		known: map[string]bool{}, covering: map[int32][]int32{},
	}
	weights := make([]int32, c.lines.Len())
	for i, of := range c.lines.Of {
		weights[of] += r.merged.Weights[i]
	}
	c.lines.Weights = weights
	for n := range c.lines.Len() {
		for _, u := range c.lines.Tx(n) {
			c.with[u] = append(c.with[u], int32(n))
		}
	}
	c.findBranches()
	return c
}

// publishesBelow tells whether a line publishes something at or below a node.
func (c *compatibility) publishesBelow(line, v int32) bool {
	return slices.ContainsFunc(c.lines.Tx(int(line)),
		func(u int32) bool { return c.tree.Covers(v, u) })
}

// covers tells whether every item below a node may be in a line; it may say no where every item
// may.
func (c *compatibility) covers(line, v int32) bool {
	set := c.lines.Tx(int(line))
	if slices.Contains(set, v) {
		below := func(u int32) bool { return u != v && c.tree.Covers(v, u) }
		return !slices.ContainsFunc(set, below)
	}
	for up := c.tree.Parent(v); up >= 0; up = c.tree.Parent(v) {
		if slices.Contains(set, up) {
			return !c.publishesBelow(line, v)
		}
		v = up
	}
	return false
}

func (c *compatibility) findBranches() {
	is := make([]bool, c.tree.Nodes())
	for n := range int32(c.lines.Len()) {
		set := c.lines.Tx(int(n))
		for _, v := range set {
			for a := v; c.tree.Parent(a) >= 0; a = c.tree.Parent(a) {
				if up := c.tree.Parent(a); !is[a] && slices.Contains(set, up) && !c.covers(n, a) {
					is[a] = true
					c.branches[up] = append(c.branches[up], a)
				}
			}
		}
	}
}

// check checks all sets of published nodes and open branches, one of these at least.
func (c *compatibility) check(ctx context.Context) {
	for n := range int32(c.lines.Len()) {
		if ctx.Err() != nil {
			return
		}
		if int(c.lines.Weights[n]) >= c.k {
			continue
		}
		set := c.lines.Tx(int(n))
		var open []int32
		for _, u := range set {
			for _, b := range c.branches[u] {
				if !c.publishesBelow(n, b) {
					open = append(open, b)
				}
			}
		}
		for j, b := range open {
			c.extend([]int32{b}, slices.Concat(set, open[j+1:]))
		}
	}
}

// extend checks a set that begins with an open branch, and all with at most m that have more of the
// others.
func (c *compatibility) extend(tuple, others []int32) {
	if slices.Contains(c.failing, tuple[0]) {
		return
	}
	key := keyOfTuple(tuple)
	if !c.known[key] {
		if !c.supported(tuple) && !c.expand(slices.Clone(tuple)) {
			c.failing = append(c.failing, tuple[0])
			return
		}
		if len(c.known) >= maxKnown {
			clear(c.known)
		}
		c.known[key] = true
	}
	if len(tuple) == c.m || len(others) == 0 || c.supported(slices.Concat(tuple, others)) {
		return // who covers all covers every part
	}
	for i, v := range others {
		c.extend(append(tuple[:len(tuple):len(tuple)], v), others[i+1:])
	}
}

// maxKnown bounds the sets that are remembered to be in order.
const maxKnown = 1 << 20

func keyOfTuple(tuple []int32) string {
	tuple = slices.Clone(tuple)
	slices.Sort(tuple)
	var b []byte
	for _, v := range tuple {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return string(b)
}

// expand tells whether enough transactions are compatible with every choice of one item below each
// node of a tuple.
func (c *compatibility) expand(tuple []int32) bool {
	most := -1
	for i, v := range tuple {
		if !c.tree.IsLeaf(v) && (most < 0 || c.tree.LeafCount(v) > c.tree.LeafCount(tuple[most])) {
			most = i
		}
	}
	if most < 0 {
		return c.count(tuple, 1) == 0 // one of them is below a node that it cannot be at
	}
	u := tuple[most]
	for _, v := range c.tree.Children(u) {
		tuple[most] = v
		if !c.supported(tuple) && !c.expand(tuple) {
			tuple[most] = u
			return false
		}
	}
	tuple[most] = u
	return true
}

// supported tells whether k transactions cover all nodes of a tuple.
func (c *compatibility) supported(tuple []int32) bool { return c.count(tuple, c.k) >= c.k }

// count is how many transactions cover all nodes of a tuple; counting ends when there are most.
func (c *compatibility) count(tuple []int32, most int) (weight int) {
	lists := c.lists[:0]
	for _, v := range tuple {
		lists = append(lists, c.coveringOf(v))
	}
	c.lists = lists
	slices.SortFunc(lists, func(a, b []int32) int { return len(a) - len(b) })
	for _, line := range lists[0] {
		missing := func(list []int32) bool {
			_, is := slices.BinarySearch(list, line)
			return !is
		}
		if slices.ContainsFunc(lists[1:], missing) {
			continue
		}
		if weight += int(c.lines.Weights[line]); weight >= most {
			break
		}
	}
	return weight
}

// maxCovering bounds the bytes of lists of lines that are kept.
const maxCovering = 64 << 20

// coveringOf are the lines that cover a node, ascending.
func (c *compatibility) coveringOf(v int32) []int32 {
	if list, is := c.covering[v]; is {
		return list
	}
	if c.bytes > maxCovering {
		clear(c.covering)
		c.bytes = 0
	}
	var list []int32
	for a := v; a >= 0; a = c.tree.Parent(a) {
		for _, line := range c.with[a] {
			if c.covers(line, v) {
				list = append(list, line)
			}
		}
	}
	slices.Sort(list)
	c.covering[v] = slices.Compact(list)
	c.bytes += 4 * len(list)
	return c.covering[v]
}

// under appends a node and all nodes below it.
func (r *recoding) under(u int32, out []int32) []int32 {
	out = append(out, u)
	for _, c := range r.tree.Children(u) {
		out = r.under(c, out)
	}
	return out
}
