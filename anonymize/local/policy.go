package local

import (
	"cmp"
	"math/bits"
	"slices"
)

// This file is the rollback policy: who takes u back, where a set with u has become rare? Those
// that lose least for the support they bring, times one more than the sets with u that nobody else
// would publish then, and in which others would have to follow.
//
// With m up to wholeClasses all transactions that publish the same take u back together, as a
// class: nobody is known by having been chosen among them, whatever his items are.
//
// Time: a sort of the classes for each rare set, and what each class publishes once in a check;
// with m=3 the square of that.

// offer is a class that could take u back with a set, and what that loses.
type offer struct {
	class  int32
	weight int64
	loss   int64  // of all its transactions
	fresh  int64  // sets with u that no other row publishes
	helped int64  // sets with u that are rare and the class would have, too
	hash   uint64 // of what it publishes
}

// wholeClasses is the largest m for which rows that publish the same take u back together. For m=3
// that loses 7 to 9 % on BMS-WebView-1 and chess, and every row is a class by itself.
const wholeClasses = 2

// classOf is the number of the class of rows that publish a set.
func (t *restorer) classOf(set []int32) int32 {
	h := uint64(len(set))
	for _, v := range set {
		hi, lo := bits.Mul64(h^uint64(v+1), 0x9e3779b97f4a7c15)
		h = hi ^ lo + 0x2545f4914f6cdd1d
	}
	class, is := t.classes[h]
	if !is || t.step.rule.m > wholeClasses {
		class = int32(len(t.hashes))
		t.classes[h], t.hashes = class, append(t.hashes, h)
		if len(t.place) < len(t.hashes) {
			t.place = append(t.place, 0)
		}
	}
	return class
}

// makeOffers makes offers of the rows that are eligible, the best for the weight that is needed
// first.
func (t *restorer) makeOffers(set []int32, need int64) {
	t.offers = t.offers[:0]
	for _, n := range t.eligible {
		r := &t.step.rows[n]
		if t.place[r.class] == 0 {
			o := offer{class: r.class, hash: t.hashes[r.class]}
			if t.step.rule.div == nil {
				if r.fresh == notPredicted {
					t.predictAll(r)
				}
				o.fresh, o.helped = int64(r.fresh), int64(r.helped)
			}
			t.offers = append(t.offers, o)
			t.place[r.class] = int32(len(t.offers))
		}
		o := &t.offers[t.place[r.class]-1]
		o.weight += int64(r.weight)
		o.loss += t.step.gain(t.step.of(r)[t.step.cheapest(r, set, false)]) * int64(r.weight)
	}
	for _, o := range t.offers {
		t.place[o.class] = 0
	}
	if t.step.rule.div == nil { // with diversity all will be taken
		slices.SortFunc(t.offers, func(a, b offer) int { return t.compare(a, b, need) })
	}
}

// compare tells which of two offers comes first.
func (t *restorer) compare(a, b offer, need int64) int {
	rank := func(o offer) (loss float64, tie int64) {
		of := o.weight
		if t.step.rule.m <= wholeClasses {
			of = min(need, of) // the rest of the class is not needed
		}
		return float64(o.loss) / float64(of) * float64(1+o.fresh), o.fresh<<20 - o.helped
	}
	la, ta := rank(a)
	lb, tb := rank(b)
	return cmp.Or(cmp.Compare(la, lb), cmp.Compare(ta, tb), cmp.Compare(a.hash, b.hash))
}

// notPredicted marks a row of which it is not known what becomes of sets if it takes u back.
const notPredicted = -1

// predictAll notes what became of the sets with u, as they are when a check begins, if the row took
// u back.
func (t *restorer) predictAll(r *row) {
	r.fresh = 0
	now := t.step.now(r)
	t.step.meter.add(len(now))
	for a, v := range now {
		y := t.step.space.number[v]
		if y > 0 && t.predict(r, t.counter.by[y].weight) && t.counter.pairs.on {
			t.step.meter.add((len(now) - a) / metAUnit)
			t.predictPairs(r, y, now[a+1:])
		}
	}
}

// predict notes what becomes of a set of this weight if the row takes u back, and tells whether the
// set is not rare.
func (t *restorer) predict(r *row, weight int32) bool {
	switch {
	case weight == 0:
		r.fresh++
	case weight < int32(t.step.rule.k):
		r.helped++
	default:
		return true
	}
	return false
}

// predictPairs notes what becomes of the sets with a node and one of those after it.
func (t *restorer) predictPairs(r *row, y int32, after []int32) {
	p := &t.counter.pairs
	for _, v := range after {
		if z := t.step.space.number[v]; z > 0 && t.counter.by[z].weight >= int32(t.step.rule.k) {
			t.predict(r, *p.count(pair{y, z})&^queued)
		}
	}
}
