package local

import (
	"math"
	"math/bits"
	"slices"

	"mingle/internal/lists"
)

// topUp looks at the sets with u, and repairs the rare ones with the lesser penalty: rows that
// gave u up and contain the rest of the set take u back until there are k, or those that have
// the set give up a child in it.
type topUp struct {
	step *step

	counter   *counter
	gone      []int32            // rows that do not publish u when a look begins
	begun     bool               // classes are told apart
	asked     int                // how many rows were looked through to find some of gone
	listed    bool               // gone, by short number
	by        lists.Lists[int32] // by short number: those of gone that publish the node, if listed
	back      returned           // those of gone that publish the node again
	some      bool               // sets were rare
	holders   []int32            // working space: rows that publish a set
	able      []int32            // working space: rows that could publish u with a set
	rollbacks []rollback         // working space
	pairs     foreseen
	place     []int32          // by class: its place in rollbacks, plus one; zero between uses
	classes   map[uint64]int32 // by hash of what is published
	hashes    []uint64         // by class
	both      []int32          // working space of candidates
	nodes     []int32          // working space: short numbers
}

// look looks at the sets with u about which something has changed since the last look. It tells
// whether there was a rare one. Only sets of nodes that a refined row publishes can have lost
// support, or be new.
func (t *topUp) look() bool {
	st := t.step
	if !st.looked {
		st.looked = true
		for n := range st.rows[:st.gathered] {
			if st.rows[n].spec > 0 {
				st.note(int32(n))
			}
		}
	}
	if len(st.changed) == 0 {
		return false
	}
	t.load()
	t.some = false
	t.back.begin(len(t.counter.nodes))
	t.pairs.begin()
	t.counter.check(t.repair, nil)
	t.counter.forget()
	return t.some
}

// load counts what is published with u, as far as something has changed about it.
func (t *topUp) load() {
	st := t.step
	t.counter = st.counter(len(st.nodes))
	t.gone, t.begun, t.asked, t.listed = t.gone[:0], false, 0, false
	t.counter.begin(st.node, -1)
	t.counter.expect(len(st.who[st.node]))
	for _, n := range st.changed {
		r := &st.rows[n]
		r.noted = false
		t.counter.know(st.published(r.tx))
		for _, o := range st.specialisations(r) {
			t.counter.know([]int32{o.node})
		}
	}
	st.changed = st.changed[:0]
	for n := range st.rows[:st.gathered] {
		r := &st.rows[n]
		if r.gone = !r.keeps(); r.gone {
			t.gone = append(t.gone, int32(n))
		} else {
			st.count(t.counter, int32(n), true)
		}
	}
	for i := range sideBySide(st.who[st.node], st.fetch) {
		if t.noneRare() {
			break
		}
		switch n := st.rowIf(i); {
		case n >= 0 && int(n) < st.gathered:
		case n >= 0:
			st.count(t.counter, n, true)
		default:
			st.lookOn(t.counter, i)
		}
	}
	t.counter.ready()
}

// noneRare tells whether no set with u can be rare, whoever else has it: then nothing is looked at.
func (t *topUp) noneRare() bool {
	return t.step.m <= 2 && t.step.div == nil && !t.step.ofPersons() &&
		(t.step.m == 1 || t.counter.noneFew()) && int(t.counter.total.weight) >= t.step.k
}

// repair sees to it that a set of u and others is not rare, or that nothing publishes it.
// Earlier repairs may have done so already.
func (t *topUp) repair(set []int32, occs []occurrence) {
	st := t.step
	if t.hold(set, occs); len(t.holders) == 0 {
		return
	}
	for _, n := range t.holders {
		st.note(n) // larger sets with this one have not been looked at
	}
	switch need := int64(st.k) - t.countHolders(); {
	case need > 0:
		t.find(set)
		t.makeRollbacks(set, need)
		n, penalty, suffice := t.enough(need)
		if give, can := t.giveUp(set); suffice && (!can || penalty <= give) {
			t.take(set, n)
			t.some = true
		} else if t.release(set) { // else it was rare before the step, and looks would not end
			t.some = true
		}
	case st.div != nil && st.spare(t.holders, 0) < 0:
		t.mix(set)
	}
}

// mix sees to it that shares of sensitive items in a set are in order: classes take u back, those
// of the least penalty first, until they are, or the holders give up a child in the set, whichever
// loses less.
func (t *topUp) mix(set []int32) {
	t.find(set)
	t.makeRollbacks(set, math.MaxInt64)
	n, penalty, suffice := t.makeDiverse()
	give, can := t.giveUp(set)
	if given := !suffice || can && give < penalty; given && t.release(set) {
		t.some = true
		return
	}
	t.some = t.some || n > 0
	t.take(set, n)
}

// makeDiverse is how many of the first rollbacks make the holders diverse, their penalty, and
// whether all of them do.
func (t *topUp) makeDiverse() (n int, penalty int64, suffice bool) {
	m := t.step.div.mixture()
	defer m.end()
	add := func(row int32) { m.add(t.step.rows[row].tx, t.step.rows[row].weight) }
	for _, row := range t.holders {
		add(row)
	}
	by := map[int32][]int32{}
	for _, row := range t.able {
		class := t.step.rows[row].class
		by[class] = append(by[class], row)
	}
	for ; n < len(t.rollbacks) && m.fails(); n++ {
		b := t.bring(n)
		penalty += b.penalty
		for _, row := range by[b.class] {
			add(row)
		}
	}
	return n, penalty, !m.fails()
}

// hold finds the holders, the rows that publish u and the set now.
func (t *topUp) hold(set []int32, occs []occurrence) {
	st := t.step
	t.holders = t.holders[:0]
	for _, o := range occs {
		n := st.rowAt(t.counter, o.n)
		if r := &st.rows[n]; r.from == r.to || st.has(r, set) { // what only looks on never changes
			t.holders = append(t.holders, n)
		}
	}
	first := len(t.holders)
	for _, b := range t.back.with(st.number, set) {
		if r := &st.rows[b.row]; r.spec == b.spec || st.has(r, set) {
			t.holders = append(t.holders, b.row)
		}
	}
	slices.Sort(t.holders[first:])
}

// find finds the rows that do not publish u now and could, with the set.
func (t *topUp) find(set []int32) {
	st := t.step
	t.beginClasses()
	t.able = t.able[:0]
	for _, n := range t.candidates(set) {
		// what does not publish u has taken nothing back
		if r := &st.rows[n]; !r.keeps() && st.cheapest(r, set, false) >= 0 {
			t.classify(r)
			t.able = append(t.able, n)
		}
	}
}

// candidates are rows that had given u up when the look began, those among them that published
// the set then.
func (t *topUp) candidates(set []int32) []int32 {
	if len(set) == 0 {
		return t.gone
	}
	if !t.listed {
		v, all := t.rarest(set)
		if t.asked += min(all, len(t.gone)); t.asked <= maxAsked*len(t.gone) {
			if all < len(t.gone) {
				return t.lookAmong(v, set)
			}
			return t.lookThrough(set)
		}
		t.list()
	}
	least := t.by.Of(t.step.number[set[0]])
	for _, v := range set[1:] {
		by := t.by.Of(t.step.number[v])
		if len(by) < len(least) {
			least, by = by, least
		}
		t.step.work += int64(len(least)+len(by)) / met
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

// maxAsked is how often as many rows as there are in gone are looked through before gone is listed
// by nodes: as long as that is about as much work.
const maxAsked = 4

// rarest is the node of a set that fewest publish, and how many those are, at most.
func (t *topUp) rarest(set []int32) (v int32, all int) {
	for n, w := range set {
		of := len(t.step.who[w]) + len(t.newly(w))
		if n == 0 || of < all {
			v, all = w, of
		}
	}
	return v, all
}

// newly are the rows that newly publish a node, or did.
func (t *topUp) newly(v int32) []int32 {
	if c := slices.Index(t.step.nodes, v); c >= 0 {
		return t.step.newly[c]
	}
	return nil
}

// lookAmong are the rows of gone that publish a set, found among all that publish one node of it.
func (t *topUp) lookAmong(v int32, set []int32) []int32 {
	t.both = t.both[:0]
	add := func(n int32) {
		if r := &t.step.rows[n]; r.gone && t.step.has(r, set) {
			t.both = append(t.both, n)
		}
	}
	for _, i := range t.step.who[v] {
		if n := t.step.rowIf(i); n >= 0 {
			add(n)
		}
	}
	for _, n := range t.newly(v) {
		add(n)
	}
	slices.Sort(t.both)
	t.both = slices.Compact(t.both)
	return t.both
}

// lookThrough are the rows of gone that publish a set.
func (t *topUp) lookThrough(set []int32) []int32 {
	t.both = t.both[:0]
	for _, n := range t.gone {
		if t.step.has(&t.step.rows[n], set) {
			t.both = append(t.both, n)
		}
	}
	return t.both
}

// beginClasses forgets the classes of the look before.
func (t *topUp) beginClasses() {
	if t.begun {
		return
	}
	t.begun = true
	if t.classes == nil {
		t.classes = map[uint64]int32{}
	}
	clear(t.classes)
	t.hashes = t.hashes[:0]
	for _, n := range t.gone {
		r := &t.step.rows[n]
		r.class = unclassified
		t.step.work += int64(t.step.txs[r.tx].len + r.spec) // what telling all apart would be
	}
}

// unclassified marks a row of gone whose class is not known yet.
const unclassified = -1

// classify finds the class of a row of gone that has taken nothing back.
func (t *topUp) classify(r *row) {
	if r.class != unclassified {
		return
	}
	r.fresh, r.helped = unforeseen, 0
	r.class = t.classOf(t.step.now(r))
}

// list lists what is gone by the nodes that are counted.
func (t *topUp) list() {
	t.listed = true
	t.by.Begin(len(t.counter.nodes))
	for _, n := range t.gone {
		for _, y := range t.numbers(n) {
			t.by.Count(y)
		}
	}
	t.by.Room()
	for _, n := range t.gone {
		for _, y := range t.numbers(n) {
			t.by.Put(y, n)
		}
	}
}

// numbers are the short numbers of the nodes that a row publishes and are counted, in no particular
// order. They are good until the next call.
func (t *topUp) numbers(n int32) []int32 {
	r, out := &t.step.rows[n], t.nodes[:0]
	number := t.step.number
	for _, v := range t.step.published(r.tx) {
		if y := number[v]; y > 0 {
			out = append(out, y)
		}
	}
	for _, o := range t.step.specialisations(r) {
		if y := number[o.node]; o.spec && y > 0 {
			out = append(out, y)
		}
	}
	t.nodes = out
	return out
}

// wholeClasses is the largest m for which rows that publish the same take u back together. For
// m=3 that loses 7 to 9 % on BMS-WebView-1 and chess, and every row is a class by itself.
const wholeClasses = 2

// hashOf is a hash of a set.
func hashOf(set []int32) uint64 {
	h := uint64(len(set))
	for _, v := range set {
		hi, lo := bits.Mul64(h^uint64(v+1), 0x9e3779b97f4a7c15)
		h = hi ^ lo + 0x2545f4914f6cdd1d
	}
	return h
}

// classOf is the number of the class of rows that publish a set.
func (t *topUp) classOf(set []int32) int32 {
	h, whole := hashOf(set), t.step.m <= wholeClasses
	if whole {
		if class, is := t.classes[h]; is {
			return class
		}
	}
	class := int32(len(t.hashes))
	t.hashes = append(t.hashes, h)
	if whole {
		t.classes[h] = class
	}
	if len(t.place) < len(t.hashes) {
		t.place = append(t.place, 0)
	}
	return class
}

// countHolders is the support of what the holders publish.
func (t *topUp) countHolders() (support int64) {
	byPerson := t.step.terms.byPerson
	if byPerson != nil {
		byPerson.begin()
	}
	for _, n := range t.holders {
		if r := &t.step.rows[n]; byPerson != nil {
			support += int64(byPerson.meet(r.tx))
		} else {
			support += int64(r.weight)
		}
	}
	return support
}

// enough is how many of the first rollbacks give at least the support needed, their penalty, and
// whether all rollbacks do. Of persons they may give less, as some of theirs may be there already:
// what is rare all the same, when they have been taken, is found in the next look, as are all sets
// of the holders.
func (t *topUp) enough(need int64) (n int, penalty int64, suffice bool) {
	all := int64(0)
	for _, b := range t.rollbacks {
		all += b.weight
	}
	if all < need {
		return len(t.rollbacks), 0, false
	}
	for ; need > 0; n++ {
		b := t.bring(n)
		penalty += b.penalty
		need -= b.weight
	}
	return n, penalty, true
}

// giveUp is the penalty if all holders give up a child in the set, and whether all can.
func (t *topUp) giveUp(set []int32) (total int64, can bool) {
	for _, n := range t.holders {
		r := &t.step.rows[n]
		j := t.step.cheapest(r, set, true)
		if j < 0 {
			return 0, false
		}
		total += t.step.gain(t.step.specialisations(r)[j]) * int64(t.step.lines[r.tx])
	}
	return total, true
}

// release makes the holders that can give up a child in the set, and tells whether any could.
func (t *topUp) release(set []int32) (some bool) {
	for _, n := range t.holders {
		if j := t.step.cheapest(&t.step.rows[n], set, true); j >= 0 {
			some = true
			t.step.takeBack(n, j)
		}
	}
	return some
}

// take carries the first n rollbacks out.
func (t *topUp) take(set []int32, n int) {
	for _, b := range t.rollbacks[:n] {
		t.takeClass(set, b.class)
	}
}

// takeClass gives u back to a class, each row for what gains least.
func (t *topUp) takeClass(set []int32, class int32) {
	for _, n := range t.able {
		if r := &t.step.rows[n]; r.class == class {
			t.step.takeBack(n, t.step.cheapest(r, set, false))
			t.back.add(back{n, r.spec}, t.numbers(n))
		}
	}
}
