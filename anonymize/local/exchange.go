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
//
// They are tried node by node, general nodes first: the sets with a node are counted, among those
// that publish it, where a transaction could take it (see neighbours). So memory is that of what is
// published with one node and with one above it.
type exchange struct {
	*state
	ctx   context.Context
	terms terms

	joined, left neighbours // of the node to be taken, and of the one above
	news         changes
	seen         []int32 // by transaction: the last round that looked at it
	round        int32
	set          []int32 // what a transaction publishes besides
	some         []spot  // working space of concerned
}

// exchanges makes those that gain something, until none does. With sets of more than three nodes,
// diversity, or persons, there are none. It tells how many nodes of a round it has been at.
func (s *state) exchanges(ctx context.Context, tell func(done, total int64)) {
	if s.m > 3 || s.div != nil || s.ofPersons() {
		return
	}
	x := newExchange(ctx, s)
	for before := s.loss + 1; s.loss < before; {
		before = s.loss
		for c := s.tree.Root() - 1; c >= 0; c-- {
			if x.over() {
				return
			}
			if c%told == 0 {
				tell(int64(s.tree.Root()-c), int64(s.tree.Nodes()))
			}
			x.into(c)
		}
	}
}

// told is after how many nodes it is told that these have been looked at.
const told = 64

func newExchange(ctx context.Context, s *state) *exchange {
	x := &exchange{state: s, ctx: ctx, seen: make([]int32, s.merged.Len())}
	x.terms = terms{ctx: ctx, k: s.k, m: s.m, work: &s.work}
	x.joined, x.left = x.newNeighbours(), x.newNeighbours()
	x.news = newChanges(s.tree.Nodes())
	return x
}

// over tells whether no further exchange is to be looked for.
func (x *exchange) over() bool { return x.ctx.Err() != nil || x.work > x.limit }

// into tries to let transactions with items below c, published as a node above it, take c: those
// for which something has changed since c was tried last. If one takes it, that concerns all.
func (x *exchange) into(c int32) {
	if x.news.all[c] || x.intoSome(c) {
		x.intoAll(c)
	}
}

// intoAll tries all transactions.
func (x *exchange) intoAll(c int32) {
	x.news.begin(c)
	x.news.stuck[c] = x.news.stuck[c][:0]
	x.round++
	lo, hi := x.tree.Range(c)
	depth := x.depthOf(c)
	for leaf := lo; leaf < hi; leaf++ {
		x.work += int64(len(x.index.have(leaf))) / met
		above := func(o spot) bool {
			if x.seen[o.tx] == x.round {
				return false
			}
			x.seen[o.tx] = x.round
			return x.at[o.place] < depth
		}
		for o := range x.spots(leaf, above) {
			x.try(o, c)
		}
	}
}

// intoSome tries those that are concerned, and tells whether one has taken c.
func (x *exchange) intoSome(c int32) (made bool) {
	for o := range sideBySide(x.concerned(c), x.fetchAt) {
		made = x.try(o, c) || made
	}
	return made
}

// try lets a transaction publish what it has below c, published as a node u above it, as c, if that
// may be.
func (x *exchange) try(o spot, c int32) (made bool) {
	if x.over() {
		return false
	}
	i, u := o.tx, x.nodeAt(c, x.at[o.place])
	items := x.items(i, u, c)
	if x.leavesBehind(i, u, c, items) || x.refused.between(x.tree, i, x.tree.Root(), c) {
		return false
	}
	stays := x.items(i, u, u) > items
	x.besides(i, u, stays)
	if !x.joins(c, x.merged.Weights[i]) {
		return false
	}
	if !stays && !x.leaves(i, u) {
		x.news.stuck[c] = append(x.news.stuck[c], i)
		return false
	}
	x.replace(i, u, c, stays)
	x.loss -= int64(items) * (x.tree.Penalty(u) - x.tree.Penalty(c)) * int64(x.merged.Weights[i])
	return true
}

// leavesBehind tells whether transaction i would have items at u below the same child of u as a
// node c below u that it would take: it is to be child-closed (see docs/definitions.md).
func (x *exchange) leavesBehind(i, u, c, items int32) bool {
	child := x.nodeAt(c, x.depthOf(u)+1)
	return child != c && x.items(i, u, child) > items
}

// besides finds what transaction i publishes, but for u unless it stays, into set.
func (x *exchange) besides(i, u int32, stays bool) {
	x.set = x.set[:0]
	for _, v := range x.published(i) {
		if v != u || stays {
			x.set = append(x.set, v)
		}
	}
}

// joins tells whether all sets with c of what is in set would have k, if so many more had them.
func (x *exchange) joins(c, weight int32) bool {
	if int(weight) >= x.k {
		return true
	}
	x.joined.of(x.state, c)
	return x.joined.fine(x.set, supports{x.k - int(weight), -1})
}

// leaves tells whether all sets with u of what is in set would be in none or in k without
// transaction i, which has them.
func (x *exchange) leaves(i, u int32) bool {
	x.left.of(x.state, u)
	weight := int(x.merged.Weights[i])
	return x.left.fine(x.set, supports{x.k + weight, weight})
}

// replace publishes what transaction i has at u below c as c.
func (x *exchange) replace(i, u, c int32, stays bool) {
	x.joined.leave(x.state, i)
	x.left.leave(x.state, i)
	if !stays {
		x.exclude(i, u)
		at := slices.Index(x.who[u], i)
		x.who[u] = slices.Delete(x.who[u], at, at+1)
	}
	x.include(i, c)
	x.who[c] = append(x.who[c], i)
	x.joined.enter(x.state, i)
	x.left.enter(x.state, i)
	_, at := x.below(i, c)
	for j, depth := range at {
		if depth == x.depthOf(u) {
			at[j] = x.depthOf(c)
		}
	}
	x.news.note(x.state, i, u, c)
}
