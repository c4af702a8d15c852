// Package order puts transactions in orders in which neighbours are alike: the Gray order of their
// bitmaps, cut into segments whose inside is improved as a travelling-salesman path.
//
// Gray order: Ghinita, Kalnis, Tao, "Anonymous publication of sensitive transactional data", TKDE
// 2011, and xue-2012 section 4.1. Segments: xue-2012 equation 1. The tour is ours (the paper uses a
// genetic algorithm).
package order

import (
	"cmp"
	"math/bits"
	"slices"

	"mingle/dataset"
)

// Gray sorts the transactions by the rank of their bitmap in the binary reflected Gray sequence and
// returns their numbers in that order. rank[item] is the bit position of the item, 0 being the most
// significant; it must be a permutation of the items. nil means the order of the dictionary. Equal
// transactions keep their order in d.
//
// Bitmaps are never made. The bits of a Gray code word read from the left are those of its rank,
// flipped after every odd number of ones. So two words compare at the first position where they
// differ: the one that has the bit is the later one if the ones before it are even in number, the
// earlier one if they are odd. In the sorted position lists that is the first index at which they
// differ, and the number of ones before is that index.
//
// Time O(occurrences + n log n comparisons, nearly all of one word); memory 4 bytes an occurrence
// and 16 a transaction.
func Gray(d *dataset.Dataset, rank []int32) []int32 {
	positions := positionLists(d, rank)
	width := max(1, bits.Len(uint(d.Dict().Len()))) // a position or the end fits
	keys := make([]keyed, d.Len())
	for i := range keys {
		keys[i] = keyed{headKey(txAt(d, positions, i), d.Dict().Len(), width), int32(i)}
	}
	head := 64 / width
	slices.SortFunc(keys, func(a, b keyed) int {
		if c := cmp.Compare(a.key, b.key); c != 0 {
			return c
		}
		if c := compareGray(txAt(d, positions, int(a.tx)), txAt(d, positions, int(b.tx)),
			head); c != 0 {
			return c
		}
		return cmp.Compare(a.tx, b.tx)
	})
	out := make([]int32, len(keys))
	for i, k := range keys {
		out[i] = k.tx
	}
	return out
}

type keyed struct {
	key uint64
	tx  int32
}

func txAt(d *dataset.Dataset, positions []int32, i int) []int32 {
	return positions[d.Start(i):d.Start(i+1)]
}

// positionLists maps the items of every transaction to bit positions, ascending, laid out as
// d.Items is.
func positionLists(d *dataset.Dataset, rank []int32) []int32 {
	if rank == nil {
		return d.Items()
	}
	out := make([]int32, d.Occurrences())
	for pos, it := range d.Items() {
		out[pos] = rank[it]
	}
	for i := range d.Len() {
		slices.Sort(out[d.Start(i):d.Start(i+1)])
	}
	return out
}

// headKey packs the first positions of a transaction into a word that compares as they do: at an
// even index a smaller position is later and the end comes first; at an odd index the other way
// round.
func headKey(tx []int32, items, width int) uint64 {
	var key uint64
	for j := range 64 / width {
		field := 0 // the end
		switch {
		case j < len(tx):
			field = items - int(tx[j])
		case j > len(tx):
			key <<= uint(width)
			continue
		}
		if j%2 == 1 {
			field = items - field
		}
		key = key<<uint(width) | uint64(field)
	}
	return key
}

// compareGray compares two position lists that agree in their first `from` indices.
func compareGray(a, b []int32, from int) int {
	shorter := min(len(a), len(b))
	j := min(from, shorter)
	for j < shorter && a[j] == b[j] {
		j++
	}
	var c int // +1: a has the first bit that differs
	switch {
	case j == len(a) && j == len(b):
		return 0
	case j == len(b) || j < len(a) && a[j] < b[j]:
		c = 1
	default:
		c = -1
	}
	if j%2 == 1 {
		return -c
	}
	return c
}

// ByFrequency gives the items bit positions by support: the most frequent is the most significant
// bit, or with rarestFirst the least frequent. Items of equal support are in the order of the
// dictionary.
func ByFrequency(d *dataset.Dataset, rarestFirst bool) []int32 {
	support := d.Supports()
	items := make([]int32, len(support))
	for i := range items {
		items[i] = int32(i)
	}
	slices.SortStableFunc(items, func(a, b int32) int {
		if rarestFirst {
			return cmp.Compare(support[a], support[b])
		}
		return cmp.Compare(support[b], support[a])
	})
	rank := make([]int32, len(items))
	for pos, it := range items {
		rank[it] = int32(pos)
	}
	return rank
}
