package attack

import (
	"context"
	"fmt"
	"math/rand/v2"

	"mingle/internal/par"
)

// Linking is the attack of two sources that know different items of one person, so many each. The
// adversary is given the one's items and two lists of the other's, one of the same person and one
// of a person drawn at random, and says which belongs: that of whose matching records more also
// match the first, as a share. Told is how often that is right; a draw counts half. A baseline that
// knows nothing is right in half of the cases. It is always sampled.
type Linking struct {
	Known    int      `json:"known"`   // items that each source knows
	Persons  int      `json:"persons"` // that have twice as many
	Draws    int      `json:"draws"`
	Baseline float64  `json:"baseline"` // one half
	Before   Estimate `json:"before"`
	After    Estimate `json:"after"`
	// Risks are (success - baseline)/(1 - baseline), at least 0.
	RiskBefore float64 `json:"risk_before"`
	RiskAfter  float64 `json:"risk_after"`
}

// linkTally sums up draws of 0, 1/2 or 1.
type linkTally struct{ draws, sum, squares float64 }

func (t *linkTally) add(right float64) {
	t.draws++
	t.sum += right
	t.squares += right * right
}

// link attacks with size known items in each source. It is nil when nobody has twice as many, or
// when there is one person only.
func (c *Case) link(ctx context.Context, o Options, size int) (*Linking, error) {
	p := newPopulation(c.data, 2*size)
	others := newPopulation(c.data, size)
	if len(p.persons) == 0 || len(others.persons) < 2 {
		return nil, nil
	}
	done := o.listen(fmt.Sprintf("linking %d known items to %d others", size, size))
	before, after := make([]linkTally, blocks), make([]linkTally, blocks)
	err := par.Each(ctx, o.Workers, blocks, func(ctx context.Context, block int) error {
		done()
		rng := rand.New(rand.NewPCG(o.Seed, uint64(300+size)<<8|uint64(block)))
		original, attacker := newCounter(c.before), newCounter(c.after)
		for n := block; n < o.Draws; n += blocks {
			if n/blocks%256 == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			person := p.persons[rng.IntN(len(p.persons))]
			both := choose(rng, nil, c.data.Tx(int(person)), 2*size)
			other := person
			for other == person {
				other = others.persons[rng.IntN(len(others.persons))]
			}
			decoy := choose(rng, nil, c.data.Tx(int(other)), size)
			first, second := both[:size:size], both[size:]
			before[block].add(original.belongs(first, second, decoy))
			after[block].add(attacker.belongs(first, second, decoy))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	l := &Linking{
		Known: size, Persons: len(p.persons), Draws: o.Draws, Baseline: 0.5,
		Before: joined(before), After: joined(after),
	}
	l.RiskBefore, l.RiskAfter = risk(l.Before.Value, l.Baseline), risk(l.After.Value, l.Baseline)
	return l, nil
}

// belongs is 1 when more of the records that match second, as a share, match first too than of
// those that match decoy; 1/2 when the shares are equal, and 0 else.
func (c *counter) belongs(first, second, decoy []int32) float64 {
	a, of := c.matches(union(first, second), -1), c.matches(second, -1)
	b, ofDecoy := c.matches(union(first, decoy), -1), c.matches(decoy, -1)
	switch x, y := a*max(1, ofDecoy), b*max(1, of); {
	case x > y:
		return 1
	case x == y:
		return 0.5
	}
	return 0
}

func joined(tallies []linkTally) Estimate {
	var t linkTally
	for _, o := range tallies {
		t.draws += o.draws
		t.sum += o.sum
		t.squares += o.squares
	}
	return mean(t.sum, t.squares, t.draws)
}

// linkAll links 1 to o.M known items.
func (c *Case) linkAll(ctx context.Context, o Options, r *Result) error {
	for size := range facts(o.M, c.data.MaxLen()) {
		l, err := c.link(ctx, o, size)
		if err != nil {
			return err
		}
		if l != nil {
			r.Linking = append(r.Linking, *l)
		}
	}
	return nil
}
