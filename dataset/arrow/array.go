package arrow

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"mingle/dataset/column"
)

// array is the values of a node of the schema in one batch.
type array struct {
	field   *field
	n       int
	valid   []byte // a bit a value; nil: all are there
	data    []byte
	offsets []byte // of texts and lists
	views   [][]byte
	child   *array
}

// there tells whether value i is one, not NULL.
func (a *array) there(i int) bool {
	return a.field.kind != typeNull && (a.valid == nil || a.valid[i>>3]>>(i&7)&1 == 1)
}

// long tells whether places take 8 bytes.
func (f *field) long() bool {
	return f.kind == typeLongText || f.kind == typeLongBinary || f.kind == typeLongList
}

// span is where value i begins and ends, by the places of it and the next one.
func (a *array) span(i int) (from, to int64) {
	if a.field.long() {
		return int64(binary.LittleEndian.Uint64(a.offsets[8*i:])),
			int64(binary.LittleEndian.Uint64(a.offsets[8*i+8:]))
	}
	return int64(int32(binary.LittleEndian.Uint32(a.offsets[4*i:]))),
		int64(int32(binary.LittleEndian.Uint32(a.offsets[4*i+4:])))
}

// list is the places of the elements of list i.
func (a *array) list(i int) (from, to int, err error) {
	if a.field.kind == typeFixedList {
		return i * a.field.width, (i + 1) * a.field.width, nil
	}
	first, end := a.span(i)
	if first < 0 || end < first || end > int64(a.child.n) {
		return 0, 0, errMessage
	}
	return int(first), int(end), nil
}

// fitting is how many of the rows from one on have elements that fit a batch, at least one.
func (a *array) fitting(at, rows int) int {
	elements := 0
	for i := range rows {
		if !a.there(at + i) {
			continue
		}
		from, to, err := a.list(at + i)
		if err != nil {
			return i + 1 // it is told when it is taken
		}
		if elements += to - from; elements > batchElements {
			return i + 1
		}
	}
	return rows
}

// index is the place of value i in its dictionary.
func (a *array) index(i int) (int64, error) {
	n := a.field.index.int(a.data, i)
	if n < 0 {
		return 0, errMessage
	}
	return n, nil
}

// int is the integer i of some width.
func (f *field) int(b []byte, i int) int64 {
	switch f.width {
	case 8:
		if f.signed {
			return int64(int8(b[i]))
		}
		return int64(b[i])
	case 16:
		n := binary.LittleEndian.Uint16(b[2*i:])
		if f.signed {
			return int64(int16(n))
		}
		return int64(n)
	case 32:
		n := binary.LittleEndian.Uint32(b[4*i:])
		if f.signed {
			return int64(int32(n))
		}
		return int64(n)
	}
	return int64(binary.LittleEndian.Uint64(b[8*i:]))
}

// appendTo appends the text of value i, which must be there.
func (a *array) appendTo(words *column.Words, i int) error {
	f := a.field
	switch f.kind {
	case typeText, typeBinary, typeLongText, typeLongBinary:
		from, to := a.span(i)
		if from < 0 || to < from || to > int64(len(a.data)) {
			return errMessage
		}
		words.Text = append(words.Text, a.data[from:to]...)
	case typeTextView, typeBytesView:
		text, err := a.view(i)
		if err != nil {
			return err
		}
		words.Text = append(words.Text, text...)
	case typeFixed:
		words.Text = append(words.Text, a.data[i*f.width:(i+1)*f.width]...)
	case typeBool:
		words.Text = strconv.AppendBool(words.Text, a.data[i>>3]>>(i&7)&1 == 1)
	case typeInt:
		if n := f.int(a.data, i); f.signed {
			words.Text = strconv.AppendInt(words.Text, n, 10)
		} else {
			words.Text = strconv.AppendUint(words.Text, uint64(n), 10)
		}
	case typeFloat:
		words.Text, _ = column.AppendFloat(words.Text, f.float(a.data, i), max(32, f.width))
	case typeDecimal:
		words.Text = column.AppendDecimal(words.Text, f.decimal(a.data, i), f.scale)
	default:
		words.Text = f.appendTime(words.Text, a.data, i)
	}
	words.End()
	return nil
}

// plain tells whether the values are texts with places of 4 bytes, none of them NULL: most of most
// files.
func (a *array) plain() bool {
	return !a.field.coded && a.valid == nil &&
		(a.field.kind == typeText || a.field.kind == typeBinary)
}

// texts appends values of a plain array, which stand one after another, in one piece.
func (a *array) texts(cells *column.Cells, from, to int) error {
	if from == to {
		return nil
	}
	words := cells.Words
	start := int64(int32(binary.LittleEndian.Uint32(a.offsets[4*from:])))
	at, base := start, int64(len(words.Text))-start
	code := int32(len(words.Ends))
	for i := from + 1; i <= to; i++ {
		end := int64(int32(binary.LittleEndian.Uint32(a.offsets[4*i:])))
		if at < 0 || end < at || end > int64(len(a.data)) {
			return errMessage
		}
		words.Ends = append(words.Ends, uint32(base+end))
		cells.Codes = append(cells.Codes, code)
		at = end
		code++
	}
	if base+at > maxText {
		return errTexts()
	}
	words.Text = append(words.Text, a.data[start:at]...)
	return nil
}

func (f *field) appendTime(dst, data []byte, i int) []byte {
	of := field{width: f.width, signed: true}
	n := of.int(data, i)
	switch f.kind {
	case typeDate:
		if f.unit > 1 {
			n = floor(n, 86400*f.unit)
		}
		return column.AppendDate(dst, n)
	case typeTime:
		return column.AppendClock(dst, n, f.unit)
	}
	return column.AppendTimestamp(dst, n, f.unit, f.utc)
}

func floor(n, by int64) int64 {
	q := n / by
	if n%by < 0 {
		q--
	}
	return q
}

func (f *field) float(b []byte, i int) float64 {
	switch f.width {
	case 16:
		return column.Half(binary.LittleEndian.Uint16(b[2*i:]))
	case 32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
}

func (f *field) decimal(b []byte, i int) *big.Int {
	size := f.width / 8
	one := slices.Clone(b[i*size : (i+1)*size])
	slices.Reverse(one)
	return column.BigEndian(one)
}

// view is text i of an array that holds short texts itself and the places of longer ones.
func (a *array) view(i int) ([]byte, error) {
	v := a.data[16*i : 16*i+16]
	n := int64(binary.LittleEndian.Uint32(v))
	if n <= 12 {
		return v[4 : 4+n], nil
	}
	of, from := int64(binary.LittleEndian.Uint32(v[8:])), int64(binary.LittleEndian.Uint32(v[12:]))
	if of >= int64(len(a.views)) || from+n > int64(len(a.views[of])) {
		return nil, errMessage
	}
	return a.views[of][from : from+n], nil
}

// decoder hands out the nodes and buffers of a batch in the order of the schema.
type decoder struct {
	f        *File
	body     []byte
	rows     int
	nodes    []byte
	buffers  []byte
	variadic []byte
	codec    int64 // -1: nothing is compressed
	held     int64
}

func (f *File) decoder(t table, body []byte) (*decoder, error) {
	rows := t.int(0, 8, 0)
	if !t.there() || rows < 0 || rows > math.MaxInt32 {
		return nil, errMessage
	}
	d := &decoder{f: f, body: body, rows: int(rows), codec: -1, held: int64(len(body))}
	d.nodes, _ = t.vector(1, 16)
	d.buffers, _ = t.vector(2, 16)
	d.variadic, _ = t.vector(4, 8)
	if c := t.table(3); c.there() {
		d.codec = c.int(0, 1, 0)
	}
	return d, nil
}

// walk takes the next node; what is not wanted is passed over with all its buffers.
func (d *decoder) walk(f *field, wanted bool) (*array, error) {
	n, nested, err := f.buffers()
	if err != nil {
		return nil, err
	}
	if len(d.nodes) < 16 {
		return nil, errMessage
	}
	count := int64(binary.LittleEndian.Uint64(d.nodes))
	nulls := int64(binary.LittleEndian.Uint64(d.nodes[8:]))
	if d.nodes = d.nodes[16:]; count < 0 || count > math.MaxInt32 {
		return nil, errMessage
	}
	a := &array{field: f, n: int(count)}
	var all [][]byte
	views := 0
	if (f.kind == typeBytesView || f.kind == typeTextView) && !f.coded {
		if len(d.variadic) < 8 {
			return nil, errMessage
		}
		views = int(min(binary.LittleEndian.Uint64(d.variadic), 1<<30))
		d.variadic = d.variadic[8:]
	}
	for range n + views {
		b, err := d.buffer(wanted)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	if wanted {
		if err := a.lay(all, nulls); err != nil {
			return nil, err
		}
	}
	if !nested || f.coded {
		return a, nil
	}
	for _, child := range f.children {
		c, err := d.walk(child, wanted)
		if err != nil {
			return nil, err
		}
		a.child = c
	}
	if wanted && f.kind == typeFixedList &&
		(f.width < 0 || int64(a.n)*int64(f.width) > int64(a.child.n)) {
		return nil, errMessage
	}
	return a, nil
}

// lay gives the buffers their places, and makes sure that all values are in them.
func (a *array) lay(all [][]byte, nulls int64) error {
	f := a.field
	if f.kind == typeNull && !f.coded {
		return nil
	}
	if nulls != 0 && len(all[0]) > 0 {
		a.valid = all[0]
	}
	if a.valid != nil && 8*len(a.valid) < a.n {
		return errMessage
	}
	size := 0 // bits of a value in data
	switch {
	case f.coded:
		size, a.data = f.index.width, all[1]
	case f.kind == typeFixedList:
	case f.kind == typeList || f.kind == typeLongList:
		a.offsets = all[1]
	case len(all) == 3 && f.kind != typeTextView && f.kind != typeBytesView:
		a.offsets, a.data = all[1], all[2]
	case f.kind == typeTextView || f.kind == typeBytesView:
		size, a.data, a.views = 128, all[1], all[2:]
	case f.kind == typeBool:
		size, a.data = 1, all[1]
	case f.kind == typeFixed:
		size, a.data = 8*f.width, all[1]
	default:
		size, a.data = f.width, all[1]
	}
	if int64(a.n)*int64(size) > 8*int64(len(a.data)) {
		return errMessage
	}
	if a.offsets == nil && size == 0 && f.kind != typeFixedList && a.n > 0 {
		return errMessage
	}
	if wide := map[bool]int{false: 4, true: 8}[f.long()]; size == 0 && a.n > 0 &&
		f.kind != typeFixedList && wide*(a.n+1) > len(a.offsets) {
		return errMessage
	}
	return nil
}

// buffer takes the next buffer, decompressed where it is wanted.
func (d *decoder) buffer(wanted bool) ([]byte, error) {
	if len(d.buffers) < 16 {
		return nil, errMessage
	}
	from := binary.LittleEndian.Uint64(d.buffers)
	n := binary.LittleEndian.Uint64(d.buffers[8:])
	if d.buffers = d.buffers[16:]; n == 0 || !wanted {
		return nil, nil
	}
	if from > uint64(len(d.body)) || n > uint64(len(d.body))-from {
		return nil, errMessage
	}
	b := d.body[from : from+n]
	if d.codec < 0 {
		return b, nil
	}
	if n < 8 {
		return nil, errMessage
	}
	size := int64(binary.LittleEndian.Uint64(b))
	if b = b[8:]; size == -1 {
		return b, nil
	}
	if size < 0 || size > maxBody {
		return nil, errMessage
	}
	d.held += size
	if err := d.f.account.Hold(d.held + d.f.held()); err != nil {
		return nil, err
	}
	if err := d.f.account.Work(size); err != nil {
		return nil, err
	}
	return d.f.unpack.bytes(d.codec, b, int(size))
}

// unpacker decompresses buffers.
type unpacker struct {
	lz4  *lz4.Reader
	zstd *zstd.Decoder
}

// bytes decompresses what must be n bytes.
func (u *unpacker) bytes(codec int64, b []byte, n int) (out []byte, err error) {
	switch codec {
	case 0:
		if u.lz4 == nil {
			u.lz4 = lz4.NewReader(nil)
		}
		u.lz4.Reset(bytes.NewReader(b))
		out = make([]byte, n)
		_, err = io.ReadFull(u.lz4, out)
	case 1:
		if u.zstd == nil {
			u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
				zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxBody))
			if err != nil {
				return nil, err
			}
		}
		var head zstd.Header
		if head.Decode(b) != nil || head.HasFCS && head.FrameContentSize != uint64(n) {
			return nil, errMessage
		}
		if err = u.zstd.Reset(bytes.NewReader(b)); err == nil {
			out = make([]byte, n)
			_, err = io.ReadFull(u.zstd, out)
		}
	default:
		return nil, fmt.Errorf("it is compressed in a way that is not known (%d)", codec)
	}
	if err != nil {
		return nil, errMessage
	}
	return out, nil
}
