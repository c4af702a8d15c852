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
	n       int     // merged transactions
	weights []int32 // nil: all are 1
	start   []int
	tids    []int32
	bitmap  [][]uint64 // nil for nodes that have none
	size    []int32    // merged transactions
	support []int      // weighted
	lazy    *unions    // nil: all nodes have their list
}

// bitmapShare is the share of transactions from which on a node gets a bitmap: with 1 in 64 a bitmap takes at most half
// the space of its list.
const bitmapShare = 64

// NewIndex builds the index of merged data, whose items are leaf ids of t. It is safe for concurrent use.
func NewIndex(m *dataset.Merged, t *hierarchy.Tree) *Index {
	x := newIndex(m, t)
	x.eachNode(m, func(i int, u int32) { x.count(m, i, u) })
	x.list(m)
	for u := range x.bitmap {
		if x.frequent(int32(u)) {
			x.bitmap[u] = bits64(m.Len(), x.Tids(int32(u)))
		}
	}
	return x
}

func newIndex(m *dataset.Merged, t *hierarchy.Tree) *Index {
	return &Index{
		tree: t, n: m.Len(), weights: m.Weights,
		bitmap: make([][]uint64, t.Nodes()), size: make([]int32, t.Nodes()), support: make([]int, t.Nodes()),
	}
}

// count counts one transaction of a node.
func (x *Index) count(m *dataset.Merged, i int, u int32) {
	x.size[u]++
	x.support[u] += int(m.Weight(i))
}

// list fills the lists of all nodes.
func (x *Index) list(m *dataset.Merged) {
	x.start = make([]int, x.tree.Nodes()+1)
	for u, n := range x.size {
		x.start[u+1] = x.start[u] + int(n)
	}
	x.tids = make([]int32, x.start[x.tree.Nodes()])
	next := slices.Clone(x.start)
	x.eachNode(m, func(i int, u int32) {
		x.tids[next[u]] = int32(i)
		next[u]++
	})
}

// frequent tells whether a node gets a bitmap.
func (x *Index) frequent(u int32) bool {
	return int(x.size[u])*bitmapShare > x.n && x.size[u] > bitmapShare
}

// bits64 is a bitmap of n bits with those of a list.
func bits64(n int, list []int32) []uint64 {
	words := make([]uint64, (n+63)/64)
	for _, i := range list {
		words[i>>6] |= 1 << (i & 63)
	}
	return words
}

// eachNode calls f once for every transaction and every node above one of its items, transactions in order.
func (x *Index) eachNode(m *dataset.Merged, f func(i int, u int32)) {
	seen := slices.Repeat([]int32{-1}, x.tree.Nodes())
	txs := m.Cursor()
	for i := range m.Len() {
		for _, leaf := range txs.Tx(i) {
			for u := leaf; u >= 0 && seen[u] != int32(i); u = x.tree.Parent(u) {
				seen[u] = int32(i)
				f(i, u)
			}
		}
	}
}

// Tids are the merged transactions that contain a leaf below u, ascending. The caller must not change it.
func (x *Index) Tids(u int32) []int32 {
	if x.lazy != nil {
		return x.union(u)
	}
	return x.tids[x.start[u]:x.start[u+1]]
}

// NodeSupport is the number of original transactions that contain a leaf below u.
func (x *Index) NodeSupport(u int32) int { return x.support[u] }

// Weight is the number of original transactions that merged transaction i stands for.
func (x *Index) Weight(i int32) int {
	if x.weights == nil {
		return 1
	}
	return int(x.weights[i])
}

// Support is the number of original transactions that contain a leaf below every one of the nodes, of which there must
// be at least one.
func (x *Index) Support(nodes []int32) int {
	total := 0
	x.Each(nodes, func(i int32) bool {
		total += x.Weight(i)
		return true
	})
	return total
}

// AtLeast tells whether Support(nodes) ≥ k, and stops counting once it is.
func (x *Index) AtLeast(nodes []int32, k int) bool {
	if len(nodes) == 1 {
		return x.support[nodes[0]] >= k
	}
	x.prepare(nodes)
	if len(nodes) == 2 {
		if a, b := x.bitmap[nodes[0]], x.bitmap[nodes[1]]; a != nil && b != nil {
			return x.pairAtLeast(a, b, k)
		}
	}
	total := 0
	x.each(nodes, func(i int32) bool {
		total += x.Weight(i)
		return total < k
	})
	return total >= k
}

func (x *Index) pairAtLeast(a, b []uint64, k int) bool {
	total := 0
	for w, word := range a {
		for both := word & b[w]; both != 0; both &= both - 1 {
			total += x.Weight(int32(w<<6 + bits.TrailingZeros64(both)))
			if total >= k {
				return true
			}
		}
	}
	return false
}

// Each calls f for every merged transaction that contains all the nodes, ascending, until f returns false.
func (x *Index) Each(nodes []int32, f func(i int32) bool) {
	x.prepare(nodes)
	x.each(nodes, f)
}

// prepare makes what a lazy index lacks of some nodes.
func (x *Index) prepare(nodes []int32) {
	if x.lazy != nil {
		x.gather(nodes)
	}
}

// each goes through the shortest list and looks it up in the others.
func (x *Index) each(nodes []int32, f func(i int32) bool) {
	shortest := slices.MinFunc(nodes, func(a, b int32) int { return int(x.size[a] - x.size[b]) })
	var probes [8]probe
	others := probes[:0]
	for _, u := range nodes {
		if u != shortest {
			others = append(others, x.probe(u))
		}
	}
	if x.lazy != nil && x.bitmap[shortest] != nil {
		eachBit(x.bitmap[shortest], others, f)
		return
	}
	for _, i := range x.Tids(shortest) {
		if all(others, i) && !f(i) {
			return
		}
	}
}

// eachBit is each where the shortest list is a bitmap.
func eachBit(words []uint64, others []probe, f func(i int32) bool) {
	for w, word := range words {
		for ; word != 0; word &= word - 1 {
			if i := int32(w<<6 + bits.TrailingZeros64(word)); all(others, i) && !f(i) {
				return
			}
		}
	}
}

func all(probes []probe, i int32) bool {
	for p := range probes {
		if !probes[p].has(i) {
			return false
		}
	}
	return true
}

// probe tests membership of ascending transactions in one node's list.
type probe struct {
	bitmap []uint64
	rest   []int32
}

func (x *Index) probe(u int32) probe {
	if x.bitmap[u] != nil {
		return probe{bitmap: x.bitmap[u]}
	}
	return probe{rest: x.Tids(u)}
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
