package dataset

import (
	"encoding/binary"
	"math"
	"sort"
)

// packed is transactions in few bytes: the length of each, and the gaps between its ascending
// items, each in one, two or four bytes, as the widest gap of the transaction needs. That is a
// quarter to a half of the plain form, and can be gone through at the speed of counting.
type packed struct {
	chunks []*[]byte // a transaction lies in one chunk
	marks  []mark    // where every markEvery-th transaction begins

	n, occurrences, empty, longest int
	bytes                          int // of the chunks
}

// mark is where a transaction begins, and how many occurrences come before it.
type mark struct {
	chunk, at uint32
	start     int64
}

const (
	markEvery  = 16
	firstChunk = 1 << 12
	chunkSize  = 1 << 20
)

// The bytes of a gap are told by the two lowest bits of what stands before the gaps, which is four
// times the length and this.
const (
	gaps8 = iota
	gaps16
	gaps32
	gapBits = 2
)

// add appends a transaction of ascending, distinct items.
func (p *packed) add(tx []int32) {
	last := p.roomFor(binary.MaxVarintLen64 + 4*len(tx))
	if p.n%markEvery == 0 {
		p.marks = append(
			p.marks, mark{uint32(len(p.chunks) - 1), uint32(len(*last)), int64(p.occurrences)},
		)
	}
	*last = appendGaps(*last, tx)
	p.n++
	p.occurrences += len(tx)
	p.longest = max(p.longest, len(tx))
	if len(tx) == 0 {
		p.empty++
	}
}

// roomFor is a chunk with room for so many bytes. Chunks grow with what there is, so that little
// data takes little.
func (p *packed) roomFor(need int) *[]byte {
	size := firstChunk
	if len(p.chunks) > 0 {
		last := p.last()
		if cap(*last)-len(*last) >= need {
			return last
		}
		size = min(2*cap(*last), chunkSize)
	}
	chunk := make([]byte, 0, max(size, need))
	p.bytes += cap(chunk)
	p.chunks = append(p.chunks, &chunk)
	return &chunk
}

func appendGaps(out []byte, tx []int32) []byte {
	before, widest := int32(-1), int32(0)
	for _, it := range tx {
		widest = max(widest, it-before-1)
		before = it
	}
	width := gaps8
	switch {
	case widest > math.MaxUint16:
		width = gaps32
	case widest > math.MaxUint8:
		width = gaps16
	}
	out = binary.AppendUvarint(out, uint64(len(tx)<<gapBits|width))
	before = -1
	for _, it := range tx {
		gap := it - before - 1
		before = it
		switch width {
		case gaps8:
			out = append(out, byte(gap))
		case gaps16:
			out = append(out, byte(gap), byte(gap>>8))
		default:
			out = binary.LittleEndian.AppendUint32(out, uint32(gap))
		}
	}
	return out
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
	ahead byte // of what Ahead has looked at: else it would be left out
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
		c.skip()
	}
	c.read()
	return c.tx
}

// TxAt is Tx, and the position of the transaction's first occurrence among those of all.
func (c *Cursor) TxAt(i int) (tx []int32, start int) {
	if c.d.packed == nil {
		return c.d.Tx(i), c.d.Start(i)
	}
	tx = c.Tx(i)
	return tx, int(c.start) - len(tx)
}

// Ahead has transactions that are asked for next brought near the processor, and what is beside
// them: a byte an occurrence. For some tens of transactions far from each other: their memory is
// waited for at once, and else for one after the other.
func (c *Cursor) Ahead(lines []int32, beside []uint8) {
	p := c.d.packed
	if p == nil || p.n == 0 {
		return
	}
	far := min(p.bytes*markEvery/p.n, aheadBytes)
	farBeside := min(p.occurrences*markEvery/p.n+cacheLine, aheadBytes, len(beside))
	ahead := c.ahead
	for _, i := range lines {
		m := p.marks[i/markEvery]
		text := *p.chunks[m.chunk]
		for at := 0; at < far; at += cacheLine {
			ahead += text[min(int(m.at)+at, len(text)-1)]
		}
		for at := 0; at < farBeside; at += cacheLine {
			ahead += beside[min(int(m.start)+at, len(beside)-1)]
		}
	}
	c.ahead = ahead
}

// Lines of a cache have so many bytes, and so many bytes are looked at after the last mark.
const (
	cacheLine  = 64
	aheadBytes = 4 * cacheLine
)

// read spells out the next transaction.
func (c *Cursor) read() {
	n, width := c.head()
	if cap(c.tx) < n {
		c.tx = make([]int32, n, 2*n)
	}
	c.tx = c.tx[:n]
	c.at += uint32(readGaps(c.tx, (*c.d.packed.chunks[c.chunk])[c.at:], width))
}

// skip passes over the next transaction, and returns its length.
func (c *Cursor) skip() int {
	n, width := c.head()
	c.at += uint32(n) << width // gaps of 1, 2 and 4 bytes are numbered so
	return n
}

// head reads the length of the next transaction and the width of its gaps, which begin at the place
// then.
func (c *Cursor) head() (n, width int) {
	if int(c.at) == len(*c.d.packed.chunks[c.chunk]) {
		c.chunk, c.at = c.chunk+1, 0
	}
	text := (*c.d.packed.chunks[c.chunk])[c.at:]
	head, at := uint64(text[0]), 1
	if head >= 0x80 {
		head, at = binary.Uvarint(text)
	}
	c.at += uint32(at)
	c.next++
	c.start += int64(head >> gapBits)
	return int(head >> gapBits), int(head & (1<<gapBits - 1))
}

// readGaps fills a transaction from the gaps at the beginning of a text, and returns their bytes.
func readGaps(tx []int32, text []byte, width int) int {
	it := int32(-1)
	switch width {
	case gaps8:
		text = text[:len(tx)]
		for i, gap := range text {
			it += int32(gap) + 1
			tx[i] = it
		}
		return len(text)
	case gaps16:
		text = text[:2*len(tx)]
		for i := range tx {
			it += int32(binary.LittleEndian.Uint16(text[2*i:])) + 1
			tx[i] = it
		}
		return len(text)
	}
	text = text[:4*len(tx)]
	for i := range tx {
		it += int32(binary.LittleEndian.Uint32(text[4*i:])) + 1
		tx[i] = it
	}
	return len(text)
}

// packedItem is Item on packed data: it goes on from the last mark before the position.
func (d *Dataset) packedItem(pos int) int32 {
	marks := d.packed.marks
	at := sort.Search(len(marks), func(m int) bool { return int(marks[m].start) > pos }) - 1
	left := pos - int(marks[at].start)
	c := Cursor{d: d, mark: marks[at]}
	for {
		before := c
		n := c.skip()
		if left < n {
			before.read()
			return before.tx[left]
		}
		left -= n
	}
}

// IsPacked tells whether the dataset is in packed form, see [Options].Packed.
func (d *Dataset) IsPacked() bool { return d.packed != nil }

// Bytes is how many bytes the transactions take, without labels and columns.
func (d *Dataset) Bytes() int64 {
	if d.packed != nil {
		return int64(d.packed.bytes) + 16*int64(len(d.packed.marks))
	}
	return 4 * int64(len(d.items)+len(d.offsets))
}

// Flat is the dataset in plain form: itself, if it is not packed.
func (d *Dataset) Flat() *Dataset {
	if d.packed == nil {
		return d
	}
	b := NewBuilder(d.dict)
	b.Grow(d.Len(), d.Occurrences())
	d.copyTo(b)
	return b.Build().WithProvenance(d).asRead(d)
}

// Pack is the dataset in packed form: itself, if it is packed already.
func (d *Dataset) Pack() *Dataset {
	if d.packed != nil {
		return d
	}
	b := newPackedBuilder(d.dict)
	d.copyTo(b)
	return b.Build().WithProvenance(d).asRead(d)
}

func (d *Dataset) copyTo(b *Builder) {
	for _, tx := range d.All() {
		b.add(tx)
	}
}

// newPackedBuilder starts a dataset in packed form.
func newPackedBuilder(dict *Dictionary) *Builder {
	d := &Dataset{dict: dict, packed: &packed{}, counted: &counted{}}
	return &Builder{d: d, most: most}
}

// Builder starts a dataset of the same form as d.
func (d *Dataset) Builder(dict *Dictionary) *Builder {
	if d.packed != nil {
		return newPackedBuilder(dict)
	}
	return NewBuilder(dict)
}
