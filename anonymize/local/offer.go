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
	weight  int64   // of persons: at most
	penalty int64   // of all its transactions
	fresh   int64   // sets with u that no other row publishes
	helped  int64   // sets with u that are rare and the class would have, too
	hash    uint64  // of what it publishes
	per     float64 // see rank
	tie     int64   // the same
}

// makeOffers makes offers of the rows that are able, and ranks them by what they take for the
// weight that is needed.
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
	for n := range t.offers {
		t.place[t.offers[n].class] = 0
		t.rank(&t.offers[n], need)
	}
}

// rank ranks an offer: the penalty for its weight, times one more than the new sets that others
// would have to join in. The least is asked first.
func (t *topUp) rank(o *offer, need int64) {
	of := o.weight
	if t.step.m <= wholeClasses {
		of = min(need, of) // what is more than needed is lost
	}
	o.per = float64(o.penalty) / float64(of) * float64(1+o.fresh)
	o.tie = o.fresh<<20 - o.helped
}

// compare tells which of two offers is asked first.
func (o *offer) compare(b *offer) int {
	return cmp.Or(cmp.Compare(o.per, b.per), cmp.Compare(o.tie, b.tie), cmp.Compare(o.hash, b.hash))
}

// fewAsked is how many classes are brought one by one: most often two or three of hundreds are
// asked. Rows by themselves are sorted at once: many have the same rank, and which of these is
// asked first decides what is lost.
const fewAsked = 8

// bring puts the one that is asked first, of the offers from the n-th on, into the n-th place. All
// before the n-th have been brought.
func (t *topUp) bring(n int) *offer {
	first, left, few := 0, t.offers[n:], 0
	if t.step.m <= wholeClasses {
		few = fewAsked
	}
	switch {
	case n < few:
		for i := range left {
			if left[i].compare(&left[first]) < 0 {
				first = i
			}
		}
		left[0], left[first] = left[first], left[0]
	case n == few:
		slices.SortFunc(left, func(a, b offer) int { return a.compare(&b) })
	}
	return &left[0]
}
