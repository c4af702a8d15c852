package dataset

import (
	"encoding/binary"
	"slices"
	"sort"
)

// packed is transactions in few bytes: the length of each and the gaps between its ascending items,
// as integers of one byte where they are below 128. That is a third to a half of the plain form,
// and can be gone through at the speed of counting.
type packed struct {
	chunks []*[]byte // a transaction lies in one chunk
	marks  []mark    // where every markEvery-th transaction begins

	n, occurrences, empty, longest int
}

// mark is where a transaction begins, and how many occurrences come before it.
type mark struct {
	chunk, at uint32
	start     int64
}

const (
	markEvery = 64
	chunkSize = 1 << 20
)

// add appends a transaction of ascending, distinct items.
func (p *packed) add(tx []int32) {
	if need := binary.MaxVarintLen32 * (len(tx) + 1); len(p.chunks) == 0 ||
		cap(*p.last())-len(*p.last()) < need {
		chunk := make([]byte, 0, max(chunkSize, need))
		p.chunks = append(p.chunks, &chunk)
	}
	last := p.last()
	if p.n%markEvery == 0 {
		p.marks = append(
			p.marks, mark{uint32(len(p.chunks) - 1), uint32(len(*last)), int64(p.occurrences)},
		)
	}
	out := binary.AppendUvarint(*last, uint64(len(tx)))
	before := int32(-1)
	for _, it := range tx {
		out = binary.AppendUvarint(out, uint64(it-before-1))
		before = it
	}
	*last = out
	p.n++
	p.occurrences += len(tx)
	p.longest = max(p.longest, len(tx))
	if len(tx) == 0 {
		p.empty++
	}
}

func (p *packed) last() *[]byte { return p.chunks[len(p.chunks)-1] }

// Cursor goes to any transaction of a dataset, plain or packed: a packed one is spelled out in the
// cursor's own memory. Going on to the next one is quick; any other takes some tens of steps. A
// cursor is for one goroutine.
type Cursor struct {
	d    *Dataset
	tx   []int32
	next int // transaction that stands at the place
	mark
}

// Cursor makes a cursor at the first transaction.
func (d *Dataset) Cursor() *Cursor { return &Cursor{d: d} }

// Tx is transaction i: item ids, ascending and distinct. The caller must not change it; it is valid
// until the next call.
func (c *Cursor) Tx(i int) []int32 {
	if c.d.packed == nil {
		return c.d.Tx(i)
	}
	if i+1 == c.next {
		return c.tx
	}
	if i < c.next || i >= c.next+markEvery {
		c.next, c.mark = i-i%markEvery, c.d.packed.marks[i/markEvery]
	}
	for c.next < i {
		c.read()
	}
	c.read()
	return c.tx
}

// read spells out the next transaction.
func (c *Cursor) read() {
	if int(c.at) == len(*c.d.packed.chunks[c.chunk]) {
		c.mark = mark{chunk: c.chunk + 1}
	}
	text := (*c.d.packed.chunks[c.chunk])[c.at:]
	n, at := binary.Uvarint(text)
	c.tx = slices.Grow(c.tx[:0], int(n))[:n]
	it := int32(-1)
	for i := range c.tx {
		gap := uint64(text[at])
		if at++; gap >= 0x80 {
			var more int
			gap, more = binary.Uvarint(text[at-1:])
			at += more - 1
		}
		it += int32(gap) + 1
		c.tx[i] = it
	}
	c.at += uint32(at)
	c.next++
}

// packedItem is Item on packed data: it goes on from the last mark before the position.
func (d *Dataset) packedItem(pos int) int32 {
	marks := d.packed.marks
	at := sort.Search(len(marks), func(m int) bool { return int(marks[m].start) > pos }) - 1
	left := pos - int(marks[at].start)
	for c, i := d.Cursor(), at*markEvery; ; i++ {
		tx := c.Tx(i)
		if left < len(tx) {
			return tx[left]
		}
		left -= len(tx)
	}
}

// IsPacked tells whether the dataset is in packed form, see [Options].Packed.
func (d *Dataset) IsPacked() bool { return d.packed != nil }

// Flat is the dataset in plain form: itself, if it is not packed.
func (d *Dataset) Flat() *Dataset {
	if d.packed == nil {
		return d
	}
	b := NewBuilder(d.dict)
	b.Grow(d.Len(), d.Occurrences())
	d.copyTo(b)
	return b.Build().WithProvenance(d)
}

// Pack is the dataset in packed form: itself, if it is packed already.
func (d *Dataset) Pack() *Dataset {
	if d.packed != nil {
		return d
	}
	b := newPackedBuilder(d.dict)
	d.copyTo(b)
	return b.Build().WithProvenance(d)
}

func (d *Dataset) copyTo(b *Builder) {
	for _, tx := range d.All() {
		b.add(tx)
	}
}

// newPackedBuilder starts a dataset in packed form.
func newPackedBuilder(dict *Dictionary) *Builder {
	return &Builder{d: &Dataset{dict: dict, packed: &packed{}}, most: most}
}

// builder starts a dataset of the same form as d.
func (d *Dataset) builder(dict *Dictionary) *Builder {
	if d.packed != nil {
		return newPackedBuilder(dict)
	}
	return NewBuilder(dict)
}
