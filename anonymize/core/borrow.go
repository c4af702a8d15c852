package core

import (
	"cmp"
	"context"
	"slices"
)

const (
	nearest   = 24   // transactions of the core that are tried for one place in a new group
	looksNear = 4096 // places in the core that are looked up to find them
)

// lender finds transactions of the core that are like another one.
type lender struct {
	*state
	l      *labeller
	by     [][]int32 // by item: the transactions of the core that can be borrowed
	shared []int32   // by merged transaction: items in common with the one looked at; zero between uses
}

// borrow makes new groups of transactions of a group and transactions of the core that are like them, where that loses less: all
// of a group leave it, or one that it can spare. Only what the core can spare is borrowed: every set of at most m items of it stays in k
// others of the core.
func (s *state) borrow(ctx context.Context) {
	b := &lender{state: s, l: s.labeller(), by: make([][]int32, s.tree.Leaves()), shared: make([]int32, len(s.of))}
	for t, g := range s.of {
		if g == inCore && s.weight(int32(t)) < s.k {
			for _, x := range s.tx(int32(t)) {
				b.by[x] = append(b.by[x], int32(t))
			}
		}
	}
	before := len(s.groups)
	for n := range int32(before) {
		if ctx.Err() != nil {
			return
		}
		if s.groups[n].loss > 0 && !b.leaveAll(n) {
			b.leaveOne(n)
		}
		s.in.Report("borrowing", int64(n+1), int64(before))
	}
	s.groups = slices.DeleteFunc(s.groups, func(g *group) bool { return g == nil })
	for n, g := range s.groups {
		s.put(int32(n), g)
	}
}

// leaveAll lets all transactions of a group join new ones, each the one where it costs least.
func (b *lender) leaveAll(n int32) bool {
	old := b.groups[n]
	var made []*group
	loss := int64(0)
	for _, t := range old.txs {
		best, at := old.loss-loss, -1
		var grown *group
		for i, g := range made {
			if with := b.form(b.l, append(slices.Clone(g.txs), t)); with.loss-g.loss < best {
				best, at, grown = with.loss-g.loss, i, with
			}
		}
		if g := b.found(t, best); g != nil {
			made, loss = append(made, g), loss+g.loss
		} else if at >= 0 {
			made[at], loss = grown, loss+best
		} else {
			b.giveBack(made)
			return false
		}
	}
	b.groups[n] = nil
	for _, g := range made {
		b.groups = append(b.groups, g)
		b.put(int32(len(b.groups)-1), g)
	}
	return true
}

// leaveOne lets transactions that a group can spare found new ones.
func (b *lender) leaveOne(n int32) {
	for _, t := range slices.Clone(b.groups[n].txs) {
		old := b.groups[n]
		if old.weight-b.weight(t) < b.k {
			continue
		}
		without := b.form(b.l, slices.DeleteFunc(slices.Clone(old.txs), func(o int32) bool { return o == t }))
		if g := b.found(t, old.loss-without.loss); g != nil {
			b.put(n, without)
			b.groups = append(b.groups, g)
			b.put(int32(len(b.groups)-1), g)
		}
	}
}

// found makes a group of a transaction and some that it borrows, which then are not in the core; nil if that would lose as much as bound or more.
func (b *lender) found(t int32, bound int64) *group {
	like := b.like(t)
	g := &group{txs: []int32{t}, weight: b.weight(t)}
	for g.weight < b.k {
		var best *group
		at := -1
		for i, o := range like {
			if b.of[o] != inCore || !b.frequent(o, b.in.Promise.M, b.weight(o)) {
				continue
			}
			if with := b.form(b.l, append(slices.Clone(g.txs), o)); with.loss < bound && (best == nil || with.loss < best.loss) {
				best, at = with, i
			}
		}
		if best == nil {
			b.giveBack([]*group{g})
			return nil
		}
		b.leave(like[at])
		g = best
	}
	return g
}

// giveBack returns what groups have borrowed.
func (b *lender) giveBack(groups []*group) {
	for _, g := range groups {
		for _, t := range g.txs {
			if b.of[t] == none {
				b.of[t] = inCore
				b.sets.bump(b.tx(t), b.in.Promise.M, b.merged.Weight(int(t)))
			}
		}
	}
}

// like are the transactions of the core that have at least half of the items of t, those with the most first.
func (b *lender) like(t int32) []int32 {
	items := slices.Clone(b.tx(t))
	slices.SortStableFunc(items, func(x, y int32) int { return cmp.Compare(len(b.by[x]), len(b.by[y])) })
	var found []int32
	looks := 0
	for _, x := range items {
		if looks += len(b.by[x]); looks > looksNear && len(found) > nearest {
			break
		}
		for _, o := range b.by[x] {
			if b.shared[o]++; b.shared[o] == 1 {
				found = append(found, o)
			}
		}
	}
	apart := func(o int32) int { return len(b.tx(o)) - 2*int(b.shared[o]) }
	out := slices.DeleteFunc(slices.Clone(found), func(o int32) bool { return 2*int(b.shared[o]) < len(items) || b.of[o] != inCore })
	slices.SortFunc(out, func(x, y int32) int { return cmp.Or(cmp.Compare(apart(x), apart(y)), cmp.Compare(x, y)) })
	for _, o := range found {
		b.shared[o] = 0
	}
	return out[:min(nearest, len(out))]
}
