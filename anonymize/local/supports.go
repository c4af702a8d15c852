package local

import "math/bits"

// supports holds the support of every published set of at most three nodes: an open hash table
// from keys to counts.
type supports struct {
	slots []support // a power of two
	used  int
	most  int // that may be used
}

type support struct {
	key   uint64 // zero: free
	count int32
}

// keyBits is how many bits of a key a node has: three nodes are in a word.
const keyBits = 21

// newSupports has room for a number of sets, and grows up to most.
func newSupports(sets, most int) *supports {
	return &supports{slots: make([]support, 1<<bits.Len(uint(2*sets+1))), most: most}
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
func (s *supports) slot(k uint64) *support {
	mask := uint64(len(s.slots) - 1)
	hi, lo := bits.Mul64(k, 0x9e3779b97f4a7c15)
	i := (hi ^ lo) & mask
	for s.slots[i].key != 0 && s.slots[i].key != k {
		i = (i + 1) & mask
	}
	return &s.slots[i]
}

// of is the support of a set.
func (s *supports) of(k uint64) int32 { return s.slot(k).count }

// full tells whether there is no room for another set.
func (s *supports) full() bool { return s.used >= s.most }

// add adds to the support of a set. A set that is new must not be added when there is no room.
func (s *supports) add(k uint64, by int32) {
	at := s.slot(k)
	if at.key == 0 {
		if 2*s.used >= len(s.slots) {
			s.grow()
			at = s.slot(k)
		}
		at.key = k
		s.used++
	}
	at.count += by
}

func (s *supports) grow() {
	old := s.slots
	s.slots, s.used = make([]support, 2*len(old)), 0
	for _, o := range old {
		if o.count != 0 {
			*s.slot(o.key) = o
			s.used++
		}
	}
}

// eachSet calls f with the keys of the sets of at most m (three at most) nodes of an ascending
// list, until f is false. It tells whether f never was.
func eachSet(list []int32, m int, f func(key uint64) bool) bool {
	for a, u := range list {
		if !eachSetWith(u, list[:a], m, f) {
			return false
		}
	}
	return true
}

// eachSetWith is the same for the sets of a node and at most m-1 of a list without it.
func eachSetWith(u int32, list []int32, m int, f func(key uint64) bool) bool {
	if !f(key(u, -1, -1)) {
		return false
	}
	for b, v := range list {
		if m < 2 {
			break
		}
		if !f(keyOf(u, v, -1)) {
			return false
		}
		if m < 3 {
			continue
		}
		for _, w := range list[:b] {
			if !f(keyOf(u, v, w)) {
				return false
			}
		}
	}
	return true
}
