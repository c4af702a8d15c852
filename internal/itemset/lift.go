package itemset

import "slices"

// Lift replaces nodes of a set that fewer than k transactions have by their parents, as long as
// fewer than k have it and no node becomes the root: all the way for one node, starting with number
// first, then for the next, and so on around. A parent takes the place of all nodes of the set
// below it. The set itself is not changed.
func (x *Index) Lift(set []int32, first, k int) []int32 {
	cur := append(slices.Clone(set[first:]), set[:first]...)
	var try []int32
	for i := 0; i < len(cur); {
		up := x.tree.parent[cur[i]]
		if up < 0 || up == x.tree.root() {
			i++
			continue
		}
		try = append(try[:0], up)
		for j, u := range cur {
			if j != i && !x.tree.covers(up, u) {
				try = append(try, u)
			}
		}
		if x.AtLeast(try, k) {
			i++
			continue
		}
		if len(try) < len(cur) {
			return x.Lift(try, 0, k)
		}
		cur[i] = up
	}
	return cur
}
