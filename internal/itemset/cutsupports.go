package itemset

import (
	"context"
	"math"
	"slices"
)

// Lift is [Index.Lift] for a set of a support, with that of what it returns; -1: it is not known.
func (c *Cuts) Lift(set []int32, support, first int) (lifted []int32, of int) {
	lifted = c.index.tree.Lift(set, first, func(set []int32) bool {
		n, known := c.upTo(set)
		switch {
		case n >= c.k:
			return true
		case known:
			support = n
		default:
			support = -1
		}
		return false
	})
	return lifted, support
}

// upTo is whether at least k records have a set: then it is k at least. Else it is less, and the
// support where that is known.
func (c *Cuts) upTo(set []int32) (n int, known bool) {
	b, counted := c.below(set)
	switch {
	case counted && b.most >= int64(c.k):
		return c.k, true
	case counted && b.sum < int64(c.k):
		return int(b.sum), b.occur <= 1
	}
	return c.answers.upTo(set), true
}

// Supports are those of sets of at least one node. It ends early, with the cause, when ctx does.
func (c *Cuts) Supports(ctx context.Context, sets [][]int32) ([]int, error) {
	out := make([]int, len(sets))
	var asked [][]int32
	var of []int
	for i, set := range sets {
		switch b, known := c.below(set); {
		case known && b.occur <= 1:
			out[i] = int(b.sum)
		case len(set) == 1:
			out[i] = c.index.Support(set)
		default:
			asked, of = append(asked, set), append(of, i)
		}
	}
	err := c.index.ask(ctx, asked, math.MaxInt, c.workers, func(i, n int) { out[of[i]] = n })
	if err != nil {
		return nil, err
	}
	return out, nil
}

// below is what a table has of the sets with a node of the table at or below each of a set. The
// support of the set is most at least, and sum at most.
type below struct {
	sum, most int64
	occur     int // so many of them
}

// mostBelow is how many cells are looked at before the index is asked in their place.
const mostBelow = 1 << 10

// below is known where a table of the size was counted, at or below all nodes of the set.
func (c *Cuts) below(set []int32) (b below, known bool) {
	if len(set) < 2 || len(set) >= len(c.tables) || c.tables[len(set)] == nil {
		return b, false
	}
	t := c.tables[len(set)]
	numbers, all := make([][]int32, len(set)), 1
	for i, u := range set {
		lo, hi := c.index.tree.lo[u], c.index.tree.hi[u]
		if t.cut[lo] > u { // a node comes before those above it
			return b, false
		}
		for leaf := lo; leaf < hi; leaf = c.index.tree.hi[t.cut[leaf]] {
			if n := t.number[t.cut[leaf]]; n >= 0 {
				numbers[i] = append(numbers[i], n)
			}
		}
		if all *= len(numbers[i]); all > mostBelow {
			return b, false
		}
	}
	b.add(t, numbers, make([]int32, 0, len(set)))
	return b, true
}

// add adds the sets with some numbers and one of each list.
func (b *below) add(t *cutTable, numbers [][]int32, set []int32) {
	if len(numbers) > 0 {
		for _, n := range numbers[0] {
			b.add(t, numbers[1:], append(set, n))
		}
		return
	}
	if n := int64(t.cells[t.place(set)]); n > 0 {
		b.sum, b.most, b.occur = b.sum+n, max(b.most, n), b.occur+1
	}
}

// place is the cell of a set.
func (t *cellTable) place(set []int32) int {
	sorted := append(make([]int32, 0, 8), set...)
	slices.Sort(sorted)
	at := 0
	for i, x := range sorted {
		at += t.choose[i+1][x]
	}
	return at
}
