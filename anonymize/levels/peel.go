package levels

import "slices"

// peel has lines stay until none that leaves has a rare set with a child. As lines that stay only
// take away from such sets, a line with a rare one stays whatever else happens, and the order in
// which that is found out does not matter: as in the peeling of k-cores.
//
// All lines with a child are looked at where one of its sets is rare. Those of sets in few lines
// are listed then, for these sets are the next to become rare. A set that becomes rare without
// having been listed makes for another look.
//
// When no set is rare, one in which a share may be too large is looked at (even).
func (s *step) peel() {
	read := s.reader()
	for s.ctx.Err() == nil && (s.again || len(s.fell) > 0 || s.doubtful()) {
		switch {
		case s.again:
			s.again, s.fell = false, s.fell[:0]
			for _, i := range s.look() {
				s.back(int(i), read(int(i)))
			}
		case len(s.fell) > 0:
			cell := s.fell[len(s.fell)-1]
			s.fell = s.fell[:len(s.fell)-1]
			if s.again = !s.few.listed[cell]; s.again {
				break
			}
			s.few.each(int(cell)/s.tree.Nodes(), cell, func(i int32) {
				if !s.stay(int(i)) {
					s.back(int(i), read(int(i)))
				}
			})
		default:
			s.even(read)
		}
	}
}

// look finds the rows that leave and have a rare set, ascending. It lists the others of those with
// such a child, by the sets with it that are in few lines.
func (s *step) look() []int32 {
	nodes := s.tree.Nodes()
	looked := make([]bool, len(s.children))
	room := s.room / entryBytes / len(s.children) // of the lists of a child
	if s.shares != nil {
		s.judge()
		s.shares.look()
		room /= 2 // as much for sets in doubt
	}
	for c := range s.children {
		column, most := s.table[c*nodes:(c+1)*nodes], room
		doubt := s.inDoubt(c)
		if looked[c] = s.someRare(column) || len(doubt) > 0; !looked[c] {
			continue
		}
		if s.shares == nil { // else one more look takes more than longer lists
			most = min(most, int(column[s.children[c]]))
		}
		s.few.begin(c, c*nodes, column, s.k, most)
		s.few.more(doubt, s.table, room)
	}
	if !slices.Contains(looked, true) {
		return nil
	}
	scratch := make([][]int32, s.workers)
	return s.which(0, len(s.lines), func(worker int, i int32, row []int32) bool {
		own, others := parts(row)
		if !slices.ContainsFunc(own, func(c int32) bool { return looked[c] }) {
			return false
		}
		cells := scratch[worker][:0]
		for j, c := range own {
			if looked[c] {
				cells = s.column(cells, c, own[j+1:], others)
			}
		}
		scratch[worker] = cells
		for _, cell := range cells {
			if s.table[cell] < s.k {
				return true
			}
		}
		for _, cell := range cells {
			if s.few.listed[cell] {
				s.few.add(worker, int(cell)/nodes, cell, i)
			}
		}
		return false
	})
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
