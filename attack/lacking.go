package attack

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Lacking is singling out by so many items of which the adversary knows that a person has them or
// has them not.
type Lacking struct {
	Known    int        `json:"known"` // 1 of them to all are such that the person lacks
	Draws    int        `json:"draws"`
	Baseline float64    `json:"baseline"` // success of picking any record
	Before   Candidates `json:"before"`
	After    Candidates `json:"after"`
}

// mostLacked bounds the items that are drawn at once: what they exclude is looked up for each set
// of them.
const mostLacked = 12

// lacking attacks with size items a person has or has not. How many are lacked is drawn first, from
// 1 to size; then a person who has the others; then lacked items, as often as they are frequent:
// that a person lacks what nobody has tells nothing. It is always sampled, and nil when no draw
// finds anybody.
func (c *Case) lacking(ctx context.Context, o Options, size int) (*Lacking, error) {
	populations := make([]*population, size) // by number of items had
	for n := range populations {
		populations[n] = newPopulation(c.data, n)
	}
	before, after := make([]candidateTally, blocks), make([]candidateTally, blocks)
	done := o.listen(fmt.Sprintf("singling out by %d items had or lacked", size))
	all := &population{data: c.data, persons: populations[0].persons}
	err := all.sample(ctx, o, uint64(300+size), func(block int) func(int32, []int32) {
		defer done()
		before[block].k, after[block].k = o.K, o.K
		rng := rand.New(rand.NewPCG(o.Seed, uint64(400+size)<<8|uint64(block)))
		original, attacker := newCounter(c.before), newCounter(c.after)
		return func(int32, []int32) {
			if items, lacked, ok := c.drawLacking(rng, populations, size); ok {
				before[block].add(original.without(items, c.had.excluded(lacked)), 1)
				after[block].add(attacker.without(items, c.needs.excluded(lacked)), 1)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for i := 1; i < blocks; i++ {
		before[0].merge(&before[i])
		after[0].merge(&after[i])
	}
	if before[0].weight == 0 {
		return nil, nil
	}
	l := &Lacking{Known: size, Draws: int(before[0].weight), Baseline: 1 / float64(c.after.records)}
	l.Before, l.After = before[0].result(false, l.Baseline), after[0].result(false, l.Baseline)
	return l, nil
}

// drawLacking draws what is known of somebody; lacked is ascending.
func (c *Case) drawLacking(rng *rand.Rand, populations []*population, size int) (items,
	lacked []int32, ok bool,
) {
	lacks := 1 + rng.IntN(size)
	p := populations[size-lacks]
	if len(p.persons) == 0 || c.data.Occurrences() == 0 {
		return nil, nil, false
	}
	tx := c.data.Tx(int(p.persons[rng.IntN(len(p.persons))]))
	items = choose(rng, nil, tx, size-lacks)
	const tries = 200 // somebody may have nearly everything
	all := c.data.Items()
	for n := 0; n < tries && len(lacked) < lacks; n++ {
		x := all[rng.IntN(len(all))]
		if _, has := slices.BinarySearch(tx, x); !has && !slices.Contains(lacked, x) {
			lacked = append(lacked, x)
		}
	}
	slices.Sort(lacked)
	return items, lacked, len(lacked) == lacks
}

// without counts the records that match items and are not excluded.
func (c *counter) without(items, excluded []int32) int {
	n := c.v.records
	if len(items) > 0 {
		n = c.matches(items, -1)
	}
	if n == 0 || len(excluded) == 0 {
		return n
	}
	if len(items) == 0 {
		return n - len(excluded)
	}
	for _, r := range excluded {
		if c.v.mayHave(r, items) {
			n--
		}
	}
	return n
}

// mayHave tells whether a record may have all items.
func (v *View) mayHave(record int32, items []int32) bool {
	for _, x := range items {
		if !v.lists[v.may[x]].has(record) {
			return false
		}
	}
	return true
}

// prepareLacking finds what each transaction and each record needs.
func (c *Case) prepareLacking(o Options) error {
	switch {
	case c.tree == nil:
		return errors.New("attack: what a person lacks is knowledge about releases over a " +
			"hierarchy only")
	case o.M > mostLacked:
		return fmt.Errorf("attack: with what a person lacks, m (%d) is at most %d", o.M, mostLacked)
	}
	c.had, c.needs = needs{}, needs{}
	for x, txs := range postings(c.data) {
		for _, i := range txs {
			c.had.add(i, []int32{int32(x)})
		}
	}
	(&own{tree: c.tree}).each(c.published, o.M, c.needs.add)
	return nil
}
