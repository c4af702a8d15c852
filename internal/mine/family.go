package mine

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// maxBitmap is the largest bitmap for the sets of one size, in bits: 256 MB.
const maxBitmap = 1 << 31

// binomials are the numbers C(n,r), saturated at the largest uint64.
type binomials [][]uint64

func newBinomials(n, r int) binomials {
	b := make(binomials, r+1)
	for j := range b {
		b[j] = make([]uint64, n+1)
		for i := range b[j] {
			switch {
			case j == 0:
				b[j][i] = 1
			case i > 0:
				b[j][i] = saturate(b[j][i-1], b[j-1][i-1])
			}
		}
	}
	return b
}

func saturate(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return math.MaxUint64
	}
	return sum
}

// number is the place of a set of ranks, ascending, among all sets of its size in colexicographic order.
func (b binomials) number(set []int32) uint64 {
	n := uint64(0)
	for i, r := range set {
		n += b[i+1][r]
	}
	return n
}

// family is a collection of sets of ranks, all of one size, that is filled by the sets' first ranks, each on one
// goroutine, and then read. Which of three ways it is stored in depends on how many sets there could be: a bit for each,
// their numbers in hash tables, or, where numbers overflow, their bytes.
type family struct {
	size   int
	number binomials
	bitmap [][]uint64 // by first rank: bit c-1 for the rest of the set with number c among the ranks above the first
	hashed []hashSet  // by first rank
	spelt  []map[string]bool
}

func newFamily(n, size int, number binomials) *family {
	f := &family{size: size, number: number}
	switch all := number[size][n]; {
	case all <= maxBitmap:
		f.bitmap = make([][]uint64, n)
	case all < math.MaxUint64:
		f.hashed = make([]hashSet, n)
	default:
		f.spelt = make([]map[string]bool, n)
	}
	return f
}

// add puts a set, ascending. Sets with the same first rank must be added on one goroutine.
func (f *family) add(set []int32) {
	first := set[0]
	switch {
	case f.bitmap != nil:
		if f.bitmap[first] == nil {
			n := int32(len(f.bitmap))
			f.bitmap[first] = make([]uint64, f.number[f.size-1][n-1-first]/64+1)
		}
		c := f.above(set)
		f.bitmap[first][c/64] |= 1 << (c % 64)
	case f.hashed != nil:
		f.hashed[first].add(f.number.number(set[1:]))
	default:
		if f.spelt[first] == nil {
			f.spelt[first] = map[string]bool{}
		}
		f.spelt[first][spell(set)] = true
	}
}

// has tells whether a set, ascending, is in the family.
func (f *family) has(set []int32) bool {
	first := set[0]
	switch {
	case f.bitmap != nil:
		c := f.above(set)
		return f.bitmap[first] != nil && f.bitmap[first][c/64]>>(c%64)&1 == 1
	case f.hashed != nil:
		return f.hashed[first].has(f.number.number(set[1:]))
	}
	return f.spelt[first][spell(set)]
}

// above numbers the rest of a set among the sets of ranks above the first.
func (f *family) above(set []int32) uint64 {
	n := uint64(0)
	for i, r := range set[1:] {
		n += f.number[i+1][r-set[0]-1]
	}
	return n
}

func spell(set []int32) string {
	b := make([]byte, 0, 4*len(set))
	for _, r := range set {
		b = binary.LittleEndian.AppendUint32(b, uint32(r))
	}
	return string(b)
}

// hashSet is a set of numbers below 2^64-1 by open addressing.
type hashSet struct {
	slots []uint64 // number + 1; 0: free
	used  int
}

func (h *hashSet) add(x uint64) {
	if 2*h.used >= len(h.slots) {
		old := h.slots
		h.slots = make([]uint64, max(16, 2*len(old)))
		h.used = 0
		for _, y := range old {
			if y != 0 {
				h.add(y - 1)
			}
		}
	}
	if at := h.find(x); h.slots[at] == 0 {
		h.slots[at] = x + 1
		h.used++
	}
}

func (h *hashSet) has(x uint64) bool {
	return h.used > 0 && h.slots[h.find(x)] != 0
}

// find is the slot of x, or the free one where it would go.
func (h *hashSet) find(x uint64) uint64 {
	mask := uint64(len(h.slots) - 1)
	at := (x * 0x9e3779b97f4a7c15) >> 20 & mask
	for h.slots[at] != 0 && h.slots[at] != x+1 {
		at = (at + 1) & mask
	}
	return at
}

// insert puts a rank at its place in an ascending set.
func insert(set []int32, r int32) []int32 {
	at, _ := slices.BinarySearch(set, r)
	return slices.Insert(set, at, r)
}
