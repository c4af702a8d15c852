package local

import (
	"math/bits"
	"slices"
)

// supports holds the support of every published set of at most three nodes: an open hash table from keys to counts.
type supports struct {
	keys   []uint64 // zero: free; a power of two
	counts []int32
	used   int
}

// keyBits is how many bits of a key a node has: three nodes are in a word.
const keyBits = 21

func newSupports() *supports {
	return &supports{keys: make([]uint64, 1<<12), counts: make([]int32, 1<<12)}
}

// key of a set of one, two or three nodes in descending order; -1 stands for none.
func key(a, b, c int32) uint64 {
	return uint64(a+1)<<(2*keyBits) | uint64(b+1)<<keyBits | uint64(c+1)
}

// keyOf is the key of nodes in any order.
func keyOf(a, b, c int32) uint64 {
	if a < b {
		a, b = b, a
	}
	if b < c {
		b, c = c, b
	}
	if a < b {
		a, b = b, a
	}
	return key(a, b, c)
}

// slot is where a key is, or would be.
func (s *supports) slot(k uint64) int {
	mask := uint64(len(s.keys) - 1)
	hi, lo := bits.Mul64(k, 0x9e3779b97f4a7c15)
	i := (hi ^ lo) & mask
	for s.keys[i] != 0 && s.keys[i] != k {
		i = (i + 1) & mask
	}
	return int(i)
}

// of is the support of a set.
func (s *supports) of(k uint64) int32 { return s.counts[s.slot(k)] }

func (s *supports) add(k uint64, by int32) {
	i := s.slot(k)
	if s.keys[i] == 0 {
		if 2*s.used >= len(s.keys) {
			s.grow()
			i = s.slot(k)
		}
		s.keys[i] = k
		s.used++
	}
	s.counts[i] += by
}

func (s *supports) grow() {
	keys, counts := s.keys, s.counts
	s.keys, s.counts, s.used = make([]uint64, 2*len(keys)), make([]int32, 2*len(keys)), 0
	for i, k := range keys {
		if k != 0 && counts[i] != 0 {
			j := s.slot(k)
			s.keys[j], s.counts[j] = k, counts[i]
			s.used++
		}
	}
}

// eachSet calls f with the keys of the sets of at most m (three at most) nodes of an ascending list, but not with those of
// nodes that are all in without, until f is false. It tells whether f never was.
func eachSet(list, without []int32, m int, f func(key uint64) bool) bool {
	for a, u := range list {
		first := !slices.Contains(without, u)
		if first && !f(key(u, -1, -1)) {
			return false
		}
		if m < 2 {
			continue
		}
		for b, v := range list[:a] {
			second := first || !slices.Contains(without, v)
			if second && !f(key(u, v, -1)) {
				return false
			}
			if m < 3 {
				continue
			}
			for _, w := range list[:b] {
				if (second || !slices.Contains(without, w)) && !f(key(u, v, w)) {
					return false
				}
			}
		}
	}
	return true
}
