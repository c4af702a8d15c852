package verify

import (
	"cmp"
	"slices"

	"mingle/hierarchy"
)

// nesting says how the nodes of one published line lie in each other. An item that came from the
// original is published as the lowest node of its line at or above it; so the leaves that a node
// can stand for are those below it and below no lower node of the line: its own leaves.
//
// The originals of a line are the unions of one non-empty set of own leaves a node; a line with a
// node that has none comes from no original. An item is in all of them exactly if it is the one own
// leaf of its node, and a set of items is in one of them exactly if every item has a node at or
// above it.
type nesting struct {
	tree  *hierarchy.Tree
	order func(a, b int32) int // from left to right
	nodes []int32              // from left to right, a node before what is below it
	above []int32              // by place in nodes: the place of the next node above, or -1
	own   []int                // by place in nodes: the number of own leaves
	nests bool                 // some node is below another
	open  []int32              // working space: places of nodes that have not ended
}

func newNesting(t *hierarchy.Tree) *nesting {
	return &nesting{tree: t, order: leftToRight{t}.compare}
}

// leftToRight orders the nodes of a tree by their first leaf, a node before what is below it.
type leftToRight struct{ tree *hierarchy.Tree }

func (o leftToRight) compare(a, b int32) int {
	left, _ := o.tree.Range(a)
	right, _ := o.tree.Range(b)
	return cmp.Or(cmp.Compare(left, right), cmp.Compare(b, a)) // ancestors have larger ids
}

// arrange reads the nodes of a line, ascending. It returns false if the line comes from no
// original.
func (n *nesting) arrange(published []int32) bool {
	n.nodes = append(n.nodes[:0], published...)
	slices.SortFunc(n.nodes, n.order)
	n.above, n.own, n.open, n.nests = n.above[:0], n.own[:0], n.open[:0], false
	for at, u := range n.nodes {
		lo, _ := n.tree.Range(u)
		up := n.lowest(lo)
		n.above, n.own = append(n.above, up), append(n.own, n.tree.LeafCount(u))
		if up >= 0 {
			n.own[up] -= n.tree.LeafCount(u)
			n.nests = true
		}
		n.open = append(n.open, int32(at))
	}
	return !slices.Contains(n.own, 0)
}

// lowest is the place of the lowest open node above a leaf, or -1; leaves are asked about from left
// to right.
func (n *nesting) lowest(leaf int32) int32 {
	for last := len(n.open) - 1; last >= 0; last-- {
		if _, hi := n.tree.Range(n.nodes[n.open[last]]); leaf < hi {
			return n.open[last]
		}
		n.open = n.open[:last]
	}
	return -1
}

// eachLowest calls do for every item, ascending, with the place of the lowest node of the line at
// or above it, or -1.
func (n *nesting) eachLowest(items []int32, do func(x int32, at int)) {
	n.open = n.open[:0]
	next := 0
	for _, x := range items {
		for next < len(n.nodes) {
			lo, _ := n.tree.Range(n.nodes[next])
			if lo > x {
				break
			}
			n.lowest(lo)
			n.open = append(n.open, int32(next))
			next++
		}
		do(x, int(n.lowest(x)))
	}
}

// eachOwn calls do with the own leaves of the node at a place, ascending, until it says no.
func (n *nesting) eachOwn(at int, do func(x int32) bool) {
	x, end := n.tree.Range(n.nodes[at])
	for next := at + 1; x < end; next++ {
		from, to := end, end // of the next node below, if there is one
		if next < len(n.nodes) {
			if lo, hi := n.tree.Range(n.nodes[next]); lo < end {
				from, to = lo, hi
			}
		}
		for ; x < from; x++ {
			if !do(x) {
				return
			}
		}
		x = max(x, to)
	}
}

// leavesOf appends the own leaves of the node at a place, ascending.
func (n *nesting) leavesOf(at int, out []int32) []int32 {
	n.eachOwn(at, func(x int32) bool {
		out = append(out, x)
		return true
	})
	return out
}

// certain appends the items that are in every original of the line, ascending.
func (n *nesting) certain(out []int32) []int32 {
	from := len(out)
	for at, own := range n.own {
		if own == 1 {
			out = n.leavesOf(at, out)
		}
	}
	slices.Sort(out[from:])
	return out
}

// byNode are the places of the nodes, in the order of their ids.
func (n *nesting) byNode() []int {
	places := make([]int, len(n.nodes))
	for at := range places {
		places[at] = at
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Compare(n.nodes[a], n.nodes[b]) })
	return places
}
