package coherence

import (
	"context"

	"mingle/internal/itemset"
)

// projection counts moles as the sets that occur less those that are safe. Both families contain the subsets of their
// members, and a safe set occurs.
//
// It is not in the paper, whose border of moles has, on data with many rare itemsets, more edges than there are
// occurrences of items: an edge for each minimal mole and each maximal transaction around it.
type projection struct {
	totals
	occurring *occurring
	safe      *itemset.Safe
}

func newProjection(ctx context.Context, p *problem, alive []bool) (counter, error) {
	return project(ctx, p, alive, newOccurring(p, alive))
}

// maxProjection is how many words a projection may have to read to be chosen without being asked for: minutes.
const maxProjection = 1e12

func cheapProjection(ctx context.Context, p *problem, alive []bool) (counter, error) {
	o := newOccurring(p, alive)
	if o.cost() > maxProjection {
		return nil, errTooLarge
	}
	return project(ctx, p, alive, o)
}

func project(ctx context.Context, p *problem, alive []bool, o *occurring) (counter, error) {
	c := &projection{totals: newTotals(len(alive)), occurring: o}
	byItem, all, err := o.count(ctx)
	if err != nil {
		return nil, err
	}
	c.add(byItem, all, 1)
	if c.safe, err = itemset.FindSafe(ctx, p.safeInput(alive), p.guard(), nil); err != nil {
		return nil, err
	}
	if byItem, all, err = c.safe.Count(ctx); err != nil {
		return nil, err
	}
	c.add(byItem, all, -1)
	return c, nil
}

func (c *projection) remove(ctx context.Context, item int32, alive []bool) error {
	byItem, all, err := c.occurring.countWith(ctx, item, alive)
	if err != nil {
		return err
	}
	c.add(byItem, all, -1)
	if byItem, all, err = c.safe.CountWith(ctx, item, alive); err != nil {
		return err
	}
	c.add(byItem, all, 1)
	return nil
}

func (c *projection) counting() Counting { return Projection }
