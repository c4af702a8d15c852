package verify

import (
	"fmt"
	"math/bits"
)

// Shares of persons among what knowledge leaves (see unions.go), where checking it one set J after
// the other would be too much.
//
// The lines that J leaves are a disjoint union over sets of elements, its persons are not: a person
// may have lines in several of them. So persons are counted for every J that may fail. Let more
// than 1/l of the persons whom J leaves have s, so that a line with s is left. J is below the set E
// of the elements by which that line allows it. So all J are looked at that are below a set of at
// most m elements of a line with a sensitive item (walkElements, choices), but for the following.
//
// Let E be labels alone, and let no line with a sensitive item but those with the elements E be one
// that J below E may leave. Then J is in order if the published view is. Proof, for the E of such a
// line. All lines with the labels E are left: plainly they match J; and child by child, the child
// of a label that leads to an item of J is not split, else the line had its element, so that all
// lines with the label allow the item. At most 1/l of the persons with the labels E in a line have
// s in such a line (byPersons). All lines with s that are left are among these, and all these
// persons are left.
//
// Shares of one person are shares of lines. Where they are bounded the lines of every set of
// elements are counted, whether they have a sensitive item or not.

// personCounter counts the persons of lines, which come one after the other.
type personCounter struct {
	heads     map[int32]*headcount // by sensitive item
	of        headcount
	own, most int // lines of the person counted last, and of one person at most
	left      int // persons who are left at least

	sensitive []int32            // the lines that have a sensitive item
	may       map[int32][]uint64 // by node: those of them that may have an item below it
	words     int                // in all of may
}

func (c *personCounter) begin() {
	clear(c.heads)
	c.of, c.own, c.most, c.left = headcount{}, 0, 0, 0
}

// ofPersons makes the reader one of the lines of each person.
func (r *reader) ofPersons(j *judgement) {
	r.byPersons(j.in.Published, j.person)
	r.tallies = make([][]tally, len(r.sets))
	r.share = j.in.Promise.PersonShare
	if j.sens == nil {
		return
	}
	for n, i := range newPersonLines(j.in.Published, j.person).order {
		for _, x := range j.sens.Tx(int(i)) {
			r.tallies[n] = append(r.tallies[n], tally{x, 1})
		}
	}
}

// addPerson counts the person of a line.
func (s *unionSeeker) addPerson(line int32) {
	c := &s.byPerson
	for _, t := range s.tallies[line] {
		h := c.heads[t.sensitive]
		if h == nil {
			h = &headcount{}
			c.heads[t.sensitive] = h
		}
		s.reading.add(h, line)
	}
	if s.person[line] == nobody {
		return
	}
	before := c.of.n
	if s.reading.add(&c.of, line); c.of.n > before {
		c.own = 0
	}
	c.own++
	c.most = max(c.most, c.own)
}

// mayFailOfPersons tells whether a sensitive item is of more than 1/l of the persons who are left.
func (s *unionSeeker) mayFailOfPersons() bool {
	for _, h := range s.byPerson.heads {
		if h.n*s.l > s.byPerson.left {
			return true
		}
	}
	return false
}

// mayUnite tells whether a J below the current set, which some lines have, may leave persons with a
// sensitive item beyond what the published view says of them.
func (s *unionSeeker) mayUnite(in []member) bool {
	if s.person == nil || len(s.upper.of) == 0 {
		return false
	}
	more := 0
	for _, h := range in {
		if len(s.tallies[h.line]) > 0 {
			more--
		}
	}
	for _, e := range s.set {
		if int(e) >= s.tree.Nodes() {
			return true
		}
	}
	first := s.sensitiveAt(s.set[0])
	s.work.Add(int64(len(s.set) * len(first)))
	for n, w := range first {
		for _, u := range s.set[1:] {
			w &= s.sensitiveAt(u)[n]
		}
		more += bits.OnesCount64(w)
	}
	return more > 0
}

// sensitiveAt are the lines with a sensitive item that may have an item below a node, as bits in
// their order.
func (s *unionSeeker) sensitiveAt(u int32) []uint64 {
	c := &s.byPerson
	if set, is := c.may[u]; is {
		return set
	}
	set, all, below := bitset(len(c.sensitive)), s.all(u), s.covers.atOrBelow(u)
	for n, line := range c.sensitive {
		if (all[line/64]|below[line/64])>>(line%64)&1 != 0 {
			set[n/64] |= 1 << (n % 64)
		}
	}
	if c.words += len(set); c.words > maxCovering/8 {
		clear(c.may)
		c.words = len(set)
	}
	c.may[u] = set
	return set
}

// breachOfPersons files what is in too many of the persons whom some items leave, and that one
// person has too many of the lines.
func (s *unionSeeker) breachOfPersons(items []int32, lines int) {
	for x, h := range s.byPerson.heads {
		if n := h.n * s.l; n > s.byPerson.left {
			s.told[fmt.Sprint(items, x, ofPersons)] = witness{
				items, x, s.byPerson.left, n, ofPersons,
			}
		}
	}
	if n := s.byPerson.most * s.share; n > lines {
		s.told[fmt.Sprint(items, ofOne)] = witness{items, -1, lines, n, ofOne}
	}
}

// newPersonCounter is for the lines of a reader.
func (r *reader) newPersonCounter() personCounter {
	c := personCounter{heads: map[int32]*headcount{}, may: map[int32][]uint64{}}
	for line, tallies := range r.tallies {
		if len(tallies) > 0 {
			c.sensitive = append(c.sensitive, int32(line))
		}
	}
	return c
}
