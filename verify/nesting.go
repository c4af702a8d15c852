package verify

import (
	"cmp"
	"slices"

	"mingle/hierarchy"
)

// nesting says how the nodes of one published line lie in each other. An item that came from the
// original is published as the lowest node of its line at or above it; so the leaves that a node
// can stand for are those below it and below no lower node of the line: its own leaves.
type nesting struct {
	tree  *hierarchy.Tree
	nodes []int32 // from left to right, a node before what is below it
	above []int32 // by place in nodes: the place of the next node above, or -1
	own   []int   // by place in nodes: the number of own leaves
	nests bool    // some node is below another
	open  []int32 // working space: places of nodes that have not ended
}

func newNesting(t *hierarchy.Tree) *nesting { return &nesting{tree: t} }

// arrange reads the nodes of a line, ascending.
func (n *nesting) arrange(published []int32) {
	n.nodes = append(n.nodes[:0], published...)
	slices.SortFunc(n.nodes, func(a, b int32) int {
		left, _ := n.tree.Range(a)
		right, _ := n.tree.Range(b)
		return cmp.Or(cmp.Compare(left, right), cmp.Compare(b, a)) // ancestors have larger ids
	})
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

// leavesOf appends the own leaves of the node at a place, ascending.
func (n *nesting) leavesOf(at int, out []int32) []int32 {
	lo, hi := n.tree.Range(n.nodes[at])
	for next := at + 1; next < len(n.nodes); next++ {
		from, to := n.tree.Range(n.nodes[next])
		if from >= hi {
			break
		}
		for ; lo < from; lo++ {
			out = append(out, lo)
		}
		lo = max(lo, to)
	}
	for ; lo < hi; lo++ {
		out = append(out, lo)
	}
	return out
}
