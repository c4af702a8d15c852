package core

import (
	"math/bits"

	"mingle/hierarchy"
)

// labeller finds what a group of transactions publishes: a set of nodes that is the same for all of
// them. Every item is published as the lowest node of the set above it, and every node has an item
// in every transaction of the group.
//
// It is found from the leaves up. A node that not all transactions have an item below leaves its
// items to its parent. One that all have keeps the labels of its children; if a child left
// items to it, it is published itself, for which every transaction needs such an item: where one
// lacks it, the label right below that loses least is given up to it. Or it hands on what it was
// left, where that loses less. That is a heuristic: the best set is a
// problem of set cover already.
//
// Time: the occurrences times the height. A labeller is for one goroutine.
type labeller struct {
	tree    *hierarchy.Tree
	penalty []int64 // by node: loss of an occurrence, times |I|

	occ    []occurrence
	starts []int        // of the members' items in occ, which ascend
	spare  []occurrence // room to merge into
	all    int          // members
	words  int
	masks  []uint64
	chosen []label
	open   bool // nodes may hand on what they were left
}

// occurrence is an item of a member; weight is that of the member.
type occurrence struct {
	leaf, member int32
	weight       int32
}

// label is a node that is published for some weight of occurrences.
type label struct {
	node  int32
	count int64
}

// left is what a subtree leaves to its parent: occurrences, and whose.
type left struct {
	count int64
	mask  []uint64
}

func (s *state) labeller() *labeller { return &labeller{tree: s.tree, penalty: s.penalty} }

// begin forgets the members.
func (l *labeller) begin() {
	l.occ, l.starts, l.all = l.occ[:0], l.starts[:0], 0
}

// add adds a member.
func (l *labeller) add(tx []int32, weight int32) {
	l.starts = append(l.starts, len(l.occ))
	for _, x := range tx {
		l.occ = append(l.occ, occurrence{x, int32(l.all), weight})
	}
	l.all++
}

// sort orders the occurrences by leaf: those of two members at a time are merged.
func (l *labeller) sort() {
	l.words = (l.all + 63) / 64
	for len(l.starts) > 1 {
		starts := l.starts[:0]
		l.spare = l.spare[:0]
		for i := 0; i < len(l.starts); i += 2 {
			start, mid, end := l.starts[i], len(l.occ), len(l.occ)
			if i+1 < len(l.starts) {
				mid = l.starts[i+1]
			}
			if i+2 < len(l.starts) {
				end = l.starts[i+2]
			}
			starts = append(starts, start)
			l.spare = merge(l.spare, l.occ[start:mid], l.occ[mid:end])
		}
		l.starts = starts
		l.occ, l.spare = l.spare, l.occ
	}
}

// merge appends two lists that ascend by leaf, such that they do together.
func merge(to, a, b []occurrence) []occurrence {
	for len(a) > 0 && len(b) > 0 {
		if b[0].leaf < a[0].leaf {
			to, b = append(to, b[0]), b[1:]
		} else {
			to, a = append(to, a[0]), a[1:]
		}
	}
	return append(append(to, a...), b...)
}

// lossOfExchange is the loss, times |I|, of a group of so many members, whose occurrences are given
// in order, if one of them, by its number, left, and a transaction that is no member came; -1 and
// nil: none does.
func (l *labeller) lossOfExchange(
	sorted []occurrence, members, without int, with []int32, weight int32,
) int64 {
	l.begin()
	newcomer := int32(members)
	l.words = (members + 1 + 63) / 64
	if l.all = members; without >= 0 {
		l.all--
	}
	if with != nil {
		l.all++
	}
	for _, o := range sorted {
		for len(with) > 0 && with[0] < o.leaf {
			l.occ, with = append(l.occ, occurrence{with[0], newcomer, weight}), with[1:]
		}
		if int(o.member) != without {
			l.occ = append(l.occ, o)
		}
	}
	for _, x := range with {
		l.occ = append(l.occ, occurrence{x, newcomer, weight})
	}
	return l.loss()
}

// loss is that of the group, times |I|, whose occurrences are in order.
func (l *labeller) loss() int64 {
	if len(l.occ) == 0 {
		return 0
	}
	l.open = false
	loss := l.solve()
	if loss > 0 {
		l.open = true
		loss = min(loss, l.solve())
	}
	return loss
}

// labels are the nodes that the group publishes, in no order, and its loss, times |I|.
func (l *labeller) labels() (nodes []int32, loss int64) {
	l.sort()
	for _, open := range []bool{false, true} {
		l.open = open
		if total := l.solve(); nodes == nil || total < loss {
			nodes, loss = nil, total
			for _, c := range l.chosen {
				nodes = append(nodes, c.node)
			}
		}
	}
	return nodes, loss
}

func (l *labeller) solve() int64 {
	l.masks, l.chosen = l.masks[:0], l.chosen[:0]
	l.node(l.tree.Root(), 0, len(l.occ))
	total := int64(0)
	for _, c := range l.chosen {
		total += c.count * l.penalty[c.node]
	}
	return total
}

// mask is an empty set of members.
func (l *labeller) mask() []uint64 {
	for range l.words {
		l.masks = append(l.masks, 0)
	}
	n := len(l.masks)
	return l.masks[n-l.words : n : n]
}

func (l *labeller) full(mask []uint64) bool {
	n := 0
	for _, w := range mask {
		n += bits.OnesCount64(w)
	}
	return n == l.all
}

// node labels the occurrences from..to, all of which are below u, and returns what it leaves to its
// parent. The labels of u's subtree are the last in chosen, in no order.
func (l *labeller) node(u int32, from, to int) left {
	if few := to-from < l.all; few || l.tree.IsLeaf(u) { // few: some have no item below u
		out := left{mask: l.mask()}
		for _, o := range l.occ[from:to] {
			out.count += int64(o.weight)
			out.mask[o.member>>6] |= 1 << (o.member & 63)
		}
		if !few && l.full(out.mask) {
			l.chosen = append(l.chosen, label{u, out.count})
			out.count = 0
			clear(out.mask)
		}
		return out
	}
	rest, first := left{mask: l.mask()}, len(l.chosen)
	for at := from; at < to; {
		c := l.childOf(u, l.occ[at].leaf)
		_, hi := l.tree.Range(c)
		end := at + 1
		for end < to && l.occ[end].leaf < hi {
			end++
		}
		got := l.node(c, at, end)
		rest.count += got.count
		for w := range got.mask {
			rest.mask[w] |= got.mask[w]
		}
		at = end
	}
	if rest.count == 0 {
		return rest
	}
	return l.publish(u, rest, first)
}

// publish publishes u for what its children have left to it, if that can be done and does not lose
// more than handing it on.
func (l *labeller) publish(u int32, rest left, first int) left {
	parent := l.tree.Parent(u)
	whole := l.full(rest.mask)
	if !whole {
		at, more := l.leastLoss(u, first)
		if at < 0 {
			return rest // not everybody has an item here
		}
		if l.open && parent >= 0 && rest.count*(l.penalty[parent]-l.penalty[u]) < more {
			return rest
		}
		rest.count += l.chosen[at].count
		l.chosen[at] = l.chosen[len(l.chosen)-1]
		l.chosen = l.chosen[:len(l.chosen)-1]
	}
	l.chosen = append(l.chosen, label{u, rest.count})
	rest.count = 0
	clear(rest.mask)
	return rest
}

// leastLoss is the label right below u whose items lose least at u; -1 if there is none. first is
// the first label of u's subtree in chosen.
func (l *labeller) leastLoss(u int32, first int) (at int, loss int64) {
	at = -1
	for i := first; i < len(l.chosen); i++ {
		c := l.chosen[i]
		more := c.count * (l.penalty[u] - l.penalty[c.node])
		if (at < 0 || more < loss) && l.topmost(c.node, u, first) {
			at, loss = i, more
		}
	}
	return at, loss
}

// topmost tells whether no label stands between a label and u.
func (l *labeller) topmost(v, u int32, first int) bool {
	for _, c := range l.chosen[first:] {
		if c.node != v && c.node != u && l.tree.Covers(c.node, v) {
			return false
		}
	}
	return true
}

// childOf is the child of u that a leaf is below.
func (l *labeller) childOf(u, leaf int32) int32 {
	return l.tree.Above(leaf, l.tree.Depth(u)+1)
}
