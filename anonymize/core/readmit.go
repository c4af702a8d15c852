package core

import (
	"context"
	"slices"
)

// readmit lets transactions return to the core: what groups publish as items counts there too. A transaction returns where its group
// can spare it, or with all of its group, if then every set of at most m of its items is certain in at least k. A return
// takes no set away from anybody: what the group published as items it still does, and the transaction publishes all it has.
func (s *state) readmit(ctx context.Context) {
	open := s.readmittable(ctx)
	for again := true; again && ctx.Err() == nil; {
		again = false
		for n, g := range s.groups {
			if g != nil && (s.returnAll(int32(n), open) || s.returnSome(int32(n), open)) {
				again = true
			}
		}
	}
}

// items are the nodes of a group that are items.
func (s *state) items(g *group) []int32 {
	return slices.DeleteFunc(slices.Clone(g.labels), func(u int32) bool { return !s.tree.IsLeaf(u) })
}

// readmittable counts anew what is certain, by size of the sets, and tells which transactions have no set that would be rare.
func (s *state) readmittable(ctx context.Context) []bool {
	s.sets = newCountTree()
	open := make([]bool, len(s.of))
	for _, g := range s.groups {
		for _, t := range g.txs {
			open[t] = true
		}
	}
	for m := 1; m <= min(s.in.Promise.M, s.merged.MaxLen()) && ctx.Err() == nil; m++ {
		looks := 0.0
		for t, is := range open {
			if is {
				looks += binomial(len(s.tx(int32(t))), m)
				open[t] = looks <= maxLooks && s.sets.level(0, s.tx(int32(t)), m, func(node, item int32) bool { return s.sets.add(node, item) >= 0 })
			}
		}
		s.countCertain(m)
		for t, is := range open {
			if is {
				w := s.weight(int32(t))
				open[t] = s.sets.level(0, s.tx(int32(t)), m, func(node, item int32) bool {
					return int(s.sets.count[s.sets.find(node, item)])+w >= s.k
				})
			}
		}
	}
	return open
}

// countCertain counts the sets of m items that have nodes in the core and in what groups publish as items.
func (s *state) countCertain(m int) {
	looks := 0.0
	add := func(items []int32, weight int) {
		if looks += binomial(len(items), m); looks <= 2*maxLooks {
			s.sets.level(0, items, m, func(node, item int32) bool {
				if n := s.sets.find(node, item); n >= 0 {
					s.sets.count[n] += int32(weight)
				}
				return true
			})
		}
	}
	for t, g := range s.of {
		if g == inCore {
			add(s.tx(int32(t)), s.weight(int32(t)))
		}
	}
	for _, g := range s.groups {
		add(s.items(g), g.weight)
	}
}

// returnAll lets a whole group return.
func (s *state) returnAll(n int32, open []bool) bool {
	g := s.groups[n]
	if slices.ContainsFunc(g.txs, func(t int32) bool { return !open[t] }) {
		return false
	}
	m := s.in.Promise.M
	s.sets.bump(s.items(g), m, -int32(g.weight))
	for _, t := range g.txs {
		s.sets.bump(s.tx(t), m, s.merged.Weight(int(t)))
	}
	if !slices.ContainsFunc(g.txs, func(t int32) bool { return !s.frequent(t, m, 0) }) {
		s.groups[n] = nil
		for _, t := range g.txs {
			s.of[t] = inCore
		}
		return true
	}
	for _, t := range g.txs {
		s.sets.bump(s.tx(t), m, -s.merged.Weight(int(t)))
	}
	s.sets.bump(s.items(g), m, int32(g.weight))
	return false
}

// returnSome lets transactions return that a group can spare.
func (s *state) returnSome(n int32, open []bool) (returned bool) {
	m, l := s.in.Promise.M, s.labeller()
	for _, t := range slices.Clone(s.groups[n].txs) {
		g, w := s.groups[n], s.merged.Weight(int(t))
		if !open[t] || g.weight-int(w) < s.k {
			continue
		}
		items := s.items(g)
		s.sets.bump(items, m, -w)
		s.sets.bump(s.tx(t), m, w)
		without := s.form(l, slices.DeleteFunc(slices.Clone(g.txs), func(o int32) bool { return o == t }))
		keeps := !slices.ContainsFunc(items, func(x int32) bool { return !slices.Contains(without.labels, x) })
		if !keeps || !s.frequent(t, m, 0) {
			s.sets.bump(s.tx(t), m, -w)
			s.sets.bump(items, m, w)
			continue
		}
		s.sets.bump(items, m, -int32(without.weight))
		s.sets.bump(s.items(without), m, int32(without.weight))
		s.put(n, without)
		s.of[t] = inCore
		returned = true
	}
	return returned
}
