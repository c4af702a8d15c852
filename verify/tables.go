package verify

import (
	"context"
	"math"
	"slices"

	"mingle/dataset"
)

// tableCells is how many cells of four bytes the tables of all workers have together: 64 MB.
const tableCells = 1 << 24

// setsPerItem bounds what is counted in tables, for each item of a line. Reading and merging lines
// costs some tens of steps an item; counting up to so many sets is never far beyond that, however
// many lines are equal.
const setsPerItem = 64

// tables counts every combination of two to m published nodes in a cell of its own, going through
// the lines as they are: nothing is merged, sorted or projected. That is quick where few nodes are
// published, as by a cut. Lists of combinations ([search]) serve where there are more cells than
// sets to count.
//
// The combination x1 < x2 < ... < xs of size s has cell C(x1,1) + C(x2,2) + ... + C(xs,s), the
// combinatorial number system (Knuth, The Art of Computer Programming 4A, 7.2.1.3). Those whose
// last node is before x have the C(x,s) first cells: a range of last nodes is a range of cells, and
// is counted in one pass over the lines.
type tables struct {
	published *dataset.Dataset
	k, m      int

	label  []int32 // number -> node
	number []int32 // node -> number; -1: not in use
	choose [][]int // choose[s][x] is C(x,s)

	passes []tablePass
	// rare has, of the size before that of the pass and of the size of the pass, a bit for each
	// combination that occurs and is rare.
	rare [2]cellSet

	found   witnesses
	counted int64
}

// tablePass is for the combinations of a size whose last node is in a range.
type tablePass struct{ size, from, to int }

// cellSet is a set of cells, a bit each; see bitset.
type cellSet []uint64

func (b cellSet) has(i int) bool { return b[i/64]>>(i%64)&1 > 0 }
func (b cellSet) put(i int)      { b[i/64] |= 1 << (i % 64) }

// newTables returns nil where tables do not pay: where there are more cells than sets to count, too
// many sets, or more passes than the other method needs.
func newTables(published *dataset.Dataset, k, m, workers int) *tables {
	if m < 2 || m > 8 {
		return nil
	}
	t := &tables{published: published, k: k, m: m}
	t.numberNodes()
	t.choose = binomials(m, len(t.label))
	cells, sets := 0, t.sets()
	for s := 2; s <= m; s++ {
		cells += t.choose[s][len(t.label)]
	}
	occurrences := published.Occurrences()
	if float64(cells) > sets || sets > setsPerItem*float64(occurrences) {
		return nil
	}
	most := max(m, occurrences/chunkSize+1)
	if !t.plan(tableCells/workers, most) {
		return nil
	}
	return t
}

// numberNodes numbers the nodes in use by their ids, so that lines stay ascending.
func (t *tables) numberNodes() {
	supports := t.published.Supports()
	t.number = slices.Repeat([]int32{-1}, len(supports))
	for u, n := range supports {
		if n > 0 {
			t.number[u] = int32(len(t.label))
			t.label = append(t.label, int32(u))
		}
	}
}

// manySets is what numbers of cells end at: more than there ever are, and so little that eight of
// them are no overflow.
const manySets = math.MaxInt / 16

// binomials are C(x,s) for s up to m and x up to n, at most manySets.
func binomials(m, n int) [][]int {
	choose := make([][]int, m+1)
	for s := range choose {
		choose[s] = make([]int, n+1)
		for x := range choose[s] {
			switch {
			case s == 0:
				choose[s][x] = 1
			case x > 0:
				choose[s][x] = min(choose[s-1][x-1]+choose[s][x-1], manySets)
			}
		}
	}
	return choose
}

// sets is how many combinations of two to m the lines have, each as often as it occurs: a float, as
// there may be too many for an integer.
func (t *tables) sets() float64 {
	lengths := make([]int, t.published.MaxLen()+1)
	for _, line := range t.published.All() {
		lengths[len(line)]++
	}
	total := 0.0
	for n, lines := range lengths {
		for s := 2; s <= t.m; s++ {
			total += float64(lines) * float64(t.choose[s][n])
		}
	}
	return total
}

// plan cuts the cells into passes; it returns false where that makes more than most.
func (t *tables) plan(cells, most int) bool {
	n := len(t.label)
	for s := 2; s <= t.m; s++ {
		for from := s - 1; from < n; {
			to := from
			for to < n && t.choose[s][to+1]-t.choose[s][from] <= cells {
				to++
			}
			if to == from || len(t.passes) == most {
				return false
			}
			t.passes = append(t.passes, tablePass{s, from, to})
			from = to
		}
	}
	return true
}

// check counts all combinations and files the minimal ones among those that are rare.
func (t *tables) check(ctx context.Context, workers *pool) error {
	t.singles()
	cells := make([][]int32, workers.workers)
	for i, pass := range t.passes {
		if i == 0 || pass.size > t.passes[i-1].size {
			t.rare[0], t.rare[1] = t.rare[1], bitset(t.choose[pass.size][len(t.label)])
		}
		part := &pool{workers: workers.workers}
		if workers.progress != nil {
			part.progress = func(stage string, done, total int64) {
				workers.progress(stage, int64(i)*total+done, int64(len(t.passes))*total)
			}
		}
		if err := t.count(ctx, part, pass, cells); err != nil {
			return err
		}
		t.judge(pass, cells[0])
	}
	return nil
}

// singles judges the nodes by themselves.
func (t *tables) singles() {
	supports := t.published.Supports()
	t.rare[1] = bitset(len(t.label))
	t.counted = int64(len(t.label))
	for x, u := range t.label {
		if n := supports[u]; n < t.k {
			t.rare[1].put(x)
			t.found.add(t.label[x:x+1], -1, n, t.k)
		}
	}
}

// count makes the pass; the sums of all workers are in the first one's cells after it.
func (t *tables) count(
	ctx context.Context, workers *pool, pass tablePass, cells [][]int32,
) error {
	base := t.choose[pass.size][pass.from]
	n := t.choose[pass.size][pass.to] - base
	lines := t.published.Len()
	tasks := (lines + linesPerTask - 1) / linesPerTask
	counters := make([]*tableCounter, workers.workers)
	err := workers.run(ctx, "itemsets", tasks, func(worker, task int) {
		c := counters[worker]
		if c == nil {
			cells[worker] = emptied(cells[worker], n)
			c = &tableCounter{
				tables: t, pass: pass, base: base, cells: cells[worker],
				lines: t.published.Cursor(),
			}
			counters[worker] = c
		}
		for i := task * linesPerTask; i < min(lines, (task+1)*linesPerTask); i++ {
			c.line(i)
		}
	})
	if err != nil {
		return err
	}
	t.sum(counters, cells, n)
	return nil
}

// sum adds the cells of the workers that counted to those of the first.
func (t *tables) sum(counters []*tableCounter, cells [][]int32, n int) {
	if counters[0] == nil {
		cells[0] = emptied(cells[0], n)
	}
	for worker, c := range counters[1:] {
		if c != nil {
			for i, more := range cells[worker+1] {
				cells[0][i] += more
			}
		}
	}
}

// emptied is n cells of zero, in the memory of the old ones if that is enough.
func emptied(old []int32, n int) []int32 {
	if cap(old) < n {
		return make([]int32, n)
	}
	clear(old[:n])
	return old[:n]
}

// tableCounter is one worker's part of a pass.
type tableCounter struct {
	*tables
	pass  tablePass
	base  int // the cell that stands first
	cells []int32
	lines *dataset.Cursor
	row   []int32
}

// line counts the combinations of line i that the pass is for.
func (c *tableCounter) line(i int) {
	c.row = c.row[:0]
	for _, u := range c.lines.Tx(i) {
		c.row = append(c.row, c.number[u])
	}
	last := c.choose[c.pass.size]
	for at := len(c.row) - 1; at >= c.pass.size-1; at-- {
		x := int(c.row[at])
		if x < c.pass.from {
			break
		}
		if x < c.pass.to {
			c.before(c.row[:at], c.pass.size-1, last[x]-c.base)
		}
	}
}

// before counts the combinations of the given size in a row, with what stands behind it at a cell.
func (c *tableCounter) before(row []int32, size, cell int) {
	switch size {
	case 1:
		for _, x := range row {
			c.cells[cell+int(x)]++
		}
		return
	case 2: // as below, without a call for each element
		for at, y := range row {
			first := cell + c.choose[2][y]
			cells := c.cells[first : first+int(y)]
			for _, x := range row[:at] {
				cells[x]++
			}
		}
		return
	}
	for at := len(row) - 1; at >= size-1; at-- {
		c.before(row[:at], size-1, cell+c.choose[size][row[at]])
	}
}

// judge files the minimal breaches of a pass. A combination is one where it occurs, is rare, and
// nothing that it contains is rare: what contains a rare combination and occurs is rare itself, so
// that the sets of one size less tell.
func (t *tables) judge(pass tablePass, cells []int32) {
	base := t.choose[pass.size][pass.from]
	set, nodes := make([]int32, pass.size), make([]int32, pass.size)
	for i, n := range cells {
		if n == 0 {
			continue
		}
		t.counted++
		if int(n) >= t.k {
			continue
		}
		t.rare[1].put(base + i)
		if t.decode(base+i, set); t.containsRare(set) {
			continue
		}
		for j, x := range set {
			nodes[j] = t.label[x]
		}
		t.found.add(nodes, -1, int(n), t.k)
	}
}

// decode spells out the combination of a cell.
func (t *tables) decode(cell int, set []int32) {
	for s := len(set); s > 0; s-- {
		after, _ := slices.BinarySearch(t.choose[s], cell+1) // the first x with C(x,s) > cell
		set[s-1] = int32(after - 1)
		cell -= t.choose[s][after-1]
	}
}

// containsRare tells whether a combination has a rare one of one node less.
func (t *tables) containsRare(set []int32) bool {
	for left := range set {
		cell, s := 0, 0
		for i, x := range set {
			if i != left {
				s++
				cell += t.choose[s][x]
			}
		}
		if t.rare[0].has(cell) {
			return true
		}
	}
	return false
}
