package parquet

import (
	"encoding/binary"
	"io"
	"math/bits"

	"github.com/klauspost/compress/zstd"

	"mingle/dataset/column"
)

// A row group has at most so many rows or values, a page so many.
const (
	groupRows   = 1 << 18
	groupValues = 1 << 20
	pageRows    = 1 << 17 // as many as values: small pages take longer to unpack
	pageValues  = 1 << 17
)

// writer writes texts, and lists of texts, compressed by zstd.
type writer struct {
	w       io.Writer
	fields  []column.Field
	columns []*columnWriter
	zstd    *zstd.Encoder
	offset  int64
	rows    int64 // of the row group
	all     int64
	groups  []byte // their metadata
	count   int
	err     error
}

// NewWriter begins a file. It is a column.Maker. An empty text of a column is written as NULL.
func NewWriter(w io.Writer, fields []column.Field) (column.Sink, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	out := &writer{w: w, fields: fields, zstd: z}
	for _, f := range fields {
		out.columns = append(out.columns, &columnWriter{field: f, index: map[string]uint32{}})
	}
	out.put([]byte(magic))
	return out, out.err
}

func (w *writer) put(b []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(b)
		w.offset += int64(len(b))
	}
}

// Write implements column.Sink.
func (w *writer) Write(b *column.Batch) error {
	full := false
	for i, c := range w.columns {
		c.add(&b.Cells[i])
		full = full || len(c.codes) >= groupValues
	}
	if w.rows += int64(b.Rows); full || w.rows >= groupRows {
		w.flush()
	}
	return w.err
}

// Close implements column.Sink.
func (w *writer) Close() error {
	if w.rows > 0 {
		w.flush()
	}
	t := &thriftWriter{}
	t.begin()
	t.i32(1, 2)
	w.schema(t)
	t.i64(3, w.all)
	t.list(4, w.count, thriftStruct)
	t.b = append(t.b, w.groups...)
	t.text(6, "mingle")
	t.end()
	t.b = binary.LittleEndian.AppendUint32(t.b, uint32(len(t.b)))
	w.put(append(t.b, magic...))
	return w.err
}

// schema writes the tree of columns.
func (w *writer) schema(t *thriftWriter) {
	n := 1
	for _, f := range w.fields {
		if n++; f.List {
			n += 2
		}
	}
	t.list(2, n, thriftStruct)
	node := func(name string, repetition, children int) {
		t.begin()
		if repetition >= 0 {
			t.i32(3, int64(repetition))
		}
		t.text(4, name)
		t.i32(5, int64(children))
		if repetition == 0 { // a list
			t.i32(6, 3)
			t.open(10)
			t.open(3)
			t.end()
			t.end()
		}
		t.end()
	}
	text := func(name string, repetition int) {
		t.begin()
		t.i32(1, typeBytes)
		t.i32(3, int64(repetition))
		t.text(4, name)
		t.i32(6, 0)
		t.open(10)
		t.open(1)
		t.end()
		t.end()
		t.end()
	}
	node("schema", -1, len(w.fields))
	for _, f := range w.fields {
		if f.List {
			node(f.Name, 0, 1)
			node("list", 2, 1)
			text("element", 0)
		} else {
			text(f.Name, 1)
		}
	}
}

// flush writes a row group.
func (w *writer) flush() {
	t := &thriftWriter{}
	t.begin()
	t.list(1, len(w.columns), thriftStruct)
	total := int64(0)
	for _, c := range w.columns {
		total += w.chunk(t, c, int(w.rows))
		c.reset()
	}
	t.i64(2, total)
	t.i64(3, w.rows)
	t.end()
	w.groups = append(w.groups, t.b...)
	w.count++
	w.all += w.rows
	w.rows = 0
}

// chunk writes the pages of a column, and its metadata to t. It tells their size uncompressed.
func (w *writer) chunk(t *thriftWriter, c *columnWriter, rows int) (unpacked int64) {
	start := w.offset
	unpacked = w.page(pageHead{kind: 2, values: c.words.Len()}, c.dictionaryPage())
	first := w.offset
	for at := (place{}); at.row < rows; {
		to := c.pageEnd(at, rows)
		unpacked += w.page(pageHead{values: to.level - at.level}, c.dataPage(at, to))
		at = to
	}
	path := []string{c.field.Name}
	if c.field.List {
		path = append(path, "list", "element")
	}
	t.begin()
	t.i64(2, 0)
	t.open(3)
	t.i32(1, typeBytes)
	t.list(2, 3, 5)
	for _, encoding := range []int64{encPlain, encHybrid, encDictionary} {
		t.zigzag(encoding)
	}
	t.list(3, len(path), thriftBinary)
	for _, name := range path {
		t.element(name)
	}
	t.i32(4, 6)
	t.i64(5, int64(c.levels(rows)))
	t.i64(6, unpacked)
	t.i64(7, w.offset-start)
	t.i64(9, first)
	t.i64(11, start)
	t.end()
	t.end()
	return unpacked
}

type pageHead struct{ kind, values int }

// page writes a page and tells its size uncompressed.
func (w *writer) page(h pageHead, data []byte) int64 {
	packed := w.zstd.EncodeAll(data, nil)
	t := &thriftWriter{}
	t.begin()
	t.i32(1, int64(h.kind))
	t.i32(2, int64(len(data)))
	t.i32(3, int64(len(packed)))
	encoding, at := int64(encDictionary), 5
	if h.kind == 2 {
		encoding, at = encPlain, 7
	}
	t.open(at)
	t.i32(1, int64(h.values))
	t.i32(2, encoding)
	if h.kind == 0 {
		t.i32(3, encHybrid)
		t.i32(4, encHybrid)
	}
	t.end()
	t.end()
	w.put(t.b)
	w.put(packed)
	return int64(len(t.b) + len(data))
}

// columnWriter gathers a column of a row group: its values are numbered as they first appear.
type columnWriter struct {
	field column.Field
	index map[string]uint32
	words column.Words
	codes []uint32 // 0: NULL; else the number of the word, from 1
	ends  []uint32

	from  *column.Words // whose numbers known has
	epoch int
	known []uint32 // by number of the batch's word: that of the group, from 1; 0: none yet
}

func (c *columnWriter) reset() {
	clear(c.index)
	c.words.Reset()
	c.codes, c.ends, c.from = c.codes[:0], c.ends[:0], nil
}

func (c *columnWriter) add(cells *column.Cells) {
	if c.from != cells.Words || c.epoch != cells.Words.Epoch {
		c.from, c.epoch = cells.Words, cells.Words.Epoch
		c.known = c.known[:0]
	}
	for len(c.known) < cells.Words.Len() {
		c.known = append(c.known, 0)
	}
	base := uint32(len(c.codes))
	for _, code := range cells.Codes {
		if code == column.Null {
			c.codes = append(c.codes, 0)
			continue
		}
		if c.known[code] == 0 {
			c.known[code] = c.number(cells.Words.At(int(code)))
		}
		c.codes = append(c.codes, c.known[code])
	}
	for _, end := range cells.Ends {
		c.ends = append(c.ends, base+end)
	}
}

func (c *columnWriter) number(word []byte) uint32 {
	n, ok := c.index[string(word)]
	if !ok {
		c.words.Add(word)
		n = uint32(c.words.Len())
		c.index[string(word)] = n
	}
	return n
}

func (c *columnWriter) dictionaryPage() (b []byte) {
	for i := range c.words.Len() {
		word := c.words.At(i)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(word)))
		b = append(b, word...)
	}
	return b
}

// place is where a page begins or ends.
type place struct{ row, value, level int }

// levels is how many the first rows have: a list without elements has one, too.
func (c *columnWriter) levels(rows int) int { return c.after(place{}, rows).level }

// after is the place so many rows behind another.
func (c *columnWriter) after(at place, rows int) place {
	if !c.field.List {
		return place{at.row + rows, at.value + rows, at.level + rows}
	}
	for range rows {
		n := int(c.ends[at.row]) - at.value
		at = place{at.row + 1, at.value + n, at.level + max(1, n)}
	}
	return at
}

// pageEnd is the end of the page that begins at a place.
func (c *columnWriter) pageEnd(at place, rows int) place {
	to := at
	for to.row < rows && to.row-at.row < pageRows && to.level-at.level < pageValues {
		to = c.after(to, 1)
	}
	return to
}

// dataPage is the levels and values between two places.
func (c *columnWriter) dataPage(from, to place) []byte {
	var reps, defs, values []uint32
	if c.field.List {
		value := from.value
		for row := from.row; row < to.row; row++ {
			if end := int(c.ends[row]); end == value {
				reps, defs = append(reps, 0), append(defs, 0)
			} else {
				for rep := uint32(0); value < end; value, rep = value+1, 1 {
					reps, defs = append(reps, rep), append(defs, 1)
				}
			}
		}
	}
	for _, code := range c.codes[from.value:to.value] {
		if !c.field.List {
			defs = append(defs, min(1, code))
		}
		if code > 0 {
			values = append(values, code-1)
		}
	}
	var b []byte
	if c.field.List {
		b = appendLevels(b, reps)
	}
	b = appendLevels(b, defs)
	width := uint(bits.Len(uint(max(0, c.words.Len()-1))))
	b = append(b, byte(width))
	return appendHybrid(b, values, width)
}

// appendLevels appends levels of 0 and 1 behind their length.
func appendLevels(b []byte, levels []uint32) []byte {
	at := len(b)
	b = appendHybrid(append(b, 0, 0, 0, 0), levels, 1)
	binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at-4))
	return b
}
