package local

import (
	"cmp"
	"slices"
)

// offer is a class, all rows that publish the same and could take u back with a set, and the
// penalty of that. A class takes u back as a whole: who publishes the same is treated the same,
// whatever his items are, so nobody is known by having been chosen.
type offer struct {
	class   int32
	weight  int64  // of persons: at most
	penalty int64  // of all its transactions
	fresh   int64  // sets with u that no other row publishes
	helped  int64  // sets with u that are rare and the class would have, too
	hash    uint64 // of what it publishes
}

// makeOffers makes offers of the rows that are able, the cheapest for the weight that is needed
// first.
func (t *topUp) makeOffers(set []int32, need int64) {
	t.offers = t.offers[:0]
	for _, n := range t.able {
		r := &t.step.rows[n]
		if t.place[r.class] == 0 {
			if r.fresh == unforeseen {
				t.foreseeAll(r)
			}
			t.offers = append(t.offers, offer{
				class: r.class, hash: t.hashes[r.class],
				fresh: int64(r.fresh), helped: int64(r.helped),
			})
			t.place[r.class] = int32(len(t.offers))
		}
		o := &t.offers[t.place[r.class]-1]
		o.weight += int64(r.weight)
		o.penalty += t.step.gain(t.step.kids(r)[t.step.cheapest(r, set, false)]) *
			int64(t.step.lines[r.tx])
	}
	for _, o := range t.offers {
		t.place[o.class] = 0
	}
	slices.SortFunc(t.offers, func(a, b offer) int { return t.compare(a, b, need) })
}

// compare tells which of two offers is asked first: that of the least penalty for its weight, times
// one more than the new sets that others would have to join in.
func (t *topUp) compare(a, b offer, need int64) int {
	rank := func(o offer) (per float64, tie int64) {
		of := o.weight
		if t.step.m <= wholeClasses {
			of = min(need, of) // what is more than needed is lost
		}
		return float64(o.penalty) / float64(of) * float64(1+o.fresh), o.fresh<<20 - o.helped
	}
	pa, ta := rank(a)
	pb, tb := rank(b)
	return cmp.Or(cmp.Compare(pa, pb), cmp.Compare(ta, tb), cmp.Compare(a.hash, b.hash))
}

// unforeseen marks a row of which it is not known what becomes of sets if it takes u back.
const unforeseen = -1

// foreseeAll takes note of what became of the sets with u, as they are when a look begins, if
// the row took u back.
func (t *topUp) foreseeAll(r *row) {
	r.fresh = 0
	now := t.step.now(r)
	t.step.work += int64(len(now))
	for a, v := range now {
		y := t.step.number[v]
		if y > 0 && t.foreseeSet(r, &t.counter.by[y]) && t.counter.pairs.on {
			t.step.work += int64(len(now)-a) / met
			t.foreseePairs(r, y, now[a+1:])
		}
	}
}

// foreseeSet is foresee for the set of u and one other.
func (t *topUp) foreseeSet(r *row, of *tally) bool {
	if of.weight > 0 {
		return t.foresee(r, max(1, t.counter.support(of)))
	}
	return t.foresee(r, 0)
}

// foresee takes note of what becomes of a set of this weight if the row takes u back, and tells
// whether the set is not rare.
func (t *topUp) foresee(r *row, weight int32) bool {
	switch {
	case weight == 0:
		r.fresh++
	case weight < int32(t.step.k):
		r.helped++
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
