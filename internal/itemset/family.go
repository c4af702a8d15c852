package itemset

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

// keeps tells whether a bit for each set of a size is no more than the largest bitmap.
func (b binomials) keeps(size int) bool { return b[size][len(b[size])-1] <= maxBitmap }

// Keeps tells whether a bit for each of the sets of up to so many of so many items is no more than
// the largest bitmap. Then [FindSafe] keeps all that it finds among them, and counting again does
// not need the data.
func Keeps(items, maxLen int) bool {
	all, sets := 0.0, 1.0
	for size := 1; size <= min(items, maxLen) && all <= maxBitmap; size++ {
		sets *= float64(items-size+1) / float64(size)
		all += sets
	}
	return all <= maxBitmap
}

// number is the place of a set of ranks, ascending, among all sets of its size in colexicographic
// order.
func (b binomials) number(set []int32) uint64 {
	n := uint64(0)
	for i, r := range set {
		n += b[i+1][r]
	}
	return n
}

// family is a collection of sets of ranks, all of one size, that is filled by the sets' first
// ranks, each on one goroutine, and then read. How it is stored depends on how many sets there
// could be: a bit for each, their numbers in hash tables, or, where numbers overflow, their bytes.
type family struct {
	size   int
	number binomials
	// by first rank: bit c-1 for the rest of the set with number c among the ranks above the first
	bitmap [][]uint64
	hashed []map[uint64]struct{} // by first rank
	spelt  []map[string]bool
}

func newFamily(n, size int, number binomials) *family {
	f := &family{size: size, number: number}
	switch all := number[size][n]; {
	case all <= maxBitmap:
		f.bitmap = make([][]uint64, n)
	case all < math.MaxUint64:
		f.hashed = make([]map[uint64]struct{}, n)
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
		if f.hashed[first] == nil {
			f.hashed[first] = map[uint64]struct{}{}
		}
		f.hashed[first][f.number.number(set[1:])] = struct{}{}
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
		_, has := f.hashed[first][f.number.number(set[1:])]
		return has
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

// insert puts a rank at its place in an ascending set.
func insert(set []int32, r int32) []int32 {
	at, _ := slices.BinarySearch(set, r)
	return slices.Insert(set, at, r)
}
