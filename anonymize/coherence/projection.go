package coherence

import (
	"context"
	"errors"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/itemset"
	"mingle/internal/zdd"
)

// projection counts moles as the sets that occur less those that are safe. Both families contain
// the subsets of their members, and a safe set occurs.
//
// It is not in the paper, whose border of moles has, on data with many rare itemsets, more edges
// than there are occurrences of items: an edge for each minimal mole and each maximal transaction
// around it.
type projection struct {
	totals
	occurring *occurring
	safe      *itemset.Safe
}

func newProjection(
	ctx context.Context, p *problem, public []bool, o *occurring,
) (counter, error) {
	c := &projection{totals: totals{zdd.NewCounts(len(public))}, occurring: o}
	byItem, all, err := o.count(ctx, told(p.Progress, "sets that occur"))
	if err != nil {
		return nil, err
	}
	c.Add(byItem, all, 1)
	if c.safe, err = itemset.FindSafe(ctx, p.safeInput(public), p.guard(), nil); err != nil {
		return nil, tooLarge(err)
	}
	if byItem, all, err = c.safe.Count(ctx, told(p.Progress, "counting safe sets")); err != nil {
		return nil, err
	}
	c.Add(byItem, all, -1)
	return c, nil
}

func (c *projection) remove(ctx context.Context, item int32, left []bool) error {
	byItem, all, err := c.occurring.countWith(ctx, item, left)
	if err != nil {
		return err
	}
	c.Add(byItem, all, -1)
	if byItem, all, err = c.safe.CountWith(ctx, item, left); err != nil {
		return err
	}
	c.Add(byItem, all, 1)
	return nil
}

func (c *projection) fresh() counter {
	return &projection{c.copied(), c.occurring.copy(), c.safe.Copy()}
}

func (c *projection) counting() Counting { return Projection }

// safeInput asks the miner for sets that are no moles.
func (p *problem) safeInput(public []bool) itemset.Input {
	return itemset.Input{
		Data: anonymize.Rows(dataset.Unmerged(p.Data)), Items: public, MinSupport: p.Promise.K,
		MaxLen:  p.Promise.P,
		Workers: p.Workers, Progress: told(p.Progress, "safe sets"),
	}
}

// guard is the bound on what a safe set may imply.
func (p *problem) guard() *itemset.Guard { return &itemset.Guard{Side: p.Private, Most: p.most} }

// tooLarge translates the errors of the miner and of the diagram.
func tooLarge(err error) error {
	if errors.Is(err, itemset.ErrTooMany) || errors.Is(err, zdd.ErrTooLarge) {
		return errTooLarge
	}
	return err
}
