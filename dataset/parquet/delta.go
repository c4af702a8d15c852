package parquet

import (
	"errors"

	"mingle/dataset/column"
)

var errEncoding = errors.New("its values are encoded in a way that is not known: write the file " +
	"with the usual encodings")

// deltas reads integers that are stored as differences, in blocks of miniblocks of one width.
type deltas struct {
	b         []byte
	blockSize int
	minis     int
	left      int // values
	value     int64
	first     bool // the next value is the first

	widths []byte // of the miniblocks to come in this block
	least  int64
	mini   hybrid
	inMini int // values left in the miniblock
}

// begin reads the head; most is how many values there may be.
func (d *deltas) begin(b []byte, most int) (n int, err error) {
	var head [3]uint64
	for i := range head {
		v, size := uvarint(b)
		if size == 0 {
			return 0, errPage
		}
		head[i], b = v, b[size:]
	}
	first, size := uvarint(b)
	blocks, minis := head[0], head[1]
	if size == 0 || blocks == 0 || blocks > 1<<16 || minis == 0 || minis > blocks ||
		blocks%minis != 0 || blocks/minis%8 != 0 || head[2] > uint64(most) {
		return 0, errPage
	}
	*d = deltas{
		b: b[size:], blockSize: int(blocks), minis: int(minis), left: int(head[2]),
		value: int64(first>>1) ^ -int64(first&1), first: true,
	}
	return d.left, nil
}

// next is the next value.
func (d *deltas) next() (int64, error) {
	if d.left == 0 {
		return 0, errPage
	}
	d.left--
	if d.first {
		d.first = false
		return d.value, nil
	}
	if d.inMini == 0 {
		if err := d.miniblock(); err != nil {
			return 0, err
		}
	}
	d.inMini--
	d.value += d.least + d.packed()
	return d.value, nil
}

// miniblock goes to the next one, of the next block where there is none left.
func (d *deltas) miniblock() error {
	if len(d.widths) == 0 {
		least, size := uvarint(d.b)
		if size == 0 || len(d.b) < size+d.minis {
			return errPage
		}
		d.least = int64(least>>1) ^ -int64(least&1)
		d.widths, d.b = d.b[size:size+d.minis], d.b[size+d.minis:]
	}
	width := uint(d.widths[0])
	d.widths = d.widths[1:]
	d.inMini = d.blockSize / d.minis
	size := d.inMini * int(width) / 8
	if width > 64 {
		return errPage
	}
	if size > len(d.b) { // the last miniblock may be cut
		if size = len(d.b); d.left > 0 && size*8 < int(width)*min(d.left+1, d.inMini) {
			return errPage
		}
	}
	d.mini = hybrid{b: d.b[:size], width: width}
	d.b = d.b[size:]
	return nil
}

// packed is the next number of the miniblock, of up to 64 bits.
func (d *deltas) packed() int64 {
	m := &d.mini
	var word uint64
	for got := uint(0); got < m.width; {
		at, shift := m.bit>>3, uint(m.bit&7)
		if at >= len(m.b) {
			break
		}
		n := min(8-shift, m.width-got)
		word |= uint64(m.b[at]>>shift&(1<<n-1)) << got
		got += n
		m.bit += int(n)
	}
	return int64(word)
}

// rest is what stands behind the values, once all were read.
func (d *deltas) rest() []byte { return d.b }

// deltaInts are integers.
type deltaInts struct {
	deltas
	leaf *leaf
}

func (v *deltaInts) next(words *column.Words, n int) error {
	for range n {
		value, err := v.deltas.next()
		if err != nil {
			return err
		}
		if v.leaf.physical == typeInt32 {
			if value = int64(int32(value)); v.leaf.as == asUnsigned {
				value = int64(uint32(value))
			}
		}
		v.leaf.appendInt(words, value)
	}
	return nil
}

// lengths reads all lengths, and what stands behind them.
func lengths(b []byte, most int) (all []int32, rest []byte, err error) {
	var d deltas
	n, err := d.begin(b, min(most, maxLengths))
	if err != nil {
		return nil, nil, err
	}
	for range n {
		v, err := d.next()
		if err != nil || v < 0 || v > maxPage {
			return nil, nil, errPage
		}
		all = append(all, int32(v))
	}
	return all, d.rest(), nil
}

// deltaLength are texts behind all their lengths.
type deltaLength struct {
	sizes []int32
	b     []byte
	leaf  *leaf
}

func newDeltaLength(b []byte, l *leaf, most int) (values, error) {
	sizes, rest, err := lengths(b, most)
	return &deltaLength{sizes, rest, l}, err
}

func (v *deltaLength) text() ([]byte, error) {
	if len(v.sizes) == 0 || int(v.sizes[0]) > len(v.b) {
		return nil, errPage
	}
	text := v.b[:v.sizes[0]]
	v.b, v.sizes = v.b[v.sizes[0]:], v.sizes[1:]
	return text, nil
}

func (v *deltaLength) next(words *column.Words, n int) error {
	for range n {
		text, err := v.text()
		if err != nil {
			return err
		}
		if err := v.leaf.appendText(words, text); err != nil {
			return err
		}
	}
	return nil
}

// deltaText are texts that begin as the one before.
type deltaText struct {
	shared []int32
	tails  deltaLength
	last   []byte
	leaf   *leaf
}

func newDeltaText(b []byte, l *leaf, most int) (values, error) {
	shared, rest, err := lengths(b, most)
	if err != nil {
		return nil, err
	}
	sizes, rest, err := lengths(rest, most)
	return &deltaText{shared: shared, tails: deltaLength{sizes, rest, l}, leaf: l}, err
}

func (v *deltaText) next(words *column.Words, n int) error {
	for range n {
		tail, err := v.tails.text()
		if err != nil || len(v.shared) == 0 || int(v.shared[0]) > len(v.last) {
			return errPage
		}
		v.last = append(v.last[:v.shared[0]], tail...)
		v.shared = v.shared[1:]
		if len(v.last) > maxText {
			return errPage
		}
		if len(words.Text) > maxWords { // a large text that is there many times takes few bytes
			return errWords()
		}
		if v.leaf.physical == typeFixed {
			if len(v.last) != v.leaf.length {
				return errPage
			}
			v.leaf.appendFixed(words, v.last)
			continue
		}
		if err := v.leaf.appendText(words, v.last); err != nil {
			return err
		}
	}
	return nil
}
