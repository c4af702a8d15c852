package local

import (
	"cmp"
	"slices"
)

// This file is the step: one node u is specialised wherever that keeps the promise, to all its
// children at once or to one of them. What follows says children for either.
//
// The step supposes that every transaction publishes, in place of u, the children that its items at
// u are below, and takes back what breaks the promise until nothing does:
//
//   - A set with a child c that some transactions newly publish is rare: those of them that contain
//     it go back to u for the items below c. As in the peeling of k-cores (Batagelj and Zaversnik,
//     2003), others follow.
//   - A set with u is rare, because others left u: enough of these that contain the rest of it take
//     u back, or those that have it go back for a child in it (see restorer).
//
// Every round takes something back, and with everything taken back the promise holds as it did
// before: so the rounds end, with a release that keeps it. Only sets with u or one of its children
// can have changed. docs/algorithms/local.md has the proof.
//
// Time: the sets of at most m-1 other nodes of what is published by the transactions that may
// change are counted once, and again as counter.go says. Memory: 80 bytes for each of these
// transactions, 12 for each node that it publishes, in the counter of each of its children and in
// that of u.

// target is what a step specialises: a node, to all its children (child is -1) or to one of them.
type target struct{ node, child int32 }

// step is the working space of all steps that are made in a recoding, one after the other.
type step struct {
	*recoding
	target
	rule     rule
	meter    *meter
	index    *index
	children []int32 // those that the step opens

	rows     []row
	gathered int       // the first of the rows may change; the others are looked on
	opened   []descent // of all rows
	places   []place
	row      []int32 // by transaction: its row, if seen says so
	seen     []int32 // by transaction: the last step it had a row in
	steps    int32   // steps so far

	newly   [][]int32 // by child: the rows that newly publish it, or did
	weights []int64   // by child: of all that publish it
	order   []int32   // the children that somebody newly publishes, rare ones first
	changed []int32   // rows about whose sets with u something has changed since the last check
	checked bool      // the sets with u, once

	counters []*counter // by child, and last for u itself
	space    *space
	out      []int32 // working space: rows
	list     []int32 // working space of now
	restorer restorer
}

func newStep(r *recoding, rule rule, x *index, m *meter) *step {
	st := &step{
		recoding: r, rule: rule, meter: m, index: x,
		row: make([]int32, r.merged.Len()), seen: make([]int32, r.merged.Len()),
		space: newSpace(r.tree.Nodes(), rule.m),
	}
	st.restorer.step = st
	return st
}

// counter is the one with the given number.
func (st *step) counter(n int) *counter {
	for len(st.counters) <= n {
		st.counters = append(st.counters, &counter{rule: st.rule, meter: st.meter, space: st.space})
	}
	return st.counters[n]
}

// specialise makes one step. One that is cut off by the end of the context changes nothing.
func (st *step) specialise(t target) {
	st.begin(t)
	if st.gather(); st.gathered == 0 {
		return
	}
	st.takeBackAll()
	if !st.meter.stopped() {
		st.commit()
	}
}

func (st *step) begin(t target) {
	st.target, st.children = t, st.tree.Children(t.node)
	if t.child >= 0 {
		st.children = []int32{t.child}
	}
	st.steps++
	st.space.cells.begin()
	st.rows, st.opened, st.places = st.rows[:0], st.opened[:0], st.places[:0]
	st.order, st.changed, st.checked = st.order[:0], st.changed[:0], false
	for len(st.newly) < len(st.children) {
		st.newly, st.weights = append(st.newly, nil), append(st.weights, 0)
	}
	for c := range st.children {
		st.newly[c] = st.newly[c][:0]
	}
}

// gather makes rows of the transactions that may change. Where one child is specialised and few
// transactions have items below it, they are found by these items.
func (st *step) gather() {
	lo, hi := st.tree.Range(st.children[0])
	if st.child >= 0 && st.index.count(lo, hi) < len(st.publishers[st.node]) {
		for leaf := lo; leaf < hi; leaf++ {
			for _, i := range st.index.have(leaf) {
				if st.seen[i] != st.steps {
					st.consider(i)
				}
			}
		}
	} else {
		for _, i := range st.publishers[st.node] {
			st.consider(i)
		}
	}
	st.gathered = len(st.rows)
}

// consider makes a row of a transaction that may change.
func (st *step) consider(i int32) {
	from := len(st.opened)
	var stay bool
	st.opened, stay = st.descents(i, st.node, st.children, st.opened)
	stay = st.leaveRefused(i, from) || stay
	st.meter.add(considered)
	to := len(st.opened)
	if from == to {
		return
	}
	n := st.enlist(i)
	r := &st.rows[n]
	r.from, r.to, r.taken, r.stay = int32(from), int32(to), int32(to-from), stay
	for _, d := range st.of(r) {
		st.newly[d.child] = append(st.newly[d.child], n)
	}
}

// leaveRefused leaves out the descents of transaction i that are refused it, with diversity all if
// one is, and tells whether there were any.
func (st *step) leaveRefused(i int32, from int) bool {
	all := len(st.opened)
	is := func(d descent) bool { return st.refused.is(i, d.node) }
	if st.rule.div != nil && slices.ContainsFunc(st.opened[from:], is) {
		st.opened = st.opened[:from]
		return true
	}
	st.opened = append(st.opened[:from], slices.DeleteFunc(st.opened[from:], is)...)
	return len(st.opened) < all
}

// takeBackAll takes back what breaks the promise until nothing does.
func (st *step) takeBackAll() {
	for c := range st.children {
		if len(st.newly[c]) > 0 {
			st.order = append(st.order, int32(c))
			st.weights[c] = st.count(int32(c))
		}
	}
	// Rare children first: of a rare set of two children, the rarer one is given up.
	slices.SortStableFunc(st.order, func(a, b int32) int {
		return cmp.Compare(st.weights[a], st.weights[b])
	})
	for again := true; again; {
		for again {
			again = false
			for _, c := range st.order {
				if st.meter.stopped() {
					return
				}
				again = st.peel(c) || again
			}
		}
		again = st.restorer.check()
	}
}

// count begins to count the sets with a child, but for those with u, and returns the weight of all
// that publish it. Only sets that a row newly publishes matter: of those that publish the child
// already, what no such row publishes is left out.
func (st *step) count(c int32) int64 {
	counter := st.counter(int(c))
	counter.begin(st.children[c], st.node)
	for _, n := range st.newly[c] {
		st.put(c, n, counter.add(st.entry(n), st.besides(n, st.children[c]), false))
	}
	for _, i := range st.publishers[st.children[c]] {
		n := st.rowOf(i)
		st.put(c, n, counter.add(st.entry(n), st.besides(n, st.children[c]), true))
	}
	counter.forget()
	counter.ready(false)
	return int64(counter.total.weight)
}

// put remembers the place of a row in a counter.
func (st *step) put(c, n, at int32) {
	if r := &st.rows[n]; r.from < r.to {
		st.places = append(st.places, place{c, at, r.place})
		r.place = int32(len(st.places))
	}
}

// peel takes a child back from all that publish it newly together with a rare set, as far as
// something has changed.
func (st *step) peel(c int32) bool {
	counter := st.counters[c]
	st.out = st.out[:0]
	counter.check(func(_ []int32, occs []occurrence) {
		for _, o := range occs {
			e := counter.rows[o.n]
			if e.weight == 0 {
				continue
			}
			if _, is := st.newlyPublishes(&st.rows[e.row], st.children[c]); is {
				counter.drop(o.n)
				st.out = append(st.out, e.row)
			}
		}
	})
	for _, n := range st.out {
		j, _ := st.newlyPublishes(&st.rows[n], st.children[c])
		st.takeBack(n, j)
	}
	return len(st.out) > 0
}

// note remembers that something has changed about the sets of a row with u.
func (st *step) note(n int32) {
	if r := &st.rows[n]; st.checked && !r.noted {
		r.noted = true
		st.changed = append(st.changed, n)
	}
}

// takeBack returns the items of a descent of a row to u; with diversity, all its items.
func (st *step) takeBack(n int32, j int) {
	st.note(n)
	r := &st.rows[n]
	descents := st.of(r)
	for i := range descents {
		if descents[i].taken && (i == j || st.rule.div != nil) {
			descents[i].taken = false
			r.taken--
			st.tell(r, descents[i].child)
		}
	}
}

// tell tells the counters that a row no longer publishes a child of u.
func (st *step) tell(r *row, child int32) {
	for at := r.place; at > 0; at = st.places[at-1].next {
		p := &st.places[at-1]
		switch c := st.counters[p.child]; {
		case c.rows[p.n].weight == 0: // is dropped
		case p.child == child:
			c.drop(p.n)
		default:
			c.lose(p.n, st.children[child])
		}
	}
}

// commit publishes what the step has found.
func (st *step) commit() {
	for _, c := range st.order {
		v := st.children[c]
		st.publishers[v] = slices.Grow(st.publishers[v], len(st.newly[c]))
	}
	left := false
	st.meter.add(committed * len(st.rows))
	for n := range st.rows[:st.gathered] {
		r := &st.rows[n]
		if r.taken == 0 {
			continue
		}
		if !r.keeps() {
			left = true
			st.exclude(r.tx, st.node)
		}
		for _, d := range st.of(r) {
			if d.taken {
				st.descend(r, d)
			}
		}
	}
	if left {
		st.publishers[st.node] = slices.DeleteFunc(st.publishers[st.node], func(i int32) bool {
			return st.seen[i] == st.steps && !st.rows[st.row[i]].keeps()
		})
	}
}

// descend publishes the items of a descent as its node.
func (st *step) descend(r *row, d descent) {
	st.loss -= st.gain(d) * int64(r.weight)
	st.include(r.tx, d.node)
	_, nodes := st.below(r.tx, d.node)
	for j, v := range nodes {
		if v == st.node {
			nodes[j] = d.node
		}
	}
}
