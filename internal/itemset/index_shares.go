package itemset

import (
	"context"
	"slices"

	"mingle/internal/par"
)

// indexShare is what one goroutine finds in a range of transactions while they are indexed.
type indexShare struct {
	from, to int                 // transactions
	tx       func(i int) []int32 // see Data.Reader
	size     []int32             // see Index
	support  []int
	lists    gapShare
}

// fewToIndex is how many transactions one goroutine indexes: for less, to start another takes as
// long.
const fewToIndex = 1 << 13

// indexShares are the transactions, in ranges. Those of units, whose transactions may be in several
// ranges, are one. What is kept by node takes no more room than the transactions.
func indexShares(d *Data, t *Tree, workers int) []*indexShare {
	n := max(1, min(workers, d.Len/fewToIndex, d.Occurrences/(8*t.nodes())))
	if d.Units != nil || d.Reader == nil {
		n = 1
	}
	shares := make([]*indexShare, n)
	for w := range shares {
		s := &indexShare{from: d.Len * w / n, to: d.Len * (w + 1) / n, tx: d.Tx}
		if n > 1 {
			s.tx = d.Reader()
		}
		s.size, s.support = make([]int32, t.nodes()), make([]int, t.nodes())
		s.lists.begin(t.leaves)
		shares[w] = s
	}
	return shares
}

// eachShare does a piece of work on every share, side by side.
func eachShare(shares []*indexShare, work func(s *indexShare)) {
	_ = par.Each(context.Background(), len(shares), len(shares),
		func(_ context.Context, n int) error {
			work(shares[n])
			return nil
		})
}

// nodeCount is what is known of a node while transactions are gone through, side by side.
type nodeCount struct {
	last    int32 // the transaction that it was met in last
	unit    int32 // the unit that it was counted for last
	size    int32
	support int
}

// count finds how large what is below each node is, and how long the lists are.
func (s *indexShare) count(d *Data, t *Tree) {
	nodes := slices.Repeat([]nodeCount{{last: -1, unit: noUnit}}, t.nodes())
	for i := int32(s.from); i < int32(s.to); i++ {
		weight, unit := int(d.weight(int(i))), int32(noUnit)
		if d.Units != nil {
			unit = d.Units[i]
		}
		for _, leaf := range s.tx(int(i)) {
			s.lists.room(leaf, i)
			for u := leaf; u >= 0; u = t.parent[u] {
				n := &nodes[u]
				if n.last == i {
					break
				}
				n.last = i
				n.size++
				if unit != noUnit {
					if n.unit == unit {
						continue
					}
					n.unit = unit
				}
				n.support += weight
			}
		}
	}
	for u, n := range nodes {
		s.size[u], s.support[u] = n.size, n.support
	}
}

// put puts the transactions into the lists of their items.
func (s *indexShare) put(d *Data, lists *gapLists) {
	for i := int32(s.from); i < int32(s.to); i++ {
		for _, leaf := range s.tx(int(i)) {
			s.lists.put(lists, leaf, i)
		}
	}
}
