package itemset

import "slices"

// Lift replaces nodes of a set that fewer than k transactions have by their parents, as long as
// fewer than k have it and no node becomes the root: all the way for one node, starting with number
// first, then for the next, and so on around. A parent takes the place of all nodes of the set
// below it. The set itself is not changed.
func (x *Index) Lift(set []int32, first, k int) []int32 {
	return x.tree.Lift(set, first, func(set []int32) bool { return x.AtLeast(set, k) })
}

// Lift is that of an index, where what is frequent is known otherwise.
func (t *Tree) Lift(set []int32, first int, frequent func(set []int32) bool) []int32 {
	cur := append(slices.Clone(set[first:]), set[:first]...)
	var try []int32
	for i := 0; i < len(cur); {
		up := t.parent[cur[i]]
		if up < 0 || up == t.root() {
			i++
			continue
		}
		try = append(try[:0], up)
		for j, u := range cur {
			if j != i && !t.covers(up, u) {
				try = append(try, u)
			}
		}
		if frequent(try) {
			i++
			continue
		}
		if len(try) < len(cur) {
			return t.Lift(try, 0, frequent)
		}
		cur[i] = up
	}
	return cur
}
