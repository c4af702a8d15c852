package coherence

import (
	"context"
	"slices"

	"mingle/internal/itemset"
)

// nuggetDiagram counts nuggets on the diagram of the subsets of the maximal ones.
type nuggetDiagram struct {
	totals
	d       *diagram
	private []bool
	length  int
}

func newNuggetDiagram(ctx context.Context, p *problem, alive []bool) (counter, error) {
	b, err := NuggetBorder(ctx, p.Input, alive, 0)
	if err != nil {
		return nil, err
	}
	d, err := newDiagram(ctx, b.Maximal, nil)
	if err != nil {
		return nil, err
	}
	c := &nuggetDiagram{d: d, private: p.Private, length: p.NuggetLen}
	c.recount(alive)
	return c, nil
}

func (c *nuggetDiagram) recount(alive []bool) {
	c.totals = c.d.count(func(it int32) bool { return alive[it] || c.private[it] }, c.length, len(alive))
}

func (c *nuggetDiagram) remove(_ context.Context, _ int32, alive []bool) error {
	c.recount(alive)
	return nil
}

func (c *nuggetDiagram) counting() Counting { return Diagram }

// moleDiagrams counts moles as the sets that occur less those that are safe, on a diagram each: the subsets of the
// maximal transactions; and those of the maximal itemsets with support k, as far as they contain no minimal mole with
// support k.
//
// It serves where p is too large for a projection. Where there are private items the minimal moles with support k are
// found by going through all safe itemsets of fewer than p items.
type moleDiagrams struct {
	totals
	occurring, safe *diagram
	length          int
}

func newMoleDiagrams(ctx context.Context, p *problem, alive []bool) (counter, error) {
	rows, err := maximalRows(p.Data, alive, 0)
	if err != nil {
		return nil, err
	}
	c := &moleDiagrams{length: p.Promise.P}
	if c.occurring, err = newDiagram(ctx, rows, nil); err != nil {
		return nil, err
	}
	var frequent [][]int32
	in := p.safeInput(alive)
	in.MaxLen = 0
	err = itemset.Maximal(ctx, in, func(items []int32, _ int) error {
		frequent = append(frequent, slices.Clone(items))
		return nil
	})
	if err != nil {
		return nil, err
	}
	leaks, err := p.minimalLeaks(ctx, alive)
	if err != nil {
		return nil, err
	}
	if c.safe, err = newDiagram(ctx, frequent, leaks); err != nil {
		return nil, err
	}
	c.recount(alive)
	return c, nil
}

// minimalLeaks are the minimal moles that k transactions contain: they imply a private item.
func (p *problem) minimalLeaks(ctx context.Context, alive []bool) ([][]int32, error) {
	if p.Promise.H == 1 || !slices.Contains(p.Private, true) {
		return nil, nil
	}
	var out [][]int32
	in := p.safeInput(alive)
	in.MaxSafe = maxLeakSearch
	_, err := itemset.FindSafe(ctx, in, p.guard(), func(items []int32, support int) error {
		if support >= p.Promise.K {
			out = append(out, slices.Clone(items))
		}
		return nil
	})
	return out, tooLarge(err)
}

// maxLeakSearch bounds the safe itemsets to go through: minutes.
const maxLeakSearch = 1 << 28

func (c *moleDiagrams) recount(alive []bool) {
	is := func(it int32) bool { return alive[it] }
	c.totals = c.occurring.count(is, c.length, len(alive))
	safe := c.safe.count(is, c.length, len(alive))
	for it := range c.byItem {
		c.byItem[it].Sub(&c.byItem[it], &safe.byItem[it])
	}
	c.all.Sub(&c.all, &safe.all)
}

func (c *moleDiagrams) remove(_ context.Context, _ int32, alive []bool) error {
	c.recount(alive)
	return nil
}

func (c *moleDiagrams) counting() Counting { return Diagram }
