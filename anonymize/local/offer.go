package local

import (
	"cmp"
	"slices"
)

// offer is a row that can take u back and keep the set, and what that costs.
type offer struct {
	n      int32
	weight int32
	price  int64 // of each of its transactions
	tie    int64 // who is asked first of those that cost the same
}

// taste says which of the rows that could take u back are asked first.
type taste int

const (
	careful  taste = iota // that need not be joined by others in what they publish: what a row newly publishes multiplies its price
	careless              // that lose least
	bold                  // that lose least, and of these that have to be joined by others
	tastes
)

// offer is what row n offers, of which each transaction would lose so much.
func (t *topUp) offer(n int32, loss int64) offer {
	r := &t.step.rows[n]
	if t.step.div != nil {
		return offer{n, r.weight, loss, 0} // all will be taken
	}
	if t.step.taste != careless && r.fresh == unforeseen {
		t.foreseeAll(r)
	}
	tie := int64(r.fresh)<<20 - int64(r.mended)
	switch t.step.taste {
	case careful:
		return offer{n, r.weight, loss * int64(1+r.fresh), tie}
	case bold:
		return offer{n, r.weight, loss, -tie}
	default:
		return offer{n, r.weight, loss, 0}
	}
}

// enter puts an offer among the cheapest, as many as may be needed; with diversity among all.
func (t *topUp) enter(o offer) {
	if t.step.div != nil {
		t.offers = append(t.offers, o)
		return
	}
	at := len(t.offers)
	for at > 0 && o.before(t.offers[at-1]) {
		at--
	}
	if len(t.offers) == t.step.k {
		if at == len(t.offers) {
			return
		}
		t.offers = t.offers[:len(t.offers)-1]
	}
	t.offers = slices.Insert(t.offers, at, o)
}

// before tells whether an offer is cheaper than another.
func (o offer) before(p offer) bool {
	return cmp.Or(cmp.Compare(o.price, p.price), cmp.Compare(o.tie, p.tie)) < 0
}

// unforeseen marks a row of which it is not known what becomes of sets if it takes u back.
const unforeseen = -1

// foreseeAll takes note of what became of the sets with u, as they are when a look begins, if the row took u back.
func (t *topUp) foreseeAll(r *row) {
	r.fresh = 0
	now := t.step.now(r)
	t.step.work += int64(len(now))
	for a, v := range now {
		y := t.step.number[v]
		if y > 0 && t.foresee(r, t.counter.by[y].weight) && t.counter.pairs.on {
			t.step.work += int64(len(now)-a) / met
			t.foreseePairs(r, y, now[a+1:])
		}
	}
}

// foresee takes note of what becomes of a set of this weight if the row takes u back, and tells whether the set is not rare.
func (t *topUp) foresee(r *row, weight int32) bool {
	switch {
	case weight == 0:
		r.fresh++
	case weight < int32(t.step.k):
		r.mended++
	default:
		return true
	}
	return false
}

// foreseePairs takes note of what becomes of the sets with a node and one of those after it.
func (t *topUp) foreseePairs(r *row, y int32, after []int32) {
	p := &t.counter.pairs
	for _, v := range after {
		if z := t.step.number[v]; z > 0 && t.counter.by[z].weight >= int32(t.step.k) {
			t.foresee(r, *p.count(pair{y, z})&^queued)
		}
	}
}
