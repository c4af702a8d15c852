package levels

import (
	"cmp"
	"slices"
)

// step opens a node u: all lines that publish it leave it for its children, and some stay, so that
// every set is in k lines or in none afterwards.
//
// Only the sets with u or with a child of u change. A child of u is published by those lines alone
// that leave u, so its sets are counted among them: in a table of the children by all nodes. A line
// that has a rare set with a child stays (peel). Of those that stay, the sets with u are counted by
// the other node; where one of them is in fewer than k lines, others stay too (fill). Before the
// step each set with u was in k lines, so there are enough. Shares of sensitive items are seen to
// with the sets, in either place.
type step struct {
	rows
	children []int32
	cells    int
	keep     bool    // there is room for the rows
	table    []int32 // cell place*nodes + node: in how many of the lines that leave

	stays []uint64 // a bit for each row
	short int      // how many nodes are with u in some of the lines that stay, but in too few
	met   []int32  // nodes that are with u in a line that stays

	fell  []int32 // cells of sets with a child that have become rare
	now   []int32 // cells of a line that goes back: working space
	again bool    // there may be a rare set that is not listed
}

// newStep makes a step at a node of depth d and the lines that publish it, ascending. Their rows
// have so many numbers at most.
func newStep(r *run, u int32, d int, lines []int32, numbers int) *step {
	children := r.tree.Children(u)
	return &step{
		rows: rows{run: r, u: u, d: d, lines: lines}, children: children,
		cells: len(children) * r.tree.Nodes(), stays: make([]uint64, (len(lines)+63)/64),
		keep: 4*numbers <= r.room,
	}
}

func (s *step) stay(i int) bool { return s.stays[i/64]>>(i%64)&1 > 0 }

// run makes the step.
func (s *step) run() {
	s.count()
	if s.ctx.Err() != nil {
		return
	}
	s.few.forget(s.cells)
	if s.shares != nil {
		s.shares.begin(s.table[:s.cells], len(s.children))
	}
	read := s.reader()
	for _, line := range s.refused[s.u] {
		if i, publishes := slices.BinarySearch(s.lines, line); publishes {
			s.back(i, read(i))
		}
	}
	s.again = true
	for s.ctx.Err() == nil && (s.again || len(s.fell) > 0 || s.doubtful() || s.short > 0) {
		s.peel()
		s.fill()
	}
	for _, y := range s.met {
		s.taken[y] = 0
		if s.shares != nil {
			s.shares.forget(y)
		}
	}
}

// count has all lines leave, and counts their sets. It keeps the rows if there is room.
func (s *step) count() {
	chunks := make([]chunk, s.workers)
	s.each(len(s.lines), func(worker, from, to int) {
		table, cells := emptied(s.tables[worker], s.cells), []int32(nil)
		s.tables[worker] = table
		leave := func(row []int32) {
			s.publish(row, s.d+1)
			cells = s.sets(cells[:0], row)
			for _, cell := range cells {
				table[cell]++
			}
		}
		if s.keep {
			chunks[worker] = s.keeping(worker, from, to, leave)
		} else {
			s.making(from, to, leave)
		}
	})
	if s.ctx.Err() != nil {
		return
	}
	if s.keep {
		s.kept = slices.DeleteFunc(chunks, func(own chunk) bool { return len(own.ends) == 0 })
	}
	s.table = s.tables[0]
	if len(s.lines) < fewRows {
		return
	}
	for _, more := range s.tables[1:] {
		for cell, n := range more[:s.cells] {
			s.table[cell] += n
		}
	}
}

// emptied is n cells of zero, in the memory of the old ones if that is enough.
func emptied(old []int32, n int) []int32 {
	if cap(old) < n {
		return make([]int32, n)
	}
	old = old[:n]
	clear(old)
	return old
}

// parts are the places of the children that a row's line has, and its other nodes.
func parts(row []int32) (own, others []int32) {
	n := rowHead + int(row[2])
	return row[rowHead:n], row[n:]
}

// sets appends the cells of all sets with a child that a row's line has if it leaves.
func (s *step) sets(to, row []int32) []int32 {
	own, others := parts(row)
	to = slices.Grow(to, len(own)*(len(own)+len(others)))
	for i, c := range own {
		to = s.column(to, c, own[i+1:], others)
	}
	return to
}

// column appends the cells of a child, by its place: with the children after it, and with others.
func (s *step) column(to []int32, c int32, after, others []int32) []int32 {
	first := c * int32(s.tree.Nodes())
	to = append(to, first+s.children[c])
	if !s.pairs {
		return to
	}
	for _, more := range after {
		to = append(to, first+s.children[more])
	}
	n := len(to)
	to = slices.Grow(to, len(others))[:n+len(others)]
	for j, y := range others {
		to[n+j] = first + y
	}
	return to
}

// someRare tells whether one of some cells is rare.
func (s *step) someRare(cells []int32) bool {
	for _, n := range cells {
		if 0 < n && n < s.k {
			return true
		}
	}
	return false
}

// back has a line stay at u.
func (s *step) back(i int, row []int32) {
	if s.stay(i) {
		return
	}
	s.stays[i/64] |= 1 << (i % 64)
	s.publish(row, s.d)
	s.now = s.sets(s.now[:0], row)
	for _, cell := range s.now {
		s.table[cell]--
		if n := s.table[cell]; n == s.k-1 && n > 0 {
			s.fell = append(s.fell, cell)
		}
	}
	tx := s.tells(i)
	if s.shares != nil {
		s.shares.less(s.now, s.table, s.k)
	}
	_, others := parts(row)
	s.more(s.u, tx)
	for _, y := range others {
		s.more(y, tx)
	}
}

// more gives a line with some sensitive items to the set of u and a node; u itself: to u alone.
func (s *step) more(y int32, tx []int32) {
	lacked := s.lacks(y)
	if s.taken[y]++; s.taken[y] == 1 {
		s.met = append(s.met, y)
	}
	if s.shares != nil {
		s.shares.stay(y, tx)
	}
	switch lacks := s.lacks(y); {
	case lacks && !lacked:
		s.short++
	case lacked && !lacks:
		s.short--
	}
}

// askedAtOnce is among how many rows those that stay at the least cost are chosen.
const askedAtOnce = 1 << 17

// fill has lines stay until no node is with u in fewer than k of the lines that stay, and no share
// of a sensitive item among them is too large.
func (s *step) fill() {
	for from := 0; s.short > 0 && s.ctx.Err() == nil; from += askedAtOnce {
		if from >= len(s.lines) {
			from = 0
		}
		end := min(from+askedAtOnce, len(s.lines))
		s.ask(s.which(from, end, func(_ int, _ int32, row []int32) bool { return s.helps(row) }))
	}
}

// helps tells whether a line that stays, too, is one more for a set that needs it.
func (s *step) helps(row []int32) bool {
	_, others := parts(row)
	if s.lacks(s.u) {
		return true
	}
	return slices.ContainsFunc(others, s.lacks)
}

func (s *step) lacks(y int32) bool {
	return s.taken[y] > 0 && (s.taken[y] < s.k || s.shares != nil && s.shares.uneven[y])
}

// ask has those of some lines stay that help, the cheapest first.
func (s *step) ask(list []int32) {
	type candidate struct {
		row  int32
		cost float64
	}
	candidates := make([]candidate, 0, len(list))
	read := s.reader()
	for _, i := range list {
		candidates = append(candidates, candidate{i, s.cost(read(int(i)))})
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), s.before(a.row, b.row))
	})
	for _, c := range candidates {
		if s.short == 0 {
			return
		}
		if row := read(int(c.row)); s.helps(row) {
			s.back(int(c.row), row)
		}
	}
}

// cost is what a line's staying loses, for each set that it helps: its occurrences, and as many
// times as much again as there are new sets that others must stay for.
func (s *step) cost(row []int32) float64 {
	_, others := parts(row)
	helped, fresh := 0, 0
	for _, y := range others {
		switch {
		case s.taken[y] == 0:
			fresh++
		case s.lacks(y):
			helped++
		}
	}
	if s.lacks(s.u) {
		helped++
	}
	return float64(row[1]) * float64(1+fresh) / float64(helped)
}

// publish publishes a row's occurrences at u as they are at some depth.
func (s *step) publish(row []int32, depth int) {
	at := int(uint32(row[0]))
	depths := s.depths[at : at+int(row[1])]
	for i := range depths {
		depths[i] = uint8(depth)
	}
}
