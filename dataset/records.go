package dataset

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
)

// Records are records of fields that may repeat, such as bags of numbers, where a Dataset has sets:
// what the same readers and writers take from a file and put into one. A field is the id of a value
// that the records' owner knows. One compressed sparse row array holds them: 4 bytes an occurrence
// and 4 bytes a record. They are immutable once made and safe for concurrent reading.
type Records struct {
	items   []int32
	offsets []uint32
	lines   []uint32 // lines[i] is where record i begins in its file; nil: i+1
	layout  *layout  // of the file; nil: none is known

	// Notes are what the reader saw and the user should know.
	Notes []string

	// Surplus is what else the file shows; of a published one it tells of the order, too.
	Surplus Surplus

	// Columns are the values that travel with the records: identifiers, the other columns of a
	// table.
	Columns []Column
}

// Values say how a file is read whose fields are values, not items.
type Values struct {
	// Check is called once for each distinct field, in the order of the text: the n-th call is for
	// the field with id n. What it says against a field is told of each line that has it.
	Check func(field string) error
	// Find finds the options by the beginning of the text where no format is given.
	Find  func(head []byte) (Options, error)
	Names Names // by which columns are found
}

// ReadRecords reads a file of values as Read reads one of items, but keeps repeats, and takes an
// empty field between delimiters for a field. The options are those with which it was read: format
// and columns that were not given are found.
func ReadRecords(
	ctx context.Context, r io.Reader, opts Options, v Values,
) (Records, Options, error) {
	opts.values, opts.usual = &v, v.Names
	c, err := collect(ctx, r, opts)
	if err == nil {
		err = c.complete()
	}
	if err != nil {
		return Records{}, opts, err
	}
	l := c.shape.layout
	opts = c.opts
	opts.TransactionColumn, opts.ItemColumn, opts.SetColumn = l.transaction, l.item, l.set
	l.format = opts.Format
	records := Records{
		items: c.items, offsets: c.offsets, lines: c.lines, layout: &l, Columns: c.columns,
	}
	records.Surplus.Unread = c.shape.unread
	records.Notes = append(c.incompleteNotes(), c.sourceNotes()...)
	return records, opts, nil
}

// find finds the options by the text; workers and what is known of the source stay.
func (o Options) find(text *bufio.Reader) (Options, error) {
	head, err := text.Peek(text.Size())
	if err != nil && !errors.Is(err, io.EOF) {
		return o, err // who reads on is not told of it again
	}
	found, err := o.values.Find(head)
	if err != nil {
		return o, err
	}
	found.values, found.usual, found.Size, found.Workers = o.values, o.usual, o.Size, o.Workers
	return found, found.check()
}

// check asks about the fields that are new, and notes the lines of the part that have a broken one.
func (c *collector) check(p *part, to []int32) {
	if c.opts.values == nil {
		return
	}
	for ; c.checked < len(c.ids.labels); c.checked++ {
		if err := c.opts.values.Check(c.ids.labels[c.checked]); err != nil {
			c.broken[int32(c.checked)] = err.Error()
		}
	}
	if len(c.broken) == 0 {
		return
	}
	at := uint32(0)
	for i, end := range p.ends {
		for _, id := range p.items[at:end] {
			if to != nil {
				id = to[id]
			}
			if why, ok := c.broken[id]; ok {
				c.faults.Addf(c.base+p.line(i)+1, "%s", why)
			}
		}
		at = end
	}
}

// NewRecords makes records of the fields given.
func NewRecords(records [][]int32) Records {
	r := Records{offsets: []uint32{0}}
	for _, fields := range records {
		r.items = append(r.items, fields...)
		r.offsets = append(r.offsets, uint32(len(r.items)))
	}
	if len(r.items) > MaxOccurrences {
		panic(ErrTooLarge) // the program made them itself
	}
	return r
}

// Len is the number of records.
func (r *Records) Len() int { return len(r.offsets) - 1 }

// Occurrences is the number of fields in all records, repeats included.
func (r *Records) Occurrences() int { return len(r.items) }

// Record is record i. The caller must not change it.
func (r *Records) Record(
	i int,
) []int32 {
	return r.items[r.offsets[i]:r.offsets[i+1]:r.offsets[i+1]]
}

// Items are the fields of all records, one after another. The caller must not change it.
func (r *Records) Items() []int32 { return r.items }

// Start is the position of record i's first occurrence in Items, 0 ≤ i ≤ Len.
func (r *Records) Start(i int) int { return int(r.offsets[i]) }

// Line is the 1-based line of the source at which record i begins.
func (r *Records) Line(i int) int {
	if r.lines == nil {
		return i + 1
	}
	return int(r.lines[i])
}

// Longest is the length of the longest record.
func (r *Records) Longest() int {
	longest := 0
	for i := range r.Len() {
		longest = max(longest, len(r.Record(i)))
	}
	return longest
}

// AtLeast counts the records with at least size fields.
func (r *Records) AtLeast(size int) int {
	n := 0
	for i := range r.Len() {
		if len(r.Record(i)) >= size {
			n++
		}
	}
	return n
}

// Recode makes records in which occurrence pos of Items is to(pos), the fields of each in ascending
// order. Columns and lines are kept.
func (r *Records) Recode(to func(pos int) int32) Records {
	out := *r
	out.items = make([]int32, len(r.items))
	for pos := range out.items {
		out.items[pos] = to(pos)
	}
	for i := range out.Len() {
		slices.Sort(out.Record(i))
	}
	return out
}

// WithoutEmpty is the records without empty ones, which a long file has no rows for. Columns are
// dropped.
func (r *Records) WithoutEmpty() Records {
	out := Records{items: r.items, offsets: []uint32{0}, lines: []uint32{}}
	for i := range r.Len() {
		if len(r.Record(i)) > 0 {
			out.offsets = append(out.offsets, r.offsets[i+1])
			out.lines = append(out.lines, uint32(r.Line(i)))
		}
	}
	return out
}

// WithColumns is the records with the named columns alone, in the order of the names.
func (r *Records) WithColumns(names []string) Records {
	out := *r
	out.Columns, out.layout = keptColumns(r.Columns, r.layout, names)
	return out
}

// Select is the named records, in the order given.
func (r *Records) Select(records []int32) Records {
	out := Records{layout: r.layout, offsets: make([]uint32, 1, len(records)+1)}
	out.items = make([]int32, 0, len(r.items))
	for _, i := range records {
		out.items = append(out.items, r.Record(int(i))...)
		out.offsets = append(out.offsets, uint32(len(out.items)))
		out.lines = append(out.lines, uint32(r.Line(int(i))))
	}
	for _, c := range r.Columns {
		values := make([]string, 0, len(records))
		for _, i := range records {
			values = append(values, c.Values[i])
		}
		out.Columns = append(out.Columns, Column{c.Name, values, c.Key})
	}
	return out
}

// WriteRecords writes records in opts.Format, arranged as in the file they were read from where the
// format is that file's. texts are the fields' texts by id. In a long file a record without fields
// has no row, and no columns but the records' names are written.
func WriteRecords(w io.Writer, r *Records, texts []string, opts Options) error {
	out := *r
	if out.layout == nil || out.layout.format != opts.Format {
		out.layout = &layout{
			format: opts.Format, transaction: "record", item: "value", set: "values",
			at: len(r.Columns), long: opts.Format == Long,
		}
	}
	return write(w, recordEncoder(&out, texts, opts), opts)
}
