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
//
// A key holds the next items, each plus one and 0 where there is none, and in its last bits which
// of the deal it is: so plain numbers are sorted.
func (s *dealSorter) sort(deal []int32, keys []uint64, at int) {
	if len(deal) < 2 {
		if len(deal) == 1 {
			s.same(deal)
		}
		return
	}
	low := bits.Len(uint(len(deal) - 1))
	next := (64 - low) / s.itemBits
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
	for begin := 0; begin < len(deal); {
		end := begin + 1
		for end < len(deal) && keys[end]>>low == keys[begin]>>low {
			end++
		}
		run := deal[begin:end]
		if ended := keys[begin]>>low&(1<<s.itemBits-1) == 0; ended {
			s.same(run)
		} else {
			s.sort(run, keys[begin:end], at+next)
		}
		begin = end
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
