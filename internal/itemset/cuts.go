package itemset

import (
	"context"
	"slices"
)

// Cuts lists rare sets at one cut after another of the same data. A set has a cell (rarecells.go),
// and the cells of a cut are kept for the next ones:
//
//   - A cut that is nowhere below one that was counted needs no count. A set is frequent if one
//     below it is. It is rare if those below it are in fewer than k records in all. Of what is left
//     the index is asked.
//   - Where a cut is lower, the transactions are gone through, and the sets with a node that is new
//     are counted in those that have one. The others have their cells.
//
// What is listed is what [View.Rare] lists, in its order. Where a cut has so many nodes that sets
// cannot be counted in cells, it is what is listed first: see [FirstParts]. It is not safe for
// concurrent use.
type Cuts struct {
	data       Data
	index      *Index
	k, workers int
	inCells    bool        // else cells would not do, see View.fitsCells
	segment    int64       // occurrences, see segment
	tables     []*cutTable // by size, of what was counted last; nil: nothing was
	clean      [][]int32   // by size, the last cut that has nothing rare; nil: none
	readers    []*segmentReader
	answers    *answers // of the index, when sets are lifted
}

// NewCuts lists sets that fewer than k records have, of data and their index. What it holds while
// it counts takes about as many bytes as the bound of the index says, too, or 64 MB.
func NewCuts(d Data, x *Index, k, workers int) *Cuts {
	c := &Cuts{
		data: d, index: x, k: k, workers: max(1, workers), segment: segmentOccurrences,
		answers: newAnswers(x, k),
	}
	c.inCells = d.Units == nil && !slices.ContainsFunc(d.Weights, func(w int32) bool {
		return w <= 0
	})
	c.data.Occurrences = 0 // they may not be known
	for _, n := range x.size[:x.tree.leaves] {
		c.data.Occurrences += int(n)
	}
	return c
}

// Smallest lists the rare sets of the smallest size that has any, of at most so many nodes. A cut
// is the node of every leaf. limit says, given the number of nodes, how many sets with the same
// rarest node are listed at most.
func (c *Cuts) Smallest(
	ctx context.Context, cut []int32, most int, limit func(nodes int) int,
) (*Rare, error) {
	v := &View{}
	v.rankNodes(c.index, cut)
	for len(c.tables) <= most {
		c.tables, c.clean = append(c.tables, nil), append(c.clean, nil)
	}
	rare := &Rare{}
	for size := 1; size <= most; size++ {
		if isBelow(c.clean[size], cut) { // what is rare has something rare below it
			continue
		}
		s := Search{Size: size, K: c.k, Workers: c.workers, Limit: limit(v.Nodes())}
		var err error
		if rare, err = c.rare(ctx, v, cut, s); err != nil || rare.Len() > 0 {
			return rare, err
		}
		c.clean[size] = cut
	}
	return rare, nil
}

// rare lists those of one size.
func (c *Cuts) rare(ctx context.Context, v *View, cut []int32, s Search) (*Rare, error) {
	if s.Size == 1 {
		return v.rareByProjection(ctx, s)
	}
	t := c.tables[s.Size]
	if t == nil || !isBelow(t.cut, cut) {
		if t = c.count(ctx, cut, s.Size); t != nil {
			c.tables[s.Size] = t
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if t == nil {
		return c.project(ctx, v, cut, s)
	}
	cells := c.above(t, v, cut, s)
	if err := cells.askOpen(ctx, c.index, c.workers); err != nil { // cells do not tell all
		return nil, err
	}
	return cells.list(), nil
}

// above has the sets at a cut by those of a table at or below it.
func (c *Cuts) above(t *cutTable, v *View, cut []int32, s Search) *rareCells {
	out := newRareCells(v, s)
	number := make([]int32, c.index.tree.nodes())
	for rank, u := range v.nodes {
		number[u] = int32(len(v.nodes) - 1 - rank)
	}
	image := make([]int32, len(t.nodes))
	for i, u := range t.nodes {
		image[i] = number[cut[c.index.tree.lo[u]]]
	}
	r := raising{from: t, to: out, image: image, bases: make([]int, s.Size)}
	r.sets(s.Size, 0, len(t.nodes), nil)
	return out
}

// raising adds what a table has to the cells of a cut above it.
type raising struct {
	from  *cutTable
	to    *rareCells
	image []int32 // number in the table -> number at the cut
	bases []int
}

// sets adds the sets that have so many nodes more, below width, than what base stands for. above
// has the nodes at the cut of those that are placed, descending.
func (r *raising) sets(more, base, width int, above []int32) {
	if more == 1 {
		r.row(r.from.cells[base:base+width], above)
		return
	}
	for x := range width {
		at, is := slices.BinarySearchFunc(above, r.image[x], func(a, b int32) int {
			return int(b - a)
		})
		if !is {
			next := slices.Insert(slices.Clone(above), at, r.image[x])
			r.sets(more-1, base+r.from.choose[more][x], x, next)
		}
	}
}

// row adds the cells of the sets that one node is left to choose of.
func (r *raising) row(cells, above []int32) {
	size, k := len(above)+1, r.to.k
	for j := range size { // where j nodes stand before the one that is left
		r.bases[j] = 0
		for i, y := range above {
			if i >= j {
				r.bases[j] += r.to.choose[size-1-i][y]
			} else {
				r.bases[j] += r.to.choose[size-i][y]
			}
		}
	}
	for x, n := range cells {
		if n == 0 {
			continue
		}
		z, j := r.image[x], 0
		for j < len(above) && above[j] > z {
			j++
		}
		if j < len(above) && above[j] == z {
			continue
		}
		cell := &r.to.cells[r.bases[j]+r.to.choose[size-j][z]]
		switch {
		case n >= k:
			*cell = manyOf
		case *cell < k:
			*cell = min(*cell+n, k)
		}
	}
}

// cutTable has a cell for every set of a size of the nodes at a cut that occur: its support.
type cutTable struct {
	cellTable
	size   int
	cut    []int32 // by leaf
	nodes  []int32 // number -> node
	number []int32 // node -> number; -1: it has none
	isNode []bool  // by node
	kept   int     // so many nodes are kept of the table before
}

// isBelow tells whether a cut is nowhere above another one, given by leaf; no cut is below none.
func isBelow(low, cut []int32) bool {
	for leaf, u := range low {
		if u > cut[leaf] { // a node comes before those above it
			return false
		}
	}
	return low != nil
}

// count makes the table of a cut, or of one below it, with what the last one of the size has; nil:
// there are too many cells, or too many sets to be counted.
func (c *Cuts) count(ctx context.Context, cut []int32, size int) *cutTable {
	before := c.tables[size]
	t := c.toCount(cut, size, before)
	if c.fill(ctx, t, before) {
		return t
	}
	if t = c.newTable(cut, size); ctx.Err() == nil && c.fill(ctx, t, before) {
		return t
	}
	return nil
}

// fill counts the sets of a table, and tells whether it has: there may be too many.
func (c *Cuts) fill(ctx context.Context, t, before *cutTable) bool {
	n := len(t.nodes)
	cells := chosen(n, t.size, c.mostCells())
	if !c.inCells || n < t.size || cells > c.mostCells() {
		return false
	}
	t.arrange(c.index, before)
	t.choose = chooseTable(n, t.size)
	t.cells = make([]int32, cells)
	if t.kept > 0 {
		t.keep(before)
	}
	r := cellReader{
		cellCounter: cellCounter{
			cellTable: t.cellTable, ctx: ctx, size: t.size, numbers: n, kept: t.kept,
			workers: c.workers,
		},
		data: &c.data, to: make([]int32, c.data.Items), segment: c.segment,
		only: c.having(t.nodes[t.kept:]), mostSets: setsAnItem, readers: c.readers,
	}
	if t.kept == 0 {
		r.leastSets = cells / cellsASet
	}
	t.number = slices.Repeat([]int32{-1}, c.index.tree.nodes())
	for i, u := range t.nodes {
		t.number[u] = int32(i)
	}
	for it := range r.to {
		r.to[it] = t.number[t.cut[it]]
	}
	filled := r.run()
	c.readers = r.readers
	return filled
}

// having marks the transactions that have one of some nodes, if that takes less than to go through
// all transactions; else it is nil.
func (c *Cuts) having(nodes []int32) []uint64 {
	const quicker = 4 // an occurrence is read in so many times what it is marked in
	n := int64(0)
	for _, u := range nodes {
		n += int64(c.index.size[u])
	}
	if n > int64(c.data.Occurrences)/quicker {
		return nil
	}
	words := make([]uint64, (c.data.Len+63)/64)
	for _, u := range nodes {
		c.index.mark(u, words)
	}
	return words
}

// mostCells is how many cells a table may have: 16 MB or, within the bound, two bytes an
// occurrence. There are three tables at most: what was counted before, what is counted, and what is
// listed.
func (c *Cuts) mostCells() int64 {
	most := unboundedCells(c.data.Occurrences)
	if c.index.bound > 0 {
		most = min(most, max(maxTriangle, c.index.bound/16))
	}
	return most
}

// unboundedCells is mostCells of data of so many occurrences, without a bound.
func unboundedCells(occurrences int) int64 { return max(maxTriangle, int64(occurrences)/2) }

// toCount is the table, empty, of the cut that is counted where one is asked for. It is lower,
// where that takes little more: for a search goes from coarse to fine, and soon returns to where it
// was.
func (c *Cuts) toCount(cut []int32, size int, before *cutTable) *cutTable {
	t := c.newTable(cut, size)
	if before != nil {
		low := slices.Clone(cut)
		for leaf, u := range before.cut {
			low[leaf] = min(u, low[leaf])
		}
		if both := c.newTable(low, size); len(both.nodes) <= 2*len(t.nodes) {
			return both
		}
		return t
	}
	for { // a level, as long as there are no more cells than occurrences of items
		low := c.newTable(c.index.tree.lowered(t.cut), size)
		most := min(int64(c.data.Occurrences), c.mostCells())
		if len(low.nodes) == len(t.nodes) || chosen(len(low.nodes), size, most) > most {
			return t
		}
		t = low
	}
}

// lowered is a cut with its nodes' children in their places.
func (t *Tree) lowered(cut []int32) []int32 {
	out := make([]int32, len(cut))
	for leaf, u := range cut {
		v := int32(leaf)
		for v != u && t.parent[v] != u {
			v = t.parent[v]
		}
		out[leaf] = v
	}
	return out
}

func (c *Cuts) newTable(cut []int32, size int) *cutTable {
	t := &cutTable{size: size, cut: cut, isNode: make([]bool, c.index.tree.nodes())}
	for i, u := range cut {
		if (i == 0 || u != cut[i-1]) && c.index.Occurs(u) {
			t.isNode[u] = true
			t.nodes = append(t.nodes, u)
		}
	}
	return t
}

// arrange numbers the nodes: first those that were in the table before, in its order, then the
// others, the most frequent first.
func (t *cutTable) arrange(x *Index, before *cutTable) {
	if before != nil {
		first := make([]int32, 0, len(t.nodes))
		for _, u := range before.nodes {
			if t.isNode[u] {
				first = append(first, u)
			}
		}
		t.kept = len(first)
		for _, u := range t.nodes {
			if !before.isNode[u] {
				first = append(first, u)
			}
		}
		t.nodes = first
	}
	slices.SortStableFunc(t.nodes[t.kept:], func(a, b int32) int {
		return int(x.size[b] - x.size[a])
	})
}

// keep takes the cells of the sets of the first nodes from the table before.
func (t *cutTable) keep(before *cutTable) {
	was, number := make([]int, t.kept), 0
	for i := range was {
		for before.nodes[number] != t.nodes[i] {
			number++
		}
		was[i] = number
	}
	var copied func(more, to, from, width int)
	copied = func(more, to, from, width int) {
		if more == 1 {
			for x, w := range was[:width] {
				t.cells[to+x] = before.cells[from+w]
			}
			return
		}
		for x := more - 1; x < width; x++ {
			copied(more-1, to+t.choose[more][x], from+before.choose[more][was[x]], x)
		}
	}
	copied(t.size, 0, 0, t.kept)
}
