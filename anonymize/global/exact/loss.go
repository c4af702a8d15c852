package exact

import (
	"slices"

	"mingle/internal/cover"
)

// costOf is the scaled cost of a cut, given the node of every leaf.
func (s *search) costOf(of []int32) int64 {
	total := int64(0)
	for _, u := range slices.Compact(slices.Clone(of)) {
		if !s.tree.IsLeaf(u) {
			total += s.loss[u] * s.scale
			if s.scale > 1 {
				total += int64(s.tree.LeafCount(u))
			}
		}
	}
	return total
}

// program is the hitting-set program without clauses: variable v is inner node v + Leaves(), and
// weighs what lifting the cut from its children to it adds.
func (s *search) program() *cover.Program {
	t := s.tree
	n := t.Nodes() - t.Leaves()
	parent, weight := make([]int32, n), make([]int64, n)
	for v := range n {
		u := int32(v + t.Leaves())
		parent[v] = -1
		if up := t.Parent(u); up >= 0 {
			parent[v] = s.variable(up)
		}
		added, leaves := s.loss[u], int64(0)
		for _, c := range t.Children(u) {
			added -= s.loss[c]
			if t.IsLeaf(c) {
				leaves++
			}
		}
		weight[v] = added * s.scale
		if s.scale > 1 {
			weight[v] += leaves
		}
	}
	return cover.New(parent, weight)
}

// variable is the variable of an inner node.
func (s *search) variable(u int32) int32 { return u - int32(s.tree.Leaves()) }

// cut is the node of every leaf when the cut is as chosen, and nowhere below the nodes of the given
// height.
func (s *search) cut(x []bool, height int) []int32 {
	return s.tree.Topmost(func(u int32) bool {
		return s.tree.Height(u) <= height || x[s.variable(u)]
	})
}

// choice is the choice of cut(x, height).
func (s *search) choice(x []bool, height int) []bool {
	out := slices.Clone(x)
	for v := range out {
		out[v] = out[v] || s.tree.Height(int32(v+s.tree.Leaves())) <= height
	}
	return out
}
