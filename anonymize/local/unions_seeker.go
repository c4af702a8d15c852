package local

import (
	"context"
	"encoding/binary"
	"math/bits"
	"slices"
)

// unionSeeker looks at the sets of elements that begin with one leading element.
type unionSeeker struct {
	*unions
	ctx      context.Context
	labels   bool // sets of labels are looked at, as they are, and nothing else
	coverage coverage
	plain    map[int32][]uint64 // by node: the transactions that publish it or a node above it
	looked   map[string]bool    // what choices were looked at
	left     int64              // of mostLooked
	first    int32
	set      []int32
	shares   shares
	here     []uint64
	levels   []*unionLevel
	barred   barSet // for what failed
	bars     []bar  // working space: for one choice of items that fails
	fault    faultyBranch
	of       lookOfPersons
}

// inUnion is a transaction that has all elements of a set, and the place behind the last of them in
// its elements; the leading one comes first, wherever it is.
type inUnion struct{ tx, next int32 }

// faultyBranch is who publishes the parent of a branch, and who of these does not have it open.
type faultyBranch struct {
	branch         int32 // -1: none yet
	parent, closed []uint64
}

// unionLevel is the working space of one set size, by element.
type unionLevel struct {
	all, hiding []int64 // the transactions that have it; those with a sensitive item
	slot        []int32
	touched     []int32
	lists       [][]inUnion
}

func newUnionSeeker(u *unions) *unionSeeker {
	return &unionSeeker{
		unions: u, coverage: newCoverage(u.state), plain: map[int32][]uint64{},
		of:     lookOfPersons{branch: -1, holding: map[int32][]uint64{}},
		barred: newBarSet(u.merged.Len()), fault: faultyBranch{branch: -1},
		looked: map[string]bool{}, shares: newShares(u.div), here: make([]uint64, len(u.hiding)),
	}
}

// fails tells whether something fails for a set of elements that begins with a leading one, or
// looking takes too much.
func (s *unionSeeker) fails(ctx context.Context, first int32) bool {
	clear(s.looked)
	clear(s.barred.of)
	s.of.branch = -1
	return s.failsIn(ctx, first, s.with[first])
}

// failsIn is fails, given the transactions that have the leading element.
func (s *unionSeeker) failsIn(ctx context.Context, first int32, with []int32) bool {
	s.ctx, s.first, s.left = ctx, first, mostLooked
	s.set = append(s.set[:0], first)
	in := make([]inUnion, 0, len(with))
	for _, i := range with {
		in = append(in, inUnion{i, 0})
	}
	return s.extend(in)
}

// spend takes some of what is left, and tells whether to end.
func (s *unionSeeker) spend(n int) bool {
	s.left -= int64(n)
	return s.left < 0 || s.ctx.Err() != nil
}

// extend tells whether something fails for the current set, which some transactions have, or for a
// set with more elements.
func (s *unionSeeker) extend(in []inUnion) bool {
	if s.spend(len(in)) {
		return true
	}
	if !s.persons { // else all have a sensitive item, and J are looked at by themselves
		s.shares.begin()
		for _, h := range in {
			s.shares.add(h.tx)
		}
	}
	most := s.known
	if s.labels {
		most = s.m
	}
	if s.failsHere(in) {
		return true
	}
	if len(s.set) == most || !s.persons && !s.shares.any() {
		return false
	}
	size := len(s.set)
	level := s.project(in, size+1 == most)
	for n, e := range level.touched {
		s.set = append(s.set[:size], e)
		if s.extend(level.lists[n]) {
			return true
		}
	}
	s.set = s.set[:size]
	return false
}

// failsHere tells whether something fails for the current set, whose shares were counted.
func (s *unionSeeker) failsHere(in []inUnion) bool {
	switch {
	case s.labels:
		return s.shares.fail()
	case s.persons:
		if !s.mayUnite(in) {
			return false
		}
	case !s.shares.needed(false).over(s.shares.had()):
		return false
	}
	return !s.choices(s.nodesOf(s.set), s.known-len(s.set))
}

// project lists the transactions that have a further element, by element. The last ones are left
// out where they cannot fail.
func (s *unionSeeker) project(in []inUnion, last bool) *unionLevel {
	if n := len(s.leads); len(s.levels) < len(s.set) {
		s.levels = append(s.levels, &unionLevel{
			all: make([]int64, n), hiding: make([]int64, n), slot: make([]int32, n),
		})
	}
	level := s.levels[len(s.set)-1]
	var met []int32
	for _, h := range in {
		hides := s.hiding[h.tx/64]>>(h.tx%64)&1 != 0
		elements := s.elementsOf(h.tx)[h.next:]
		s.left -= int64(len(elements))
		for _, e := range elements {
			if e == s.first || s.leads[e] && e < s.first {
				continue
			}
			if level.all[e] == 0 {
				met = append(met, e)
			}
			level.all[e] += int64(s.lines[h.tx])
			if hides {
				level.hiding[e] += int64(s.lines[h.tx])
			}
		}
	}
	level.touched = level.touched[:0]
	for _, e := range met {
		if n := level.hiding[e]; s.div.one > 0 ||
			n > 0 && (!last || s.ofPersons() || s.div.among != nil || n*s.div.l > level.all[e]) {
			level.touched = append(level.touched, e)
		}
		level.all[e], level.hiding[e] = 0, 0
	}
	slices.Sort(level.touched)
	s.list(level, in)
	return level
}

// list lists the transactions by those elements that are touched.
func (s *unionSeeker) list(level *unionLevel, in []inUnion) {
	for n, e := range level.touched {
		level.slot[e] = int32(n) + 1
		if n == len(level.lists) {
			level.lists = append(level.lists, nil)
		}
		level.lists[n] = level.lists[n][:0]
	}
	if len(level.touched) > 0 {
		for _, h := range in {
			for n, e := range s.elementsOf(h.tx)[h.next:] {
				if slot := level.slot[e]; slot > 0 {
					level.lists[slot-1] = append(level.lists[slot-1],
						inUnion{h.tx, h.next + int32(n) + 1})
				}
			}
		}
	}
	for _, e := range level.touched {
		level.slot[e] = 0
	}
}

// nodesOf are the nodes that a set J of items with some elements is below.
func (s *unionSeeker) nodesOf(elements []int32) []int32 {
	nodes := slices.Clone(elements)
	for n, e := range nodes {
		nodes[n] = e % int32(s.tree.Nodes())
	}
	return nodes
}

// choices tells whether nothing fails for any choice of items below some nodes: one below each, and
// more further ones. What a choice leaves is among the transactions with something at, above or
// below each node that may be it, and all that allow every item below each node are left. Where
// that does not decide, a node is replaced by some of its children, until nothing is published
// below any: then all items below a node are alike.
func (s *unionSeeker) choices(nodes []int32, more int) bool {
	if s.isLooked(nodes, more) {
		return true
	}
	if s.spend(2 * len(nodes) * len(s.here)) {
		return false
	}
	if s.hidden(nodes) {
		return true
	}
	at := -1
	for n, v := range nodes {
		if s.above[v] && (at < 0 || s.tree.LeafCount(v) > s.tree.LeafCount(nodes[at])) {
			at = n
		}
	}
	if at < 0 {
		return s.bar(nodes)
	}
	children := s.tree.Children(nodes[at])
	var from func(n int, nodes []int32, more int) bool
	from = func(n int, nodes []int32, more int) bool {
		for ; n < len(children); n++ {
			with := append(slices.Clip(nodes), children[n])
			if !s.choices(with, more) || more > 0 && !from(n+1, with, more-1) {
				return false
			}
		}
		return true
	}
	return from(0, slices.Delete(slices.Clone(nodes), at, at+1), more)
}

// bar bars the transactions that would be left by a set of items, one below each of some nodes, if
// they did not make the branch at fault one; it is false where there are none. See state.barsOf,
// which does so one transaction after the other.
func (s *unionSeeker) bar(nodes []int32) bool {
	if s.persons {
		return s.barPersons(nodes)
	}
	b := s.atFault(s.first)
	s.lookAtFault(b)
	copy(s.here, s.fault.parent)
	var others []int32 // of nodes: not below b
	var allow [][]uint64
	for _, v := range nodes {
		if s.tree.Covers(b, v) {
			continue
		}
		all, above := s.all(v), s.atOrAbove(s.tree.Parent(v))
		for n, w := range all {
			s.here[n] &= w | above[n]
		}
		others, allow = append(others, v), append(allow, all)
	}
	barred := s.barred.addAll(b, s.here, s.fault.closed)
	for n, v := range others {
		for at, w := range allow[n] {
			for w = s.here[at] &^ w; w != 0; w &= w - 1 {
				i := int32(64*at + bits.TrailingZeros64(w))
				s.barred.add(bar{i, s.branchAbove(i, v)})
				barred = true
			}
		}
	}
	return barred && !s.spend(len(s.who[s.tree.Parent(b)]))
}

// lookAtFault finds who publishes the parent of a branch, and who of these does not have it open.
func (s *unionSeeker) lookAtFault(b int32) {
	f := &s.fault
	if f.branch == b {
		return
	}
	*f = faultyBranch{b, s.coverage.none(), s.coverage.none()}
	for _, i := range s.who[s.tree.Parent(b)] {
		f.parent[i/64] |= 1 << (i % 64)
		if !s.openAt(i, b) {
			f.closed[i/64] |= 1 << (i % 64)
		}
	}
}

// isLooked tells whether choices below some nodes were looked at, and notes that they are.
func (s *unionSeeker) isLooked(nodes []int32, more int) bool {
	sorted := slices.Sorted(slices.Values(nodes))
	key := binary.AppendUvarint(nil, uint64(more))
	for _, v := range sorted {
		key = binary.AppendUvarint(key, uint64(v))
	}
	is := s.looked[string(key)]
	s.looked[string(key)] = true
	return is
}

// hidden tells whether the shares are in order of what is left for certain, whatever else is left
// of what may be left.
func (s *unionSeeker) hidden(nodes []int32) bool {
	s.mayBeLeft(nodes)
	s.shares.begin()
	s.each(func(i int32) bool {
		s.shares.add(i)
		return true
	})
	needed := s.shares.needed(s.persons)
	if !needed.over(s.shares.nothing()) {
		return true
	}
	copy(s.here, s.all(nodes[0]))
	for _, v := range nodes[1:] {
		for n, w := range s.all(v) {
			s.here[n] &= w
		}
	}
	left := s.shares.nothing()
	s.each(func(i int32) bool {
		s.shares.addTo(left, i)
		return needed.over(left)
	})
	return !needed.over(left)
}

// mayBeLeft finds the transactions that may be left by items below some nodes, into here. Where the
// share of one person is not looked at those without sensitive items do not matter.
func (s *unionSeeker) mayBeLeft(nodes []int32) {
	copy(s.here, s.hiding)
	if s.div.one > 0 && !s.persons {
		for n := range s.here {
			s.here[n] = ^uint64(0)
		}
	}
	for _, v := range nodes {
		below := s.coverage.below(v)
		for n, w := range s.all(v) {
			s.here[n] &= w | below[n]
		}
	}
}

// each calls do with the transactions in here until it is false.
func (s *unionSeeker) each(do func(i int32) bool) {
	for n, w := range s.here {
		for ; w != 0; w &= w - 1 {
			if !do(int32(64*n + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// all are the transactions that allow every item below a node; not to be changed.
func (s *unionSeeker) all(v int32) []uint64 {
	if !s.plainly {
		return s.coverage.cover(v)
	}
	return s.atOrAbove(v)
}

// atOrAbove are the transactions that publish a node or one above it; not to be changed.
func (s *unionSeeker) atOrAbove(v int32) []uint64 {
	if set, is := s.plain[v]; is {
		return set
	}
	set := s.coverage.none()
	if up := s.tree.Parent(v); up >= 0 {
		copy(set, s.atOrAbove(up))
	}
	for _, i := range s.who[v] {
		set[i/64] |= 1 << (i % 64)
	}
	if (len(s.plain)+1)*8*len(set) > s.coverage.most() {
		clear(s.plain)
	}
	s.plain[v] = set
	return set
}
