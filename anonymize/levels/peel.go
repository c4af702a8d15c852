package levels

import "slices"

// peel has lines stay until none that leaves has a rare set with a child. As lines that stay only
// take away from such sets, a line with a rare one stays whatever else happens, and the order in
// which that is found out does not matter: as in the peeling of k-cores.
//
// All lines are looked at once. Those of sets in few lines are listed then, for these sets are the
// next to become rare. A set that becomes rare without having been listed makes for another look at
// all lines.
func (s *step) peel() {
	read := s.reader()
	for s.again || len(s.fell) > 0 {
		if s.again {
			s.again, s.fell = false, s.fell[:0]
			for _, i := range s.look() {
				s.back(int(i), read(int(i)))
			}
		}
		for len(s.fell) > 0 && !s.again {
			cell := s.fell[len(s.fell)-1]
			s.fell = s.fell[:len(s.fell)-1]
			if !s.few.listed(cell) {
				s.again = true
				break
			}
			s.few.each(cell, func(i int32) {
				if !s.stay(int(i)) {
					s.back(int(i), read(int(i)))
				}
			})
		}
	}
}

// look finds the rows that leave and have a rare set, ascending, and lists the others with sets in
// few lines.
func (s *step) look() []int32 {
	s.few.forget()
	near := fewTimes * s.k
	for cell, n := range s.table[:s.cells] {
		if s.k <= n && n < near {
			s.few.first[cell] = noRow
			s.few.cells = append(s.few.cells, int32(cell))
		}
	}
	entries, columns := make([][]entry, s.workers), s.columns(near)
	rare := s.which(0, len(s.lines), func(worker int, i int32, row []int32) bool {
		all := entries[worker]
		now, is := s.near(all, i, row, columns)
		if is {
			now = all
		}
		entries[worker] = now
		return is
	})
	for _, own := range entries {
		for _, e := range own {
			s.few.add(e)
		}
	}
	return rare
}

// columns are the nodes that are with a child of u in some lines, but in fewer than near.
func (s *step) columns(near int32) []bool {
	out := make([]bool, s.tree.Nodes())
	for c := range s.kids {
		for y, n := range s.table[c*len(out):][:len(out)] {
			if 0 < n && n < near {
				out[y] = true
			}
		}
	}
	return out
}

// near appends the sets of a row that are in few lines, and tells whether one of them is rare. The
// columns are those that have such sets.
func (s *step) near(to []entry, i int32, row []int32, columns []bool) ([]entry, bool) {
	own, others := parts(row)
	nodes, k := int32(len(columns)), s.k
	for at, c := range own {
		first := c * nodes
		cells := s.table[first:][:nodes]
		look := func(y int32) bool {
			n := cells[y]
			if n < fewTimes*k {
				to = append(to, entry{first + y, i})
			}
			return n < k
		}
		if columns[s.kids[c]] && look(s.kids[c]) {
			return to, true
		}
		if !s.pairs {
			continue
		}
		for _, more := range own[at+1:] {
			if y := s.kids[more]; columns[y] && look(y) {
				return to, true
			}
		}
		for _, y := range others {
			if columns[y] && look(y) {
				return to, true
			}
		}
	}
	return to, false
}

// fewTimes: a set is in few lines if these are less than so many times k.
const fewTimes = 4

// few are the rows of sets in few lines, by cell: linked lists.
type few struct {
	// of each cell: the place of its last entry, counted from 1; noRow: none; 0: it is not listed
	first []int32
	cells []int32 // that are listed
	rows  []int32 // of each entry
	next  []int32 // the entry before
}

// entry is a row of a set.
type entry struct{ cell, row int32 }

const noRow = -1

func (f *few) listed(cell int32) bool { return f.first[cell] != 0 }

func (f *few) add(e entry) {
	f.rows, f.next = append(f.rows, e.row), append(f.next, f.first[e.cell])
	f.first[e.cell] = int32(len(f.rows))
}

func (f *few) each(cell int32, do func(row int32)) {
	for at := f.first[cell]; at > 0; at = f.next[at-1] {
		do(f.rows[at-1])
	}
}

// forget empties all lists.
func (f *few) forget() {
	for _, cell := range f.cells {
		f.first[cell] = 0
	}
	f.cells, f.rows, f.next = f.cells[:0], f.rows[:0], f.next[:0]
}

// which are the rows in a range that leave and are so, ascending.
func (s *step) which(
	from, to int, so func(worker int, i int32, row []int32) bool,
) []int32 {
	found := make([][]int32, s.workers)
	s.each(to-from, func(worker, first, end int) {
		read := s.reader()
		for i := from + first; i < from+end; i++ {
			if !s.stay(i) && so(worker, int32(i), read(i)) {
				found[worker] = append(found[worker], int32(i))
			}
		}
	})
	return slices.Concat(found...)
}
