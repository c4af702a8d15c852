package local

import (
	"context"
	"slices"
)

// unions looks for what a sensitive item is in too many of, in a release in which it is in at most
// 1/l of the transactions with every set of labels. Where a transaction publishes a node and one
// below it, what somebody with a set J of items is left with is a union of overlapping sets of
// transactions, in either way of reading them:
//
//   - plainly: the transactions with each item of J or a node above it;
//   - child by child: those that J is compatible with (condition (c)).
//
// The elements of a transaction say how it allows an item, in one way each: plainly its topmost
// nodes; child by child its nodes, and the branches that it has open. Here a branch is a child of u
// such that some transaction publishes u and something at or below the child. So what J leaves is a
// disjoint union over sets of at most m elements, and a J that fails is below such a set that fails
// by itself. That set has a leading element, since without one its transactions are those that
// publish its nodes: a branch or, plainly, a topmost node that some transaction publishes below
// another. So sets with a leading element are counted, and below those that fail every J is looked
// at (see choices).
//
// Where the unit is a person, persons are looked at, too (see unions_persons.go).
type unions struct {
	*state
	plainly  bool
	persons  bool      // persons are looked at, not lines
	branch   []bool    // by node: see above
	above    []bool    // by node: a node below it is published
	leads    []bool    // by element
	elements [][]int32 // by transaction, ascending: nodes, and open branches behind all nodes
	with     [][]int32 // by leading element: the transactions that have it
	hiding   []uint64  // the transactions that have a sensitive item
	holders  []int32   // the same; only where persons are looked at
}

// mostLooked bounds the words of bit sets, and the elements, that are looked at for one leading
// element; what needs more fails. It is the same for any number of workers.
const mostLooked = 1 << 26

func (s *state) newUnions(plainly bool) *unions {
	u := s.readUnions(plainly)
	u.listLeading(func(int32) bool { return true })
	return u
}

// readUnions finds the elements of all transactions.
func (s *state) readUnions(plainly bool) *unions {
	nodes := s.tree.Nodes()
	u := &unions{
		state: s, plainly: plainly, branch: make([]bool, nodes), above: make([]bool, nodes),
		leads: make([]bool, 2*nodes), elements: make([][]int32, s.merged.Len()),
		with: make([][]int32, 2*nodes), hiding: s.hiders(),
	}
	for i := range int32(s.merged.Len()) {
		u.mark(i)
	}
	for i := range int32(s.merged.Len()) {
		u.elements[i] = u.list(i)
	}
	return u
}

// listLeading lists some transactions by the leading elements that they have.
func (u *unions) listLeading(is func(i int32) bool) {
	for i := range int32(u.merged.Len()) {
		if !is(i) {
			continue
		}
		for _, e := range u.elements[i] {
			if u.leads[e] {
				u.with[e] = append(u.with[e], i)
			}
		}
	}
}

// hiders are the transactions that have a sensitive item.
func (s *state) hiders() []uint64 {
	set := make([]uint64, (s.merged.Len()+63)/64)
	for i := range s.merged.Len() {
		if s.div.hides(int32(i)) {
			set[i/64] |= 1 << (i % 64)
		}
	}
	return set
}

// mark marks what is above the nodes of a transaction, the branches that it makes, and what leads.
func (u *unions) mark(i int32) {
	for _, v := range u.published(i) {
		for c, up := v, u.tree.Parent(v); up >= 0; c, up = up, u.tree.Parent(up) {
			u.above[up] = true
			if !u.publishes(i, up) {
				continue
			}
			u.branch[c] = true
			if u.plainly {
				u.leads[v] = true
			} else {
				u.leads[int(c)+u.tree.Nodes()] = true
			}
		}
	}
}

// elementsOf are the elements of transaction i, ascending.
func (u *unions) elementsOf(i int32) []int32 {
	if u.elements == nil {
		return u.published(i)
	}
	return u.elements[i]
}

// list lists the elements of transaction i.
func (u *unions) list(i int32) (out []int32) {
	for _, v := range u.published(i) {
		if u.plainly {
			if u.topmost(i, v) {
				out = append(out, v)
			}
			continue
		}
		out = append(out, v)
		for _, c := range u.tree.Children(v) {
			if u.branch[c] && u.openAt(i, c) {
				out = append(out, c+int32(u.tree.Nodes()))
			}
		}
	}
	slices.Sort(out)
	return out
}

// topmost tells whether transaction i publishes nothing above a node that it publishes.
func (s *state) topmost(i, v int32) bool {
	for a := s.tree.Parent(v); a >= 0; a = s.tree.Parent(a) {
		if s.publishes(i, a) {
			return false
		}
	}
	return true
}

// look finds faults.
func (u *unions) look(ctx context.Context, on watched) faults {
	var leading []int32
	for e, leads := range u.leads {
		if leads && len(u.with[e]) > 0 {
			leading = append(leading, int32(e))
		}
	}
	fresh := func() *unionSeeker { return newUnionSeeker(u) }
	look := func(ctx context.Context, s *unionSeeker, e int32) faults {
		hopeless := s.fails(ctx, e)
		if u.persons {
			return s.foundOfPersons(hopeless)
		}
		return found(u.atFault(e), hopeless, s.barred.list())
	}
	return allOf(lookAt(ctx, on, leading, fresh, look))
}

// atFault is a branch without which a leading element would not be one, or would be less of one.
func (u *unions) atFault(e int32) int32 {
	if !u.plainly {
		return e - int32(u.tree.Nodes())
	}
	c := e
	for !u.branch[c] {
		c = u.tree.Parent(c)
	}
	return c
}
