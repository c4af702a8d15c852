package dataset

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// maxShort is the length of the longest label that fits into two words beside its length.
const maxShort = 15

// shortIndex finds the ids of labels of at most maxShort bytes: a table of two words a label, which
// is compared by them. Its hash has a secret, so that no file can be made whose labels all meet in
// one place. Ids do not depend on it.
type shortIndex struct {
	slots  []shortSlot // a power of two of them, at most half of them used
	used   int
	secret [2]uint64
}

// shortSlot is a label and its id; next is id+1, 0 where the slot is free.
type shortSlot struct {
	lo, hi uint64
	next   int32
}

func newShortIndex() shortIndex {
	return shortIndex{
		slots: make([]shortSlot, 64), secret: [2]uint64{rand.Uint64(), rand.Uint64() | 1},
	}
}

// twoWords are the bytes of a label of at most maxShort, and its length in the last one.
func twoWords(label []byte) (lo, hi uint64) {
	n := len(label)
	if cap(label) < 16 {
		var b [16]byte
		copy(b[:], label)
		label = b[:]
	}
	w := label[:16] // beyond the label: it is cut off below
	lo = binary.LittleEndian.Uint64(w)
	if n <= 8 {
		lo &= 1<<(8*n) - 1 // a shift by 64 gives 0, and so all bits stay
	} else {
		hi = binary.LittleEndian.Uint64(w[8:]) & (1<<(8*(n-8)) - 1)
	}
	return lo, hi | uint64(n)<<56
}

// slot is where a label is, or has its place.
func (t *shortIndex) slot(lo, hi uint64) *shortSlot {
	a, b := bits.Mul64(lo^t.secret[0], hi^t.secret[1])
	mask := uint64(len(t.slots) - 1)
	for at := (a ^ b) & mask; ; at = (at + 1) & mask {
		if s := &t.slots[at]; s.next == 0 || s.lo == lo && s.hi == hi {
			return s
		}
	}
}

// put files a label in the slot that was found for it.
func (t *shortIndex) put(s *shortSlot, lo, hi uint64, id int32) {
	*s = shortSlot{lo, hi, id + 1}
	if t.used++; 2*t.used <= len(t.slots) {
		return
	}
	old := t.slots
	t.slots = make([]shortSlot, 4*len(old))
	for _, o := range old {
		if o.next > 0 {
			*t.slot(o.lo, o.hi) = o
		}
	}
}
