package local

// This file restores the support of sets with u, the node that a step specialises, that have become
// rare, in the cheaper of two ways: rows that left u and contain the rest of the set take u back
// until there are k, or those that have the set give up a child in it.
//
// Time: each check counts what is published with u once; for each rare set, the lists of the rows
// that left u and publish one of its nodes. Memory: 4 bytes for each node that such a row
// publishes, besides the counter.

// restorer checks the sets with u of a step, and restores the rare ones.
type restorer struct {
	step    *step
	counter *counter

	leavers  []int32          // rows that do not publish u when a check begins
	listed   bool             // leavers, by short number
	by       [][]int32        // by short number: those of leavers that publish the node
	found    bool             // sets were rare
	holders  []int32          // working space: rows that publish a set
	eligible []int32          // working space: rows that could publish u with a set
	offers   []offer          // working space
	place    []int32          // by class: its place in offers, plus one; zero between uses
	classes  map[uint64]int32 // by hash of what is published
	hashes   []uint64         // by class
	both     []int32          // working space of candidates
}

// check checks the sets with u about which something has changed since the last check. It tells
// whether there was a rare one. Only sets of nodes that a refined row publishes can have lost
// support, or be new.
func (t *restorer) check() bool {
	st := t.step
	if !st.checked {
		st.checked = true
		for n := range st.rows[:st.gathered] {
			if st.rows[n].taken > 0 {
				st.note(int32(n))
			}
		}
	}
	if len(st.changed) == 0 {
		return false
	}
	t.count()
	t.found = false
	t.counter.check(t.restore)
	t.counter.forget()
	return t.found
}

// count counts what is published with u, as far as something has changed about it.
func (t *restorer) count() {
	st := t.step
	t.counter = st.counter(len(st.children))
	t.leavers, t.listed = t.leavers[:0], false
	t.counter.begin(st.node, -1)
	for _, n := range st.changed {
		r := &st.rows[n]
		r.noted = false
		for _, v := range st.published(r.tx) {
			t.counter.know(v)
		}
		for _, d := range st.of(r) {
			t.counter.know(d.node)
		}
	}
	st.changed = st.changed[:0]
	for n := range int32(st.gathered) {
		if r := &st.rows[n]; r.keeps() {
			t.counter.add(st.entry(n), st.now(r), true)
		} else {
			t.leavers = append(t.leavers, n)
		}
	}
	for _, i := range st.publishers[st.node] {
		if n := st.rowOf(i); int(n) >= st.gathered {
			t.counter.add(st.entry(n), st.now(&st.rows[n]), true)
		}
	}
	t.counter.ready(true) // what becomes of all sets is predicted
}

// restore sees to it that a set of u and others is not rare, or that nothing publishes it. That may
// have come about already since it was counted.
func (t *restorer) restore(set []int32, occs []occurrence) {
	st, k := t.step, int64(t.step.rule.k)
	t.find(set, occs)
	if len(t.holders) == 0 {
		return
	}
	weight := int64(0)
	for _, n := range t.holders {
		st.note(n) // larger sets with this one have not been checked
		weight += int64(st.rows[n].weight)
	}
	switch {
	case st.rule.div != nil:
		if weight < k || !t.diverse() {
			t.makeOffers(set, 0)
			t.takeAll(set)
		}
	case weight < k:
		t.found = true
		t.makeOffers(set, k-weight)
		loss, possible := t.lossOfOffers(k - weight)
		if give, can := t.lossOfGivingUp(set); possible && (!can || loss <= give) {
			t.take(set, k-weight)
		} else {
			t.giveUp(set)
		}
	}
}

// diverse tells whether the holders are diverse.
func (t *restorer) diverse() bool {
	return t.step.rule.div.diverse(func(yield func(tx, weight int32)) {
		for _, n := range t.holders {
			yield(t.step.rows[n].tx, t.step.rows[n].weight)
		}
	})
}

// find finds the holders, the rows that publish u and the set now, and those that are eligible to.
func (t *restorer) find(set []int32, occs []occurrence) {
	st := t.step
	if !t.listed {
		t.list()
	}
	t.holders, t.eligible = t.holders[:0], t.eligible[:0]
	for _, o := range occs {
		if n := t.counter.rows[o.n].row; st.has(&st.rows[n], set) {
			t.holders = append(t.holders, n)
		}
	}
	for _, n := range t.candidates(set) {
		switch r := &st.rows[n]; {
		case !st.has(r, set):
		case r.keeps():
			t.holders = append(t.holders, n)
		default:
			if st.cheapest(r, set, false) >= 0 {
				t.eligible = append(t.eligible, n)
			}
		}
	}
}

// candidates are rows that had left u when the check began, those among them that published the set
// then.
func (t *restorer) candidates(set []int32) []int32 {
	if len(set) == 0 {
		return t.leavers
	}
	least := t.by[t.step.space.number[set[0]]]
	for _, v := range set[1:] {
		by := t.by[t.step.space.number[v]]
		if len(by) < len(least) {
			least, by = by, least
		}
		t.step.meter.add((len(least) + len(by)) / metAUnit)
		t.both = common(least, by, t.both[:0])
		least = t.both
	}
	return least
}

// common appends what is in two ascending lists; out may have the room of one of them.
func common(a, b, out []int32) []int32 {
	for _, n := range a {
		for len(b) > 0 && b[0] < n {
			b = b[1:]
		}
		if len(b) > 0 && b[0] == n {
			out = append(out, n)
		}
	}
	return out
}

// list lists the leavers by the nodes that are counted, and finds their classes.
func (t *restorer) list() {
	t.listed = true
	if t.classes == nil {
		t.classes = map[uint64]int32{}
	}
	clear(t.classes)
	t.hashes = t.hashes[:0]
	for len(t.by) < len(t.counter.nodes) {
		t.by = append(t.by, nil)
	}
	for y := range t.by {
		t.by[y] = t.by[y][:0]
	}
	for _, n := range t.leavers {
		r := &t.step.rows[n]
		r.fresh, r.helped = notPredicted, 0
		now := t.step.now(r)
		t.step.meter.add(len(now))
		r.class = t.classOf(now)
		for _, v := range now {
			if y := t.step.space.number[v]; y > 0 {
				t.by[y] = append(t.by[y], n)
			}
		}
	}
}

// lossOfOffers is what the first offers of at least the weight needed lose, and whether there are
// as many.
func (t *restorer) lossOfOffers(need int64) (total int64, possible bool) {
	for _, o := range t.offers {
		if need <= 0 {
			break
		}
		total += o.loss
		need -= o.weight
	}
	return total, need <= 0
}

// lossOfGivingUp is what is lost if all holders give up a child in the set, and whether all can.
func (t *restorer) lossOfGivingUp(set []int32) (total int64, can bool) {
	for _, n := range t.holders {
		r := &t.step.rows[n]
		j := t.step.cheapest(r, set, true)
		if j < 0 {
			return 0, false
		}
		total += t.step.gain(t.step.of(r)[j]) * int64(r.weight)
	}
	return total, true
}

// giveUp makes the holders that can give up a child in the set.
func (t *restorer) giveUp(set []int32) {
	for _, n := range t.holders {
		if j := t.step.cheapest(&t.step.rows[n], set, true); j >= 0 {
			t.step.takeBack(n, j)
		}
	}
}

// take gives u back to the first offers, of at least the weight needed.
func (t *restorer) take(set []int32, need int64) {
	for _, o := range t.offers {
		if need <= 0 {
			return
		}
		t.takeClass(set, o.class)
		need -= o.weight
	}
}

// takeAll gives u back to all: the set is then as it was before the step.
func (t *restorer) takeAll(set []int32) {
	for _, o := range t.offers {
		t.found = true
		t.takeClass(set, o.class)
	}
}

// takeClass gives u back to a class, each row for what gains least.
func (t *restorer) takeClass(set []int32, class int32) {
	for _, n := range t.eligible {
		if r := &t.step.rows[n]; r.class == class {
			t.step.takeBack(n, t.step.cheapest(r, set, false))
		}
	}
}
