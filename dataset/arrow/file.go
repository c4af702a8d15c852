// Package arrow reads and writes tables of texts and of lists of texts in Arrow's IPC format, as a
// stream and as a file (Feather, version 2): the metadata and buffers of the format's
// specification, for the columns that sets of items come in. Every length in a file is held against
// the bytes that are there, which the general libraries do not do (docs/decisions/0025).
package arrow

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"mingle/dataset/column"
	"mingle/internal/limits"
)

const (
	fileMagic   = "ARROW1"
	maxMetadata = 64 << 20
	maxBody     = 2 << 30
)

// Kinds of messages.
const (
	isSchema     = 1
	isDictionary = 2
	isBatch      = 3
)

// File is a stream or a file that is being read. It is a column.Source.
type File struct {
	r       *bufio.Reader
	account *limits.Account
	fields  []*field
	columns []column.Field
	chosen  []int
	coded   map[int64]*field // by dictionary: a column that uses it
	words   map[int64]*column.Words
	unpack  unpacker

	arrays []*array // the chosen columns of the batch at hand
	own    []column.Words
	at, n  int // rows of it
	rows   int
}

// Open reads the schema. The account, which may be nil, bounds the memory and the work.
func Open(r io.Reader, account *limits.Account) (*File, error) {
	f := &File{
		r: bufio.NewReaderSize(r, 1<<16), account: account, coded: map[int64]*field{},
		words: map[int64]*column.Words{},
	}
	head, err := f.r.Peek(8)
	switch {
	case bytes.HasPrefix(head, []byte(fileMagic)):
		_, err = f.r.Discard(8)
	case bytes.HasPrefix(head, []byte("FEA1")):
		return nil, errors.New("this is a Feather file of version 1: write version 2")
	case err == io.EOF && len(head) < 4:
		return nil, errors.New("this is no Arrow stream: it ends before its schema")
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	meta, err := f.metadata()
	if err != nil {
		if err == io.EOF || err == errMessage {
			err = errors.New("this is no Arrow stream, and no Arrow file")
		}
		return nil, err
	}
	message := root(meta)
	schema := message.table(2)
	if message.int(1, 1, 0) != isSchema || !schema.there() {
		return nil, errors.New("this is no Arrow stream, and no Arrow file: it does not begin with a " +
			"schema")
	}
	if schema.int(0, 2, 0) != 0 {
		return nil, errors.New("the numbers are big-endian: write them little-endian")
	}
	return f, f.schema(schema)
}

// schema reads the columns.
func (f *File) schema(t table) error {
	spare := limits.MaxColumns
	for _, one := range t.tables(1) {
		c, err := newField(one, 0, &spare)
		if err != nil {
			return err
		}
		f.fields = append(f.fields, c)
		f.columns = append(f.columns, columnOf(c))
		f.note(c)
	}
	return nil
}

// note notes the dictionaries that a column uses.
func (f *File) note(c *field) {
	if c.coded {
		f.coded[c.id] = c
	}
	for _, child := range c.children {
		f.note(child)
	}
}

// Fields implements column.Source.
func (f *File) Fields() []column.Field { return f.columns }

// Choose implements column.Source.
func (f *File) Choose(fields []int) error {
	for _, i := range fields {
		if why := f.columns[i].Unusable; why != "" {
			return fmt.Errorf("column %q cannot be read: %s", f.columns[i].Name, why)
		}
	}
	f.chosen = fields
	f.arrays, f.own = make([]*array, len(fields)), make([]column.Words, len(fields))
	for i := range f.own {
		f.own[i].Once = true
	}
	return nil
}

// metadata reads the metadata of the next message; the error is io.EOF at the end of the stream.
func (f *File) metadata() ([]byte, error) {
	var b [4]byte
	if _, err := io.ReadFull(f.r, b[:]); err != nil {
		return nil, err // streams may end without their mark
	}
	n := binary.LittleEndian.Uint32(b[:])
	if n == 0xffffffff { // which older streams do not have
		if _, err := io.ReadFull(f.r, b[:]); err != nil {
			return nil, err
		}
		n = binary.LittleEndian.Uint32(b[:])
	}
	if n == 0 {
		return nil, io.EOF
	}
	if n > maxMetadata {
		return nil, errMessage
	}
	return f.read(int64(n))
}

// read reads n bytes. Room is made as they come.
func (f *File) read(n int64) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(int(min(n, 1<<20)))
	for left := n; left > 0; {
		got, err := io.CopyN(&out, f.r, min(left, 1<<20))
		if err == io.EOF {
			err = fmt.Errorf("the stream is cut: %w", io.ErrUnexpectedEOF)
		}
		if err == nil {
			err = f.account.Hold(f.held() + int64(out.Cap()))
		}
		if err != nil {
			return nil, err
		}
		left -= got
	}
	return out.Bytes(), nil
}

// held is how much memory the dictionaries take.
func (f *File) held() int64 {
	n := int64(0)
	for _, w := range f.words {
		n += int64(cap(w.Text) + 4*cap(w.Ends))
	}
	return n
}

// message reads the next message and its body.
func (f *File) message() (t table, body []byte, err error) {
	meta, err := f.metadata()
	if err != nil {
		return t, nil, err
	}
	t = root(meta)
	n := t.int(3, 8, 0)
	if n > maxBody {
		return t, nil, &limits.TooLarge{Why: fmt.Sprintf("a batch of rows is larger than %s: write "+
			"smaller batches (pyarrow: max_chunksize)", limits.Bytes(maxBody))}
	}
	if !t.there() || n < 0 {
		return t, nil, errMessage
	}
	body, err = f.read(n)
	return t, body, err
}

// batch reads messages up to the next batch of rows.
func (f *File) batch() error {
	for {
		m, body, err := f.message()
		if err != nil {
			return err
		}
		switch m.int(1, 1, 0) {
		case isDictionary:
			err = f.dictionary(m.table(2), body)
		case isBatch:
			return f.record(m.table(2), body)
		}
		if err != nil {
			return err
		}
	}
}

// record takes the chosen columns of a batch.
func (f *File) record(t table, body []byte) error {
	d, err := f.decoder(t, body)
	if err != nil {
		return err
	}
	for i, c := range f.fields {
		n := slices.Index(f.chosen, i)
		a, err := d.walk(c, n >= 0)
		if err != nil {
			return fmt.Errorf("column %q, after row %d: %w", c.name, f.rows, err)
		}
		if n >= 0 {
			if f.arrays[n] = a; a.n != d.rows {
				return errMessage
			}
		}
	}
	f.at, f.n = 0, d.rows
	return nil
}

// dictionary takes the words of a dictionary, or more of them.
func (f *File) dictionary(t table, body []byte) error {
	id := t.int(0, 8, 0)
	c, known := f.coded[id]
	if !known || !t.there() {
		return errMessage
	}
	plain := *c
	plain.coded = false
	if plain.unusable() != "" {
		return nil // no column that is read uses it
	}
	d, err := f.decoder(t.table(1), body)
	if err != nil {
		return err
	}
	a, err := d.walk(&plain, true)
	if err != nil {
		return err
	}
	words := f.words[id]
	if words == nil {
		words = &column.Words{}
		f.words[id] = words
	} else if !t.bool(2) {
		words.Reset()
	}
	for i := range a.n {
		if i%batchRows == 0 {
			if err := f.more(d, words); err != nil {
				return err
			}
		}
		if a.there(i) {
			err = a.appendTo(words, i)
		} else {
			words.End() // an empty word stands for no value
		}
		if err != nil {
			return err
		}
	}
	return f.more(d, words)
}

// more makes sure that there may be more words of a dictionary.
func (f *File) more(d *decoder, words *column.Words) error {
	if int64(len(words.Text)) > maxBody {
		return &limits.TooLarge{Why: "a dictionary is larger than " + limits.Bytes(maxBody)}
	}
	if err := f.account.Work(workPerValue * batchRows); err != nil {
		return err
	}
	return f.account.Hold(d.held + f.held())
}

// The size of a batch that is handed on.
const (
	batchRows     = 4096
	batchElements = 1 << 18
	maxText       = 256 << 20
	workPerValue  = 8 // what a value counts in the account of work
)

// Next implements column.Source.
func (f *File) Next(b *column.Batch) error {
	b.Reset(len(f.chosen))
	for f.at == f.n {
		if err := f.batch(); err != nil {
			return err
		}
	}
	rows := min(batchRows, f.n-f.at)
	for _, a := range f.arrays {
		if a.field.isList() {
			rows = a.fitting(f.at, rows)
		}
	}
	for i, a := range f.arrays {
		if err := f.take(&b.Cells[i], a, i, rows); err != nil {
			return fmt.Errorf("column %q, after row %d: %w", f.columns[f.chosen[i]].Name, f.rows, err)
		}
		work := workPerValue*len(b.Cells[i].Codes) + len(f.own[i].Text) // lists may overlap
		if err := f.account.Work(int64(work)); err != nil {
			return err
		}
	}
	b.Rows = rows
	f.at += rows
	f.rows += rows
	return nil
}

// take puts rows of a column into cells.
func (f *File) take(cells *column.Cells, a *array, i, rows int) error {
	own := &f.own[i]
	own.Reset()
	cells.Words = own
	if !a.field.isList() {
		return f.values(cells, a, f.at, f.at+rows)
	}
	for row := f.at; row < f.at+rows; row++ {
		if a.there(row) {
			from, to, err := a.list(row)
			if err == nil && to-from > limits.MaxLine {
				err = &limits.TooLarge{Why: "a list has more than 16 million elements: a transaction " +
					"is one person's"}
			}
			if err == nil {
				err = f.values(cells, a.child, from, to)
			}
			if err != nil {
				return err
			}
		}
		cells.Ends = append(cells.Ends, uint32(len(cells.Codes)))
	}
	return nil
}

// coding makes the words of a dictionary those of the cells.
func (f *File) coding(cells *column.Cells, a *array) error {
	if cells.Words = f.words[a.field.id]; cells.Words == nil {
		return errors.New("its dictionary stands behind its values, or is not there")
	}
	return nil
}

// values appends some values of an array.
func (f *File) values(cells *column.Cells, a *array, from, to int) error {
	if a.field.coded {
		if err := f.coding(cells, a); err != nil {
			return err
		}
	}
	if a.plain() {
		return a.texts(cells, from, to)
	}
	for i := from; i < to; i++ {
		code := int32(column.Null)
		switch {
		case !a.there(i):
		case a.field.coded:
			n, err := a.index(i)
			if err != nil || n >= int64(cells.Words.Len()) {
				return errMessage
			}
			code = int32(n)
		default:
			code = int32(cells.Words.Len())
			if err := a.appendTo(cells.Words, i); err != nil {
				return err
			}
			if len(cells.Words.Text) > maxText {
				return errTexts()
			}
		}
		cells.Codes = append(cells.Codes, code)
	}
	return nil
}

func errTexts() error {
	return &limits.TooLarge{Why: "the texts of a few rows take more than " + limits.Bytes(maxText) +
		": is it the right column?"}
}
