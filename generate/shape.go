package generate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// ShapeParams give the numbers by which a data set is described in papers; the data has exactly
// these.
type ShapeParams struct {
	Transactions int     // required, at least 1; none is empty
	Items        int     // required, at least 1; each occurs
	Longest      int     // required, 1..Items: length of the longest transaction
	Average      float64 // required, 1..Longest: mean length; exact to half an occurrence in all
	Exponent     float64 // of Zipf's law by which items are popular, 0..10
	Seed         uint64
}

// Occurrences is the number of item occurrences in all.
func (p ShapeParams) Occurrences() int64 {
	return int64(math.Round(p.Average * float64(p.Transactions)))
}

// Validate returns every fault at once.
func (p ShapeParams) Validate() error {
	err := errors.Join(
		atLeast("transactions", p.Transactions, 1),
		itemCount(p.Items),
		atLeast("longest", p.Longest, 1),
		between("exponent", p.Exponent, 0, 10),
	)
	if err != nil {
		return err
	}
	if p.Longest > p.Items {
		return fmt.Errorf("longest (%d) must be at most the number of items (%d): no transaction holds an item twice", p.Longest, p.Items)
	}
	if err := between("average", p.Average, 1, float64(p.Longest)); err != nil {
		return err
	}
	n, longest, all := int64(p.Transactions), int64(p.Longest), p.Occurrences()
	switch {
	case all < longest+n-1:
		return fmt.Errorf("average (%v) is too small: with one transaction of %d items and at least one item in each of the others it is at least %v",
			p.Average, longest, float64(longest+n-1)/float64(n))
	case all < int64(p.Items):
		return fmt.Errorf("average (%v) is too small: %d items occur only if it is at least %v",
			p.Average, p.Items, float64(p.Items)/float64(n))
	}
	return nil
}

// Shape emits p.Transactions transactions of 1 to p.Longest items, one of them at least of
// p.Longest, p.Occurrences() in all, in which every item occurs. Lengths are geometric (or what the
// numbers leave of that), items independent.
//
// Lengths are drawn twice with the same seed: once to count them, then again with the difference to
// the wanted sum spread evenly. So nothing is kept but a histogram.
func Shape(p ShapeParams, emit Emit) error {
	if err := p.Validate(); err != nil {
		return err
	}
	plan := newRand(p.Seed, streamPlan)
	lengths := newExactLengths(p, plan)
	filler := newCovering(p, plan)
	for range p.Transactions {
		if err := filler.transaction(lengths.next(), emit); err != nil {
			return err
		}
	}
	return nil
}

// exactLengths are random lengths with a given sum.
type exactLengths struct {
	p       ShapeParams
	draw    picker
	rng     *rand.Rand
	longest int // the transaction of the longest length
	at      int // how many are given

	up          bool  // lengths are to grow, else to shrink
	whole       int   // every length changes by this, as far as it can
	spread, of  int64 // and so many of those that can change by more change by one more
	seenOfThose int64
}

func newExactLengths(p ShapeParams, plan *rand.Rand) *exactLengths {
	l := &exactLengths{p: p, longest: int(plan.Uint64N(uint64(p.Transactions)))}
	if p.Transactions == 1 {
		return l
	}
	others := p.Occurrences() - int64(p.Longest)
	mean := float64(others) / float64(p.Transactions-1)
	l.draw = newPicker(geometricWeights(mean-1, p.Longest-1))
	histogram := make([]int64, p.Longest+1)
	l.restart()
	sum := int64(0)
	for range p.Transactions - 1 {
		n := l.raw()
		histogram[n]++
		sum += int64(n)
	}
	l.restart()
	l.plan(others-sum, histogram)
	return l
}

func (l *exactLengths) restart() { l.rng = newRand(l.p.Seed, streamLengths) }

func (l *exactLengths) raw() int { return 1 + int(l.draw.pick(l.rng)) }

// room is how far a length can change.
func (l *exactLengths) room(n int) int {
	if l.up {
		return l.p.Longest - n
	}
	return n - 1
}

// plan spreads a difference over the lengths: everybody's share is the same, as far as there is
// room.
func (l *exactLengths) plan(difference int64, histogram []int64) {
	l.up = difference > 0
	todo := max(difference, -difference)
	for l.whole = 0; todo > 0; l.whole++ {
		can := int64(0)
		for n, count := range histogram[1:] {
			if l.room(n+1) > l.whole {
				can += count
			}
		}
		if l.of = can; todo < can {
			break
		}
		todo -= can
	}
	l.spread = todo
}

// next is the length of the next transaction.
func (l *exactLengths) next() int {
	l.at++
	if l.at-1 == l.longest {
		return l.p.Longest
	}
	n := l.raw()
	room := l.room(n)
	change := min(l.whole, room)
	if room > l.whole && l.spread > 0 {
		// the i-th of those with room takes one more where i·spread/of passes a whole number
		if (l.seenOfThose+1)*l.spread/l.of > l.seenOfThose*l.spread/l.of {
			change++
		}
		l.seenOfThose++
	}
	if l.up {
		return n + change
	}
	return n - change
}

// covering fills transactions such that every item occurs: the items, in random order, are dealt
// out evenly over the occurrences; what is between them is drawn by popularity.
type covering struct {
	p     ShapeParams
	id    []int32 // of a rank
	deal  []int32
	items picker
	rng   *rand.Rand
	tx    *set
	done  int64 // occurrences so far
	dealt int
}

func newCovering(p ShapeParams, plan *rand.Rand) *covering {
	return &covering{
		p: p, id: permutation(plan, p.Items), deal: permutation(plan, p.Items),
		items: newPicker(zipfWeights(p.Items, p.Exponent)), rng: newRand(p.Seed, streamItems),
		tx: newSet(p.Items),
	}
}

func (c *covering) transaction(length int, emit Emit) error {
	c.done += int64(length)
	all := c.p.Occurrences()
	// never more than length above what is dealt: Items ≤ all
	due := (int64(c.p.Items)*c.done + all - 1) / all
	for int64(c.dealt) < due {
		c.tx.add(c.deal[c.dealt])
		c.dealt++
	}
	c.tx.fill(length, c.rng, func() int32 { return c.id[c.items.pick(c.rng)] })
	return c.tx.emit(emit)
}
