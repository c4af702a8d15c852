package local

import (
	"cmp"
	"slices"
)

// topUp looks at the sets with u, and mends the rare ones in the cheaper of two ways: elements that gave u up and contain
// the rest of the set take u back until there are enough, or those that have the set give up a child in it. It tells
// whether there was a rare one. Only sets of nodes that a refined element publishes can have lost support, or be new.
func (st *step) topUp() bool {
	t := &topUp{step: st, index: map[int32][]*element{}}
	for _, e := range st.all {
		if e.keeps {
			t.list = append(t.list, e)
		} else {
			t.gone = append(t.gone, e)
		}
	}
	what := t.toLookAt()
	if len(what.sets) == 0 {
		return false
	}
	only := st.mark(what)
	if st.lazy {
		t.rest(only)
	}
	for _, e := range t.gone {
		for _, y := range e.now {
			if only[y] {
				t.index[y] = append(t.index[y], e)
			}
		}
	}
	c := st.memo.counter(st.state, len(st.children))
	c.load(count{node: st.node, skip: -1, only: only}, t.list)
	c.settle(t.mend)
	st.unmark(what)
	return t.some
}

// rest adds the transactions that publish u and have not been gathered, cut down to the nodes that sets are made of.
func (t *topUp) rest(only []bool) {
	same := fold{}
	var cut []int32
	for _, i := range t.who[t.node] {
		if t.seen[i] == t.steps {
			continue
		}
		cut = cut[:0]
		t.work += handled * int64(len(t.published(i)))
		for _, v := range t.published(i) {
			if only[v] && v != t.node {
				cut = append(cut, v)
			}
		}
		h := hash(0, cut)
		at := same.find(h, func(n int32) bool { return slices.Equal(t.list[n].now, cut) })
		if at < 0 {
			at = int32(len(t.list))
			same.put(h, at)
			e := t.arena.element()
			*e = element{now: append(t.arena.take(len(cut))[:0], cut...), keeps: true}
			t.list = append(t.list, e)
		}
		t.addMember(t.list[at], i, nil)
	}
}

// toLookAt is what has changed about the sets with u since the last look: all that refined elements publish, or what has been
// taken back.
func (t *topUp) toLookAt() change {
	what := t.changed
	t.changed = change{}
	if what.all {
		what = change{}
		for _, e := range t.all {
			if e.refined() {
				what.add(e.now)
			}
		}
	}
	return what
}

// topUp is one look at the sets with u.
type topUp struct {
	*step
	list, gone []*element           // that publish u, and that do not, when the look begins
	index      map[int32][]*element // node -> elements of gone that publish it
	some       bool                 // rare ones
}

// mend sees to it that a set of u and others is not rare, or that nothing publishes it. Earlier repairs may have done so
// already.
func (t *topUp) mend(set []int32, occs []occurrence) {
	holders, offers := t.holders(set, occs)
	if len(holders) == 0 {
		return
	}
	for _, e := range holders {
		t.note(e) // larger sets with this one have not been looked at
	}
	weight := weigh(holders)
	switch {
	case t.div != nil:
		if weight < int64(t.k) || !t.div.diverse(t.state, holders) {
			t.takeAll(offers)
		}
	case weight < int64(t.k):
		t.some = true
		price, enough := cost(offers, int64(t.k)-weight)
		if give, can := t.giveUp(holders, set); enough && (!can || price <= give) {
			t.take(offers, set, int64(t.k)-weight)
		} else {
			t.release(holders, set)
		}
	}
}

// offer is an element that can take u back and keep the set, and what that costs.
type offer struct {
	e    *element
	loss int64
}

// holders are the elements that publish u and the set now; offers are those that could, cheapest for their weight first.
func (t *topUp) holders(set []int32, occs []occurrence) (holders []*element, offers []offer) {
	for _, o := range occs {
		if e := t.list[o.element]; containsAll(e.now, set) {
			holders = append(holders, e)
		}
	}
	candidates := t.gone
	for _, y := range set {
		if len(t.index[y]) < len(candidates) {
			candidates = t.index[y]
		}
	}
	for _, e := range candidates {
		if !containsAll(e.now, set) {
			continue
		}
		if e.keeps {
			holders = append(holders, e)
		} else if j := t.cheapest(e, set, false); j >= 0 {
			offers = append(offers, offer{e, t.gain(e.open[j])})
		}
	}
	slices.SortStableFunc(offers, func(a, b offer) int { return cmp.Compare(a.loss*b.e.weight, b.loss*a.e.weight) })
	return holders, offers
}

func weigh(list []*element) int64 {
	total := int64(0)
	for _, e := range list {
		total += e.weight
	}
	return total
}

// cost is what the first offers of at least the weight needed cost, and whether they are enough.
func cost(offers []offer, need int64) (total int64, enough bool) {
	for _, o := range offers {
		if need <= 0 {
			break
		}
		total += o.loss * min(need, o.e.weight) / o.e.weight
		need -= o.e.weight
	}
	return total, need <= 0
}

// giveUp is what it costs if all holders give up a child in the set, and whether all can.
func (t *topUp) giveUp(holders []*element, set []int32) (total int64, can bool) {
	for _, e := range holders {
		j := t.cheapest(e, set, true)
		if j < 0 {
			return 0, false
		}
		total += t.gain(e.open[j])
	}
	return total, true
}

// release makes the holders that can give up a child in the set.
func (t *topUp) release(holders []*element, set []int32) {
	for _, e := range holders {
		if j := t.cheapest(e, set, true); j >= 0 {
			t.takeBack(e, j)
		}
	}
}

// take gives u back to the first offers, of at least the weight needed, the last of them in part.
func (t *topUp) take(offers []offer, set []int32, need int64) {
	for _, o := range offers {
		if need <= 0 {
			return
		}
		e := t.split(o.e, need)
		t.takeBack(e, t.cheapest(e, set, false))
		need -= e.weight
	}
}

// takeAll gives u back to all: the set is then as it was before the step.
func (t *topUp) takeAll(offers []offer) {
	for _, o := range offers {
		t.some = true
		t.takeBack(o.e, 0)
	}
}

// split takes the first members of at least the given weight out of an element, into one of their own.
func (t *topUp) split(e *element, need int64) *element {
	n, weight := 0, int64(0)
	for weight < need && n < len(e.members) {
		weight += int64(t.merged.Weights[e.members[n]])
		n++
	}
	if n == len(e.members) {
		return e
	}
	part := &element{base: e.base, stay: e.stay, open: slices.Clone(e.open), spec: slices.Clone(e.spec)}
	for j := range part.open {
		part.open[j].items = 0
	}
	var kids []kid
	for _, i := range e.members[:n] {
		kids, _ = t.open(i, t.node, t.children, kids[:0])
		t.addMember(part, i, kids)
	}
	for j := range e.open {
		e.open[j].items -= part.open[j].items
	}
	e.members = slices.Clone(e.members[n:])
	e.weight -= part.weight
	e.sensitive -= part.sensitive
	part.update(t.node, &t.arena)
	t.all = append(t.all, part)
	for _, p := range e.places {
		if c := t.memo.counters[p.child]; c.share[p.n].weight > 0 {
			part.places = append(part.places, place{p.child, int32(len(c.list))})
			c.split(p.n, part)
		}
	}
	return part
}

// cheapest is the specialised child of an element, in the set or not in it, that gains least; -1: none.
func (st *step) cheapest(e *element, set []int32, in bool) int {
	best := -1
	for j, o := range e.open {
		if e.spec[j] && slices.Contains(set, o.node) == in && (best < 0 || st.gain(o) < st.gain(e.open[best])) {
			best = j
		}
	}
	return best
}

// gain is by how much the loss falls when the items below an open child are published as it.
func (st *step) gain(o kid) int64 { return int64(o.items) * (st.loss(st.node) - st.loss(o.node)) }
