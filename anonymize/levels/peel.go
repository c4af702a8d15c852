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
	entries, cells := make([][]entry, s.workers), make([][]int32, s.workers)
	rare := s.which(0, len(s.lines), func(worker int, i int32, row []int32) bool {
		own := s.sets(cells[worker][:0], row)
		cells[worker] = own
		before := len(entries[worker])
		for _, cell := range own {
			switch n := s.table[cell]; {
			case n < s.k:
				entries[worker] = entries[worker][:before]
				return true
			case n < near:
				entries[worker] = append(entries[worker], entry{cell, i})
			}
		}
		return false
	})
	for _, own := range entries {
		for _, e := range own {
			s.few.add(e)
		}
	}
	return rare
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
		for i := from + first; i < from+end && !s.ended(i); i++ {
			if !s.stay(i) && so(worker, int32(i), read(i)) {
				found[worker] = append(found[worker], int32(i))
			}
		}
	})
	return slices.Concat(found...)
}
