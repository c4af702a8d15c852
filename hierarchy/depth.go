package hierarchy

import "fmt"

// MaxHeight is the greatest height of a tree, in edges from the root down to the lowest leaf.
//
// Everything that is done with a tree walks from items up to the root, some of it once for each
// occurrence of an item, and keeps what it meets. With a bound on the height that is a constant
// factor; without one a file of some megabytes asks for hours or for all memory. Hierarchies that
// people or programs make have some tens of levels at most: a tree in which every group parts its
// items in two has 32 for four thousand million items.
const MaxHeight = 1000

// tooDeep is what is wrong with a tree that is higher than MaxHeight, and what to do; "" for
// others.
func (t *Tree) tooDeep() string {
	height := t.Height(t.Root())
	if height <= MaxHeight {
		return ""
	}
	chain, leaf := 0, t.lowestLeaf()
	for u := t.Parent(leaf); u >= 0; u = t.Parent(u) {
		if len(t.Children(u)) == 1 {
			chain++
		}
	}
	do := "publish fewer levels: leave groups out"
	if chain > 0 {
		do = fmt.Sprintf("%d of the groups above it have a single node below them and hide "+
			"nothing: leave these out", chain)
	}
	return fmt.Sprintf(
		"%q is %d levels below the root, and at most %d are taken: %s", t.Label(leaf), height,
		MaxHeight, do,
	)
}

// lowestLeaf is the first of the leaves that are farthest from the root.
func (t *Tree) lowestLeaf() int32 {
	lowest := int32(0)
	for leaf := range int32(t.Leaves()) {
		if t.Depth(leaf) > t.Depth(lowest) {
			lowest = leaf
		}
	}
	return lowest
}
