package dataset

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"mingle/internal/limits"
)

// Write writes transactions in opts.Format: sets in the natural order of their labels, and the
// columns where the format has a place for them (long, table, jsonl), arranged as in the file they
// were read from. Data that the format cannot hold is refused before anything is written, by a
// *[Faults] error that names it. Only items that occur are written.
func Write(w io.Writer, d *Dataset, opts Options) error {
	return write(w, setEncoder(d, opts), opts)
}

// CheckLabels tells which of the labels the format cannot hold, as [Write] would.
func CheckLabels(labels []string, opts Options) error {
	if opts.Name == "" {
		opts.Name = "output"
	}
	if err := opts.check(); err != nil {
		return err
	}
	e := &encoder{opts: opts, sets: true, labels: labels}
	e.arrange(nil)
	opts.Format.kind().prepare(e)
	return e.bad.Err(opts.Name)
}

// write prepares and writes what the encoder holds.
func write(w io.Writer, e *encoder, opts Options) error {
	if opts.Name == "" {
		opts.Name = "output"
	}
	if err := opts.check(); err != nil {
		return err
	}
	e.out.w = w
	write := opts.Format.kind().prepare(e)
	if err := e.bad.Err(opts.Name); err != nil {
		return err
	}
	e.tell()
	write()
	e.out.flush()
	return e.out.err
}

// tellEvery is after how many transactions a listener is told of them.
const tellEvery = 1 << 12

// tell tells the listener, if there is one, how many transactions have been written.
func (e *encoder) tell() {
	listener, ranks := e.opts.Progress, e.ranks
	if listener == nil {
		return
	}
	e.ranks = func(i int) []int32 {
		if i%tellEvery == 0 || i == e.n-1 {
			listener(int64(i), int64(e.n))
		}
		return ranks(i)
	}
}

// encoder holds what the writers share. Each writer first prepares, noting in bad what cannot be
// written, and returns the function that writes.
type encoder struct {
	n     int               // transactions or records
	ranks func(int) []int32 // of the items of one of them, in the order in which they are written
	// reader makes a ranks for a goroutine of its own; nil: there is only the one
	reader func() func(int) []int32
	line   func(int) int // where one of them stood in its source
	given  []Column      // all that travel with them
	sets   bool          // they are sets of items; else records of values

	opts   Options
	layout layout
	out    output
	bad    Faults

	labels []string // by rank
	text   [][]byte // by rank: the item as it is written
}

// setEncoder ranks the items that occur in the natural order of their labels.
func setEncoder(d *Dataset, opts Options) *encoder {
	e := &encoder{n: d.Len(), line: d.Line, given: d.Columns, sets: true, opts: opts}
	e.arrange(d.layout)
	var sorted []int32
	for it, n := range d.Supports() {
		if n > 0 {
			sorted = append(sorted, int32(it))
		}
	}
	byLabel := func(a, b int32) int { return CompareLabels(d.dict.Label(a), d.dict.Label(b)) }
	if !slices.IsSortedFunc(sorted, byLabel) {
		slices.SortFunc(sorted, byLabel)
	}
	rank := make([]int32, d.dict.Len())
	for r, it := range sorted {
		rank[it] = int32(r)
		e.labels = append(e.labels, d.dict.Label(it))
	}
	e.reader = func() func(int) []int32 {
		cursor, set := d.Cursor(), []int32(nil)
		return func(i int) []int32 {
			set = set[:0]
			for _, it := range cursor.Tx(i) {
				set = append(set, rank[it])
			}
			if !slices.IsSorted(set) {
				slices.Sort(set)
			}
			return set
		}
	}
	e.ranks = e.reader()
	return e
}

// recordEncoder ranks values as they are numbered.
func recordEncoder(r *Records, texts []string, opts Options) *encoder {
	e := &encoder{
		n: r.Len(), ranks: r.Record, line: r.Line, given: r.Columns, opts: opts, labels: texts,
	}
	e.arrange(r.layout)
	if e.layout.long {
		e.given = slices.DeleteFunc(slices.Clone(e.given), func(c Column) bool {
			return c.Name != e.layout.transaction && !slices.Contains(opts.Keep, c.Name)
		})
	}
	return e
}

// arrange finds the names and places of the columns: as the options say, else as in the file they
// were read from.
func (e *encoder) arrange(from *layout) {
	e.layout = layout{
		transaction: UsualTransaction, item: UsualItem, set: UsualSet, at: len(e.given),
	}
	if from != nil {
		e.layout.json, e.layout.labels = from.json, from.labels
		if from.long {
			e.layout.transaction, e.layout.item = from.transaction, from.item
		} else if from.set != "" {
			e.layout.set, e.layout.at = from.set, min(from.at, e.layout.at)
		}
	}
	e.layout.long = e.opts.Format == Long || e.opts.Format.IsColumns() && e.opts.long(from)
	e.layout.transaction = firstOf(e.opts.TransactionColumn, e.layout.transaction)
	e.layout.item = firstOf(e.opts.ItemColumn, e.layout.item)
	e.layout.set = firstOf(e.opts.SetColumn, e.layout.set)
}

// long tells whether a file of columns is to have a row an item: as its original does, or where the
// columns of that form are named.
func (o Options) long(from *layout) bool {
	return o.TransactionColumn != "" || o.ItemColumn != "" ||
		o.SetColumn == "" && from != nil && from.long && from.format == o.Format
}

func firstOf(names ...string) string {
	for _, n := range names {
		if n != "" {
			return n
		}
	}
	return ""
}

// encode prepares the items: why says what keeps a label from being written, "" if nothing does.
func (e *encoder) encode(why func(label string) string, as func(dst []byte, label string) []byte) {
	e.text = make([][]byte, len(e.labels))
	for r, label := range e.labels {
		reason := ""
		switch {
		case label == "":
			reason = "has no name: give it one"
		case !utf8.ValidString(label):
			reason = "is not UTF-8"
		case e.opts.Format != JSONL && strings.IndexByte(label, 0) >= 0:
			reason = "contains a NUL byte: write jsonl instead"
		default:
			reason = why(label)
		}
		if reason != "" {
			e.bad.Addf(0, "item %s %s", shown(label), reason)
			continue
		}
		e.text[r] = as(nil, label)
	}
}

// joined writes transaction i with sep between the items.
func (e *encoder) joined(i int, sep byte) { e.out.buf = e.append(e.out.buf, e.ranks(i), sep) }

// append appends items with sep between them.
func (e *encoder) append(dst []byte, ranks []int32, sep byte) []byte {
	for n, r := range ranks {
		if n > 0 {
			dst = append(dst, sep)
		}
		dst = append(dst, e.text[r]...)
	}
	return dst
}

// output collects text and writes it in large pieces. After an error it writes no more.
type output struct {
	w       io.Writer
	buf     []byte
	started bool
	err     error
}

const outputSize = 1 << 16

// endLine ends a line, and writes what has come together if it is much.
func (o *output) endLine() {
	o.buf = append(o.buf, '\n')
	if len(o.buf) >= outputSize {
		o.flush()
	}
}

// flush writes what has come together.
func (o *output) flush() {
	o.write(o.buf)
	o.buf = o.buf[:0]
}

// write writes some text. If it is the first, and begins with what readers take for a byte-order
// mark or for a compressed file, it gets a byte-order mark before it.
func (o *output) write(text []byte) {
	if o.err == nil && !o.started && limits.Marked(text) {
		_, o.err = o.w.Write([]byte("\ufeff"))
	}
	if o.err == nil && len(text) > 0 {
		_, o.err = o.w.Write(text)
		o.started = true
	}
}
