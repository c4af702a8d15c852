package coherence

import (
	"context"
	"math/big"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/itemset"
	"mingle/internal/zdd"
)

// NuggetOptions say which itemsets are worth keeping.
type NuggetOptions struct {
	Support int // k': of at least this many transactions; at least 1
	Length  int // p': of at most this many items; 0: any number
	Workers int // at most this many goroutines; 0: one a processor

	// Progress is called from one goroutine at a time; nil: nobody listens.
	Progress func(anonymize.Progress)
}

// Nuggets counts the nuggets of a data set (xu-2008, definition 3): the itemsets that are not empty
// and that at least so many transactions contain. The share that a release keeps is the number in
// the published file over that in the original.
//
// They are counted on a decision diagram of the subsets of the maximal ones, for there may be far
// too many to list; short ones are listed where there is room for all that there could be.
// zdd.ErrTooLarge says that the diagram is too large.
func Nuggets(ctx context.Context, d *dataset.Dataset, o NuggetOptions) (*big.Int, error) {
	all := slices.Repeat([]bool{true}, d.Dict().Len())
	c, err := newNuggets(ctx, d, o, all)
	if err != nil {
		return nil, err
	}
	return c.total(), nil
}

// newNuggets makes a counter of the nuggets among some items.
func newNuggets(
	ctx context.Context, d *dataset.Dataset, o NuggetOptions, wanted []bool,
) (counter, error) {
	if o.Length > 0 && itemset.Keeps(frequent(d, wanted, o.Support), o.Length) {
		return newShortNuggets(ctx, o.search(d, wanted))
	}
	return newNuggetDiagram(ctx, d, o, wanted)
}

// search asks the miner for nuggets among some items.
func (o NuggetOptions) search(d *dataset.Dataset, wanted []bool) itemset.Input {
	return itemset.Input{
		Data: anonymize.Rows(dataset.Unmerged(d)), Items: wanted,
		MinSupport: o.Support, MaxLen: o.Length, Workers: o.Workers,
		Progress: told(o.Progress, "nuggets"),
	}
}

// frequent is how many of the items are in so many transactions.
func frequent(d *dataset.Dataset, wanted []bool, support int) int {
	n := 0
	for it, c := range d.Supports() {
		if wanted[it] && c >= support {
			n++
		}
	}
	return n
}

// nuggetDiagram counts nuggets on the diagram of the subsets of the maximal ones.
type nuggetDiagram struct {
	totals
	sets   *zdd.Family
	length int
}

func newNuggetDiagram(
	ctx context.Context, d *dataset.Dataset, o NuggetOptions, wanted []bool,
) (counter, error) {
	maximal, err := maximalSets(ctx, o.search(d, wanted))
	if err != nil {
		return nil, err
	}
	sets, err := zdd.Subsets(ctx, maximal, nil, nodes(o.Progress))
	if err != nil {
		return nil, err
	}
	c := &nuggetDiagram{sets: sets, length: o.Length}
	return c, c.remove(ctx, 0, wanted)
}

func (c *nuggetDiagram) remove(ctx context.Context, _ int32, left []bool) (err error) {
	c.Counts, err = c.sets.Count(ctx, len(left), c.length, func(it int32) bool { return left[it] })
	return err
}

func (c *nuggetDiagram) fresh() counter { return &nuggetDiagram{c.copied(), c.sets, c.length} }

func (c *nuggetDiagram) counting() Counting { return Diagram }

// shortNuggets counts nuggets of a few items, as the miner has found them.
type shortNuggets struct {
	totals
	sets *itemset.Safe
}

func newShortNuggets(ctx context.Context, in itemset.Input) (counter, error) {
	sets, err := itemset.FindSafe(ctx, in, nil, nil)
	if err != nil {
		return nil, err
	}
	c := &shortNuggets{totals{zdd.NewCounts(in.Data.Items)}, sets}
	byItem, all, err := sets.Count(ctx, in.Progress)
	c.Add(byItem, all, 1)
	return c, err
}

func (c *shortNuggets) remove(ctx context.Context, item int32, left []bool) error {
	byItem, all, err := c.sets.CountWith(ctx, item, left)
	c.Add(byItem, all, -1)
	return err
}

func (c *shortNuggets) fresh() counter { return &shortNuggets{c.copied(), c.sets.Copy()} }

func (c *shortNuggets) counting() Counting { return Projection }
