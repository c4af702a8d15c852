package dataset

import (
	"math/bits"
	"slices"
)

// dealSorter finds groups of identical transactions among those that begin alike, in lexicographic
// order of ids.
type dealSorter struct {
	d        *Dataset          // not packed
	same     func(txs []int32) // is handed the groups, one after the other
	itemBits int               // what holds an item plus one
	keys     []uint64          // of a deal, as it stands
	scratch  []int32           // a deal in another order
}

// newDealSorter makes one for deals of at most so many transactions.
func newDealSorter(d *Dataset, most int, same func(txs []int32)) *dealSorter {
	return &dealSorter{
		d: d, same: same, itemBits: bits.Len(uint(d.dict.Len())),
		keys: make([]uint64, most), scratch: make([]int32, most),
	}
}

// sort sorts a deal of transactions that agree before position at. keys is room for as many.
func (s *dealSorter) sort(deal []int32, keys []uint64, at int) {
	for len(deal) > 1 {
		low := bits.Len(uint(len(deal) - 1))
		next := (64 - low) / s.itemBits
		keys = keys[:len(deal)]
		s.arrange(deal, keys, at, next, low)
		at += next
		if first := keys[0] >> low; first != keys[len(keys)-1]>>low || s.ended(first) {
			s.eachRun(deal, keys, at, low)
			return
		}
	}
	if len(deal) == 1 {
		s.same(deal)
	}
}

// arrange puts a deal into the order of its keys. A key holds so many next items, each plus one and
// 0 where there is none, and in its low bits which of the deal it is: so plain numbers are sorted.
func (s *dealSorter) arrange(deal []int32, keys []uint64, at, next, low int) {
	keys = keys[:0]
	for some := range slices.Chunk(deal, fetched) {
		s.d.fetch(some)
		for _, tx := range some {
			keys = append(keys, s.key(tx, at, next)<<low|uint64(len(keys)))
		}
	}
	slices.Sort(keys)
	for i, key := range keys {
		s.scratch[i] = deal[key&(1<<low-1)]
	}
	copy(deal, s.scratch)
}

// ended tells of the items of a key whether a transaction with them has no more.
func (s *dealSorter) ended(items uint64) bool { return items&(1<<s.itemBits-1) == 0 }

// eachRun goes on with those of an arranged deal that have the same key, and so agree before
// position at.
func (s *dealSorter) eachRun(deal []int32, keys []uint64, at, low int) {
	for len(deal) > 0 {
		n, items := 1, keys[0]>>low
		for n < len(deal) && keys[n]>>low == items {
			n++
		}
		if s.ended(items) {
			s.same(deal[:n])
		} else {
			s.sort(deal[:n], keys[:n], at)
		}
		deal, keys = deal[n:], keys[n:]
	}
}

// key is so many items of a transaction from a position on, as a number.
func (s *dealSorter) key(tx int32, at, n int) (key uint64) {
	from, end := int(s.d.offsets[tx])+at, int(s.d.offsets[tx+1])
	if from >= end {
		return 0
	}
	items := s.d.items[from:min(from+n, end)]
	for _, it := range items {
		key = key<<s.itemBits | uint64(it+1)
	}
	return key << (s.itemBits * (n - len(items)))
}

// fetched is how many scattered transactions are fetched at once.
const fetched = 32

// fetch looks at the ends of some transactions that are not empty. A loop over the items of
// scattered transactions waits for one after the other, since it cannot foresee where each ends.
// This loop can be foreseen, and so they come from memory side by side. The sum keeps the compiler
// from leaving it out.
//
//go:noinline
func (d *Dataset) fetch(some []int32) (sum int32) {
	for _, tx := range some {
		sum += d.items[d.offsets[tx]] + d.items[d.offsets[tx+1]-1]
	}
	return sum
}
