package itemset

import "slices"

// supportTable has a cell for every set of so many of some nodes: how many records have it, or
// manyOf from K on; 0 where it does not occur. The nodes are called by their position in behind.
// What is below a set in the hierarchy stands before it. Cells of sets with related nodes hold
// nothing of use. A cell with K itself, of sets above the cut, says that the index is to be asked:
// that is left until a walk comes by, and then most of them have been taken out of it.
type supportTable struct {
	*fromCut
	path   []int32 // what is before all the sets
	behind []int32 // position -> number, ascending
	size   int
	cellTable
	below [][]int32 // position -> positions of the children
	sums  []int64   // for one row of cells
}

// manyOf stands for a support of at least K.
const manyOf = 1 << 30

// mostCells is how many cells a table may have: 64 MB.
const mostCells = 1 << 24

// MostTable is how many bytes the table of a walk takes at most, where so many sets are counted.
func MostTable(sets float64) int { return 4 * int(min(mostCells, cellsASet*sets)) }

// cellsASet is how many cells a table may have for each set that is counted into it: to look
// through them takes about as long. Of 1, 2 and 8, on five data sets, 2 took least.
const cellsASet = 2

// tableFits tells whether a table for the sets of a size is small enough, and not so large that
// looking through it takes longer than counting.
func (c *fromCut) tableFits(in, behind []int32, size int) bool {
	most := c.mostCells
	if len(behind)*c.K >= manyOf { // a sum of cells that are not manyOf could be
		return false
	}
	if c.Bound > 0 {
		most = min(most, c.Bound/16)
	}
	cells := chosen(len(behind), size, most)
	if cells > most {
		return false
	}
	sets := int64(0)
	for _, i := range in {
		if sets += chosen(len(c.rows.row(uint32(i))), size, most); sets*cellsASet >= cells {
			return true
		}
	}
	return false
}

// chosen is the number of sets of a size of n things, if it is at most most; else more than that.
func chosen(n, size int, most int64) int64 {
	if size > n {
		return 0
	}
	total := int64(1)
	for j := range int64(min(size, n-size)) { // it grows with each
		if total = total * (int64(n) - j) / (j + 1); total > most {
			return most + 1
		}
	}
	return total
}

// table goes through all sets of a size behind a path by a table of their supports.
func (c *fromCut) table(path, in, behind []int32, size int) {
	for x, z := range behind {
		c.local[z] = int32(x)
	}
	t := c.newTable(path, behind, size)
	r := c.cutDown(in)
	for _, z := range behind {
		c.local[z] = -1
	}
	t.fill(r)
	t.walk()
}

// newTable makes an empty table; local has the positions of the nodes.
func (c *fromCut) newTable(path, behind []int32, size int) *supportTable {
	t := &supportTable{fromCut: c, path: path, behind: behind, size: size}
	t.layOut()
	for x, z := range behind {
		for _, below := range c.children[z] {
			if l := c.local[below]; l >= 0 {
				t.below[x] = append(t.below[x], l)
			}
		}
	}
	return t
}

// walk goes through the sets, once those at the cut have been counted.
func (t *supportTable) walk() {
	if t.ctx.Err() != nil {
		return
	}
	t.lift()
	t.repair(make([]int32, 0, t.size), 0, t.size)
}

func (t *supportTable) layOut() {
	n := len(t.behind)
	t.choose = chooseTable(n, t.size)
	t.cells = t.empty(t.choose[t.size][n])
	t.below = make([][]int32, n)
	t.sums = make([]int64, n)
}

// empty is so many cells of zero, in the memory of the table before if that is enough.
func (c *fromCut) empty(cells int) []int32 {
	if cap(c.kept) < cells {
		c.kept = make([]int32, cells)
		return c.kept
	}
	c.kept = c.kept[:cells]
	clear(c.kept)
	return c.kept
}

// cutDown is some rows as far as they have nodes of the table, as positions.
func (c *fromCut) cutDown(in []int32) *rows {
	r := &rows{start: make([]uint32, 1, len(in)+1), weights: make([]int32, 0, len(in))}
	for _, i := range in {
		from := len(r.ids)
		for _, z := range c.rows.row(uint32(i)) {
			if x := c.local[z]; x >= 0 {
				r.ids = append(r.ids, x)
			}
		}
		if len(r.ids) > from {
			r.close(c.rows.weights[i])
		}
	}
	return r
}

// fill counts the sets of nodes at the cut.
func (t *supportTable) fill(r *rows) {
	s := &segment{rows: *r}
	s.at.fillFrom(r, 0, len(t.behind))
	c := t.counter()
	if len(t.path) == 0 {
		c.progress = t.Progress
	}
	c.add([]*segment{s}, true)
}

// counter counts the sets of nodes at the cut.
func (t *supportTable) counter() cellCounter {
	return cellCounter{
		cellTable: t.cellTable, ctx: t.ctx, size: t.size, numbers: len(t.behind),
		workers: t.Workers,
		counted: func(block []int32) {
			for i, n := range block {
				if n >= int32(t.K) {
					block[i] = manyOf
				}
			}
		},
	}
}

// lift finds the supports of the sets above the cut. A set gets its support from those with a child
// in the place of its largest node above the cut: these have a smaller second largest node, or the
// same one and a smaller largest one, or both the same. So the sets are gone through by their
// second largest node first. For the child is often smaller, and the cells are then those of the
// sets whose largest node that is: they stay in the processor's cache.
func (t *supportTable) lift() {
	n := int32(len(t.behind))
	if t.size < 3 {
		t.liftFrom(nil, 0, t.size)
		return
	}
	set := make([]int32, 2, t.size)
	for y := range n {
		for x := y + 1; x < n && t.ctx.Err() == nil; x++ {
			if set[0], set[1] = x, y; t.fits(set[:1], y) {
				t.liftFrom(set, t.choose[t.size][x]+t.choose[t.size-1][y], t.size-2)
			}
		}
	}
}

// liftFrom lifts the sets with so many more than those of a set, which has the largest positions,
// descending, and adds base to a cell's place.
func (t *supportTable) liftFrom(set []int32, base, size int) {
	width := int32(len(t.behind))
	if len(set) > 0 {
		width = set[len(set)-1]
	}
	if size == 1 {
		t.liftRow(set, base, width)
		return
	}
	for x := range width {
		if t.ctx.Err() != nil {
			return
		}
		if t.fits(set, x) {
			t.liftFrom(append(set, x), base+t.choose[size][x], size-1)
		}
	}
}

// fits tells whether a node is unrelated to those of a set.
func (t *supportTable) fits(set []int32, x int32) bool {
	u := t.node(t.behind[x])
	for _, y := range set {
		if t.tree.related(t.node(t.behind[y]), u) {
			return false
		}
	}
	return true
}

func (t *supportTable) isCut(x int32) bool { return t.atCut[t.behind[x]] }

// liftRow is liftFrom where one node, before width, is left to choose.
func (t *supportTable) liftRow(set []int32, base int, width int32) {
	above := slices.IndexFunc(set, func(x int32) bool { return !t.isCut(x) })
	if above < 0 {
		for x := range width {
			if !t.isCut(x) {
				sum := int64(0)
				for _, child := range t.below[x] {
					sum += int64(t.cells[base+int(child)])
				}
				t.decide(base+int(x), sum)
			}
		}
		return
	}
	sums := t.sums[:width]
	clear(sums)
	for _, child := range t.below[set[above]] {
		t.addRow(sums, set, above, child)
	}
	for x, sum := range sums {
		t.decide(base+x, sum)
	}
}

// addRow adds to every sum the cell of the set with a child in the place of one of its nodes.
func (t *supportTable) addRow(sums []int64, set []int32, above int, child int32) {
	least, base, position := int32(len(sums)), 0, t.size
	placed := false
	for i, y := range set { // where the child has come to stand
		if i == above {
			continue
		}
		if !placed && child > y {
			base += t.choose[position][child]
			position--
			placed = true
		}
		base += t.choose[position][y]
		position--
	}
	if !placed && child >= least {
		base += t.choose[position][child]
		placed = true
	}
	if placed {
		for x, n := range t.cells[base : base+len(sums)] {
			sums[x] += int64(n)
		}
		return
	}
	first := base + t.choose[2][child]
	for x, n := range t.cells[first : first+int(child)] {
		sums[x] += int64(n)
	}
	first = base + int(child)
	for x := child + 1; x < least; x++ {
		sums[x] += int64(t.cells[first+t.choose[2][x]])
	}
}

// decide sets a cell, given the sum of those below it.
func (t *supportTable) decide(cell int, sum int64) {
	switch {
	case sum >= manyOf:
		t.cells[cell] = manyOf
	case sum < int64(t.K):
		t.cells[cell] = int32(sum)
	default:
		t.cells[cell] = int32(t.K)
	}
}

// spelled is the path, a set, and one node more, as numbers.
func (t *supportTable) spelled(set []int32, x int32) []int32 {
	out := slices.Clone(t.path)
	for _, y := range set {
		out = append(out, t.behind[y])
	}
	return append(out, t.behind[x])
}

// repair goes through the sets in the walk's order and repairs those that are rare.
func (t *supportTable) repair(set []int32, base, size int) {
	width := int32(len(t.behind))
	if len(set) > 0 {
		width = set[len(set)-1]
	}
	for x := width - 1; x >= 0; x-- {
		if size == 1 {
			if n := t.cells[base+int(x)]; n == 0 || n == manyOf {
				continue
			}
		}
		switch {
		case !t.isActive(t.behind[x]) || !t.fits(set, x):
			continue
		case size > 1:
			t.repair(append(set, x), base+t.choose[size][x], size-1)
		case t.isRare(set, base, x):
			t.Repair(t.named(t.spelled(set, x)))
		}
		if t.ctx.Err() != nil || !t.allActive(set) {
			return
		}
	}
}

// isRare tells whether a set and one node more is rare, and asks the index where the cell leaves it
// open.
func (t *supportTable) isRare(set []int32, base int, x int32) bool {
	cell := &t.cells[base+int(x)]
	if *cell == int32(t.K) && t.Workers > 1 {
		t.askAhead(set, base, x)
	}
	if *cell == int32(t.K) {
		if *cell = t.support(t.spelled(set, x)...); *cell >= int32(t.K) {
			*cell = manyOf
		}
	}
	return *cell < int32(t.K)
}

// mostAsked is how many sets the index is asked for at once.
const mostAsked = 256

// askAhead asks the index for a set and those after it in its row of cells, side by side, up to one
// that is rare for certain: a repair may take the sets after it out. Few of those that the index is
// asked for are rare, so that next to none is asked for in vain.
func (t *supportTable) askAhead(set []int32, base int, x int32) {
	var cells []*int32
	var asked [][]int32
	for ; x >= 0 && len(asked) < mostAsked; x-- {
		cell := &t.cells[base+int(x)]
		if *cell == 0 || *cell == manyOf || !t.isActive(t.behind[x]) || !t.fits(set, x) {
			continue
		}
		if *cell < int32(t.K) {
			break
		}
		cells, asked = append(cells, cell), append(asked, t.named(t.spelled(set, x)))
	}
	if len(asked) < 2 {
		return
	}
	for i, n := range t.Index.upToEach(t.ctx, asked, t.K, t.Workers) {
		if *cells[i] = int32(n); n >= t.K {
			*cells[i] = manyOf
		}
	}
}

// allActive tells whether no node of the path or of a set has been taken out.
func (t *supportTable) allActive(set []int32) bool {
	for _, x := range set {
		if !t.isActive(t.behind[x]) {
			return false
		}
	}
	return t.allIn(t.path)
}
