package local

import (
	"cmp"
	"context"
	"encoding/binary"
	"math/bits"
	"slices"

	"mingle/hierarchy"
)

// compatibility sees to condition (c) of docs/definitions.md in a release that keeps condition (a):
// an item may be at a node u only if nothing is published at or below the child of u above it, and
// then too few transactions may be left for what is known though k publish u.
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
// u, in all transactions: a set with u is then in all transactions that it, or the same set with a
// node below c in place of u, was in, so (a) still holds, and c is no branch any more. So this
// ends. It depends on what is published alone, and changes nothing where nothing fails.
type compatibility struct {
	*state
	lines    []int32         // transactions of different published sets, one for each set
	sets     [][]int32       // by line: what is published, by place
	weights  []int32         // by line: the transactions that publish it
	with     [][]int32       // by node: the lines that publish it
	branches [][]int32       // by node: its children that are branches
	known    map[string]bool // sets that are in order
	failing  []int32         // branches
	covered  map[int32]cover
	bytes    int // of covered
	spaces   []cover
}

// makeCompatible ensures condition (c), unless the context ends.
func (s *state) makeCompatible(ctx context.Context) {
	for ctx.Err() == nil && s.nests() {
		c := newCompatibility(s)
		if c.look(ctx); len(c.failing) == 0 {
			return
		}
		for _, b := range c.failing {
			s.takeBackBranch(b)
		}
	}
}

// nests tells whether some transaction publishes a node and one above it; where none does, (c)
// follows from (a).
func (s *state) nests() bool {
	for i := range int32(s.merged.Len()) {
		for _, v := range s.published(i) {
			for a := s.tree.Parent(v); a >= 0; a = s.tree.Parent(a) {
				if s.publishes(i, a) {
					return true
				}
			}
		}
	}
	return false
}

func newCompatibility(s *state) *compatibility {
	c := &compatibility{
		state: s, known: map[string]bool{}, covered: map[int32]cover{},
		with: make([][]int32, s.tree.Nodes()), branches: make([][]int32, s.tree.Nodes()),
	}
	order := make([]int32, 0, s.merged.Len())
	for i := range int32(s.merged.Len()) {
		if len(s.published(i)) > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return slices.Compare(s.published(a), s.published(b))
	})
	for n, i := range order {
		if n == 0 || !slices.Equal(s.published(i), s.published(order[n-1])) {
			c.lines, c.weights = append(c.lines, i), append(c.weights, 0)
			set := slices.Clone(s.published(i))
			slices.SortFunc(set, func(a, b int32) int { return byPlace(s.tree, a, b) })
			c.sets = append(c.sets, set)
			for _, u := range set {
				c.with[u] = append(c.with[u], int32(len(c.lines)-1))
			}
		}
		c.weights[len(c.weights)-1] += s.merged.Weights[i]
	}
	c.findBranches()
	return c
}

// byPlace orders nodes from left to right, and those above before those below.
func byPlace(t *hierarchy.Tree, a, b int32) int {
	la, ha := t.Range(a)
	lb, hb := t.Range(b)
	return cmp.Or(cmp.Compare(la, lb), cmp.Compare(hb, ha), cmp.Compare(b, a))
}

// place is where a node is in a set that is ordered by place, or would be.
func (c *compatibility) place(set []int32, v int32) (at int, is bool) {
	return slices.BinarySearchFunc(set, v, func(a, b int32) int { return byPlace(c.tree, a, b) })
}

// publishesBelow tells whether a line publishes something at or below a node.
func (c *compatibility) publishesBelow(line, v int32) bool {
	set := c.sets[line]
	at, _ := c.place(set, v)
	return at < len(set) && c.tree.Covers(v, set[at])
}

// covers tells whether every item below a node may be in a line; it may say no where every item
// may.
func (c *compatibility) covers(line, v int32) bool {
	set := c.sets[line]
	if c.publishesBelow(line, v) {
		at, is := c.place(set, v)
		return is && (at+1 == len(set) || !c.tree.Covers(v, set[at+1]))
	}
	for up := c.tree.Parent(v); up >= 0; up = c.tree.Parent(up) {
		if _, is := c.place(set, up); is {
			return !c.publishesBelow(line, v)
		}
		v = up
		if c.publishesBelow(line, v) {
			return false
		}
	}
	return false
}

func (c *compatibility) findBranches() {
	is := make([]bool, c.tree.Nodes())
	for n, set := range c.sets {
		for _, v := range set {
			for a := v; c.tree.Parent(a) >= 0; a = c.tree.Parent(a) {
				up := c.tree.Parent(a)
				if !is[a] && slices.Contains(set, up) && !c.covers(int32(n), a) {
					is[a] = true
					c.branches[up] = append(c.branches[up], a)
				}
			}
		}
	}
}

// look looks at all sets of published nodes and open branches, one of these at least.
func (c *compatibility) look(ctx context.Context) {
	for n, set := range c.sets {
		if ctx.Err() != nil {
			return
		}
		if int(c.weights[n]) >= c.k {
			continue
		}
		var open []int32
		for _, u := range set {
			for _, b := range c.branches[u] {
				if !c.publishesBelow(int32(n), b) {
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

// expand tells whether k transactions are compatible with every choice of one item below each
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
func (c *compatibility) count(tuple []int32, most int) int {
	sets := c.spaces[:0]
	for _, v := range tuple {
		sets = append(sets, c.coverOf(v))
	}
	c.spaces = sets
	slices.SortFunc(sets, func(a, b cover) int { return a.size - b.size })
	weight := 0
	sets[0].eachWith(sets[1:], func(line int32) bool {
		weight += int(c.weights[line])
		return weight < most
	})
	return weight
}

// cover is a set of lines: a short list, or bits.
type cover struct {
	size int
	list []int32
	bits []uint64
}

// has tells whether a line is in the set.
func (s cover) has(line int32) bool {
	if s.bits != nil {
		return s.bits[line/64]>>(line%64)&1 == 1
	}
	_, is := slices.BinarySearch(s.list, line)
	return is
}

// eachWith calls f with the lines that are in the set and in others, none of which is smaller,
// until it is false.
func (s cover) eachWith(others []cover, f func(line int32) bool) {
	for _, line := range s.list {
		if !slices.ContainsFunc(others, func(o cover) bool { return !o.has(line) }) && !f(line) {
			return
		}
	}
	for i, w := range s.bits {
		for j := 0; j < len(others) && w != 0; j++ {
			w &= others[j].bits[i] // it is not smaller, so it is no list
		}
		for ; w != 0; w &= w - 1 {
			if !f(int32(64*i + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// maxCovers bounds the bytes of covers that are kept.
const maxCovers = 64 << 20

// coverOf are the lines that cover a node.
func (c *compatibility) coverOf(v int32) cover {
	if s, is := c.covered[v]; is {
		return s
	}
	if c.bytes > maxCovers {
		clear(c.covered)
		c.bytes = 0
	}
	var s cover
	for a := v; a >= 0; a = c.tree.Parent(a) {
		for _, line := range c.with[a] {
			if c.covers(line, v) {
				s.list = append(s.list, line)
			}
		}
	}
	slices.Sort(s.list)
	s.list = slices.Compact(s.list)
	s.size = len(s.list)
	c.bytes += 4 * s.size
	if s.size > len(c.lines)/256 { // bits are quicker to look through than a longer list
		s.bits = make([]uint64, (len(c.lines)+63)/64)
		for _, line := range s.list {
			s.bits[line/64] |= 1 << (line % 64)
		}
		s.list = nil
		c.bytes += 8*len(s.bits) - 4*s.size
	}
	c.covered[v] = s
	return s
}

// takeBackBranch publishes what is published at or below c as the parent of c.
func (s *state) takeBackBranch(c int32) {
	u := s.tree.Parent(c)
	var all []int32
	var rec func(v int32)
	rec = func(v int32) {
		all = append(all, v)
		for _, w := range s.tree.Children(v) {
			rec(w)
		}
	}
	rec(c)
	for _, v := range all {
		for _, i := range s.who[v] {
			_, at := s.below(i, c)
			if s.publishes(i, v) {
				s.exclude(i, v)
			}
			for j, w := range at {
				if w == v {
					at[j] = u
					s.loss += (s.penalty(u) - s.penalty(v)) * int64(s.merged.Weights[i])
				}
			}
			if !s.publishes(i, u) {
				s.include(i, u)
				s.who[u] = append(s.who[u], i)
			}
		}
		s.who[v] = s.who[v][:0]
	}
}
