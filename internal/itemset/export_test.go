package itemset

import (
	"cmp"

	"mingle/dataset"
	"mingle/hierarchy"
)

// DataOf is merged transactions, to count in.
func DataOf(m *dataset.Merged) Data {
	return Data{Len: m.Len(), Items: m.Dict().Len(), Tx: m.Cursor().Tx, Weights: m.Weights}
}

// TreeOf is the numbers of a hierarchy.
func TreeOf(t *hierarchy.Tree) *Tree {
	parent := make([]int32, t.Nodes())
	for u := range parent {
		parent[u] = t.Parent(int32(u))
	}
	return NewTree(t.Leaves(), parent)
}

// IndexOf indexes data, without a bound on memory.
func IndexOf(m *dataset.Merged, t *hierarchy.Tree) *Index {
	return NewIndex(DataOf(m), TreeOf(t), 0, 1)
}

// SourceOf is merged data to walk through, with the order that the algorithms use.
func SourceOf(m *dataset.Merged, t *hierarchy.Tree, x *Index) Source {
	return Source{Data: DataOf(m), Index: x, Ties: func(a, b int32) int {
		if c := cmp.Compare(t.Depth(a), t.Depth(b)); c != 0 {
			return c
		}
		return dataset.CompareLabels(t.Label(a), t.Label(b))
	}}
}
