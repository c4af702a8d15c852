package local

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

// shares counts what transactions, those of a person one after the other, have of sensitive items.
type shares struct {
	of  *diversity
	all reckoning
	by  []reckoning // by sensitive item; zero where it is not in met
	met []int32
}

func newShares(d *diversity) shares {
	return shares{of: d, by: make([]reckoning, d.sensitive.Dict().Len())}
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
	unit := int32(-1)
	if s.of.units != nil {
		unit = s.of.units[i]
	}
	s.all.add(s.of.lines[i], unit)
	for _, x := range s.of.sensitive.Tx(int(i)) {
		if s.by[x].lines == 0 {
			s.met = append(s.met, x)
		}
		s.by[x].add(s.of.lines[i], unit)
	}
}

// any tells whether there is anything of which a share is bounded.
func (s *shares) any() bool { return len(s.met) > 0 || s.of.one > 0 }

// needed is how many lines there must be, or persons if they are meant, for the shares to be in
// order; those of one person as well as those of sensitive items, if they are meant.
func (s *shares) needed(persons, one bool) (n reckoning) {
	for _, x := range s.met {
		if persons {
			n.persons = max(n.persons, s.by[x].persons*s.of.l)
		} else {
			n.lines = max(n.lines, s.by[x].lines*s.of.l)
		}
	}
	if one && !persons {
		n.lines = max(n.lines, s.all.most*s.of.one)
	}
	return n
}

// fail tells whether a share is too large among what was counted.
func (s *shares) fail() bool {
	return s.needed(false, true).lines > s.all.lines ||
		s.of.units != nil && s.needed(true, false).persons > s.all.persons
}
