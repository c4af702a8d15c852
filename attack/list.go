package attack

import (
	"math/bits"
	"slices"
)

// list is a set of records: ascending ids where it is short, a bitmap where it is not. Memory: at
// most 1/8 byte a record of the data, or 4 bytes a record of the list.
type list struct {
	n    int
	ids  []int32
	bits []uint64
}

// newList keeps ids, which must be ascending.
func newList(ids []int32, records int) list {
	if len(ids)*128 <= records {
		return list{n: len(ids), ids: ids}
	}
	l := list{n: len(ids), bits: make([]uint64, (records+63)/64)}
	for _, r := range ids {
		l.bits[r/64] |= 1 << (r % 64)
	}
	return l
}

// allRecords is the list of every record.
func allRecords(records int) list {
	ids := make([]int32, records)
	for i := range ids {
		ids[i] = int32(i)
	}
	return newList(ids, records)
}

func (l *list) has(r int32) bool {
	if l.bits != nil {
		return l.bits[r/64]>>(r%64)&1 != 0
	}
	_, found := slices.BinarySearch(l.ids, r)
	return found
}

// seeker is has for records that ascend: it goes on in ids from where it was.
type seeker struct {
	*list
	at int // those before it are smaller
}

func (s *seeker) has(r int32) bool {
	if s.bits != nil {
		return s.list.has(r)
	}
	ids := s.ids[s.at:]
	step := 1
	for step <= len(ids) && ids[step-1] < r { // most often it is near
		step *= 2
	}
	from := step / 2
	at, found := slices.BinarySearch(ids[from:min(step, len(ids))], r)
	s.at += from + at
	return found
}

// each calls f with the records in ascending order.
func (l *list) each(f func(r int32)) {
	for _, r := range l.ids {
		f(r)
	}
	for w, word := range l.bits {
		for ; word != 0; word &= word - 1 {
			f(int32(64*w + bits.TrailingZeros64(word)))
		}
	}
}

// intersect counts the records that are in all lists and, where keep is not nil, that keep accepts.
// It reorders lists. Room is working space.
func intersect(lists []*list, keep func(r int32) bool, room *[]int32) int {
	slices.SortFunc(lists, func(a, b *list) int { return a.n - b.n })
	first, rest := lists[0], lists[1:]
	switch {
	case len(rest) == 0 && keep == nil:
		return first.n
	case first.bits == nil:
		return narrow(first.ids, rest, keep, room)
	case keep == nil: // the shortest is a bitmap, so all are
		return intersectBits(first.bits, rest)
	}
	n := 0
	first.each(func(r int32) {
		for _, l := range rest {
			if !l.has(r) {
				return
			}
		}
		if keep(r) {
			n++
		}
	})
	return n
}

// marked is a short list as a bitmap, kept while the same list is met with others.
type marked struct {
	of   *list
	bits []uint64
}

// mark sets the bits of a list. Records is their number.
func (m *marked) mark(l *list, records int) []uint64 {
	if m.of == l {
		return m.bits
	}
	if m.bits == nil {
		m.bits = make([]uint64, (records+63)/64)
	} else {
		for _, r := range m.of.ids {
			m.bits[r/64] = 0
		}
	}
	m.of = l
	for _, r := range l.ids {
		m.bits[r/64] |= 1 << (r % 64)
	}
	return m.bits
}

// muchShorter is how many times shorter one list must be than another for a search for its records
// in that to be faster than a look at each of the other's.
const muchShorter = 8

// meets tells whether to mark a list of two that are met with each other.
func (l *list) meets(other *list) bool {
	return l.bits == nil && other.bits == nil && l.n > 1 && other.n <= muchShorter*l.n
}

// narrow is intersect of a short list with others: what is left of it is looked for in the next.
func narrow(ids []int32, rest []*list, keep func(r int32) bool, room *[]int32) int {
	*room = slices.Grow((*room)[:0], len(ids))
	for _, l := range rest {
		ids = l.among(ids, (*room)[:len(ids)])
	}
	if keep == nil {
		return len(ids)
	}
	n := 0
	for _, r := range ids {
		if keep(r) {
			n++
		}
	}
	return n
}

// among puts those of ids that are in the list into out, which may be the same.
func (l *list) among(ids, out []int32) []int32 {
	n := 0
	if l.bits != nil {
		for _, r := range ids { // without a branch: any may be there
			out[n] = r
			n += int(l.bits[r/64] >> (r % 64) & 1)
		}
		return out[:n]
	}
	s := seeker{list: l}
	for _, r := range ids {
		if s.has(r) {
			out[n] = r
			n++
		}
	}
	return out[:n]
}

// intersectBits is intersect of bitmaps. Of two, three and four, which is what is mostly asked, the
// words stay in registers.
func intersectBits(first []uint64, rest []*list) int {
	n := 0
	of := func(i int) []uint64 { return rest[i].bits[:len(first)] }
	switch len(rest) {
	case 1:
		a := of(0)
		for w, word := range first {
			n += bits.OnesCount64(word & a[w])
		}
	case 2:
		a, b := of(0), of(1)
		for w, word := range first {
			n += bits.OnesCount64(word & a[w] & b[w])
		}
	case 3:
		a, b, c := of(0), of(1), of(2)
		for w, word := range first {
			n += bits.OnesCount64(word & a[w] & b[w] & c[w])
		}
	default:
		for w, word := range first {
			for _, l := range rest {
				word &= l.bits[w]
			}
			n += bits.OnesCount64(word)
		}
	}
	return n
}
