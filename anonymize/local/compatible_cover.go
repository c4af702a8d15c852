package local

import (
	"context"
	"math/bits"
	"slices"
)

// coverage counts the transactions that cover nodes, exactly: those of the lowest published node at
// or above a node v that publish nothing at or below the child of it that leads to v, or v itself
// and nothing below.
type coverage struct {
	of    *state
	crowd *crowd
	kept  map[int32][]uint64 // by node: the transactions that cover it; ^node: see below
	opens map[int32]openFrom // by node that has children
	words int                // of a bit set of transactions
	bytes int                // kept
	level []itemLevel        // by item, working space of sweep
	sets  [][]uint64         // the same
	// fails is told nodes below which a choice is not compatible with enough, and tells whether the
	// others are to be looked at all the same
	fails func(list []int32) bool
}

// itemLevel is what sweep knows of an item.
type itemLevel struct {
	support int32
	last    int32 // the person counted last, plus one
	some    bool  // a transaction may have it, perhaps nobody's
}

// maxKept bounds the bytes of bit sets that are kept, of each of the two kinds.
const maxKept = 12 << 20

func newCoverage(s *state) coverage {
	return coverage{
		of: s, crowd: newCrowd(s.merged), kept: map[int32][]uint64{},
		opens: map[int32]openFrom{},
		words: (s.merged.Len() + 63) / 64,
		fails: func([]int32) bool { return false },
	}
}

// holds tells whether every choice of at most as many items as are known, one at least below each
// node of a set and none elsewhere, is compatible with k transactions or none.
func (c *coverage) holds(ctx context.Context, set []int32) bool {
	return c.choices(ctx, slices.Clone(set), c.of.known-len(set))
}

// choices tells whether every choice of items below the nodes of a list is compatible with k
// transactions or none: one item below each, and more further ones below any of them. That is so
// where k transactions cover all nodes. Else some of its children, as many as there may be items,
// are looked at in place of each node.
func (c *coverage) choices(ctx context.Context, list []int32, more int) bool {
	full, some := c.covering(list, c.of.k)
	if full >= c.of.k || ctx.Err() != nil {
		return true
	}
	first, second := c.largest(list)
	if first < 0 {
		return !some || c.fails(list)
	}
	if !c.some(list) {
		return true
	}
	if more > 0 {
		return c.split(ctx, list, first, more)
	}
	if c.sweep(list, first, c.of.k-full) {
		return true
	}
	if second < 0 {
		return c.items(list, first, full, some)
	}
	return c.split(ctx, list, second, 0)
}

// items tells whether each item below the node at a place of a list is, with the others, compatible
// with k transactions or none; sweep has counted them, but for the full ones that cover all nodes.
func (c *coverage) items(list []int32, at, full int, some bool) bool {
	list = slices.Clone(list)
	lo, _ := c.of.tree.Range(list[at])
	for n, l := range c.level {
		list[at] = lo + int32(n)
		if (some || l.some) && full+int(l.support) < c.of.k && !c.fails(list) {
			return false
		}
	}
	return true
}

// largest are the places of the two nodes with most items below them that are no items; -1: none.
func (c *coverage) largest(list []int32) (first, second int) {
	first, second = -1, -1
	t := c.of.tree
	for n, v := range list {
		switch {
		case t.IsLeaf(v):
		case first < 0 || t.LeafCount(v) > t.LeafCount(list[first]):
			first, second = n, first
		case second < 0 || t.LeafCount(v) > t.LeafCount(list[second]):
			second = n
		}
	}
	return first, second
}

// split looks at choices with some of the children of the node at a place of a list.
func (c *coverage) split(ctx context.Context, list []int32, at, more int) bool {
	children := c.of.tree.Children(list[at])
	rest := slices.Delete(slices.Clone(list), at, at+1)
	var from func(n int, list []int32, more int) bool
	from = func(n int, list []int32, more int) bool {
		for ; n < len(children); n++ {
			with := append(slices.Clip(list), children[n])
			if !c.choices(ctx, with, more) {
				return false
			}
			if more > 0 && c.some(with) && !from(n+1, with, more-1) {
				return false
			}
		}
		return true
	}
	return from(0, rest, more)
}

// some tells whether a transaction may have items below all nodes of a set, which is not empty.
func (c *coverage) some(set []int32) bool {
	c.sets = c.sets[:0]
	for _, v := range set {
		c.sets = append(c.sets, c.cover(v), c.below(v))
	}
	for n := range c.words {
		w := ^uint64(0)
		for at := 0; at < len(c.sets) && w != 0; at += 2 {
			w &= c.sets[at][n] | c.sets[at+1][n]
		}
		if w != 0 {
			return true
		}
	}
	return false
}

// covering is how many transactions, or persons, cover all nodes of a set, and whether some
// transaction does; counting ends at most.
func (c *coverage) covering(set []int32, most int) (support int, some bool) {
	c.crowd.begin()
	first := c.cover(set[0])
	others := c.covers(set[1:])
	c.each(others, func(n int) uint64 { return first[n] }, func(i int32) bool {
		some = true
		support += int(c.crowd.meet(i))
		return support < most
	})
	return support, some
}

// covers are the transactions that cover each of some nodes, until the next call.
func (c *coverage) covers(nodes []int32) [][]uint64 {
	c.sets = c.sets[:0]
	for _, v := range nodes {
		c.sets = append(c.sets, c.cover(v))
	}
	return c.sets
}

// each calls f with the transactions that are in all sets, and in a further one given word by word,
// ascending, until it is false.
func (c *coverage) each(sets [][]uint64, further func(n int) uint64, f func(i int32) bool) {
	for n := range c.words {
		w := further(n)
		for _, s := range sets {
			w &= s[n]
		}
		for ; w != 0; w &= w - 1 {
			if !f(int32(64*n + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// sweep tells whether each item below the node at a place of a list may be in transactions of the
// support needed that cover the others and have something at or below that node, and do not cover
// it. Persons who cover all nodes of the list in another transaction are those that covering has
// met, and do not count again.
func (c *coverage) sweep(list []int32, at, need int) bool {
	v := list[at]
	lo, hi := c.of.tree.Range(v)
	c.level = append(c.level[:0], make([]itemLevel, hi-lo)...)
	has, full := c.below(v), c.cover(v)
	others := c.covers(slices.Delete(slices.Clone(list), at, at+1))
	missing := int(hi - lo)
	c.each(others, func(n int) uint64 { return has[n] &^ full[n] }, func(i int32) bool {
		if c.crowd.met(i) {
			return true
		}
		weight, unit := c.of.merged.Weights[i], c.of.unit(i)
		c.of.eachRegion(i, v, func(from, to int32) {
			for x := from - lo; x < to-lo; x++ {
				if c.level[x].add(weight, unit, int32(need)) {
					missing--
				}
			}
		})
		return missing > 0
	})
	return missing == 0
}

// add counts a transaction, after the others of its person, unless there are enough, and tells
// whether there are now.
func (l *itemLevel) add(weight, unit, enough int32) bool {
	l.some = true
	if l.support >= enough || unit >= 0 && l.last == unit+1 {
		return false
	}
	l.support += weight
	l.last = unit + 1
	return l.support >= enough
}

// eachRegion calls f with the ranges of the items below v that transaction i has at nodes at or
// below v, or may have there.
func (s *state) eachRegion(i, v int32, f func(from, to int32)) {
	items, at := s.below(i, v)
	for j, depth := range at {
		if depth < s.depthOf(v) {
			continue
		}
		switch u := s.nodeAt(items[j], depth); {
		case s.tree.IsLeaf(u):
			f(items[j], items[j]+1)
		case !s.isAmong(u, items[:j], at[:j]):
			s.eachOpen(u, items, at, f)
		}
	}
}

// isAmong tells whether one of a transaction's items, the last of which are below u, is published
// as u.
func (s *state) isAmong(u int32, items []int32, at []uint16) bool {
	lo, _ := s.tree.Range(u)
	for j := len(items) - 1; j >= 0 && items[j] >= lo; j-- {
		if at[j] == s.depthOf(u) {
			return true
		}
	}
	return false
}

// eachOpen calls f with the ranges of the children that a transaction has open (see openAt), of a
// node u that it publishes, given its items, all of those below u among them, and what they are
// published as (see below).
func (s *state) eachOpen(u int32, items []int32, at []uint16, f func(from, to int32)) {
	j := 0
	for _, c := range s.tree.Children(u) {
		from, to := s.tree.Range(c)
		for j < len(items) && items[j] < from {
			j++
		}
		if j == len(items) || items[j] >= to || at[j] < s.depthOf(c) {
			f(from, to)
		}
	}
}

// cover are the transactions that cover a node; not to be changed.
func (c *coverage) cover(v int32) []uint64 {
	if set, is := c.kept[v]; is {
		return set
	}
	set := c.none()
	for _, i := range c.of.who[v] {
		set[i/64] |= 1 << (i % 64)
	}
	for _, child := range c.of.tree.Children(v) {
		c.markBelow(child, func(i int32) { set[i/64] &^= 1 << (i % 64) })
	}
	c.fromAbove(v, set)
	c.keep(v, set)
	return set
}

// fromAbove adds the transactions that cover a node by a node above it.
func (c *coverage) fromAbove(v int32, set []uint64) {
	p := c.of.tree.Parent(v)
	if p < 0 {
		return
	}
	from, has := c.from(p), c.below(v)
	for n := range set {
		set[n] |= from.above[n] | from.at[n]&^has[n]
	}
}

// openFrom is what the transactions that cover a child of a node from above follow from: those that
// publish the node, and those that publish nothing at or below it and cover it all the same.
type openFrom struct{ at, above []uint64 }

// from is that of a node; not to be changed.
func (c *coverage) from(u int32) openFrom {
	if f, is := c.opens[u]; is {
		return f
	}
	f := openFrom{above: c.none()}
	c.fromAbove(u, f.above)
	f.at = c.none()
	for _, i := range c.of.who[u] {
		f.at[i/64] |= 1 << (i % 64)
	}
	if 16*c.words*len(c.opens) > maxKept {
		clear(c.opens)
	}
	c.opens[u] = f
	return f
}

// below are the transactions that publish something at or below a node; not to be changed.
func (c *coverage) below(v int32) []uint64 {
	if set, is := c.kept[^v]; is {
		return set
	}
	set := c.none()
	c.markBelow(v, func(i int32) { set[i/64] |= 1 << (i % 64) })
	c.keep(^v, set)
	return set
}

// markBelow calls mark with the transactions that publish something at or below a node.
func (c *coverage) markBelow(v int32, mark func(i int32)) {
	for _, i := range c.of.who[v] {
		mark(i)
	}
	for _, child := range c.of.tree.Children(v) {
		c.markBelow(child, mark)
	}
}

func (c *coverage) none() []uint64 { return make([]uint64, c.words) }

// keep keeps a bit set for later.
func (c *coverage) keep(key int32, set []uint64) {
	if c.bytes += 8 * c.words; c.bytes > maxKept {
		clear(c.kept)
		c.bytes = 8 * c.words
	}
	c.kept[key] = set
}
