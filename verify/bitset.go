package verify

import (
	"math"
	"math/bits"
	"slices"

	"mingle/dataset"
)

func bitset(n int) []uint64 { return make([]uint64, (n+63)/64) }

func ones(n int) []uint64 { return onesIn(nil, n) }

// onesIn are the same, in the room of b where there is enough.
func onesIn(b []uint64, n int) []uint64 {
	b = slices.Grow(b[:0], (n+63)/64)[:(n+63)/64]
	for i := range b {
		b[i] = math.MaxUint64
	}
	if n%64 > 0 {
		b[len(b)-1] = 1<<(n%64) - 1
	}
	return b
}

// tids are the transactions of each item; nil for an item of none.
func tids(d *dataset.Dataset, n int) [][]uint64 {
	out := make([][]uint64, n)
	for i, tx := range d.All() {
		for _, u := range tx {
			if out[u] == nil {
				out[u] = bitset(d.Len())
			}
			out[u][i/64] |= 1 << (i % 64)
		}
	}
	return out
}

func union(to, b []uint64) {
	for i, w := range b {
		to[i] |= w
	}
}

// meet sets to to the intersection and returns its size.
func meet(to, a, b []uint64) int {
	n := 0
	for i, w := range a {
		to[i] = w & b[i]
		n += bits.OnesCount64(to[i])
	}
	return n
}

// lineSet is a set of lines: a short list, or bits.
type lineSet struct {
	size int
	list []int32
	bits []uint64
}

// newLineSet keeps as a list what is shorter than its bits to look through.
func newLineSet(list []int32, lines int) lineSet {
	if len(list) <= lines/256 {
		return lineSet{size: len(list), list: list}
	}
	s := lineSet{size: len(list), bits: bitset(lines)}
	for _, line := range list {
		s.bits[line/64] |= 1 << (line % 64)
	}
	return s
}

// removeFrom takes the lines of the set out of bits.
func (s lineSet) removeFrom(bits []uint64) {
	for _, line := range s.list {
		bits[line/64] &^= 1 << (line % 64)
	}
	for i, w := range s.bits {
		bits[i] &^= w
	}
}
