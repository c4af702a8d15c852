package attack

import (
	"context"
	"fmt"
	"math"
)

// Singling is singling out by so many known items.
type Singling struct {
	Known        int        `json:"known"`
	Persons      int        `json:"persons"` // that have so many items
	Exact        bool       `json:"exact"`   // every combination was looked at
	Combinations int64      `json:"combinations,omitempty"`
	Draws        int        `json:"draws,omitempty"` // where it is not exact
	Baseline     float64    `json:"baseline"`        // success of picking any record
	Before       Candidates `json:"before"`
	After        Candidates `json:"after"`
}

// Candidates says how many records match what is known. Shares are of a random person and random
// known items.
type Candidates struct {
	None    Estimate `json:"none"`    // no record matches: the items were suppressed
	Unique  Estimate `json:"unique"`  // one matches
	UnderK  Estimate `json:"under_k"` // at least one and fewer than k match
	Success Estimate `json:"success"` // expected: 1/matches
	Risk    float64  `json:"risk"`    // (success - baseline)/(1 - baseline), at least 0
	Fewest  int      `json:"fewest"`  // matches seen, 0 aside; 0: nothing was looked at
	Counts  []Bucket `json:"counts"`
}

// Bucket is the share of persons and known items that From to To records match; To is 0 where there
// is no end.
type Bucket struct {
	From  int     `json:"from"`
	To    int     `json:"to,omitempty"`
	Share float64 `json:"share"`
}

// bucketStarts are the least counts of the buckets.
var bucketStarts = [...]int{0, 1, 2, 5, 10, 20, 50, 100, 1000, 10000}

// candidateTally sums up candidate counts.
type candidateTally struct {
	k                int
	weight           float64
	unique, under    float64
	success, squares float64
	fewest           int
	counts           [len(bucketStarts)]float64
	combinations     int64
}

func (t *candidateTally) add(matches int, weight float64) {
	t.weight += weight
	t.combinations++
	at := len(bucketStarts) - 1
	for bucketStarts[at] > matches {
		at--
	}
	t.counts[at] += weight
	if matches == 0 {
		return
	}
	if t.fewest == 0 || matches < t.fewest {
		t.fewest = matches
	}
	if matches == 1 {
		t.unique += weight
	}
	if matches < t.k {
		t.under += weight
	}
	p := 1 / float64(matches)
	t.success += float64(weight * p) // converted: the same on any machine
	t.squares += float64(weight * p * p)
}

func (t *candidateTally) merge(o *candidateTally) {
	t.weight += o.weight
	t.combinations += o.combinations
	t.unique += o.unique
	t.under += o.under
	t.success += o.success
	t.squares += o.squares
	for i := range t.counts {
		t.counts[i] += o.counts[i]
	}
	if t.fewest == 0 || o.fewest > 0 && o.fewest < t.fewest {
		t.fewest = o.fewest
	}
}

func (t *candidateTally) result(exact bool, baseline float64) Candidates {
	proportion := share
	average := mean
	if exact {
		proportion = func(hits, n float64) Estimate { return exactly(hits / n) }
		average = func(sum, _, n float64) Estimate { return exactly(sum / n) }
	}
	c := Candidates{
		None: proportion(t.counts[0], t.weight), Unique: proportion(t.unique, t.weight),
		UnderK:  proportion(t.under, t.weight),
		Success: average(t.success, t.squares, t.weight), Fewest: t.fewest,
	}
	c.Risk = risk(c.Success.Value, baseline)
	for i, n := range t.counts {
		b := Bucket{From: bucketStarts[i], Share: n / t.weight}
		if i+1 < len(bucketStarts) {
			b.To = bucketStarts[i+1] - 1
		}
		c.Counts = append(c.Counts, b)
	}
	return c
}

// singling attacks with size known items. It is nil when nobody has as many.
func (c *Case) singling(ctx context.Context, o Options, size int) (*Singling, error) {
	p := newPopulation(c.data, size)
	if len(p.persons) == 0 {
		return nil, nil
	}
	s := &Singling{
		Known: size, Persons: len(p.persons), Exact: p.pairs <= float64(o.Exact),
		Baseline: 1 / float64(c.candidates()),
	}
	before, after := make([]candidateTally, blocks), make([]candidateTally, blocks)
	for i := range blocks {
		before[i].k, after[i].k = o.K, o.K
	}
	done := o.listen(fmt.Sprintf("singling out by %d known items", size))
	var err error
	if s.Exact {
		err = p.enumerate(ctx, o, func(block int) func([]int32, []owner) {
			defer done()
			attacker := newCounter(c.after)
			original := newCounter(c.before)
			return func(items []int32, owners []owner) {
				w := p.weight(owners)
				n := original.owners(owners)
				// equal values: owners of "the second of equal values" have two
				if c.before.copies != nil {
					n = original.candidates(items)
				}
				before[block].add(n, w)
				after[block].add(attacker.candidates(items), w)
			}
		})
	} else {
		s.Draws = o.Draws
		err = p.sample(ctx, o, uint64(size), func(block int) func(int32, []int32) {
			defer done()
			original, attacker := newCounter(c.before), newCounter(c.after)
			return func(_ int32, items []int32) {
				before[block].add(original.candidates(items), 1)
				after[block].add(attacker.candidates(items), 1)
			}
		})
	}
	if err != nil {
		return nil, err
	}
	for i := 1; i < blocks; i++ {
		before[0].merge(&before[i])
		after[0].merge(&after[i])
	}
	if s.Exact {
		s.Combinations = before[0].combinations
	}
	s.Before, s.After = before[0].result(s.Exact, s.Baseline), after[0].result(s.Exact, s.Baseline)
	return s, nil
}

// weight is the expected number of persons who have exactly these items known, each person's
// combinations being equally likely.
func (p *population) weight(owners []owner) float64 {
	w := 0.0
	for _, o := range owners {
		w += p.inverses[len(p.data.Tx(int(o.tx)))]
	}
	return w
}

// nearly is how far from 1 a belief may be by rounding.
const nearly = 1e-9

func certain(belief float64) bool { return math.Abs(1-belief) < nearly }
