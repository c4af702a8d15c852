package rows

import (
	"encoding/binary"
	"io"

	"mingle/dataset/column"
)

// writer writes a stream of texts and lists of texts.
type writer struct {
	w      io.Writer
	fields []column.Field
	buf    []byte
}

// NewWriter begins a stream; it is a column.Maker.
func NewWriter(w io.Writer, fields []column.Field) (column.Sink, error) {
	columns := make([]Column, len(fields))
	for i, f := range fields {
		columns[i] = Column{f.Name, Text, "text"}
		if f.List {
			columns[i] = Column{f.Name, TextArray, "text[]"}
		}
	}
	out := &writer{w: w, fields: fields}
	out.buf = AppendStart(HeaderOf(columns))
	return out, nil
}

// AppendStart appends what the binary form of COPY begins with.
func AppendStart(dst []byte) []byte { return append(append(dst, signature...), make([]byte, 8)...) }

// AppendEnd appends what it ends with.
func AppendEnd(dst []byte) []byte { return append(dst, 0xff, 0xff) }

// AppendRow begins a row of so many columns.
func AppendRow(dst []byte, columns int) []byte {
	return binary.BigEndian.AppendUint16(dst, uint16(columns))
}

// AppendValue appends a value to a row.
func AppendValue[T string | []byte](dst []byte, value T) []byte {
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(value))), value...)
}

// AppendNull appends a value that is none.
func AppendNull(dst []byte) []byte { return append(dst, 0xff, 0xff, 0xff, 0xff) }

func (w *writer) Write(b *column.Batch) error {
	at := make([]uint32, len(w.fields))
	for row := range b.Rows {
		w.buf = AppendRow(w.buf, len(w.fields))
		for i, f := range w.fields {
			c := &b.Cells[i]
			if f.List {
				w.list(c, at[i], c.Ends[row])
				at[i] = c.Ends[row]
			} else {
				w.value(c, row)
			}
		}
		if len(w.buf) >= 1<<16 {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return w.flush()
}

func (w *writer) value(c *column.Cells, i int) {
	if c.Codes[i] == column.Null {
		w.buf = AppendNull(w.buf)
		return
	}
	w.buf = AppendValue(w.buf, c.Words.At(int(c.Codes[i])))
}

// list appends an array of texts, with the size of all of it before it.
func (w *writer) list(c *column.Cells, from, to uint32) {
	start := len(w.buf)
	w.buf = append(w.buf, 0, 0, 0, 0)
	put := func(numbers ...uint32) {
		for _, n := range numbers {
			w.buf = binary.BigEndian.AppendUint32(w.buf, n)
		}
	}
	nulls := uint32(0)
	for i := from; i < to; i++ {
		if c.Codes[i] == column.Null {
			nulls = 1
		}
	}
	if from == to {
		put(0, 0, uint32(Text))
	} else {
		put(1, nulls, uint32(Text), to-from, 1)
	}
	for i := from; i < to; i++ {
		w.value(c, int(i))
	}
	binary.BigEndian.PutUint32(w.buf[start:], uint32(len(w.buf)-start-4))
}

func (w *writer) flush() error {
	_, err := w.w.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}

func (w *writer) Close() error {
	w.buf = AppendEnd(w.buf)
	return w.flush()
}
