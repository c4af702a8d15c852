package arrow

import (
	"encoding/binary"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"

	"mingle/dataset/column"
)

// A batch that is written has at most so many rows and, a little more than, so many bytes of text.
const (
	writtenRows = 1 << 16
	writtenText = 8 << 20
)

// version is that of the metadata, 5.
const version = 4

// writer writes texts, and lists of texts, as a stream or a file.
type writer struct {
	w       io.Writer
	fields  []column.Field
	columns []columnWriter
	rows    int
	text    int
	offset  int64
	blocks  []block // of a file; nil: of a stream
	isFile  bool
	err     error
}

// block is where a batch stands in a file.
type block struct{ offset, meta, body int64 }

// columnWriter gathers a column of a batch.
type columnWriter struct {
	text    []byte
	ends    []int32 // of the texts; of lists, of their elements
	lists   []int32 // ends of the lists
	present []bool
}

// NewStream begins a stream, NewFile a file. They are column.Makers. An empty text of a column is
// written as NULL.
func NewStream(w io.Writer, fields []column.Field) (column.Sink, error) {
	out := &writer{w: w, fields: fields, columns: make([]columnWriter, len(fields))}
	out.message(func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		return out.schema(b)
	}, isSchema, nil)
	return out, out.err
}

// NewFile begins a file.
func NewFile(w io.Writer, fields []column.Field) (column.Sink, error) {
	out := &writer{w: w, fields: fields, columns: make([]columnWriter, len(fields)), isFile: true}
	out.put([]byte(fileMagic + "\x00\x00"))
	out.message(func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		return out.schema(b)
	}, isSchema, nil)
	return out, out.err
}

func (w *writer) put(b []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(b)
		w.offset += int64(len(b))
	}
}

// message writes metadata and a body, both in pieces of 8 bytes.
func (w *writer) message(
	head func(*flatbuffers.Builder) flatbuffers.UOffsetT, kind byte, body []byte,
) (meta int64) {
	b := flatbuffers.NewBuilder(1024)
	header := head(b)
	b.StartObject(5)
	b.PrependInt64Slot(3, int64(len(body)), 0)
	b.PrependUOffsetTSlot(2, header, 0)
	b.PrependByteSlot(1, kind, 0)
	b.PrependInt16Slot(0, version, 0)
	b.Finish(b.EndObject())
	text := padded(b.FinishedBytes())
	start := binary.LittleEndian.AppendUint32([]byte{255, 255, 255, 255}, uint32(len(text)))
	w.put(append(start, text...))
	w.put(body)
	return int64(len(start) + len(text))
}

func padded(b []byte) []byte {
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	return b
}

// tables is a vector of tables, given in their order.
func tables(b *flatbuffers.Builder, all []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(4, len(all), 4)
	for i := len(all) - 1; i >= 0; i-- {
		b.PrependUOffsetT(all[i])
	}
	return b.EndVector(len(all))
}

func (w *writer) schema(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	var all []flatbuffers.UOffsetT
	for _, f := range w.fields {
		var children []flatbuffers.UOffsetT
		kind := byte(typeText)
		if f.List {
			kind = typeList
			children = append(children, node(b, "item", typeText, nil, false))
		}
		all = append(all, node(b, f.Name, kind, children, !f.List))
	}
	fields := tables(b, all)
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, fields, 0)
	return b.EndObject()
}

// node is a field of the schema.
func node(
	b *flatbuffers.Builder, name string, kind byte, children []flatbuffers.UOffsetT, nullable bool,
) flatbuffers.UOffsetT {
	below := tables(b, children)
	called := b.CreateString(name)
	b.StartObject(0)
	of := b.EndObject()
	b.StartObject(7)
	b.PrependUOffsetTSlot(5, below, 0)
	b.PrependUOffsetTSlot(3, of, 0)
	b.PrependUOffsetTSlot(0, called, 0)
	b.PrependByteSlot(2, kind, 0)
	b.PrependBoolSlot(1, nullable, false)
	return b.EndObject()
}

// Write implements column.Sink.
func (w *writer) Write(b *column.Batch) error {
	for i := range w.columns {
		w.text += w.columns[i].add(&b.Cells[i], w.fields[i].List)
	}
	if w.rows += b.Rows; w.rows >= writtenRows || w.text >= writtenText {
		w.flush()
	}
	return w.err
}

// add appends the values of a batch, and tells the size of their texts.
func (c *columnWriter) add(cells *column.Cells, list bool) (size int) {
	before, from := len(c.text), int32(len(c.ends))
	for _, code := range cells.Codes {
		if code != column.Null {
			c.text = append(c.text, cells.Words.At(int(code))...)
		}
		c.ends = append(c.ends, int32(len(c.text)))
		if !list {
			c.present = append(c.present, code != column.Null)
		}
	}
	for _, end := range cells.Ends {
		c.lists = append(c.lists, from+int32(end))
	}
	return len(c.text) - before
}

// flush writes a batch of rows.
func (w *writer) flush() {
	var body []byte
	var nodes, buffers [][2]int64
	put := func(b []byte) {
		buffers = append(buffers, [2]int64{int64(len(body)), int64(len(b))})
		body = padded(append(body, b...))
	}
	for i := range w.columns {
		c := &w.columns[i]
		if w.fields[i].List {
			nodes = append(nodes, [2]int64{int64(w.rows), 0}, [2]int64{int64(len(c.ends)), 0})
			put(nil)
			put(places(c.lists))
			put(nil)
		} else {
			valid, nulls := bitmap(c.present)
			nodes = append(nodes, [2]int64{int64(w.rows), nulls})
			put(valid)
		}
		put(places(c.ends))
		put(c.text)
		*c = columnWriter{
			text: c.text[:0], ends: c.ends[:0], lists: c.lists[:0], present: c.present[:0],
		}
	}
	at := w.offset
	meta := w.message(func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		second, first := pairs(b, buffers), pairs(b, nodes)
		b.StartObject(5)
		b.PrependInt64Slot(0, int64(w.rows), 0)
		b.PrependUOffsetTSlot(2, second, 0)
		b.PrependUOffsetTSlot(1, first, 0)
		return b.EndObject()
	}, isBatch, body)
	w.blocks = append(w.blocks, block{at, meta, int64(len(body))})
	w.rows, w.text = 0, 0
}

// pairs is a vector of structs of two numbers.
func pairs(b *flatbuffers.Builder, all [][2]int64) flatbuffers.UOffsetT {
	b.StartVector(16, len(all), 8)
	for i := len(all) - 1; i >= 0; i-- {
		b.PrependInt64(all[i][1])
		b.PrependInt64(all[i][0])
	}
	return b.EndVector(len(all))
}

// places are where values begin, and where the last one ends.
func places(ends []int32) []byte {
	b := make([]byte, 4, 4*len(ends)+4)
	for _, end := range ends {
		b = binary.LittleEndian.AppendUint32(b, uint32(end))
	}
	return b
}

// bitmap has a bit a value that is there; nil: all are.
func bitmap(present []bool) (bits []byte, nulls int64) {
	bits = make([]byte, (len(present)+7)/8)
	for i, is := range present {
		if is {
			bits[i>>3] |= 1 << (i & 7)
		} else {
			nulls++
		}
	}
	if nulls == 0 {
		return nil, 0
	}
	return bits, nulls
}

// Close implements column.Sink.
func (w *writer) Close() error {
	if w.rows > 0 {
		w.flush()
	}
	w.put([]byte{255, 255, 255, 255, 0, 0, 0, 0})
	if w.isFile {
		w.footer()
	}
	return w.err
}

// footer says where the batches are.
func (w *writer) footer() {
	b := flatbuffers.NewBuilder(1024)
	schema := w.schema(b)
	b.StartVector(24, len(w.blocks), 8)
	for i := len(w.blocks) - 1; i >= 0; i-- {
		b.PrependInt64(w.blocks[i].body)
		b.PrependInt32(0)
		b.PrependInt32(int32(w.blocks[i].meta))
		b.PrependInt64(w.blocks[i].offset)
	}
	batches := b.EndVector(len(w.blocks))
	b.StartVector(24, 0, 8)
	dictionaries := b.EndVector(0)
	b.StartObject(5)
	b.PrependUOffsetTSlot(3, batches, 0)
	b.PrependUOffsetTSlot(2, dictionaries, 0)
	b.PrependUOffsetTSlot(1, schema, 0)
	b.PrependInt16Slot(0, version, 0)
	b.Finish(b.EndObject())
	text := b.FinishedBytes()
	w.put(text)
	w.put(binary.LittleEndian.AppendUint32(nil, uint32(len(text))))
	w.put([]byte(fileMagic))
}
