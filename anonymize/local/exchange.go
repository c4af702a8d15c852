package local

import (
	"context"
	"slices"
)

// exchange changes what one transaction (with those like it) publishes while all others stay as
// they are: it takes items from u down to a node below. A step takes a node back from all that
// have a rare set with it; here a transaction takes it that has no rare set itself.
//
// The promise is kept: what the transaction newly publishes is in k transactions or more with
// it, and what it publishes no longer is in none or in k or more without it. No other set is
// concerned.
type exchange struct {
	*state
	*supports
	ctx context.Context

	rest []int32 // working space
}

const (
	// maxSets bounds the sets that are counted before the first exchange, for the sake of memory:
	// 32 to 64 bytes each. It is looked at as each set is counted: a line of 10,000 nodes has more
	// than 10^11 sets of three.
	maxSets = 1_000_000
	// mostSets bounds them later: exchanges publish in more detail, and sets that are no longer
	// published keep their place for a while.
	mostSets = 4 * maxSets
)

// exchanges makes those that gain something, until none does. With more than maxSets sets, sets of
// more than three nodes, diversity, or persons, there are none.
func (s *state) exchanges(ctx context.Context) {
	if s.m > 3 || s.div != nil || s.ofPersons() || s.tree.Nodes() >= 1<<keyBits-1 {
		return
	}
	x := newExchange(ctx, s)
	for x != nil {
		before := x.loss
		for i := range int32(s.merged.Len()) {
			if ctx.Err() != nil || x.state.work > x.limit || x.full() {
				return
			}
			x.visit(i)
		}
		if x.loss == before {
			return
		}
	}
}

// newExchange counts what is published; it is nil if that is too much, or the context ends. As
// the promise is kept, every set is in k transactions at least.
func newExchange(ctx context.Context, s *state) *exchange {
	sets := s.setsAtMost(maxSets)
	s.work += int64(sets)
	x := &exchange{state: s, ctx: ctx, supports: newSupports(sets, maxSets)}
	for i := range int32(s.merged.Len()) {
		if ctx.Err() != nil || !x.countFirst(s.published(i), s.merged.Weights[i]) {
			return nil
		}
	}
	x.most = mostSets
	return x
}

// setsAtMost is how many sets of at most m nodes are published, as each is in k transactions at
// least; most if there are more.
func (s *state) setsAtMost(most int) int {
	sets := 0.
	for i, n := range s.len {
		l := float64(n)
		of := l + l*(l-1)/2
		if s.m > 2 {
			of += l * (l - 1) * (l - 2) / 6
		}
		sets += float64(s.merged.Weights[i]) * of
	}
	return int(min(sets/float64(s.k), float64(most)))
}

// countFirst adds to the support of all sets of a list; it is false where there is no room for
// them.
func (x *exchange) countFirst(list []int32, by int32) bool {
	return eachSet(list, x.m, func(key uint64) bool {
		if x.full() && x.of(key) == 0 {
			return false
		}
		x.add(key, by)
		return true
	})
}

// visit tries every node of a transaction that has items below it, until one exchange is made.
func (x *exchange) visit(i int32) {
	x.work += int64(x.state.len[i])
	for _, u := range x.published(i) {
		if x.tree.IsLeaf(u) {
			continue
		}
		kids, _ := x.open(i, u, x.tree.Children(u), nil)
		if x.descend(i, u, kids, x.items(i, u, u)) {
			return
		}
	}
}

// descend tries nodes below u, the more general first; items are at u. It is true where nothing
// else is to be tried: one exchange has been made, or the context has ended.
func (x *exchange) descend(i, u int32, kids []kid, items int32) bool {
	for _, o := range kids {
		if x.ctx.Err() != nil || x.try(i, u, o, o.items < items) {
			return true
		}
		if x.tree.IsLeaf(o.node) {
			continue
		}
		if below, _ := x.open(i, u, x.tree.Children(o.node), nil); x.descend(i, u, below, items) {
			return true
		}
	}
	return false
}

// try publishes items that are at u as the node below it if that may be; stays tells whether there
// are others at u.
func (x *exchange) try(i, u int32, o kid, stays bool) bool {
	if x.leavesBehind(i, u, o) || x.refused.between(x.tree, i, x.tree.Root(), o.node) {
		return false
	}
	if !x.may(i, u, o.node, stays) {
		return false
	}
	x.replace(i, u, o.node, stays)
	x.loss -= int64(o.items) * (x.penalty(u) - x.penalty(o.node)) * int64(x.merged.Weights[i])
	return true
}

// leavesBehind tells whether transaction i would have items at u below the same child of u as a
// node below u that it would take: it is to be child-closed (see docs/definitions.md).
func (x *exchange) leavesBehind(i, u int32, o kid) bool {
	c := o.node
	for x.tree.Parent(c) != u {
		c = x.tree.Parent(c)
	}
	return c != o.node && x.items(i, u, c) > o.items
}

// may tells whether transaction i may publish c besides, and not u any more unless it stays.
func (x *exchange) may(i, u, c int32, stays bool) bool {
	w, k := x.merged.Weights[i], int32(x.k)
	joins := func(key uint64) bool {
		x.work++
		return x.of(key)+w >= k
	}
	leaves := func(key uint64) bool {
		x.work++
		left := x.of(key) - w
		return left == 0 || left >= k
	}
	if stays {
		return eachSetWith(c, x.published(i), x.m, joins)
	}
	x.without(i, u)
	return eachSetWith(c, x.rest, x.m, joins) && eachSetWith(u, x.rest, x.m, leaves)
}

// without finds what transaction i publishes but for u, into rest.
func (x *exchange) without(i, u int32) {
	x.rest = x.rest[:0]
	for _, v := range x.published(i) {
		if v != u {
			x.rest = append(x.rest, v)
		}
	}
}

// replace publishes what transaction i has at u below c as c.
func (x *exchange) replace(i, u, c int32, stays bool) {
	add := func(v, weight int32) {
		x.without(i, v)
		eachSetWith(v, x.rest, x.m, func(key uint64) bool {
			x.add(key, weight)
			return true
		})
	}
	w := x.merged.Weights[i]
	if !stays {
		add(u, -w)
		x.exclude(i, u)
		at := slices.Index(x.who[u], i)
		x.who[u] = slices.Delete(x.who[u], at, at+1)
	}
	add(c, w)
	x.include(i, c)
	x.who[c] = append(x.who[c], i)
	_, at := x.below(i, c)
	for j, v := range at {
		if v == u {
			at[j] = c
		}
	}
}
