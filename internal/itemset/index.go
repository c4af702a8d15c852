package itemset

import (
	"math/bits"
	"slices"
)

// Index answers the supports of sets of nodes: how many transactions have an item at or below each
// of them. It lists the transactions of the items, packed, in 1 to 2 bytes an occurrence, and
// unites these lists for a node when it is first asked for: into a list of 4 bytes a transaction,
// or into a bitmap for a frequent node. It is not safe for concurrent use.
type Index struct {
	tree    *Tree
	n       int     // transactions
	weights []int32 // nil: all are 1
	units   []int32 // see Data; nil: transactions are counted
	size    []int32 // transactions of a node
	support []int   // the same, weighted

	items  gapLists
	bitmap [][]uint64 // of frequent nodes that were asked for
	list   [][]int32  // of the others
	made   []int32    // nodes that have either

	bound, bytes int64      // of made, in bytes; no bound: 0
	scratch      [][]uint64 // of each goroutine, the first one at least; all zero between uses
}

// bitmapShare is the share of transactions from which on a node gets a bitmap: with 1 in 64 a
// bitmap takes at most half the space of its list.
const bitmapShare = 64

// NewIndex indexes data whose items are the leaves of t, on at most so many goroutines. What it has
// made for nodes takes about bound bytes, after which it begins anew; 0: there is no bound.
func NewIndex(d Data, t *Tree, bound int64, workers int) *Index {
	x := &Index{
		tree: t, n: d.Len, weights: d.Weights, units: d.Units, size: make([]int32, t.nodes()),
		support: make([]int, t.nodes()),
		bitmap:  make([][]uint64, t.nodes()), list: make([][]int32, t.nodes()),
		bound: bound,
	}
	x.scratch = [][]uint64{make([]uint64, x.words())}
	shares := indexShares(&d, t, workers)
	eachShare(shares, func(s *indexShare) { s.count(&d, t) })
	lists := make([]*gapShare, len(shares))
	for n, s := range shares {
		for u := range x.size {
			x.size[u] += s.size[u]
			x.support[u] += s.support[u]
		}
		lists[n] = &s.lists
	}
	x.items.allot(t.leaves, lists)
	eachShare(shares, func(s *indexShare) { s.put(&d, &x.items) })
	return x
}

// frequent tells whether a node gets a bitmap.
func (x *Index) frequent(u int32) bool {
	return int(x.size[u])*bitmapShare > x.n && x.size[u] > bitmapShare
}

// prepare makes the lists and bitmaps of nodes that have none. Nothing is forgotten between it and
// its caller's use.
func (x *Index) prepare(nodes []int32) {
	x.forget()
	for _, u := range nodes {
		if !x.isMade(u) {
			x.makeFor(u, x.scratch[0])
			x.keep(u)
		}
	}
}

// forget forgets all that was made where that is more than the bound.
func (x *Index) forget() {
	if x.bound == 0 || x.bytes <= x.bound {
		return
	}
	for _, u := range x.made {
		x.bitmap[u], x.list[u] = nil, nil
	}
	x.bytes, x.made = 0, x.made[:0]
}

// makeFor makes the list or bitmap of a node; scratch is all zero before and after.
func (x *Index) makeFor(u int32, scratch []uint64) {
	if x.frequent(u) {
		x.bitmap[u] = x.mark(u, make([]uint64, len(scratch)))
	} else {
		x.list[u] = x.united(u, scratch)
	}
}

// keep counts what was made for a node.
func (x *Index) keep(u int32) {
	x.made = append(x.made, u)
	x.bytes += x.room(u)
}

// isMade tells whether a node has its list or bitmap.
func (x *Index) isMade(u int32) bool { return x.bitmap[u] != nil || x.list[u] != nil }

// room is how many bytes the list or bitmap of a node takes.
func (x *Index) room(u int32) int64 {
	if x.frequent(u) {
		return 8 * int64(x.words())
	}
	return 4 * int64(x.size[u])
}

// words is how many words a bitmap has.
func (x *Index) words() int { return (x.n + 63) / 64 }

// mark sets the bits of the transactions of all leaves below u.
func (x *Index) mark(u int32, words []uint64) []uint64 {
	for leaf := x.tree.lo[u]; leaf < x.tree.hi[u]; leaf++ {
		x.items.each(leaf, func(i int32) { words[i>>6] |= 1 << (i & 63) })
	}
	return words
}

// united is the list of a node.
func (x *Index) united(u int32, scratch []uint64) []int32 {
	out := make([]int32, 0, x.size[u])
	if int(u) < x.tree.leaves {
		x.items.each(u, func(i int32) { out = append(out, i) })
		return out
	}
	words := x.mark(u, scratch)
	defer clear(words)
	return appendBits(out, words)
}

func appendBits(out []int32, words []uint64) []int32 {
	for w, word := range words {
		for ; word != 0; word &= word - 1 {
			out = append(out, int32(w<<6+bits.TrailingZeros64(word)))
		}
	}
	return out
}

// Tids are the transactions that contain a leaf below u, ascending. The caller must not change it.
func (x *Index) Tids(u int32) []int32 {
	x.prepare([]int32{u})
	if words := x.bitmap[u]; words != nil {
		return appendBits(make([]int32, 0, x.size[u]), words)
	}
	return x.list[u]
}

// Has tells whether transaction i contains a leaf below u.
func (x *Index) Has(u, i int32) bool {
	x.prepare([]int32{u})
	if words := x.bitmap[u]; words != nil {
		return words[i>>6]&(1<<(i&63)) != 0
	}
	_, has := slices.BinarySearch(x.list[u], i)
	return has
}

// NodeSupport is the number of records that contain a leaf below u.
func (x *Index) NodeSupport(u int32) int { return x.support[u] }

// Occurs tells whether some transaction contains a leaf below u: it may be of no record.
func (x *Index) Occurs(u int32) bool { return x.size[u] > 0 }

// adder adds up the records that transactions stand for, which come ascending.
type adder struct {
	weights, units []int32
	last           int32 // the unit counted last
	total          int
}

func (x *Index) adder() adder { return adder{x.weights, x.units, noUnit, 0} }

// add adds those of transaction i.
func (a *adder) add(i int32) {
	if a.units != nil {
		if u := a.units[i]; u != noUnit && u == a.last {
			return
		}
		a.last = a.units[i]
	}
	if a.weights == nil {
		a.total++
		return
	}
	a.total += int(a.weights[i])
}

// Support is the number of records that contain a leaf below every one of the nodes, of which there
// must be at least one.
func (x *Index) Support(nodes []int32) int {
	sum := x.adder()
	x.Each(nodes, func(i int32) bool {
		sum.add(i)
		return true
	})
	return sum.total
}

// AtLeast tells whether Support(nodes) ≥ k, and stops counting once it is.
func (x *Index) AtLeast(nodes []int32, k int) bool { return x.upTo(nodes, k) >= k }

// upTo is Support(nodes) where that is less than k; else at least k.
func (x *Index) upTo(nodes []int32, k int) int {
	if len(nodes) == 1 {
		return x.support[nodes[0]]
	}
	x.prepare(nodes)
	return x.prepared(nodes, k)
}

// prepared is upTo for two nodes and more that are prepared.
func (x *Index) prepared(nodes []int32, k int) int {
	if len(nodes) == 2 {
		if a, b := x.bitmap[nodes[0]], x.bitmap[nodes[1]]; a != nil && b != nil {
			return x.pairUpTo(a, b, k)
		}
	}
	sum := x.adder()
	x.each(nodes, func(i int32) bool {
		sum.add(i)
		return sum.total < k
	})
	return sum.total
}

func (x *Index) pairUpTo(a, b []uint64, k int) int {
	sum := x.adder()
	for w, word := range a {
		for both := word & b[w]; both != 0; both &= both - 1 {
			sum.add(int32(w<<6 + bits.TrailingZeros64(both)))
			if sum.total >= k {
				return sum.total
			}
		}
	}
	return sum.total
}

// Each calls f for every transaction that contains all the nodes, ascending, until f returns false.
func (x *Index) Each(nodes []int32, f func(i int32) bool) {
	x.prepare(nodes)
	x.each(nodes, f)
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
	if x.bitmap[shortest] != nil {
		eachBit(x.bitmap[shortest], others, f)
		return
	}
	short := x.list[shortest]
	if len(others) == 1 && others[0].bitmap == nil && len(others[0].rest) <= near*len(short) {
		eachCommon(short, others[0].rest, f)
		return
	}
	for _, i := range short {
		if all(others, i) && !f(i) {
			return
		}
	}
}

// near is how many times as long a list may be as another to be gone through with it, place by
// place: that takes no branch that cannot be foretold, as galloping does.
const near = 16

// eachCommon is each of two ascending lists that are of about one length.
func eachCommon(one, other []int32, f func(i int32) bool) {
	for a, b := 0, 0; a < len(one) && b < len(other); {
		i, j := one[a], other[b]
		if i == j && !f(i) {
			return
		}
		// the sign tells which is behind; both go on where they are equal
		a += int(uint32(i-j-1) >> 31)
		b += int(uint32(j-i-1) >> 31)
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
	return probe{rest: x.list[u]}
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
