package local

import "slices"

// reckoning is how many lines, and distinct persons, transactions stand for. Those of a person
// follow each other.
type reckoning struct {
	lines, persons int64
	own, most      int64 // lines of the person counted last, and of one person at most
	last           int32 // the person counted last, plus one
}

// add adds a transaction of so many lines and of a person; -1: nobody's, or persons do not count.
func (r *reckoning) add(lines, unit int32) {
	r.lines += int64(lines)
	if unit < 0 {
		return
	}
	if r.last != unit+1 {
		r.persons, r.own, r.last = r.persons+1, 0, unit+1
	}
	r.own += int64(lines)
	r.most = max(r.most, r.own)
}

// tallies are reckonings of all, and of those with each mark of a column.
type tallies []reckoning

// over tells whether some number is more than the same one of others.
func (t tallies) over(of tallies) bool {
	for n, r := range t {
		if r.lines > of[n].lines || r.persons > of[n].persons {
			return true
		}
	}
	return false
}

// shares counts what transactions, those of a person one after the other, have of sensitive items.
type shares struct {
	of  *diversity
	all reckoning
	by  []reckoning // by sensitive item; zero where it is not in met
	met []int32

	need, have tallies // working space
}

func newShares(d *diversity) shares {
	return shares{
		of: d, by: make([]reckoning, d.sensitive.Dict().Len()),
		need: make(tallies, 1+len(d.marks)), have: make(tallies, 1+len(d.marks)),
	}
}

// begin begins a count.
func (s *shares) begin() {
	for _, x := range s.met {
		s.by[x] = reckoning{}
	}
	s.met, s.all = s.met[:0], reckoning{}
}

// add adds a transaction.
func (s *shares) add(i int32) {
	unit := s.unit(i)
	s.all.add(s.of.lines[i], unit)
	for _, x := range s.of.sensitive.Tx(int(i)) {
		if s.by[x].lines == 0 {
			s.met = append(s.met, x)
		}
		s.by[x].add(s.of.lines[i], unit)
	}
}

func (s *shares) unit(i int32) int32 {
	if s.of.units == nil {
		return -1
	}
	return s.of.units[i]
}

// any tells whether there is anything of which a share is bounded.
func (s *shares) any() bool {
	return s.of.one > 0 || slices.ContainsFunc(s.met, func(x int32) bool {
		return s.of.markOf(x) != x
	})
}

// place is where in tallies is what the share of x is taken of.
func (s *shares) place(x int32) int {
	mark := s.of.markOf(x)
	if mark < 0 {
		return 0
	}
	return 1 + slices.Index(s.of.marks, mark)
}

// needed is how many lines there must be, or persons if they are meant, for the shares to be in
// order: those of sensitive items and, of lines, that of one person. It is good until it is called
// again.
func (s *shares) needed(persons bool) tallies {
	clear(s.need)
	for _, x := range s.met {
		if s.of.markOf(x) == x {
			continue
		}
		n := &s.need[s.place(x)]
		if persons {
			n.persons = max(n.persons, s.by[x].persons*s.of.l)
		} else {
			n.lines = max(n.lines, s.by[x].lines*s.of.l)
		}
	}
	if !persons {
		s.need[0].lines = max(s.need[0].lines, s.all.most*s.of.one)
	}
	return s.need
}

// nothing is tallies of nothing, and had of what was counted; good until either is called again.
func (s *shares) nothing() tallies {
	clear(s.have)
	return s.have
}

func (s *shares) had() tallies {
	s.have[0] = s.all
	for n, mark := range s.of.marks {
		s.have[1+n] = s.by[mark]
	}
	return s.have
}

// addTo adds a transaction to tallies alone.
func (s *shares) addTo(t tallies, i int32) {
	unit := s.unit(i)
	t[0].add(s.of.lines[i], unit)
	for n, mark := range s.of.marks {
		if s.of.has(i, mark) {
			t[1+n].add(s.of.lines[i], unit)
		}
	}
}

// fail tells whether a share is too large among what was counted.
func (s *shares) fail() bool {
	had := s.had()
	return s.needed(false).over(had) || s.of.units != nil && s.needed(true).over(had)
}
