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
// step each set with u was in k lines, so there are enough.
type step struct {
	rows
	kids  []int32
	cells int
	table []int32 // cell place*nodes + node: in how many of the lines that leave

	stays []uint64 // a bit for each row
	left  int      // how many rows leave
	short int      // how many nodes are with u in some of the lines that stay, but in less than k
	fell  bool     // a set with a child has become rare
	met   []int32  // nodes that are with u in a line that stays
}

func newStep(r *run, u int32, d int, lines []int32) *step {
	kids := r.tree.Children(u)
	return &step{
		rows: rows{run: r, u: u, d: d, lines: lines}, kids: kids,
		cells: len(kids) * r.tree.Nodes(), stays: make([]uint64, (len(lines)+63)/64),
		left: len(lines),
	}
}

func (s *step) stay(i int) bool { return s.stays[i/64]>>(i%64)&1 > 0 }

// run makes the step.
func (s *step) run() {
	s.count()
	read := s.reader()
	for i, line := range s.lines {
		if len(s.refused.lines) == 0 {
			break
		}
		if s.refused.child(s.tree, line, s.u) {
			s.back(i, read(i))
		}
	}
	if s.someRare() {
		s.fell = true
	}
	for s.fell || s.short > 0 {
		s.peel()
		s.fill()
	}
	s.apply()
	for _, y := range s.met {
		s.taken[y] = 0
	}
}

// count fills the table as if every line left, and keeps the rows if it can.
func (s *step) count() {
	keep := s.keepable()
	chunks := make([]chunk, s.workers)
	s.each(len(s.lines), func(worker, from, to int) {
		table := emptied(s.tables[worker], s.cells)
		s.tables[worker] = table
		if keep {
			chunks[worker] = s.keep(from, to)
			own := &chunks[worker]
			begin := int32(0)
			for _, end := range own.ends {
				s.countRow(table, own.text[begin:end])
				begin = end
			}
			return
		}
		make := s.maker()
		for i := from; i < to; i++ {
			s.countRow(table, make(i))
		}
	})
	if keep {
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

func (s *step) countRow(table, row []int32) {
	own, others := parts(row)
	for i, c := range own {
		cells := table[int(c)*s.tree.Nodes():][:s.tree.Nodes()]
		cells[s.kids[c]]++
		if !s.pairs {
			continue
		}
		for _, more := range own[i+1:] {
			cells[s.kids[more]]++
		}
		for _, y := range others {
			cells[y]++
		}
	}
}

// rare tells whether a line that leaves has a rare set with a child.
func (s *step) rare(row []int32) bool {
	own, others := parts(row)
	for i, c := range own {
		cells := s.table[int(c)*s.tree.Nodes():][:s.tree.Nodes()]
		if cells[s.kids[c]] < s.k {
			return true
		}
		if !s.pairs {
			continue
		}
		for _, more := range own[i+1:] {
			if cells[s.kids[more]] < s.k {
				return true
			}
		}
		for _, y := range others {
			if cells[y] < s.k {
				return true
			}
		}
	}
	return false
}

// someRare tells whether any set with a child is rare.
func (s *step) someRare() bool {
	for _, n := range s.table[:s.cells] {
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
	s.left--
	own, others := parts(row)
	for i, c := range own {
		cells := s.table[int(c)*s.tree.Nodes():][:s.tree.Nodes()]
		s.less(&cells[s.kids[c]])
		if !s.pairs {
			continue
		}
		for _, more := range own[i+1:] {
			s.less(&cells[s.kids[more]])
		}
		for _, y := range others {
			s.less(&cells[y])
		}
	}
	s.more(s.u)
	for _, y := range others {
		s.more(y)
	}
}

// less takes a line from a set with a child.
func (s *step) less(n *int32) {
	*n--
	if *n == s.k-1 && *n > 0 {
		s.fell = true
	}
}

// more gives a line to the set of u and a node; u itself: to u alone.
func (s *step) more(y int32) {
	switch s.taken[y]++; s.taken[y] {
	case 1:
		s.met = append(s.met, y)
		if s.k > 1 {
			s.short++
		}
	case s.k:
		s.short--
	}
}

// peel has lines stay until none that leaves has a rare set.
func (s *step) peel() {
	read := s.reader()
	for s.fell {
		s.fell = false
		for _, i := range s.which(0, len(s.lines), s.rare) {
			if row := read(int(i)); s.rare(row) {
				s.back(int(i), row)
			}
		}
	}
}

// which are the rows in a range that leave and are so, ascending.
func (s *step) which(from, to int, so func(row []int32) bool) []int32 {
	found := make([][]int32, s.workers)
	s.each(to-from, func(worker, first, end int) {
		read := s.reader()
		for i := from + first; i < from+end; i++ {
			if !s.stay(i) && so(read(i)) {
				found[worker] = append(found[worker], int32(i))
			}
		}
	})
	return slices.Concat(found...)
}

// askedAtOnce is among how many rows those that stay at the least cost are chosen.
const askedAtOnce = 1 << 20

// fill has lines stay until no node is with u in fewer than k of the lines that stay.
func (s *step) fill() {
	for from := 0; s.short > 0; from += askedAtOnce {
		if from >= len(s.lines) {
			from = 0
		}
		s.ask(s.which(from, min(from+askedAtOnce, len(s.lines)), s.helps))
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

func (s *step) lacks(y int32) bool { return s.taken[y] > 0 && s.taken[y] < s.k }

// ask has those of some lines stay that help, the cheapest first.
func (s *step) ask(list []int32) {
	type offer struct {
		row  int32
		cost float64
	}
	offers := make([]offer, 0, len(list))
	read := s.reader()
	for _, i := range list {
		offers = append(offers, offer{i, s.cost(read(int(i)))})
	}
	slices.SortStableFunc(offers, func(a, b offer) int { return cmp.Compare(a.cost, b.cost) })
	for _, o := range offers {
		if s.short == 0 {
			return
		}
		if row := read(int(o.row)); s.helps(row) {
			s.back(int(o.row), row)
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
		case s.taken[y] < s.k:
			helped++
		}
	}
	if s.lacks(s.u) {
		helped++
	}
	return float64(row[1]) * float64(1+fresh) / float64(helped)
}

// apply publishes the children for the lines that leave.
func (s *step) apply() {
	s.each(len(s.lines), func(_, from, to int) {
		read := s.reader()
		for i := from; i < to; i++ {
			if s.stay(i) {
				continue
			}
			row := read(i)
			at := int(uint32(row[0]))
			for j := at; j < at+int(row[1]); j++ {
				s.depths[j] = uint8(s.d + 1)
			}
		}
	})
}
