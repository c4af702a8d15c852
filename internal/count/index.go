// Package count counts itemsets of a hierarchy's nodes: supports on demand, and all rare itemsets in the order in which
// the direct algorithm meets them.
//
// It serves the algorithms. Package verify must not import it: the judge counts for itself.
package count

import (
	"math/bits"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// Index answers supports of itemsets of nodes: for every node the sorted list of merged transactions that contain a
// leaf below it, and for frequent nodes a bitmap beside it. Memory: 4 bytes for every pair of a transaction and a node
// above one of its items, plus n/8 bytes for each node with a bitmap (at most as much again).
type Index struct {
	tree    *hierarchy.Tree
	weights []int32
	start   []uint32
	tids    []int32
	bitmap  [][]uint64 // nil for nodes that have none
	support []int      // weighted
}

// bitmapShare is the share of transactions from which on a node gets a bitmap: with 1 in 64 a bitmap takes at most half
// the space of its list.
const bitmapShare = 64

// NewIndex builds the index of merged data, whose items are leaf ids of t.
func NewIndex(m *dataset.Merged, t *hierarchy.Tree) *Index {
	x := &Index{tree: t, weights: m.Weights, start: make([]uint32, t.Nodes()+1), support: make([]int, t.Nodes())}
	x.eachNode(m, func(_ int, u int32) { x.start[u+1]++ })
	for u := range t.Nodes() {
		x.start[u+1] += x.start[u]
	}
	x.tids = make([]int32, x.start[t.Nodes()])
	next := slices.Clone(x.start)
	x.eachNode(m, func(i int, u int32) {
		x.tids[next[u]] = int32(i)
		next[u]++
		x.support[u] += int(m.Weights[i])
	})
	x.bitmap = make([][]uint64, t.Nodes())
	for u := range x.bitmap {
		if list := x.Tids(int32(u)); len(list)*bitmapShare > m.Len() && len(list) > bitmapShare {
			words := make([]uint64, (m.Len()+63)/64)
			for _, i := range list {
				words[i>>6] |= 1 << (i & 63)
			}
			x.bitmap[u] = words
		}
	}
	return x
}

// eachNode calls f once for every transaction and every node above one of its items, transactions in order.
func (x *Index) eachNode(m *dataset.Merged, f func(i int, u int32)) {
	seen := slices.Repeat([]int32{-1}, x.tree.Nodes())
	for i := range m.Len() {
		for _, leaf := range m.Tx(i) {
			for u := leaf; u >= 0 && seen[u] != int32(i); u = x.tree.Parent(u) {
				seen[u] = int32(i)
				f(i, u)
			}
		}
	}
}

// Tids are the merged transactions that contain a leaf below u, ascending. The caller must not change it.
func (x *Index) Tids(u int32) []int32 { return x.tids[x.start[u]:x.start[u+1]] }

// NodeSupport is the number of original transactions that contain a leaf below u.
func (x *Index) NodeSupport(u int32) int { return x.support[u] }

// Weight is the number of original transactions that merged transaction i stands for.
func (x *Index) Weight(i int32) int { return int(x.weights[i]) }

// Support is the number of original transactions that contain a leaf below every one of the nodes, of which there must
// be at least one.
func (x *Index) Support(nodes []int32) int {
	total := 0
	x.Each(nodes, func(i int32) bool {
		total += int(x.weights[i])
		return true
	})
	return total
}

// AtLeast tells whether Support(nodes) ≥ k, and stops counting once it is.
func (x *Index) AtLeast(nodes []int32, k int) bool {
	switch len(nodes) {
	case 1:
		return x.support[nodes[0]] >= k
	case 2:
		if a, b := x.bitmap[nodes[0]], x.bitmap[nodes[1]]; a != nil && b != nil {
			return x.pairAtLeast(a, b, k)
		}
	}
	total := 0
	x.Each(nodes, func(i int32) bool {
		total += int(x.weights[i])
		return total < k
	})
	return total >= k
}

func (x *Index) pairAtLeast(a, b []uint64, k int) bool {
	total := 0
	for w, word := range a {
		for both := word & b[w]; both != 0; both &= both - 1 {
			total += int(x.weights[w<<6+bits.TrailingZeros64(both)])
			if total >= k {
				return true
			}
		}
	}
	return false
}

// Each calls f for every merged transaction that contains all the nodes, ascending, until f returns false.
func (x *Index) Each(nodes []int32, f func(i int32) bool) {
	shortest := slices.MinFunc(nodes, func(a, b int32) int { return len(x.Tids(a)) - len(x.Tids(b)) })
	var probes [8]probe
	others := probes[:0]
	for _, u := range nodes {
		if u != shortest {
			others = append(others, probe{x.bitmap[u], x.Tids(u)})
		}
	}
next:
	for _, i := range x.Tids(shortest) {
		for p := range others {
			if !others[p].has(i) {
				continue next
			}
		}
		if !f(i) {
			return
		}
	}
}

// probe tests membership of ascending transactions in one node's list.
type probe struct {
	bitmap []uint64
	rest   []int32
}

func (p *probe) has(i int32) bool {
	if p.bitmap != nil {
		return p.bitmap[i>>6]&(1<<(i&63)) != 0
	}
	p.rest = advance(p.rest, i)
	return len(p.rest) > 0 && p.rest[0] == i
}

// advance drops what is below i from an ascending list, by galloping.
func advance(list []int32, i int32) []int32 {
	step := 1
	for step < len(list) && list[step] < i {
		step *= 2
	}
	lo := step / 2
	n, _ := slices.BinarySearch(list[lo:min(step+1, len(list))], i)
	return list[lo+n:]
}
