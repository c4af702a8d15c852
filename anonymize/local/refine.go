package local

import (
	"cmp"
	"context"
	"slices"
)

// step specialises one node u wherever that keeps the promise, to all its children at once or to one node below it. What
// follows says children for either.
//
// It supposes that every transaction publishes, in place of u, the children that its items at u are below, and takes
// back what breaks the promise until nothing does:
//
//   - A set with a child c that some transactions newly publish is rare: those of them that contain it go back to u for the items
//     below c. As in the peeling of k-cores, others follow.
//   - A set with u is rare, because others gave u up: enough of these that contain the rest of it take u back, or
//     those that have it go back for a child in it (see topUp).
//
// Every round takes something back, and with everything taken back the promise holds as it did before: so the rounds end, with
// a release that keeps it. Only sets with u or one of its children can have changed.
type step struct {
	*state
	target
	ctx  context.Context
	all  []*element
	memo *memo

	lazy     bool         // only transactions with items below the one child have been gathered
	children []int32      // the nodes that the step opens
	at       [][]*element // by child of u that some newly publish: elements that publish it, or did
	order    []int32      // these children, as they are settled
	changed  change       // about the sets with u, since the last look at them
}

// memo is working space that the steps of one goroutine share.
type memo struct {
	*space
	counters []*counter // by child of u, and last for u itself
}

// counter is the one with the given number.
func (m *memo) counter(s *state, n int) *counter {
	for len(m.counters) <= n {
		m.counters = append(m.counters, &counter{s: s, space: m.space})
	}
	return m.counters[n]
}

// change says which sets with u have to be looked at: all, or those of the nodes in one of these lists.
type change struct {
	all  bool
	sets [][]int32
}

// refine makes one step.
func (s *state) refine(ctx context.Context, t target, memo *memo) {
	st := &step{state: s, target: t, ctx: ctx, memo: memo, children: s.tree.Children(t.node)}
	if t.only >= 0 {
		st.children = []int32{t.only}
	}
	s.steps++
	for i, c := range st.children {
		s.child[c] = int32(i) + 1
	}
	st.at = make([][]*element, len(st.children))
	if st.gather() {
		st.settle()
		if ctx.Err() == nil {
			st.commit()
		}
	}
	for _, c := range st.children {
		s.child[c] = 0
	}
}

// tryFolding is after how many transactions gather stops folding where that does next to nothing: transactions that
// publish the same are an element of more members, or several elements.
const tryFolding = 1000

// gather groups the transactions that publish u, and finds the bystanders. It tells whether anything may change.
func (st *step) gather() bool {
	same := fold{}
	var kids []kid
	var stay bool
	equal := func(n int32, i int32) bool { return st.all[n].alike(st.published(i), st.node, kids, stay) }
	some := false
	for n, i := range st.concerned() {
		st.work += 3 * handled * int64(len(st.published(i)))
		kids, stay = st.open(i, st.node, st.children, kids[:0])
		h := hash(hashKids(kids, stay), st.published(i))
		at := same.find(h, func(n int32) bool { return equal(n, i) })
		if at < 0 {
			at = int32(len(st.all))
			if n < tryFolding || 4*same.used < 3*n {
				same.put(h, at)
			}
			st.enlist(st.newElement(i, kids, stay))
		}
		st.addMember(st.all[at], i, kids)
		some = some || len(kids) > 0
	}
	if some {
		st.bystanders()
	}
	return some
}

// concerned are the transactions that publish u and may change. Where one child is specialised and few transactions have
// items below it, they are found by these items; the others that publish u are looked at when they matter (see rest).
func (st *step) concerned() []int32 {
	if st.only < 0 {
		return st.who[st.node]
	}
	lo, hi := st.tree.Range(st.only)
	if st.index.count(lo, hi) > len(st.who[st.node]) {
		return st.who[st.node]
	}
	st.lazy = true
	var out []int32
	for leaf := lo; leaf < hi; leaf++ {
		for _, i := range st.index.have(leaf) {
			if st.seen[i] == st.steps {
				continue
			}
			if _, ok := slices.BinarySearch(st.published(i), st.node); ok {
				st.seen[i] = st.steps
				out = append(out, i)
			}
		}
	}
	return out
}

func (st *step) newElement(i int32, kids []kid, stay bool) *element {
	e := st.arena.element()
	*e = element{stay: stay, open: make([]kid, len(kids)), spec: make([]bool, len(kids))}
	e.base = st.arena.take(len(st.published(i)))[:0]
	for _, v := range st.published(i) {
		if v != st.node {
			e.base = append(e.base, v)
		}
	}
	for j, o := range kids {
		e.open[j].node, e.spec[j] = o.node, true
	}
	e.update(st.node, &st.arena)
	return e
}

// enlist makes an element part of the step.
func (st *step) enlist(e *element) {
	st.all = append(st.all, e)
	for _, v := range e.now {
		if c := st.child[v] - 1; c >= 0 {
			st.at[c] = append(st.at[c], e)
		}
	}
}

func (st *step) addMember(e *element, i int32, kids []kid) {
	e.members = append(e.members, i)
	e.weight += int64(st.merged.Weights[i])
	if st.div != nil && len(st.div.sensitive.Tx(int(i))) > 0 {
		e.sensitive += int64(st.merged.Weights[i])
	}
	for j, o := range kids {
		e.open[j].items += o.items * st.merged.Weights[i]
	}
}

// bystanders adds the transactions that publish a child of u and not u itself. Only sets that an element of the step
// publishes too can have changed, so a bystander is cut down to the nodes that such elements publish, and bystanders that are
// then alike are one.
func (st *step) bystanders() {
	for c, v := range st.children {
		if len(st.at[c]) == 0 {
			continue
		}
		inside := st.at[c]
		st.markElements(inside, true)
		same := fold{}
		var cut []int32
		for _, i := range st.who[v] {
			if _, both := slices.BinarySearch(st.published(i), st.node); both {
				continue
			}
			cut = cut[:0]
			st.work += handled * int64(len(st.published(i)))
			for _, v := range st.published(i) {
				if st.marked[v] {
					cut = append(cut, v)
				}
			}
			h := hash(0, cut)
			at := same.find(h, func(n int32) bool { return slices.Equal(st.at[c][n].now, cut) })
			if at < 0 {
				at = int32(len(st.at[c]))
				same.put(h, at)
				e := st.arena.element()
				*e = element{now: append(st.arena.take(len(cut))[:0], cut...)}
				st.at[c] = append(st.at[c], e)
			}
			st.addMember(st.at[c][at], i, nil)
		}
		st.markElements(inside, false)
	}
}

func (st *step) markElements(list []*element, as bool) {
	for _, e := range list {
		for _, v := range e.base {
			st.marked[v] = as
		}
		for _, o := range e.open {
			st.marked[o.node] = as
		}
	}
}

// settle takes back what breaks the promise until nothing does.
func (st *step) settle() {
	st.changed.all = true
	weights := make([]int64, len(st.children))
	for c, list := range st.at {
		if len(list) > 0 {
			st.order = append(st.order, int32(c))
			st.load(int32(c))
			weights[c] = weigh(list)
		}
	}
	// Rare children first: of a rare set of two children, the rarer one is given up.
	slices.SortStableFunc(st.order, func(a, b int32) int { return cmp.Compare(weights[a], weights[b]) })
	for again := true; again; {
		for again {
			again = false
			for _, c := range st.order {
				if st.ctx.Err() != nil {
					return
				}
				again = st.peel(c) || again
			}
		}
		again = st.topUp()
	}
}

// load begins to count the sets with a child, but for those with u.
func (st *step) load(c int32) {
	st.memo.counter(st.state, int(c)).load(count{node: st.children[c], skip: st.node}, st.at[c])
	for n, e := range st.at[c] {
		if len(e.open) > 0 {
			e.places = append(e.places, place{c, int32(n)})
		}
	}
}

// peel takes a child back from all that publish it newly together with a rare set, as far as something has changed.
func (st *step) peel(c int32) bool {
	counter := st.memo.counters[c]
	node := st.children[c]
	var out []*element
	counter.settle(func(_ []int32, occs []occurrence) {
		for _, o := range occs {
			if e := counter.list[o.element]; counter.share[o.element].weight > 0 && e.newly(node) >= 0 {
				counter.drop(o.element)
				out = append(out, e)
			}
		}
	})
	for _, e := range out {
		st.takeBack(e, e.newly(node))
	}
	return len(out) > 0
}

// mark marks the nodes of what has changed; nil: everything has.
func (st *step) mark(c change) []bool {
	if c.all {
		return nil
	}
	for _, set := range c.sets {
		for _, v := range set {
			st.marked[v] = true
		}
	}
	return st.marked
}

func (st *step) unmark(c change) {
	for _, set := range c.sets {
		for _, v := range set {
			st.marked[v] = false
		}
	}
}

// note remembers that something has changed about the sets of an element with u.
func (st *step) note(e *element) { st.changed.add(e.now) }

func (c *change) add(set []int32) {
	if !c.all {
		c.sets = append(c.sets, set)
	}
}

// takeBack returns the items below open child j of an element to u; with diversity, all its items.
func (st *step) takeBack(e *element, j int) {
	st.note(e)
	for i := range e.open {
		if e.spec[i] && (i == j || st.div != nil) {
			e.spec[i] = false
			st.tell(e, e.open[i].node)
		}
	}
	e.update(st.node, &st.arena)
}

// tell tells the counters that an element no longer publishes a child of u.
func (st *step) tell(e *element, v int32) {
	for _, p := range e.places {
		switch c := st.memo.counters[p.child]; {
		case c.share[p.n].weight == 0: // is out
		case st.children[p.child] == v:
			c.drop(p.n)
		default:
			c.lose(p.n, v)
		}
	}
}

// commit publishes what has been settled.
func (st *step) commit() {
	for _, e := range st.all {
		if !e.keeps {
			for _, i := range e.members {
				st.seen[i] = -st.steps
			}
		}
		changed := false
		for j, o := range e.open {
			if e.spec[j] {
				changed = true
				st.who[o.node] = append(st.who[o.node], e.members...)
			}
		}
		if changed {
			for _, i := range e.members {
				st.publish(i, e.now)
			}
		}
	}
	st.who[st.node] = slices.DeleteFunc(st.who[st.node], func(i int32) bool { return st.seen[i] == -st.steps })
}
