package local

import (
	"cmp"
	"context"
	"slices"
)

// step specialises one node u wherever that keeps the promise, to all its children at once or
// to one of them.
//
// It supposes that every transaction publishes, in place of u, the children that its items at u
// are below, and takes back what breaks the promise until nothing does:
//
//   - A set with a child c that some transactions newly publish is rare: those of them that
//     contain it go back to u for the items below c. As in the peeling of k-cores, others
//     follow.
//   - A set with u is rare, because others gave u up: as many of these that contain the rest of
//     it as are missing take u back, or those that have it go back for a child in it (see
//     topUp).
//
// Every round takes something back, and with everything taken back the promise holds as it did
// before: so the rounds end, with a release that keeps it. Only sets with u or one of its
// children can have changed.
//
// One step is the working space of all that are made in a state, one after the other.
type step struct {
	*state
	target
	terms terms
	depth uint16  // of u
	nodes []int32 // the children of u that the step opens

	rows       []row
	gathered   int              // the first of the rows may change; the others are looked on
	opened     []specialisation // of all rows
	places     []place          // of rows in counters of nodes that they published before the step
	entered    []entry          // by transaction
	anyRefused []uint64         // by transaction: a bit if something is refused it
	steps      int32            // steps so far

	newly    [][]int32 // by child: the rows that newly publish it, or did
	weights  []int64   // by child: of all that publish it
	entering []int32   // the children that somebody newly publishes, rare ones first
	// rows about whose sets with u something has changed since the last look at them
	changed []int32
	looked  bool // at the sets with u

	counters []*counter // by child, and last for u itself
	*space
	out  []int32 // working space: rows
	fall []int32 // working space of leaving
	list []int32 // working space of now

	topUp topUp
}

// What is done in a step, in units of work (a node of a row is counted): a transaction is
// considered, a row is counted or committed. As many items as scanned are one unit when it is
// looked whether they are at the node. As many nodes as met are one unit when they are
// met while sets of three are counted. A row is reckoned where shares are counted exactly.
const (
	considered = 6
	scanned    = 4
	counted    = 8
	committed  = 6
	reckoned   = 4
	met        = 4
)

func newStep(s *state) *step {
	st := &step{
		state: s, space: newSpace(s.tree.Nodes(), s.m),
		entered: make([]entry, s.merged.Len()), anyRefused: make([]uint64, s.merged.Len()/64+1),
	}
	for i := range s.merged.Len() {
		if s.refused.some(int32(i)) {
			st.anyRefused[i/64] |= 1 << (i % 64)
		}
	}
	st.terms = terms{k: s.k, m: s.m, work: &s.work, txOf: st.txOf}
	if s.ofPersons() {
		st.terms.byPerson = newPersonCounter(s.merged)
	}
	if s.div != nil {
		st.terms.l, st.terms.one, st.terms.spare = s.div.l, s.div.one, st.spare
	}
	st.topUp.step = st
	return st
}

// counter is the one with the given number.
func (st *step) counter(n int) *counter {
	for len(st.counters) <= n {
		st.counters = append(st.counters, &counter{terms: &st.terms, space: st.space})
	}
	return st.counters[n]
}

// refine makes one step.
func (st *step) refine(ctx context.Context, t target) {
	st.begin(ctx, t)
	if st.gather(); st.gathered == 0 || st.isLarge() {
		return
	}
	st.takeBackAll()
	if ctx.Err() == nil {
		st.commit()
	}
}

// A step with all children at once counts each child's sets in the rows that open it. If that would
// be more than so many nodes, in all and for each item occurrence of the data, it is left out: the
// steps with one child each, which follow it, need no more than the data.
const largeStep, largeStepEach = 1 << 22, 8

// isLarge tells whether the step would need too much memory.
func (st *step) isLarge() bool {
	if st.only >= 0 {
		return false
	}
	nodes := 0
	for n := range st.rows {
		opened := int(st.rows[n].to - st.rows[n].from)
		nodes += opened * (len(st.published(st.rows[n].tx)) + opened)
	}
	return nodes > largeStep+largeStepEach*len(st.index.items)
}

func (st *step) begin(ctx context.Context, t target) {
	st.terms.ctx, st.target, st.nodes = ctx, t, st.tree.Children(t.node)
	st.depth = st.depthOf(t.node)
	if t.only >= 0 {
		st.nodes = []int32{t.only}
	}
	st.steps++
	st.cells.nextStep()
	st.rows, st.opened, st.places = st.rows[:0], st.opened[:0], st.places[:0]
	st.entering, st.changed, st.looked = st.entering[:0], st.changed[:0], false
	for len(st.newly) < len(st.nodes) {
		st.newly, st.weights = append(st.newly, nil), append(st.weights, 0)
	}
	for c := range st.nodes {
		st.newly[c] = st.newly[c][:0]
	}
}

// gather makes rows of the transactions that may change. Where one child is specialised and not
// many transactions have items below it, they are found by these items.
func (st *step) gather() {
	lo, hi := st.tree.Range(st.nodes[0])
	st.expect(lo, hi)
	if st.only >= 0 && st.index.count(lo, hi)/scanned < len(st.who[st.node]) {
		st.work += int64(st.index.count(lo, hi) / scanned)
		atNode := func(o spot) bool { return st.at[o.place] == st.depth }
		for leaf := lo; leaf < hi; leaf++ {
			for o := range st.spots(leaf, atNode) {
				if st.entered[o.tx].step != st.steps {
					st.considerOne(o.tx, o.place)
				}
			}
		}
	} else {
		for _, i := range st.who[st.node] {
			st.consider(i)
		}
	}
	st.gathered = len(st.rows)
}

// expect makes room for rows of all that publish u and, where one child is specialised, have items
// below it, which are from lo to hi.
func (st *step) expect(lo, hi int32) {
	most := len(st.who[st.node])
	if st.only >= 0 {
		most = min(most, st.index.count(lo, hi))
		st.newly[0] = room(st.newly[0], most)
	}
	st.rows, st.opened = room(st.rows, most), room(st.opened, most)
}

// consider makes a row of a transaction that may change.
func (st *step) consider(i int32) {
	if st.only >= 0 {
		for place, to := st.placesBelow(i, st.only); place < to; place++ {
			if st.at[place] == st.depth {
				st.considerOne(i, place)
				return
			}
		}
		st.work += considered
		return
	}
	from := int32(len(st.opened))
	stay := false
	st.opened, stay = st.open(i, st.node, st.nodes, roomFor(st.opened, len(st.nodes)))
	stay = st.leaveOut(i, int(from)) || stay
	st.work += considered
	st.rowFrom(i, from, stay)
}

// considerOne is the same where one child is specialised, given the place of the first item below
// it that is published as the node.
func (st *step) considerOne(i, place int32) {
	st.work += considered
	if !st.mayTake(i, place) {
		return
	}
	n, c := int32(0), st.only
	for p, end := place, st.ends(c); p < st.txs[i].end && st.index.items[p] < end; p++ {
		if st.at[p] == st.depth {
			n++
		}
	}
	from := int32(len(st.opened))
	st.opened = append(st.opened, specialisation{node: c, items: n, place: place, spec: true})
	st.rowFrom(i, from, st.others(i, place))
}

// rowFrom makes a row of transaction i with what has been opened from a place on, if anything.
func (st *step) rowFrom(i, from int32, stay bool) {
	to := int32(len(st.opened))
	if from == to {
		return
	}
	n := st.enlist(i)
	r := &st.rows[n]
	r.from, r.to, r.spec, r.stay = from, to, to-from, stay
	for _, o := range st.specialisations(r) {
		st.newly[o.child] = append(st.newly[o.child], n)
	}
}

// leaveOut leaves out those opened for transaction i that it may not take, and tells whether there
// were any. What is to be taken as a whole is left to steps with one child.
func (st *step) leaveOut(i int32, from int) bool {
	all := len(st.opened)
	is := func(o specialisation) bool {
		return st.refused.is(i, o.node) || st.bars[bar{i, o.node}] ||
			st.whole != nil && st.whole[o.node]
	}
	st.opened = append(st.opened[:from], slices.DeleteFunc(st.opened[from:], is)...)
	return len(st.opened) < all
}

// mayTake tells whether transaction i may publish items as the one child that the step opens: it is
// neither refused nor barred, and if it is to be taken as a whole, nothing else is at u.
func (st *step) mayTake(i, place int32) bool {
	c := st.only
	if st.whole != nil && (st.closed[c] || st.whole[c] && st.others(i, place)) {
		return false
	}
	if st.anyRefused[i/64]>>(i%64)&1 != 0 && st.refused.is(i, c) {
		return false
	}
	return !st.isBarred(i)
}

// isBarred tells whether transaction i may not take the one node that the step opens.
func (st *step) isBarred(i int32) bool {
	if st.had != nil && !st.had[bar{i, st.only}] {
		return true
	}
	return len(st.bars) > 0 && st.bars[bar{i, st.only}]
}

// others tells whether transaction i publishes items as u that are not below the one node that
// the step opens, given the place of one that is.
func (st *step) others(i, place int32) bool {
	lo, hi := st.tree.Range(st.node)
	from, to := st.tree.Range(st.only)
	items, at := st.index.items, st.at
	for p := place - 1; p >= st.txs[i].from && items[p] >= lo; p-- {
		if at[p] == st.depth && items[p] < from {
			return true
		}
	}
	for p := place + 1; p < st.txs[i].end && items[p] < hi; p++ {
		if at[p] == st.depth && items[p] >= to {
			return true
		}
	}
	return false
}

// rowOf is the row of a transaction, a new one of a transaction that will not change if it has
// none yet.
func (st *step) rowOf(i int32) int32 {
	if n := st.rowIf(i); n >= 0 {
		return n
	}
	n := st.enlist(i)
	st.rows[n].stay = true
	return n
}

// entry is the row of a transaction in the last step that it had one in.
type entry struct{ row, step int32 }

// rowIf is the row of a transaction in this step; -1: it has none.
func (st *step) rowIf(i int32) int32 {
	if e := st.entered[i]; e.step == st.steps {
		return e.row
	}
	return -1
}

func (st *step) enlist(i int32) int32 {
	s := st.shareOf(i)
	n := int32(len(st.rows))
	st.rows = append(roomFor(st.rows, 1), row{tx: i, weight: s.weight, sensitive: s.sensitive})
	st.entered[i] = entry{n, st.steps}
	return n
}

// shareOf is that of a transaction.
func (s *state) shareOf(i int32) share {
	of := share{weight: s.txs[i].weight}
	if s.div != nil && (s.div.hides(i) || !s.div.full(i)) {
		of.sensitive = of.weight
	}
	return of
}

// takeBackAll takes back what breaks the promise until nothing does.
func (st *step) takeBackAll() {
	for c := range st.nodes {
		if len(st.newly[c]) > 0 {
			st.entering = append(st.entering, int32(c))
			st.weights[c] = st.load(int32(c))
		}
	}
	// Rare children first: of a rare set of two children, the rarer one is given up.
	slices.SortStableFunc(st.entering, func(a, b int32) int {
		return cmp.Compare(st.weights[a], st.weights[b])
	})
	for again := true; again; {
		for again {
			again = false
			for _, c := range st.entering {
				if st.terms.ctx.Err() != nil {
					return
				}
				again = st.peel(c) || again
			}
		}
		again = st.topUp.look()
	}
}

// load begins to count the sets with a child, but for those with u, and returns the weight of
// all that publish it. Only sets that a row newly publishes matter: of those that publish the
// child already, what no such row publishes is left out.
func (st *step) load(c int32) int64 {
	counter := st.counter(int(c))
	counter.begin(st.nodes[c], st.node)
	counter.expect(len(st.newly[c]) + len(st.who[st.nodes[c]]))
	for _, n := range st.newly[c] {
		j, _ := st.newlyPublishes(&st.rows[n], st.nodes[c])
		st.specialisations(&st.rows[n])[j].at = st.count(counter, n, false)
	}
	for i := range sideBySide(st.who[st.nodes[c]], st.fetch) {
		if n := st.rowIf(i); n >= 0 {
			st.put(c, n, st.count(counter, n, true))
		} else {
			st.lookOn(counter, i)
		}
	}
	counter.forget()
	counter.ready()
	return int64(counter.support(&counter.total))
}

// fetch looks at the entries of transactions, too.
//
//go:noinline
func (st *step) fetch(some []int32) int32 {
	sum := st.state.fetch(some)
	for _, i := range some {
		sum += st.entered[i].row
	}
	return sum
}

// count counts a row, or that of what it publishes which is known already, and returns its place
// in the counter.
func (st *step) count(c *counter, n int32, known bool) int32 {
	r := &st.rows[n]
	return c.add(n, share{r.weight, r.sensitive}, st.besides(r, c.node), known)
}

// lookOn counts a transaction that has no row, with ^i for its number: what is known already.
func (st *step) lookOn(c *counter, i int32) { c.add(^i, st.shareOf(i), st.published(i), true) }

// rowAt is the row at a place of a counter; one that looks on is enlisted.
func (st *step) rowAt(c *counter, n int32) int32 {
	if c.list[n] < 0 {
		c.list[n] = st.rowOf(^c.list[n])
	}
	return c.list[n]
}

// put remembers the place of a row in the counter of a node that it published before the step.
func (st *step) put(c, n, at int32) {
	if r := &st.rows[n]; r.from < r.to {
		st.places = append(st.places, place{c, at, r.place})
		r.place = int32(len(st.places))
	}
}

// peel takes a child back from those that publish it newly together with a set that breaks the
// promise, as far as something has changed: from all where the set is rare.
func (st *step) peel(c int32) bool {
	counter := st.counters[c]
	st.out = st.out[:0]
	drop := func(n int32) {
		counter.drop(n)
		st.out = append(st.out, counter.list[n])
	}
	counter.check(func(_ []int32, occs []occurrence) {
		for _, n := range st.leaving(counter, c, occs) {
			drop(n)
		}
	}, func(n int32) bool {
		may := st.mayLeave(counter, c, n)
		if may {
			drop(n)
		}
		return may
	})
	for _, n := range st.out {
		j, _ := st.newlyPublishes(&st.rows[n], st.nodes[c])
		st.takeBack(n, j)
	}
	return len(st.out) > 0
}

// note remembers that something has changed about the sets of a row with u.
func (st *step) note(n int32) {
	if r := &st.rows[n]; st.looked && !r.noted {
		r.noted = true
		st.changed = append(st.changed, n)
	}
}

// takeBack returns the items of specialisation j of a row to u.
func (st *step) takeBack(n int32, j int) {
	st.note(n)
	r := &st.rows[n]
	if o := &st.specialisations(r)[j]; o.spec {
		o.spec = false
		r.spec--
		st.tell(r, j)
	}
}

// tell tells the counters that a row no longer publishes the node of its specialisation j.
func (st *step) tell(r *row, j int) {
	all := st.specialisations(r)
	child := all[j].child
	node := st.nodes[child]
	old, _ := slices.BinarySearch(st.published(r.tx), node)
	in := func(of, n int32) {
		switch c := st.counters[of]; {
		case c.share[n].weight == 0: // is out
		case of == child:
			c.drop(n)
		default:
			c.lose(n, node, old+j)
		}
	}
	for _, o := range all {
		in(o.child, o.at)
	}
	for at := r.place; at > 0; at = st.places[at-1].next {
		p := &st.places[at-1]
		in(p.child, p.n)
	}
}

// move publishes the items of a specialisation of transaction i as its node.
func (st *step) move(i int32, o specialisation) {
	end := st.ends(o.node)
	for p := o.place; p < st.txs[i].end && st.index.items[p] < end; p++ {
		if st.at[p] == st.depth {
			st.at[p] = st.depthOf(o.node)
		}
	}
}

// commit publishes what is left.
func (st *step) commit() {
	for _, c := range st.entering {
		st.who[st.nodes[c]] = slices.Grow(st.who[st.nodes[c]], st.taking(c))
	}
	gone := false
	st.work += committed * int64(len(st.rows))
	for n := range st.rows[:st.gathered] {
		r := &st.rows[n]
		if r.spec == 0 {
			continue
		}
		if !r.keeps() {
			gone = true
			st.exclude(r.tx, st.node)
		}
		for _, o := range st.specialisations(r) {
			if !o.spec {
				continue
			}
			st.loss -= st.gain(o) * int64(st.lines[r.tx])
			st.include(r.tx, o.node)
			st.who[o.node] = append(st.who[o.node], r.tx)
			st.move(r.tx, o)
		}
	}
	for _, c := range st.entering {
		st.sortWho(st.nodes[c])
	}
	if gone {
		st.who[st.node] = shrunk(slices.DeleteFunc(st.who[st.node], func(i int32) bool {
			n := st.rowIf(i)
			return n >= 0 && !st.rows[n].keeps()
		}))
	}
}

// taking is how many rows newly publish a child.
func (st *step) taking(c int32) (n int) {
	for _, row := range st.newly[c] {
		if _, is := st.newlyPublishes(&st.rows[row], st.nodes[c]); is {
			n++
		}
	}
	return n
}

// shrunk is a list in no more than about twice the room that it needs.
func shrunk(list []int32) []int32 {
	if 2*len(list) < cap(list) {
		return slices.Clone(list)
	}
	return list
}
