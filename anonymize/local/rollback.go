package local

import (
	"cmp"
	"slices"
)

// rollback is a class, all rows that publish the same and could take u back with a set, and the
// penalty of their doing so. A class takes u back as a whole: who publishes the same is treated the
// same, whatever his items are, so nobody is known by having been chosen.
type rollback struct {
	class   int32
	weight  int64   // of persons: at most
	penalty int64   // of all its transactions
	fresh   int64   // sets with u that no other row publishes
	helped  int64   // sets with u that are rare and the class would have, too
	hash    uint64  // of what it publishes
	per     float64 // see rank
	tie     int64   // the same
}

// makeRollbacks makes rollbacks of the rows that are able, and ranks them by what they take for
// the weight that is needed.
func (t *topUp) makeRollbacks(set []int32, need int64) {
	t.rollbacks = t.rollbacks[:0]
	for _, n := range t.able {
		r := &t.step.rows[n]
		if t.place[r.class] == 0 {
			if r.fresh == unforeseen {
				t.foreseeAll(r)
			}
			t.rollbacks = append(t.rollbacks, rollback{
				class: r.class, hash: t.hashes[r.class],
				fresh: int64(r.fresh), helped: int64(r.helped),
			})
			t.place[r.class] = int32(len(t.rollbacks))
		}
		b := &t.rollbacks[t.place[r.class]-1]
		b.weight += int64(r.weight)
		b.penalty += t.step.gain(t.step.specialisations(r)[t.step.cheapest(r, set, false)]) *
			int64(t.step.lines[r.tx])
	}
	for n := range t.rollbacks {
		t.place[t.rollbacks[n].class] = 0
		t.rank(&t.rollbacks[n], need)
	}
}

// rank ranks a rollback: the penalty for its weight, times one more than the new sets that others
// would have to join in. The least comes first.
func (t *topUp) rank(b *rollback, need int64) {
	of := b.weight
	if t.step.m <= wholeClasses {
		of = min(need, of) // what is more than needed is lost
	}
	b.per = float64(b.penalty) / float64(of) * float64(1+b.fresh)
	b.tie = b.fresh<<20 - b.helped
}

// compare tells which of two rollbacks comes first.
func (b *rollback) compare(to *rollback) int {
	return cmp.Or(
		cmp.Compare(b.per, to.per), cmp.Compare(b.tie, to.tie), cmp.Compare(b.hash, to.hash),
	)
}

// fewAsked is how many classes are brought one by one: most often two or three of hundreds are
// asked. Rows by themselves are sorted at once: many have the same rank, and which of these is
// asked first decides what is lost.
const fewAsked = 8

// bring puts the one that comes first, of the rollbacks from the n-th on, into the n-th place. All
// before the n-th have been brought.
func (t *topUp) bring(n int) *rollback {
	first, left, few := 0, t.rollbacks[n:], 0
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
		slices.SortFunc(left, func(a, b rollback) int { return a.compare(&b) })
	}
	return &left[0]
}
