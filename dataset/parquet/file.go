// Package parquet reads and writes Parquet files of texts and of lists of texts: the metadata and
// pages of the format's specification, for the columns that sets of items come in. Every length in
// a file is held against the bytes that are there before anything is reserved for it, and a page
// is read at a time, which the general libraries do not do (docs/decisions/0025).
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"mingle/dataset/column"
	"mingle/internal/limits"
)

const (
	magic     = "PAR1"
	maxFooter = 64 << 20
	maxGroups = 1 << 20
	// maxPage is the most bytes of a page, of a dictionary's words and of a batch's.
	maxPage = 128 << 20
	maxText = limits.MaxLine // of one value
	// maxWords is the most bytes of the texts of a batch or a dictionary.
	maxWords = 2 * maxPage
	// maxLengths is the most values of a page whose lengths stand before its texts.
	maxLengths = 16 << 20
	// workPerValue is what a value counts in the account of work, and a group.
	workPerValue = 8
	workPerGroup = 1 << 16
)

// File is a file that is being read. It is a column.Ahead.
type File struct {
	r       io.ReaderAt
	size    int64
	schema  *schema
	groups  []group
	chosen  []int
	at      int // the group that is being read; len(groups): none is left
	left    int64
	cursor  []*cursor
	runs    []bool // by chosen column: it is read in runs
	rows    int64  // read so far
	all     float64
	account *limits.Account
}

// group is a row group.
type group struct {
	rows   int64
	chunks []chunk
}

// chunk is the values of one leaf in a group.
type chunk struct {
	codec             int
	offset, size      int64
	dictionary, pages int64
	elsewhere         bool
}

var errNoParquet = errors.New("this is no Parquet file: it does not end as one does. Is it whole?")

// Open reads the metadata of a file of so many bytes. The account, which may be nil, bounds the
// memory and the work.
func Open(r io.ReaderAt, size int64, account *limits.Account) (*File, error) {
	f := &File{r: r, size: size, at: -1, account: account}
	var tail [8]byte
	if size < 12 {
		return nil, errNoParquet
	}
	if _, err := r.ReadAt(tail[:], size-8); err != nil {
		return nil, err
	}
	if string(tail[4:]) == "PARE" {
		return nil, errors.New("the Parquet file is encrypted: decrypt it first")
	}
	if string(tail[4:]) != magic {
		return nil, errNoParquet
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-12 {
		return nil, errNoParquet
	}
	if n > maxFooter {
		return nil, &limits.TooLarge{Why: fmt.Sprintf("the metadata are larger than %s, too large "+
			"for a file of transactions", limits.Bytes(maxFooter))}
	}
	footer := make([]byte, n)
	if _, err := r.ReadAt(footer, size-8-n); err != nil {
		return nil, err
	}
	return f, f.metadata(footer)
}

// metadata reads the footer.
func (f *File) metadata(footer []byte) (err error) {
	t := &thrift{b: footer}
	var stored []element
	chunks := 0
	t.fields(func(id int, kind byte) {
		switch {
		case id == 2 && kind == thriftList:
			t.list(func(kind byte) {
				if len(stored) > 8*limits.MaxColumns || kind != thriftStruct {
					t.fail()
					return
				}
				stored = append(stored, t.element())
			})
		case id == 4 && kind == thriftList:
			t.list(func(kind byte) {
				if kind != thriftStruct || len(f.groups) >= maxGroups {
					t.fail()
					return
				}
				f.groups = append(f.groups, t.group())
				f.all += float64(f.groups[len(f.groups)-1].rows)
				chunks += 1 + cap(f.groups[len(f.groups)-1].chunks)
				held := f.account.Hold(bytesPerChunk * int64(chunks))
				if held != nil && err == nil {
					err = held
					t.fail()
				}
			})
		default:
			t.skip(kind)
		}
	})
	if err != nil {
		return err
	}
	if t.err != nil {
		return t.err
	}
	f.schema, err = newSchema(stored)
	return err
}

func (t *thrift) group() (g group) {
	t.fields(func(id int, kind byte) {
		switch {
		case id == 1 && kind == thriftList:
			t.list(func(kind byte) {
				if kind != thriftStruct || len(g.chunks) > 8*limits.MaxColumns {
					t.fail()
					return
				}
				g.chunks = append(g.chunks, t.chunk())
			})
		case id == 3 && kind == thriftI64:
			g.rows = t.int()
		default:
			t.skip(kind)
		}
	})
	return g
}

func (t *thrift) chunk() (c chunk) {
	t.fields(func(id int, kind byte) {
		switch {
		case id == 1 && kind == thriftBinary:
			c.elsewhere = len(t.bytes()) > 0
		case id == 3 && kind == thriftStruct:
			t.fields(func(id int, kind byte) {
				switch {
				case id == 4 && kind == 5:
					c.codec = int(t.int())
				case id == 7 && kind == thriftI64:
					c.size = t.int()
				case id == 9 && kind == thriftI64:
					c.pages = t.int()
				case id == 11 && kind == thriftI64:
					c.dictionary = t.int()
				default:
					t.skip(kind)
				}
			})
		default:
			t.skip(kind)
		}
	})
	if c.offset = c.pages; c.dictionary > 0 && c.dictionary < c.pages {
		c.offset = c.dictionary
	}
	return c
}

// Fields implements column.Source.
func (f *File) Fields() []column.Field { return f.schema.fields }

// Choose implements column.Source.
func (f *File) Choose(fields []int) error {
	for _, i := range fields {
		if why := f.schema.fields[i].Unusable; why != "" {
			return fmt.Errorf("column %q cannot be read: %s", f.schema.fields[i].Name, why)
		}
	}
	f.chosen, f.runs = fields, make([]bool, len(fields))
	return nil
}

// Runs implements column.Ahead.
func (f *File) Runs(chosen int) { f.runs[chosen] = true }

// bytesPerChunk is what the metadata of a chunk, or of a group, take in memory.
const bytesPerChunk = 64

// The size of a batch: so many rows, more where one column comes in runs, or fewer where lists have
// many elements.
const (
	batchRows     = 4096
	batchRunRows  = 1 << 16
	batchElements = 1 << 18
)

// Next implements column.Source.
func (f *File) Next(b *column.Batch) error {
	b.Reset(len(f.chosen))
	for f.left == 0 {
		if f.at++; f.at >= len(f.groups) {
			f.at = len(f.groups)
			return io.EOF
		}
		if err := f.begin(&f.groups[f.at]); err != nil {
			return err
		}
	}
	most := int64(batchRows)
	if slices.Contains(f.runs, true) {
		most = batchRunRows
	}
	rows := int(min(f.left, most))
	lists := slices.IndexFunc(f.cursor, func(c *cursor) bool { return c.leaf.maxRep > 0 })
	if lists >= 0 { // which say how many rows there is room for
		n, err := f.cursor[lists].take(&b.Cells[lists], rows)
		if err != nil {
			return f.explain(lists, err)
		}
		rows = n
	}
	if err := f.held(); err != nil {
		return err
	}
	for i, c := range f.cursor {
		if i == lists {
			continue
		}
		n, err := c.take(&b.Cells[i], rows)
		if err == nil && n != rows {
			err = errPage
		}
		if err != nil {
			return f.explain(i, err)
		}
		if err := f.held(); err != nil {
			return err
		}
	}
	b.Rows = rows
	f.left -= int64(rows)
	f.rows += int64(rows)
	return f.ended()
}

// ended makes sure that a row group that has been read has no more values than rows.
func (f *File) ended() error {
	if f.left > 0 {
		return nil
	}
	for i, c := range f.cursor {
		if err := c.more(); err != io.EOF || c.buffered > 0 || c.open {
			return f.explain(i, errPage)
		}
	}
	return nil
}

// held tells how much memory the pages and dictionaries of all columns take.
func (f *File) held() error {
	n := int64(0)
	for _, c := range f.cursor {
		n += int64(cap(c.raw) + cap(c.data) + c.dictionaries.held() + c.owns.held())
	}
	return f.account.Hold(n)
}

// begin goes to a row group.
func (f *File) begin(g *group) error {
	if g.rows < 0 {
		return errThrift
	}
	f.left = g.rows
	for n, i := range f.chosen {
		l := &f.schema.leaves[i]
		if l.index >= len(g.chunks) {
			return errThrift
		}
		c := g.chunks[l.index]
		if c.elsewhere || c.offset < 4 || c.size < 0 || c.size > f.size-c.offset {
			return f.explain(n, errPage)
		}
		if len(f.cursor) <= n {
			f.cursor = append(f.cursor, newCursor(f, n))
		}
		if err := f.account.Work(min(c.size, workPerGroup)); err != nil { // it is read ahead
			return err
		}
		f.cursor[n].begin(io.NewSectionReader(f.r, c.offset, c.size), c.codec)
	}
	return nil
}

// explain says in which column something is wrong.
func (f *File) explain(n int, err error) error {
	return fmt.Errorf("column %q, after row %d: %w", f.schema.fields[f.chosen[n]].Name, f.rows, err)
}

// Fraction implements column.Ahead, by the rows.
func (f *File) Fraction() float64 { return float64(f.rows) / max(1, f.all) }
