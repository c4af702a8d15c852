package local

import (
	"math"
	"math/bits"
)

// Where the unit is a person, what a set J of items leaves is a disjoint union of lines over sets
// of elements (see unions), but not of persons: a person may be in several of them. So persons are
// counted for every J by itself. If more than 1/l of the persons have a sensitive item, a line with
// it is left. J is below the elements of that line. So for each set of at most m elements of such
// lines every J below it is looked at (see choices).
//
// Much of that can be left out.
//
//   - A set of labels that nothing is published above or below leaves the lines that publish it.
//     With these the shares are in order.
//   - Of another set of labels all J may be in order, too: where no line with a sensitive item may
//     be left but those that have the set as elements. The persons of these are at most 1/l of
//     those with a line that publishes the set, and all of these are left.
//
// A person is in two ways left by J if one line of the person has an item of J at a node, and
// another one at a node below. If nobody is, and no branch is concerned, then what J leaves is a
// disjoint union of persons, over sets of labels: that is in order. So of the persons who are left
// in two ways all lines are barred from the child of the upper node. Whether they have a sensitive
// item is not asked.

// lookOfPersons is what unionSeeker needs where persons are looked at.
type lookOfPersons struct {
	branch  int32              // at fault where a J fails and nobody is to be barred; -1: none
	holding map[int32][]uint64 // by node: the holders that may have an item below it
	words   int                // in all of holding
}

// mostOfPersons bounds the sets of elements that are looked at for persons, times the words of bit
// sets that is done with; where there is more a release is flattened (see flatten). It is the same
// for any number of workers.
const mostOfPersons = 1 << 32

// newUnionsOfPersons is newUnions where persons are looked at. It is nil where that is too much.
func (s *state) newUnionsOfPersons(plainly bool) *unions {
	u := s.readUnions(plainly)
	u.persons = true
	nodes := s.tree.Nodes()
	below := make([]bool, nodes)             // a node above is published
	for v := int32(nodes) - 1; v >= 0; v-- { // parents first
		if up := s.tree.Parent(v); up >= 0 {
			below[v] = below[up] || len(s.who[up]) > 0
		}
		u.leads[v], u.leads[int(v)+nodes] = below[v] || u.above[v], true
	}
	for i := range int32(s.merged.Len()) {
		if u.hides(i) {
			u.holders = append(u.holders, i)
		}
	}
	if u.sets()*float64(s.known)*float64(1+len(u.holders)/64) > mostOfPersons {
		return nil
	}
	u.listLeading(u.hides)
	return u
}

// hides tells whether a transaction has a sensitive item.
func (u *unions) hides(i int32) bool { return u.hiding[i/64]>>(i%64)&1 != 0 }

// sets is how many sets of elements there are to look at, at most.
func (u *unions) sets() (all float64) {
	for _, i := range u.holders {
		n, of := float64(len(u.elements[i])), 1.0
		for j := range u.known {
			of *= math.Max(0, n-float64(j)) / float64(j+1)
			all += of
		}
	}
	return all
}

// mayUnite tells whether J below the current set, which some holders have, may leave others, too;
// or has a branch.
func (s *unionSeeker) mayUnite(in []inUnion) bool {
	for _, e := range s.set {
		if int(e) >= s.tree.Nodes() {
			return true
		}
	}
	more := -len(in)
	first := s.holdersOf(s.set[0])
	for n, w := range first {
		for _, v := range s.set[1:] {
			w &= s.holdersOf(v)[n]
		}
		more += bits.OnesCount64(w)
	}
	return more > 0
}

// holdersOf are the holders that may have an item below a node, by their places.
func (s *unionSeeker) holdersOf(v int32) []uint64 {
	if set, is := s.of.holding[v]; is {
		return set
	}
	set := make([]uint64, (len(s.holders)+63)/64)
	all, below := s.all(v), s.coverage.below(v)
	for at, i := range s.holders {
		if (all[i/64]|below[i/64])>>(i%64)&1 != 0 {
			set[at/64] |= 1 << (at % 64)
		}
	}
	if s.of.words += len(set); s.of.words*8 > maxKept {
		clear(s.of.holding)
		s.of.words = len(set)
	}
	s.of.holding[v] = set
	return set
}

// barPersons bars those who are in two ways left by a set of items, one below each of some nodes;
// or, where there are none, those that would be left if a branch were none. It is false where there
// are none of these either.
func (s *unionSeeker) barPersons(nodes []int32) bool {
	left := s.leftBy(nodes)
	s.bars = s.bars[:0]
	for from := 0; from < len(left); {
		to, unit := from+1, s.unit(left[from])
		for to < len(left) && unit >= 0 && s.unit(left[to]) == unit {
			to++
		}
		for _, v := range nodes {
			if c := s.twoWays(left[from:to], v); c >= 0 {
				s.barPerson(left[from], c)
			}
		}
		from = to
	}
	if b := s.branchOf(left, nodes); len(s.bars) == 0 && b >= 0 {
		s.bars = s.barsOf(b, nodes, s.all, s.bars)
		s.of.branch = b
	}
	s.barred.add(s.bars...)
	return len(s.bars) > 0 && !s.spend(len(nodes)*len(left))
}

// leftBy are the transactions that every set of items is left with, one below each of some nodes.
func (s *unionSeeker) leftBy(nodes []int32) (left []int32) {
	copy(s.here, s.all(nodes[0]))
	for _, v := range nodes[1:] {
		for n, w := range s.all(v) {
			s.here[n] &= w
		}
	}
	s.each(func(i int32) bool {
		left = append(left, i)
		return true
	})
	return left
}

// twoWays is the child, in direction of v, of the highest node that some transactions, which allow
// v, have an item below v at; -1: it is the same node for all of them.
func (s *unionSeeker) twoWays(txs []int32, v int32) int32 {
	top, differ := s.way(txs[0], v), false
	for _, i := range txs[1:] {
		way := s.way(i, v)
		differ = differ || way != top
		if s.tree.Covers(way, top) {
			top = way
		}
	}
	if !differ {
		return -1
	}
	return s.towards(top, v)
}

// towards is the child of u that v, which is below it, is at or below.
func (s *state) towards(u, v int32) int32 {
	for s.tree.Parent(v) != u {
		v = s.tree.Parent(v)
	}
	return v
}

// way is the node that transaction i, which allows v, has an item below v at: the lowest one or,
// plainly, the topmost.
func (s *unionSeeker) way(i, v int32) int32 {
	way := int32(-1)
	for up := v; up >= 0 && (way < 0 || s.plainly); up = s.tree.Parent(up) {
		if s.publishes(i, up) {
			way = up
		}
	}
	return way
}

// barPerson bars all transactions of the person of one from a node.
func (s *unionSeeker) barPerson(i, c int32) {
	unit := s.unit(i)
	for i > 0 && s.unit(i-1) == unit {
		i--
	}
	for ; int(i) < s.merged.Len() && s.unit(i) == unit; i++ {
		s.bars = append(s.bars, bar{i, c})
	}
}

// branchOf is a branch that some transactions have an item below v beside; -1: there is none.
func (s *unionSeeker) branchOf(txs, nodes []int32) int32 {
	for _, i := range txs {
		for _, v := range nodes {
			way := s.way(i, v)
			if !s.plainly && way != v && s.branch[s.towards(way, v)] {
				return s.towards(way, v)
			}
			for c := way; s.plainly && c >= 0; c = s.tree.Parent(c) {
				if s.branch[c] {
					return c
				}
			}
		}
	}
	return -1
}

// foundOfPersons is what was found for one leading element.
func (s *unionSeeker) foundOfPersons(hopeless bool) faults {
	switch {
	case hopeless && s.left >= 0 && s.of.branch >= 0:
		return faults{hopeless: []int32{s.of.branch}}
	case hopeless:
		return faults{tooMuch: true}
	}
	return faults{bars: s.barred.list()}
}

// inTwoWays are the children of nodes that some person, in any transactions of the person, has an
// item at or below, beside the node.
func (s *state) inTwoWays() []bool {
	is, has := make([]bool, s.tree.Nodes()), make([]int32, s.tree.Nodes())
	n := int32(s.merged.Len())
	for from := int32(0); from < n; {
		to := from + 1
		for to < n && s.unit(from) >= 0 && s.unit(to) == s.unit(from) {
			to++
		}
		for i := from; i < to; i++ {
			for _, v := range s.published(i) {
				has[v] = to
			}
		}
		for i := from; i < to; i++ {
			for _, v := range s.published(i) {
				for c, up := v, s.tree.Parent(v); up >= 0; c, up = up, s.tree.Parent(up) {
					is[c] = is[c] || has[up] == to
				}
			}
		}
		from = to
	}
	return is
}
