package anonymize

import (
	"cmp"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/itemset"
)

// Rows is merged transactions as the itemset package counts in them. They may be packed.
func Rows(m *dataset.Merged) itemset.Data {
	return itemset.Data{
		Len: m.Len(), Items: m.Dict().Len(), Tx: m.Cursor().Tx,
		Reader:  func() func(i int) []int32 { return m.Cursor().Tx },
		Weights: m.Weights, Units: m.Units, Occurrences: m.Occurrences(),
	}
}

// NewIndex indexes merged transactions, whose items are leaves of t, by the nodes above them. What
// it makes when it is asked takes about bound bytes; 0: there is no bound. It is made on at most so
// many goroutines.
func NewIndex(
	m *dataset.Merged, t *hierarchy.Tree, bound int64, workers int,
) *itemset.Index {
	parent := make([]int32, t.Nodes())
	for u := range parent {
		parent[u] = t.Parent(int32(u))
	}
	return itemset.NewIndex(Rows(m), itemset.NewTree(t.Leaves(), parent), bound, workers)
}

// NodeOrder orders nodes that are as frequent as each other: ancestors first, then by label.
func NodeOrder(t *hierarchy.Tree) func(a, b int32) int {
	return func(a, b int32) int {
		if c := cmp.Compare(t.Depth(a), t.Depth(b)); c != 0 {
			return c
		}
		return dataset.CompareLabels(t.Label(a), t.Label(b))
	}
}
