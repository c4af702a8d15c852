package local

import "math/bits"

// returned are the rows that have taken the node back since a look began, by short numbers of what
// they publish besides it: most sets that the look finds rare they have repaired already.
type returned struct {
	all []back
	by  []backWith // by short number
	has []int32    // the short numbers that some have

	places []int32 // working space
	out    []back  // the same
}

// back is such a row, and how many specialisations it published when it had taken the node back: if
// it publishes fewer now, it may have lost others of its nodes since.
type back struct{ row, spec int32 }

// backWith are the places in all of those that published a node then, ascending; if there are many,
// as bits, too.
type backWith struct {
	places []int32
	bits   []uint64
}

// manyBack is from how many on there are bits.
const manyBack = 64

func (b *backWith) add(at int32) {
	if b.places = append(b.places, at); len(b.places) < manyBack {
		return
	}
	fresh := b.places[len(b.places)-1:]
	if len(b.places) == manyBack {
		fresh = b.places
	}
	for _, at := range fresh {
		for len(b.bits) <= int(at/64) {
			b.bits = append(b.bits, 0)
		}
		b.bits[at/64] |= 1 << (at % 64)
	}
}

func (b *backWith) clear() { b.places, b.bits = b.places[:0], b.bits[:0] }

// both appends the places that another one has, too; out may have the room of these.
func (b *backWith) both(places, out []int32) []int32 {
	if len(b.places) < manyBack {
		return common(places, b.places, out)
	}
	for _, at := range places {
		if n := int(at / 64); n < len(b.bits) && b.bits[n]>>(at%64)&1 != 0 {
			out = append(out, at)
		}
	}
	return out
}

// begin forgets all, and makes room for so many short numbers.
func (b *returned) begin(numbers int) {
	for _, y := range b.has {
		b.by[y].clear()
	}
	b.all, b.has = b.all[:0], b.has[:0]
	for len(b.by) < numbers {
		b.by = append(b.by, backWith{})
	}
}

// add adds a row that publishes nodes with such short numbers.
func (b *returned) add(r back, numbers []int32) {
	at := int32(len(b.all))
	b.all = append(b.all, r)
	for _, y := range numbers {
		if len(b.by[y].places) == 0 {
			b.has = append(b.has, y)
		}
		b.by[y].add(at)
	}
}

// with are the rows that published all nodes of a set when they had taken the node back, until the
// next call.
func (b *returned) with(number, set []int32) []back {
	if len(set) == 0 {
		return b.all
	}
	b.out = b.out[:0]
	for _, at := range b.placesWith(number, set) {
		b.out = append(b.out, b.all[at])
	}
	return b.out
}

// placesWith are the places of those, for a set that is not empty.
func (b *returned) placesWith(number, set []int32) []int32 {
	first := &b.by[number[set[0]]]
	for _, v := range set[1:] {
		if by := &b.by[number[v]]; len(by.places) < len(first.places) {
			first = by
		}
	}
	places := first.places
	for _, v := range set {
		by := &b.by[number[v]]
		switch {
		case by == first:
			continue
		case len(set) == 2 && len(places) >= max(manyBack, 4*len(first.bits)):
			b.places = inBoth(first.bits, by.bits, b.places[:0])
		default:
			b.places = by.both(places, b.places[:0])
		}
		places = b.places
	}
	return places
}

// inBoth appends the places of the bits that are in two sets.
func inBoth(a, b []uint64, out []int32) []int32 {
	for n := range min(len(a), len(b)) {
		for w := a[n] & b[n]; w != 0; w &= w - 1 {
			out = append(out, int32(64*n+bits.TrailingZeros64(w)))
		}
	}
	return out
}
