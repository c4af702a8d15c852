package local

import (
	"context"
	"math/bits"
	"slices"
)

// itemLevel is what sweep knows of an item.
type itemLevel struct {
	support int32
	last    int32 // the person counted last, plus one
	some    bool  // a transaction may have it, perhaps nobody's
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
	return c.choose(ctx, list, more, full, some)
}

// choose is choices where it is known how many transactions or persons cover all nodes, though not
// exactly where those are k, and whether some transaction does.
func (c *coverage) choose(ctx context.Context, list []int32, more, full int, some bool) bool {
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
	v := list[at]
	children := c.of.tree.Children(v)
	var from func(n int, list []int32, more int) bool
	from = func(n int, list []int32, more int) bool {
		supports := c.byChild(list, v)
		for ; n < len(children); n++ {
			with, ok := append(slices.Clip(list), children[n]), false
			if supports == nil {
				ok = c.choices(ctx, with, more)
			} else {
				ok = c.choose(ctx, with, more, supports[n], supports[n] > 0)
			}
			if !ok || more > 0 && c.some(with) && !from(n+1, with, more-1) {
				return false
			}
		}
		return true
	}
	return from(0, slices.Delete(slices.Clone(list), at, at+1), more)
}

// byChild is, by child of a node, how many transactions cover it and all of some other nodes;
// counting ends where all have k. nil: persons are counted, which sweep wants to have been met.
func (c *coverage) byChild(others []int32, v int32) []int {
	if c.of.ofPersons() {
		return nil
	}
	children, k := c.of.tree.Children(v), c.of.k
	supports := make([]int, len(children))
	missing := len(children)
	c.eachWith(others, v, func(i int32, whole bool) bool {
		weight := int(c.of.merged.Weights[i])
		c.of.eachCovered(i, v, whole, func(n int) {
			if supports[n] < k && supports[n]+weight >= k {
				missing--
			}
			supports[n] += weight
		})
		return missing > 0
	})
	return supports
}

// eachCovered calls f with the places of those children of v that transaction i covers, which has
// something at or below v, or covers all of it.
func (s *state) eachCovered(i, v int32, whole bool, f func(n int)) {
	children := s.tree.Children(v)
	if whole {
		for n := range children {
			f(n)
		}
		return
	}
	open := s.publishes(i, v)
	items, at := s.below(i, v)
	j := 0
	for n, child := range children {
		depth, taken, torn := s.depthOf(child), false, false
		for end := s.ends(child); j < len(items) && items[j] < end; j++ {
			taken, torn = taken || at[j] >= depth, torn || at[j] > depth
		}
		if taken && !torn || !taken && open {
			f(n)
		}
	}
}

// some tells whether a transaction may have items below all nodes of a set, which is not empty.
func (c *coverage) some(set []int32) bool {
	for in := range c.stretches {
		c.sets = c.sets[:0]
		for at, v := range set {
			c.sets = append(c.sets, c.coverAt(at, v, in), c.belowAt(at, v, in))
		}
		for n := range in.to - in.from {
			w := ^uint64(0)
			for at := 0; at < len(c.sets) && w != 0; at += 2 {
				w &= c.sets[at][n] | c.sets[at+1][n]
			}
			if w != 0 {
				return true
			}
		}
	}
	return false
}

// covering is how many transactions, or persons, cover all nodes of a set, and whether some
// transaction does; counting ends at most.
func (c *coverage) covering(set []int32, most int) (support int, some bool) {
	c.byPerson.begin()
	for in := range c.stretches {
		all := c.covers(set, in)
		for n, w := range all[0] {
			for w = inAll(all[1:], n, w); w != 0; w &= w - 1 {
				some = true
				support += int(c.byPerson.meet(int32(64*(in.from+n) + bits.TrailingZeros64(w))))
				if support >= most {
					return support, some
				}
			}
		}
	}
	return support, some
}

// covers are the transactions of a stretch that cover each of some nodes, until the next call.
func (c *coverage) covers(nodes []int32, in stretch) [][]uint64 {
	c.sets = c.sets[:0]
	for at, v := range nodes {
		c.sets = append(c.sets, c.coverAt(at, v, in))
	}
	return c.sets
}

// inAll is what is in the n-th words of all sets, and in another word.
func inAll(sets [][]uint64, n int, w uint64) uint64 {
	for _, set := range sets {
		w &= set[n]
	}
	return w
}

// eachWith calls f with the transactions that cover each of some nodes, and have something at or
// below v or cover it, and whether they cover it; ascending, until it is false.
func (c *coverage) eachWith(others []int32, v int32, f func(i int32, whole bool) bool) {
	for in := range c.stretches {
		has, full := c.belowAt(len(others), v, in), c.coverAt(len(others), v, in)
		sets := c.covers(others, in)
		for n, w := range full {
			for w = inAll(sets, n, w|has[n]); w != 0; w &= w - 1 {
				i := int32(64*(in.from+n) + bits.TrailingZeros64(w))
				if !f(i, full[n]&(w&-w) != 0) {
					return
				}
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
	others := slices.Delete(slices.Clone(list), at, at+1)
	if !c.of.ofPersons() {
		return c.sweepRuns(others, v, need)
	}
	lo, hi := c.of.tree.Range(v)
	c.level = append(c.level[:0], make([]itemLevel, hi-lo)...)
	missing := int(hi - lo)
	c.eachWith(others, v, func(i int32, whole bool) bool {
		if whole || c.byPerson.met(i) {
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

// firstLook is after how many transactions it is first looked whether every item has enough; then
// after twice as many each time.
const firstLook = 8

// sweepRuns is sweep where persons are not counted: only where runs of items begin and end is
// noted, and now and then it is added up.
func (c *coverage) sweepRuns(others []int32, v int32, need int) bool {
	lo, hi := c.of.tree.Range(v)
	steps := append(c.steps[:0], make([]int32, hi-lo+1)...)
	c.steps = steps
	enough := func() bool {
		n := int32(0)
		for _, more := range steps[:hi-lo] {
			if n += more; n < int32(need) {
				return false
			}
		}
		return true
	}
	met, look := 0, firstLook
	c.eachWith(others, v, func(i int32, whole bool) bool {
		if whole {
			return true
		}
		weight := c.of.merged.Weights[i]
		c.of.eachRegion(i, v, func(from, to int32) {
			steps[from-lo] += weight
			steps[to-lo] -= weight
		})
		if met++; met < look {
			return true
		}
		look *= 2
		return !enough()
	})
	if enough() {
		return true
	}
	c.level = c.level[:0]
	n := int32(0)
	for _, more := range steps[:hi-lo] {
		n += more
		c.level = append(c.level, itemLevel{support: n, some: n > 0})
	}
	return false
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

// eachOpen calls f with the items below the children that a transaction has open (see openAt), of a
// node u that it publishes, as many at once as lie side by side. Of its items, those below u are
// given at least, and what they are published as (see below).
func (s *state) eachOpen(u int32, items []int32, at []uint16, f func(from, to int32)) {
	open, end := s.tree.Range(u)
	depth := s.depthOf(u)
	for j := 0; j < len(items) && items[j] < end; j++ {
		if items[j] < open || at[j] <= depth {
			continue
		}
		from, to := s.tree.Range(s.tree.Above(items[j], int(depth)+1))
		if open < from {
			f(open, from)
		}
		open = to
	}
	if open < end {
		f(open, end)
	}
}
