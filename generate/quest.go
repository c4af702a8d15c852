package generate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// This file makes the synthetic data of the frequent-itemset literature: R. Agrawal, R. Srikant,
// Fast Algorithms for Mining Association Rules, VLDB 1994, section 2.4.3. Transactions are put
// together from a pool of potentially large itemsets ("patterns"), whose weights are exponential,
// which share items with the one before, and of which items are dropped ("corruption").
//
// Deviations. Items have exponential weights too, where the paper draws them uniformly, and the
// correlation is 0.25 where the paper has 0.5: with uniform weights all 1,000 items would occur,
// while the published T10I4D100K has 870 of them and T40I10D100K 942, which these settings meet.
// The corruption levels' normal distribution is a sum of twelve uniform ones, cut to 0..1. A
// transaction without items takes the next pattern whatever its length. Time: proportional to the
// occurrences. Memory: the patterns, N + L·I numbers.

// The settings of [QuestParams] that meet the published data sets.
const (
	Correlation = 0.25
	Corruption  = 0.5
)

// QuestParams are named as in the paper: Agrawal and Srikant, Fast Algorithms for Mining
// Association Rules, VLDB 1994, section 2.4.3.
type QuestParams struct {
	Transactions int // D; required, at least 1
	// T; required, at least 1: items a transaction before patterns are fitted in
	AvgLength  float64
	AvgPattern float64 // I; required, at least 1: items a pattern
	Items      int     // N; at least 1, default 1,000; not all of them need to occur
	Patterns   int     // L; at least 1, default 2,000
	// 0..1: mean share of a pattern that is taken from the one before; see Correlation
	Correlation float64
	// 0..1: mean corruption level; its variance is 0.1, if it is not 0; see Corruption
	Corruption float64
	Seed       uint64
}

// Validate returns every fault at once.
func (p QuestParams) Validate() error {
	p = p.withDefaults()
	return errors.Join(
		atLeast("transactions", p.Transactions, 1),
		itemCount(p.Items),
		atLeast("patterns", p.Patterns, 1),
		lengthUpTo(p.Items, "average length", p.AvgLength),
		lengthUpTo(p.Items, "average pattern length", p.AvgPattern),
		between("correlation", p.Correlation, 0, 1),
		between("corruption", p.Corruption, 0, 1),
	)
}

func (p QuestParams) withDefaults() QuestParams {
	if p.Items == 0 {
		p.Items = 1000
	}
	if p.Patterns == 0 {
		p.Patterns = 2000
	}
	return p
}

func atLeast(what string, n, least int) error {
	if n < least {
		return fmt.Errorf("%s (%d) must be at least %d", what, n, least)
	}
	return nil
}

// itemCount: ids are int32.
func itemCount(n int) error {
	if n < 1 || n > math.MaxInt32 {
		return fmt.Errorf("items (%d) must be between 1 and %d", n, math.MaxInt32)
	}
	return nil
}

func between(what string, x, lo, hi float64) error {
	if !(x >= lo && x <= hi) { // a NaN is not
		return fmt.Errorf("%s (%v) must be between %v and %v", what, x, lo, hi)
	}
	return nil
}

// lengthUpTo checks a length against the number of items; where that is wrong itself, another says
// so, and only the least length is known.
func lengthUpTo(items int, what string, x float64) error {
	if items >= 1 {
		return between(what, x, 1, float64(items))
	}
	if !(x >= 1) {
		return fmt.Errorf("%s (%v) must be at least 1", what, x)
	}
	return nil
}

// Quest emits p.Transactions transactions.
func Quest(p QuestParams, emit Emit) error {
	if err := p.Validate(); err != nil {
		return err
	}
	p = p.withDefaults()
	plan := newRand(p.Seed, streamPlan)
	q := quest{
		rng:     newRand(p.Seed, streamItems),
		pool:    newPatterns(p, plan),
		lengths: newPicker(poissonWeights(p.AvgLength-1, p.Items-1)),
		tx:      newSet(p.Items),
	}
	for range p.Transactions {
		q.compose()
		if err := q.tx.emit(emit); err != nil {
			return err
		}
	}
	return nil
}

// patterns is the pool: what may be frequent.
type patterns struct {
	items      [][]int32
	corruption []float64
	choose     picker
}

func newPatterns(p QuestParams, r *rand.Rand) patterns {
	weights := make([]float64, p.Items)
	for i := range weights {
		weights[i] = exponential(r)
	}
	items := newPicker(weights)
	lengths := newPicker(poissonWeights(p.AvgPattern-1, p.Items-1))
	pool := patterns{items: make([][]int32, p.Patterns), corruption: make([]float64, p.Patterns)}
	popularity := make([]float64, p.Patterns)
	members := newSet(p.Items)
	for i := range p.Patterns {
		n := 1 + int(lengths.pick(r))
		if i > 0 {
			before := append([]int32(nil), pool.items[i-1]...)
			shuffle(r, before)
			shared := int(float64(min(1, float64(p.Correlation*exponential(r)))*float64(n)) + 0.5)
			for _, it := range before[:min(shared, len(before))] {
				members.add(it)
			}
		}
		members.fill(n, r, func() int32 { return items.pick(r) })
		_ = members.emit(func(tx []int32) error { // cannot fail
			pool.items[i] = append([]int32(nil), tx...)
			return nil
		})
		popularity[i] = exponential(r)
		if p.Corruption > 0 {
			// variance 0.1
			pool.corruption[i] = min(1, max(0, p.Corruption+float64(0.316227766*normal(r))))
		}
	}
	pool.choose = newPicker(popularity)
	return pool
}

// quest composes one transaction after another.
type quest struct {
	rng     *rand.Rand
	pool    patterns
	lengths picker
	tx      *set
	pattern []int32 // the one at hand; kept for the next transaction where it did not fit
	kept    bool
}

// compose fills tx. If the pattern at hand does not fit, it is put in anyway in half the cases, and
// kept for the next transaction in the others.
func (q *quest) compose() {
	// patterns that bring nothing new before a transaction stays short: the pool has no more items
	const vain = 1000
	size := 1 + int(q.lengths.pick(q.rng))
	for tries := 0; len(q.tx.items) < size && tries < vain; tries++ {
		if !q.kept {
			q.next()
		}
		q.kept = false
		before := len(q.tx.items)
		if before > 0 && before+len(q.pattern) > size && q.rng.Uint64()&1 == 0 {
			q.kept = true
			return
		}
		for _, it := range q.pattern {
			if q.tx.add(it) {
				tries = 0
			}
		}
		if before > 0 && before+len(q.pattern) > size {
			return
		}
	}
}

// next chooses a pattern and drops items of it for as long as a number in 0..1 is below its
// corruption level.
func (q *quest) next() {
	i := q.pool.choose.pick(q.rng)
	q.pattern = append(q.pattern[:0], q.pool.items[i]...)
	for len(q.pattern) > 0 && q.rng.Float64() < q.pool.corruption[i] {
		drop := q.rng.Uint64N(uint64(len(q.pattern)))
		last := len(q.pattern) - 1
		q.pattern[drop] = q.pattern[last]
		q.pattern = q.pattern[:last]
	}
}
