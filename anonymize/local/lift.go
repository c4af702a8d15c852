package local

import (
	"cmp"
	"slices"
)

// lift is a change of one transaction alone: what it publishes at or below a node it publishes as
// the parent of that node.
type lift struct {
	tx, node int32
	loss     int64 // by how much it rises
	helped   int64 // how many open breaches it lessens, about
}

// liftAll lessens breaches by lifts that make no set rare and no other breach: of transactions with
// the sensitive item, so that they leave the set, or of others, so that they join it. It tells
// whether it did something.
func (u *upholder) liftAll() bool {
	some := false
	for n := 0; n < len(u.open) && !u.spent(); n++ {
		b := u.open[n]
		for {
			if b = u.recount(b); b.missing <= 0 || !u.liftOne(b) {
				break
			}
			some = true
		}
	}
	u.open = slices.DeleteFunc(u.open, func(b breach) bool { return u.recount(b).missing <= 0 })
	for n := range u.open {
		u.open[n] = u.recount(u.open[n])
	}
	return some
}

// liftOne makes the lift that lessens one breach for the least loss; it is false where none may be.
func (u *upholder) liftOne(b breach) bool {
	list := u.joining(b, u.leaving(b))
	for i := range list {
		u.weigh(&list[i])
	}
	slices.SortFunc(list, func(a, b lift) int {
		return cmp.Or(
			cmp.Compare(float64(a.loss)*float64(b.helped), float64(b.loss)*float64(a.helped)),
			cmp.Compare(a.tx, b.tx), cmp.Compare(a.node, b.node),
		)
	})
	for _, l := range list {
		if u.allowed(l) {
			u.lift(l)
			return true
		}
	}
	return false
}

// leaving lists the lifts by which transactions with the sensitive item leave a breach: each goes
// up to the first node that it publishes already, at most.
func (u *upholder) leaving(b breach) (list []lift) {
	for _, i := range b.rows {
		for _, y := range b.nodes {
			for c := y; c != u.tree.Root(); c = u.tree.Parent(c) {
				list = append(list, lift{tx: i, node: c})
				if u.publishes(i, u.tree.Parent(c)) {
					break
				}
			}
		}
	}
	return list
}

// joining appends the lifts by which transactions without a sensitive item join a breach.
func (u *upholder) joining(b breach, list []lift) []lift {
	for _, y := range b.nodes {
		for _, c := range u.tree.Children(y) {
			for _, i := range u.joiners(b, y, c) {
				list = append(list, lift{tx: i, node: c})
			}
		}
	}
	return list
}

// weigh finds what a lift loses, and helps.
func (u *upholder) weigh(l *lift) {
	to := u.tree.Parent(l.node)
	_, at := u.below(l.tx, l.node)
	for _, v := range at {
		if u.tree.Covers(l.node, v) {
			l.loss += (u.penalty(to) - u.penalty(v)) * int64(u.merged.Weights[l.tx])
		}
	}
	l.helped = 1
	for _, v := range u.published(l.tx) {
		if u.tree.Covers(l.node, v) {
			for _, n := range u.with(v) {
				if _, has := slices.BinarySearch(u.open[n].rows, l.tx); has {
					l.helped++
				}
			}
		}
	}
	u.work += int64(len(at)) + met
}

// before is what a transaction published before a lift.
type before struct {
	tx      int32
	at, pub []int32
}

// lift makes a lift, and bars the transaction from the node.
func (u *upholder) lift(l lift) {
	from, end := u.merged.Start(int(l.tx)), u.merged.Start(int(l.tx)+1)
	old := before{l.tx, slices.Clone(u.at[from:end]), slices.Clone(u.published(l.tx))}
	u.journal = append(u.journal, old)
	to := u.tree.Parent(l.node)
	u.raise(l.tx, part{to, l.node})
	if u.has[l.tx] && !slices.Contains(old.pub, to) {
		u.beside[to] = append(u.beside[to], l.tx)
	}
	for _, v := range old.pub {
		if !u.publishes(l.tx, v) {
			u.leave(v, l.tx)
		}
	}
	u.bar(l.tx, l.node)
	u.work += int64(len(old.pub)) + committed
}

// enter makes a transaction one of those that publish a node.
func (u *upholder) enter(v, i int32) {
	u.who[v] = append(u.who[v], i)
	if u.has[i] {
		u.beside[v] = append(u.beside[v], i)
	}
}

// leave takes a transaction out of those that publish a node.
func (u *upholder) leave(v, i int32) {
	at := slices.Index(u.who[v], i)
	u.who[v] = slices.Delete(u.who[v], at, at+1)
	if u.has[i] {
		at = slices.Index(u.beside[v], i)
		u.beside[v] = slices.Delete(u.beside[v], at, at+1)
	}
}

// undo takes lifts back until the journal has n.
func (u *upholder) undo(n int) {
	for len(u.journal) > n {
		b := pop(&u.journal)
		now := slices.Clone(u.published(b.tx))
		for _, v := range now {
			if !slices.Contains(b.pub, v) {
				u.leave(v, b.tx)
			}
		}
		for _, v := range b.pub {
			if !slices.Contains(now, v) {
				u.enter(v, b.tx)
			}
		}
		at := u.at[u.merged.Start(int(b.tx)):]
		for j, v := range b.at {
			u.loss += (u.penalty(v) - u.penalty(at[j])) * int64(u.merged.Weights[b.tx])
			at[j] = v
		}
		u.publish(b.tx, b.pub)
		u.barred[b.tx] = u.barred[b.tx][:len(u.barred[b.tx])-1]
	}
}

// allowed tells whether a lift makes no set rare, and none a breach that is none.
func (u *upholder) allowed(l lift) bool {
	old := slices.Clone(u.published(l.tx))
	next := slices.DeleteFunc(slices.Clone(old), func(v int32) bool {
		return u.tree.Covers(l.node, v)
	})
	if to := u.tree.Parent(l.node); !slices.Contains(next, to) {
		next = append(next, to)
	}
	joins := func(topmost bool) func(set []int32) bool {
		return func(set []int32) bool { return u.mayJoin(l.tx, set, topmost) }
	}
	leaves := func(topmost bool) func(set []int32) bool {
		return func(set []int32) bool { return u.mayLeave(l.tx, set, topmost) }
	}
	if !u.eachFresh(next, old, joins(false)) || !u.eachFresh(old, next, leaves(false)) {
		return false
	}
	old, next = u.topmostOf(old), u.topmostOf(next)
	return u.eachFresh(next, old, joins(true)) && u.eachFresh(old, next, leaves(true))
}

// topmostOf are the nodes of a set that are below no other.
func (s *state) topmostOf(set []int32) (out []int32) {
	for _, v := range set {
		if !slices.ContainsFunc(set, func(a int32) bool { return a != v && s.tree.Covers(a, v) }) {
			out = append(out, v)
		}
	}
	return out
}

// eachFresh calls do with the sets of at most m nodes of a list of which one is not in another
// list, until it is false; those with nodes that few publish come first.
func (s *state) eachFresh(list, other []int32, do func(set []int32) bool) bool {
	var fresh, rest []int32
	for _, v := range list {
		if slices.Contains(other, v) {
			rest = append(rest, v)
		} else {
			fresh = append(fresh, v)
		}
	}
	slices.SortFunc(rest, func(a, b int32) int { return cmp.Compare(len(s.who[a]), len(s.who[b])) })
	order := append(fresh, rest...)
	var extend func(set []int32, from int) bool
	extend = func(set []int32, from int) bool {
		for at := from; at < len(order) && (len(set) > 0 || at < len(fresh)); at++ {
			with := append(set[:len(set):len(set)], order[at])
			if len(with) < s.m && !extend(with, at+1) || !do(with) {
				return false
			}
		}
		return true
	}
	return extend(nil, 0)
}

// mayJoin tells whether a transaction may be one more that holds a set.
func (u *upholder) mayJoin(i int32, set []int32, topmost bool) bool {
	w, least := int64(u.merged.Weights[i]), int64(u.k)
	if topmost {
		least = 0
	}
	if u.has[i] {
		counts := u.countBeside(set, topmost)
		for _, x := range u.sensitive.Tx(int(i)) {
			least = max(least, (counts[x]+w)*u.l)
		}
	}
	return least <= w || u.holdUpTo(set, topmost, least-w) >= least-w
}

// mayLeave tells whether a transaction may be one fewer that holds a set.
func (u *upholder) mayLeave(i int32, set []int32, topmost bool) bool {
	w, most := int64(u.merged.Weights[i]), int64(u.k)
	counts := u.countBeside(set, topmost)
	for x, n := range counts {
		if _, has := slices.BinarySearch(u.sensitive.Tx(int(i)), int32(x)); !has {
			most = max(most, n*u.l)
		}
	}
	all := u.holdUpTo(set, topmost, w+most)
	left := all - w
	if !topmost && left > 0 && left < int64(u.k) {
		return false
	}
	for x, n := range counts {
		_, has := slices.BinarySearch(u.sensitive.Tx(int(i)), int32(x))
		if !has && n*u.l > left && n*u.l <= all {
			return false
		}
	}
	return true
}

// countBeside is how many transactions hold a set with each sensitive item; good until the next
// call.
func (u *upholder) countBeside(set []int32, topmost bool) []int64 {
	clear(u.counts)
	few := u.beside[set[0]]
	for _, v := range set[1:] {
		if len(u.beside[v]) < len(few) {
			few = u.beside[v]
		}
	}
	u.work += int64(len(few))
	for _, i := range few {
		if u.holds(i, set, topmost) {
			for _, x := range u.sensitive.Tx(int(i)) {
				u.counts[x] += int64(u.merged.Weights[i])
			}
		}
	}
	return u.counts
}

// listBeside lists anew which transactions with sensitive items publish a node.
func (u *upholder) listBeside() {
	if u.beside == nil {
		u.beside = make([][]int32, u.tree.Nodes())
	}
	for v := range u.beside {
		u.beside[v] = u.beside[v][:0]
	}
	for i, has := range u.has {
		if has {
			for _, v := range u.published(int32(i)) {
				u.beside[v] = append(u.beside[v], int32(i))
			}
		}
	}
}

// holdUpTo is how many transactions hold a set, as far as they are no more than a number.
func (u *upholder) holdUpTo(set []int32, topmost bool, most int64) (n int64) {
	for _, i := range u.fewest(set) {
		u.work++
		if u.holds(i, set, topmost) {
			if n += int64(u.merged.Weights[i]); n >= most {
				break
			}
		}
	}
	return n
}

// recount is a breach as it is now.
func (u *upholder) recount(b breach) breach {
	b.rows = slices.DeleteFunc(slices.Clone(b.rows), func(i int32) bool {
		return !u.holds(i, b.nodes, b.topmost)
	})
	with := int64(0)
	for _, i := range b.rows {
		with += int64(u.merged.Weights[i])
	}
	b.missing = with*u.l - u.holdUpTo(b.nodes, b.topmost, with*u.l)
	b.excess = (b.missing + u.l - 2) / (u.l - 1)
	return b
}

// fewest are those who publish one of some nodes, that which the fewest publish.
func (s *state) fewest(set []int32) []int32 {
	few := s.who[set[0]]
	for _, v := range set[1:] {
		if len(s.who[v]) < len(few) {
			few = s.who[v]
		}
	}
	return few
}
