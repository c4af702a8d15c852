package continuous_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mingle/dataset/bag"
)

// treeNode is a node of a count tree: the support of the bag on the path from the root.
type treeNode struct {
	Term     bag.Term // not set at the root
	Support  int
	Children []*treeNode
}

// countTree builds the count tree of height size, literally as algorithm 1 of gkountouna-2014:
// siblings stand by support descending, then by value; a value stands below values that are more
// frequent, and below itself where records repeat it. It holds every bag, so it is for small data,
// to look at; the algorithms walk the same tree without building it.
func countTree(b *bag.Bags, size int) *treeNode {
	supports := make([]int, len(b.Terms()))
	for i := range b.Len() {
		for _, t := range slices.Compact(slices.Clone(b.Record(i))) {
			supports[t]++
		}
	}
	root := &treeNode{Support: b.Len()}
	before := func(x, y int32) int { return cmp.Or(supports[y]-supports[x], int(x-y)) }
	for i := range b.Len() {
		record := slices.Clone(b.Record(i))
		slices.SortFunc(record, before)
		root.count(b, record, size)
	}
	root.sort()
	return root
}

// count adds every distinct bag of at most size values of an ordered record.
func (n *treeNode) count(b *bag.Bags, record []int32, size int) {
	for i, t := range record {
		if size == 0 || i > 0 && record[i-1] == t {
			continue
		}
		child := n.child(b.Terms()[t])
		child.Support++
		child.count(b, record[i+1:], size-1)
	}
}

func (n *treeNode) child(t bag.Term) *treeNode {
	for _, c := range n.Children {
		if c.Term.Compare(t) == 0 {
			return c
		}
	}
	c := &treeNode{Term: t}
	n.Children = append(n.Children, c)
	return c
}

func (n *treeNode) sort() {
	slices.SortFunc(n.Children, func(a, b *treeNode) int {
		return cmp.Or(b.Support-a.Support, a.Term.Compare(b.Term))
	})
	for _, c := range n.Children {
		c.sort()
	}
}

// String draws the tree, a node a line: "value:support", indented by depth.
func (n *treeNode) String() string {
	var out strings.Builder
	var draw func(n *treeNode, depth int)
	draw = func(n *treeNode, depth int) {
		for _, c := range n.Children {
			fmt.Fprintf(&out, "%s%s:%d\n", strings.Repeat("  ", depth), c.Term, c.Support)
			draw(c, depth+1)
		}
	}
	draw(n, 0)
	return out.String()
}
