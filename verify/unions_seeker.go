package verify

import (
	"context"
	"fmt"
	"slices"
)

// unionSeeker is one worker's part of looking at sets of elements.
type unionSeeker struct {
	*reader
	ctx      context.Context
	covers   covering
	upper    sums // by sensitive item: how many lines have it, at most
	matches  map[int32][]uint64
	looked   map[string]bool // sets of nodes that were looked at closely
	told     map[string]witness
	set      []int32
	behind   []behind // by size of the set less one
	place    []int32  // by element: its place in those behind the set; -1: not there
	counted  int64
	byPerson personCounter
}

// member is a line that has all elements of a set, and where the last of them is among its own.
type member struct{ line, at int32 }

// behind is what may be added to a set: such elements as a line with a sensitive item has after
// those of the set.
type behind struct {
	elements []int32 // ascending
	totals   []int   // by place in elements: how many transactions have it, too
	ends     []int   // by place in elements: where its members end
	members  []member
}

func newUnionSeeker(ctx context.Context, r *reader) *unionSeeker {
	s := &unionSeeker{
		reader: r, ctx: ctx, covers: newCovering(r.reading), matches: map[int32][]uint64{},
		behind: make([]behind, r.m), place: make([]int32, 2*r.tree.Nodes()),
		byPerson: r.newPersonCounter(),
	}
	for e := range s.place {
		s.place[e] = -1
	}
	return s
}

// run looks at the sets whose first element is e.
func (s *unionSeeker) run(e int32) map[string]witness {
	s.told, s.looked, s.set = map[string]witness{}, map[string]bool{}, append(s.set[:0], e)
	in, total := make([]member, 0, len(s.with[e])), 0
	for _, line := range s.with[e] {
		at, _ := slices.BinarySearch(s.elements[line], e)
		in = append(in, member{line, int32(at)})
		total += s.weight[line]
	}
	s.walkElements(total, in)
	return s.told
}

// begin begins to count into upper.
func (s *unionSeeker) begin() {
	s.upper.clear()
	s.byPerson.begin()
}

// enough tells whether to end.
func (s *unionSeeker) enough() bool {
	return s.ctx.Err() != nil || len(s.told) >= maxPerTask || s.work.Load() > s.limit
}

// walkElements looks at the current set, which so many transactions have, and at the sets with more
// elements. Nothing fails where no line has a sensitive item.
func (s *unionSeeker) walkElements(total int, in []member) {
	s.counted++
	s.begin()
	for _, h := range in {
		s.add(h.line)
	}
	if len(s.upper.of) == 0 && s.share == 0 || s.enough() {
		return
	}
	if s.mayFail(total) || s.mayUnite(in) {
		s.choices(s.nodesOf(s.set), s.m-len(s.set))
	}
	size := len(s.set)
	if size == s.m {
		return
	}
	next := &s.behind[size-1]
	s.project(in, next)
	from := 0
	for n, e := range next.elements {
		s.set = append(s.set[:size], e)
		s.walkElements(next.totals[n], next.members[from:next.ends[n]])
		from = next.ends[n]
	}
}

// add counts the sensitive items of a line.
func (s *unionSeeker) add(line int32) {
	for _, t := range s.tallies[line] {
		s.upper.add(t.sensitive, int(t.count))
	}
	if s.person != nil {
		s.addPerson(line)
	}
}

// mayFail tells whether a sensitive item is in more than 1/l of so many lines.
func (s *unionSeeker) mayFail(total int) bool {
	for _, x := range s.upper.of {
		if s.upper.n[x]*s.l > total {
			return true
		}
	}
	return s.byPerson.most*s.share > total
}

// matters tells whether a line with some elements makes sets with them be looked at.
func (s *unionSeeker) matters(line int32) bool { return len(s.tallies[line]) > 0 || s.share > 0 }

// project finds what is behind the current set, whose members are given. Nobody looks at the
// members of sets that cannot grow, beyond their number, but for those with a sensitive item or,
// where persons are counted, all.
func (s *unionSeeker) project(in []member, to *behind) {
	to.elements = to.elements[:0]
	for _, h := range in {
		if !s.matters(h.line) {
			continue
		}
		for _, e := range s.elements[h.line][h.at+1:] {
			if s.place[e] < 0 {
				s.place[e] = 0
				to.elements = append(to.elements, e)
			}
		}
	}
	slices.Sort(to.elements)
	for n, e := range to.elements {
		s.place[e] = int32(n)
	}
	s.count(in, to, len(s.set)+1 == s.m && s.person == nil)
	for _, e := range to.elements {
		s.place[e] = -1
	}
}

// count counts and lists the members of what is behind the current set.
func (s *unionSeeker) count(in []member, to *behind, only bool) {
	to.totals = append(to.totals[:0], make([]int, len(to.elements))...)
	to.ends = append(to.ends[:0], make([]int, len(to.elements))...)
	for _, h := range in {
		weight, listed := s.weight[h.line], 1
		if only && !s.matters(h.line) {
			listed = 0
		}
		for _, e := range s.elements[h.line][h.at+1:] {
			if n := s.place[e]; n >= 0 {
				to.totals[n] += weight
				to.ends[n] += listed
			}
		}
	}
	sum := 0
	for n, all := range to.ends {
		to.ends[n] = sum // where they begin, until they are listed
		sum += all
	}
	to.members = slices.Grow(to.members[:0], sum)[:sum]
	for _, h := range in {
		if only && !s.matters(h.line) {
			continue
		}
		for at, e := range s.elements[h.line][h.at+1:] {
			if n := s.place[e]; n >= 0 {
				to.members[to.ends[n]] = member{h.line, h.at + 1 + int32(at)}
				to.ends[n]++
			}
		}
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

// choices looks at every choice of items below some nodes: one below each, and more further ones.
// The lines that such a choice leaves are among those with something at, above or below each node,
// and all lines are among them that allow every item below each. Where that does not decide, a
// node is replaced by some of its children, until no label is below any: then all items below a
// node are alike.
func (s *unionSeeker) choices(nodes []int32, more int) {
	key := fmt.Sprint(nodes, more)
	if s.looked[key] || s.enough() {
		return
	}
	s.looked[key] = true
	total := s.bounds(nodes)
	if !s.mayFail(total) && !s.mayFailOfPersons() {
		return
	}
	at := s.largest(nodes)
	if at < 0 {
		s.breach(nodes, total)
		return
	}
	children := s.tree.Children(nodes[at])
	rest := slices.Delete(slices.Clone(nodes), at, at+1)
	var from func(n int, nodes []int32, more int)
	from = func(n int, nodes []int32, more int) {
		for ; n < len(children); n++ {
			with := append(slices.Clip(nodes), children[n])
			s.choices(with, more)
			if more > 0 {
				from(n+1, with, more-1)
			}
		}
	}
	from(0, rest, more)
}

// bounds puts into upper how many lines with each sensitive item may be left, and returns how many
// lines are left at least.
func (s *unionSeeker) bounds(nodes []int32) (total int) {
	c := &s.covers
	s.work.Add(int64(2 * len(nodes) * (len(s.sets) + 63) / 64))
	c.here = onesIn(c.here, len(s.sets))
	for _, u := range nodes {
		meet(c.here, c.here, s.all(u))
	}
	var left headcount
	c.each(func(line int32) bool {
		total += s.weight[line]
		if s.person != nil {
			s.reading.add(&left, line)
		}
		return true
	})
	c.here = onesIn(c.here, len(s.sets))
	for _, u := range nodes {
		all, below := s.all(u), c.atOrBelow(u)
		for n := range c.here {
			c.here[n] &= all[n] | below[n]
		}
	}
	s.begin()
	s.byPerson.left = left.n
	c.each(func(line int32) bool {
		s.add(line)
		return true
	})
	return total
}

// all are the lines that allow every item below a node.
func (s *unionSeeker) all(u int32) []uint64 {
	if s.how == childByChild {
		return s.covers.of(u)
	}
	if set, is := s.matches[u]; is {
		return set
	}
	set := bitset(len(s.sets))
	for up := u; up >= 0; up = s.tree.Parent(up) {
		for _, line := range s.reading.with[up] {
			set[line/64] |= 1 << (line % 64)
		}
	}
	if len(s.matches)*len(set) > maxCovering/8 {
		clear(s.matches)
	}
	s.matches[u] = set
	return set
}

// largest is the place of the node with most items below it of those with a label below; -1: there
// is none.
func (s *unionSeeker) largest(nodes []int32) int {
	at := -1
	for n, u := range nodes {
		if s.above[u] && (at < 0 || s.tree.LeafCount(u) > s.tree.LeafCount(nodes[at])) {
			at = n
		}
	}
	return at
}

// breach files a set of items, one below each of some nodes, and the sensitive items that are in
// too many of the lines it leaves.
func (s *unionSeeker) breach(nodes []int32, total int) {
	items := s.itemsBelow(nodes)
	if items == nil {
		return
	}
	for _, sensitive := range s.upper.of {
		if n := s.upper.n[sensitive]; n*s.l > total {
			w := witness{
				nodes: items, beside: sensitive, support: total, needed: n * s.l,
			}
			s.told[fmt.Sprint(items, sensitive)] = w
		}
	}
	if s.person != nil {
		s.breachOfPersons(items, total)
	}
}

// itemsBelow are items below some nodes, ascending, as a witness has them: the first ones or, where
// the original is asked, those of a line of it; nil: no line has any.
func (s *unionSeeker) itemsBelow(nodes []int32) []int32 {
	var items []int32
	first := func(tx []int32) bool {
		items = items[:0]
		for _, u := range nodes {
			lo, hi := s.tree.Range(u)
			at, _ := slices.BinarySearch(tx, lo)
			if at == len(tx) || tx[at] >= hi {
				return false
			}
			items = append(items, tx[at])
		}
		return true
	}
	if s.original == nil {
		for _, u := range nodes {
			lo, _ := s.tree.Range(u)
			items = append(items, lo)
		}
	} else {
		s.work.Add(int64(s.original.Len()))
		lines := s.original.Cursor()
		is := false
		for i := 0; i < s.original.Len() && !is; i++ {
			is = first(lines.Tx(i))
		}
		if !is {
			return nil
		}
	}
	slices.Sort(items)
	items = slices.Compact(items)
	if s.how == plainly {
		for n, x := range items {
			items[n] = claimOf(x, hasItem)
		}
	}
	return items
}
