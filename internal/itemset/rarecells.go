package itemset

import (
	"cmp"
	"context"
	"slices"

	"mingle/internal/par"
)

// setsAnItem bounds the sets that are counted in cells, for each item of a row: beyond that, making
// equal rows one first can save more than it takes.
const setsAnItem = 64

// rareCells is Rare by a cell for every set. The rows are gone through as they are: equal ones are
// not looked for, and nothing is projected. That is quick where few nodes are at the cut.
//
// A node stands in it by its rank from the other end, so that the sets with the same rarest node
// are one block.
type rareCells struct {
	cellTable
	nodes []int32 // rank -> node
	size  int
	k     int32
	limit int
	sets  []int32 // found with one rarest node, as ranks
	row   []int32
}

// newRareCells has cells of zero.
func newRareCells(v *View, s Search) *rareCells {
	n := len(v.nodes)
	c := &rareCells{nodes: v.nodes, size: s.Size, k: int32(s.K), limit: s.Limit}
	c.choose = chooseTable(n, s.Size)
	c.cells = make([]int32, c.choose[s.Size][n])
	return c
}

// fitsCells tells whether there are few cells, and so many sets that looking through the cells
// takes no longer than counting. What occurs in no record would have no trace in a cell: rows must
// not weigh nothing, or be of units.
func (v *View) fitsCells(size int) bool {
	if size < 2 || v.rows.units != nil {
		return false
	}
	cells := chosen(len(v.nodes), size, maxTriangle)
	if cells > maxTriangle {
		return false
	}
	lengths := make([]int64, v.longest+1)
	for i, weight := range v.rows.weights {
		if weight <= 0 {
			return false
		}
		lengths[len(v.rows.row(uint32(i)))]++
	}
	most := setsAnItem*int64(len(v.rows.ids)) + 1
	sets := int64(0)
	for length, n := range lengths {
		if one := chosen(length, size, most); n > 0 && (one > most || n*one > most) {
			return false
		} else if sets += n * one; sets > most {
			return false
		}
	}
	return cells <= cellsASet*sets
}

// rareByCells is Rare where the cells fit.
func (v *View) rareByCells(ctx context.Context, s Search) (*Rare, error) {
	workers := max(1, s.Workers)
	all := v.rows.len()
	counts := make([]*rareCells, workers)
	par.Each(ctx, workers, workers, func(ctx context.Context, i int) error {
		counts[i] = newRareCells(v, s)
		counts[i].count(ctx, v.rows, all*i/workers, all*(i+1)/workers)
		return nil
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	sum := counts[0]
	for _, c := range counts[1:] {
		for i, more := range c.cells {
			sum.cells[i] += more
		}
	}
	return sum.list(), nil
}

// count adds the sets of the rows from one on, before another.
func (c *rareCells) count(ctx context.Context, in *rows, from, to int) {
	last := int32(len(c.nodes)) - 1
	for i := from; i < to && !ended(ctx, i); i++ {
		c.row = c.row[:0]
		for _, rank := range slices.Backward(in.row(uint32(i))) {
			c.row = append(c.row, last-rank)
		}
		c.add(c.row, c.size, 0, in.weights[i])
	}
}

// list lists the rare sets.
func (c *rareCells) list() *Rare {
	out := &Rare{Size: c.size}
	for r := range c.nodes {
		for _, rank := range c.from(int32(r)) {
			out.Sets = append(out.Sets, c.nodes[rank])
		}
	}
	return out
}

// from are the rare sets whose rarest node is r, in the order in which projections find them: pairs
// by the other node, larger sets by all nodes but the last two, the last, and the one before it.
func (c *rareCells) from(r int32) []int32 {
	c.sets = c.sets[:0]
	x := len(c.nodes) - 1 - int(r)
	c.extend([]int32{r}, x, c.choose[c.size][x])
	return c.sets
}

// extend finds those that begin with a prefix. The nodes that may follow have the numbers below x;
// base is what the prefix adds to a cell's place.
func (c *rareCells) extend(prefix []int32, x, base int) {
	left := c.size - len(prefix)
	if left > 2 {
		for y := x - 1; y >= left-1; y-- {
			next := append(slices.Clone(prefix), int32(len(c.nodes)-1-y))
			c.extend(next, y, base+c.choose[left][y])
		}
		return
	}
	last := int32(len(c.nodes)) - 1
	if left == 1 {
		for y := x - 1; y >= 0 && !c.full(); y-- {
			if c.isRare(base + y) {
				c.sets = append(append(c.sets, prefix...), last-int32(y))
			}
		}
		return
	}
	for z := x - 2; z >= 0; z-- {
		for y := x - 1; y > z && !c.full(); y-- {
			if c.isRare(base + c.choose[2][y] + z) {
				c.sets = append(append(c.sets, prefix...), last-int32(y), last-int32(z))
			}
		}
	}
}

func (c *rareCells) isRare(cell int) bool { return c.cells[cell] > 0 && c.cells[cell] < c.k }

// full tells whether as many sets as may be with one rarest node are found.
func (c *rareCells) full() bool { return c.limit > 0 && len(c.sets) >= c.limit*c.size }

// askOpen asks an index for the sets whose cells have k itself, which may be rare. Their cells have
// one less then if they are, and else one more. It ends early, with the cause, when ctx does.
func (c *rareCells) askOpen(ctx context.Context, x *Index, workers int) error {
	var open []int
	var sets [][]int32
	ask := func() error {
		err := x.ask(ctx, sets, int(c.k), workers, func(i, n int) {
			if n < int(c.k) {
				c.cells[open[i]] = c.k - 1
			} else {
				c.cells[open[i]] = c.k + 1
			}
		})
		open, sets = open[:0], sets[:0]
		return err
	}
	var err error
	c.eachOpen(c.size, 0, len(c.nodes), nil, func(cell int, set []int32) bool {
		if open, sets = append(open, cell), append(sets, set); len(sets) == mostAsked {
			err = ask()
		}
		return err == nil
	})
	return cmp.Or(err, ask())
}

// eachOpen calls do with the cells that have k itself, and their nodes, of the sets that have so
// many nodes more, numbered below width, than those given. It is false when do is.
func (c *rareCells) eachOpen(
	more, base, width int, nodes []int32, do func(cell int, set []int32) bool,
) bool {
	for y := range width {
		with := func() []int32 {
			return append(slices.Clone(nodes), c.nodes[len(c.nodes)-1-y])
		}
		switch {
		case more == 1 && c.cells[base+y] == c.k:
			if !do(base+y, with()) {
				return false
			}
		case more > 1 && !c.eachOpen(more-1, base+c.choose[more][y], y, with(), do):
			return false
		}
	}
	return true
}
