package coherence

import (
	"context"
	"slices"

	"mingle/internal/itemset"
	"mingle/internal/zdd"
)

// Counting on zero-suppressed decision diagrams (package zdd). It is not in the paper. Diagrams are
// small where itemsets are long and alike, where the paper's differences of edges explode; an item
// is removed by leaving its branch out of the count, so nothing is built again.

// maximalSets lists the maximal frequent itemsets.
func maximalSets(ctx context.Context, in itemset.Input) (sets [][]int32, err error) {
	var block []int32 // of many sets: as many small ones would be dear to clear away
	err = itemset.Maximal(ctx, in, func(items []int32, _ int) error {
		if cap(block)-len(block) < len(items) {
			block = make([]int32, 0, max(1<<14, len(items)))
		}
		from := len(block)
		block = append(block, items...)
		sets = append(sets, block[from:len(block):len(block)])
		return nil
	})
	return sets, err
}

// moleDiagrams counts moles as the sets that occur less those that are safe, on a diagram each: the
// subsets of the maximal transactions; and those of the maximal itemsets with support k, as far as
// they contain no minimal mole with support k.
//
// It serves where p is too large for a projection. Where there are private items the minimal moles
// with support k are found by going through all safe itemsets of fewer than p items.
type moleDiagrams struct {
	totals
	occurring, safe *zdd.Family
	length          int
}

func newMoleDiagrams(ctx context.Context, p *problem, public []bool) (counter, error) {
	c := &moleDiagrams{length: p.Promise.P}
	var err error
	if c.occurring, err = zdd.Subsets(
		ctx, maximalRows(p.Data, public), nil, nodes(p.Progress),
	); err != nil {
		return nil, tooLarge(err)
	}
	in := p.safeInput(public)
	in.MaxLen = 0
	frequent, err := maximalSets(ctx, in)
	if err != nil {
		return nil, err
	}
	var leaks [][]int32 // the minimal moles that k transactions contain: they imply a private item
	if p.Promise.H < 1 && slices.Contains(p.Private, true) {
		if leaks, err = p.minimalMoles(ctx, public, p.Promise.K); err != nil {
			return nil, err
		}
	}
	if c.safe, err = zdd.Subsets(ctx, frequent, leaks, nodes(p.Progress)); err != nil {
		return nil, tooLarge(err)
	}
	return c, c.count(ctx, public)
}

// maxSafe bounds the safe itemsets to go through one by one: minutes.
const maxSafe = 1 << 28

// minimalMoles lists the minimal moles of the public items that at least so many transactions
// contain.
func (p *problem) minimalMoles(
	ctx context.Context, public []bool, least int,
) (moles [][]int32, err error) {
	in := p.safeInput(public)
	in.MaxSafe = maxSafe
	_, err = itemset.FindSafe(ctx, in, p.guard(), func(items []int32, support int) error {
		if support >= least {
			moles = append(moles, slices.Clone(items))
		}
		return nil
	})
	return moles, tooLarge(err)
}

func (c *moleDiagrams) count(ctx context.Context, public []bool) error {
	is := func(it int32) bool { return public[it] }
	occurring, err := c.occurring.Count(ctx, len(public), c.length, is)
	if err != nil {
		return err
	}
	safe, err := c.safe.Count(ctx, len(public), c.length, is)
	occurring.Sub(safe)
	c.Counts = occurring
	return err
}

func (c *moleDiagrams) remove(ctx context.Context, _ int32, left []bool) error {
	return c.count(ctx, left)
}

func (c *moleDiagrams) fresh() counter {
	return &moleDiagrams{c.copied(), c.occurring, c.safe, c.length}
}

func (c *moleDiagrams) counting() Counting { return Diagram }
