package dataset

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Write writes transactions in opts.Format: sets in the natural order of their labels, and the columns where the format
// has a place for them (long, table, jsonl), arranged as in the file they were read from. Data that the format cannot
// hold is refused before anything is written, by a *[Faults] error that names it. Only items that occur are written.
func Write(w io.Writer, d *Dataset, opts Options) error {
	if opts.Name == "" {
		opts.Name = "output"
	}
	if err := opts.check(); err != nil {
		return err
	}
	e := newEncoder(w, d, opts)
	var write func()
	switch opts.Format {
	case Fimi:
		write = e.fimi()
	case Basket:
		write = e.basket()
	case SPMF:
		write = e.spmf()
	case Long:
		write = e.long()
	case Table:
		write = e.table()
	case JSONL:
		write = e.jsonl()
	}
	if err := e.bad.err(opts.Name); err != nil {
		return err
	}
	write()
	e.out.flush()
	return e.out.err
}

// encoder holds what the writers share. Each writer first prepares, noting in bad what cannot be written, and returns
// the function that writes.
type encoder struct {
	d      *Dataset
	cursor *Cursor
	opts   Options
	layout layout
	out    output
	bad    faults

	sorted []int32  // items that occur, in the natural order of their labels
	rank   []int32  // place of an item in sorted, -1 if it does not occur
	text   [][]byte // by rank: the item as it is written
	set    []int32  // the current transaction's ranks
}

func newEncoder(w io.Writer, d *Dataset, opts Options) *encoder {
	e := &encoder{d: d, cursor: d.Cursor(), opts: opts, out: output{w: w}}
	e.arrange()
	e.rank = make([]int32, d.dict.Len())
	for i := range e.rank {
		e.rank[i] = -1
	}
	for it, n := range d.Supports() {
		if n > 0 {
			e.sorted = append(e.sorted, int32(it))
		}
	}
	byLabel := func(a, b int32) int { return CompareLabels(d.dict.Label(a), d.dict.Label(b)) }
	if !slices.IsSortedFunc(e.sorted, byLabel) {
		slices.SortFunc(e.sorted, byLabel)
	}
	for r, it := range e.sorted {
		e.rank[it] = int32(r)
	}
	return e
}

// arrange finds the names and places of the columns: as the options say, else as in the file they were read from.
func (e *encoder) arrange() {
	e.layout = layout{transaction: "transaction", item: "item", set: "items", at: len(e.d.Columns)}
	if from := e.d.layout; from != nil {
		e.layout.json, e.layout.labels = from.json, from.labels
		switch from.format {
		case Long:
			e.layout.transaction, e.layout.item = from.transaction, from.item
		case Table, JSONL:
			e.layout.set, e.layout.at = from.set, min(from.at, e.layout.at)
		}
	}
	e.layout.transaction = firstOf(e.opts.TransactionColumn, e.layout.transaction)
	e.layout.item = firstOf(e.opts.ItemColumn, e.layout.item)
	e.layout.set = firstOf(e.opts.SetColumn, e.layout.set)
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
	e.text = make([][]byte, len(e.sorted))
	for r, it := range e.sorted {
		label := e.d.dict.Label(it)
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
			e.bad.addf(0, "item %s %s", shown(label), reason)
			continue
		}
		e.text[r] = as(nil, label)
	}
}

// ranks are the items of transaction i in the order in which they are written.
func (e *encoder) ranks(i int) []int32 {
	e.set = e.set[:0]
	sorted := true
	for _, it := range e.cursor.Tx(i) {
		r := e.rank[it]
		sorted = sorted && (len(e.set) == 0 || r > e.set[len(e.set)-1])
		e.set = append(e.set, r)
	}
	if !sorted {
		slices.Sort(e.set)
	}
	return e.set
}

// joined writes transaction i with sep between the items.
func (e *encoder) joined(i int, sep byte) {
	for n, r := range e.ranks(i) {
		if n > 0 {
			e.out.buf = append(e.out.buf, sep)
		}
		e.out.buf = append(e.out.buf, e.text[r]...)
	}
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

// flush writes what has come together. Text that begins with what readers take for a byte-order mark gets one before it.
func (o *output) flush() {
	if o.err == nil && !o.started && strings.HasPrefix(string(o.buf[:min(3, len(o.buf))]), "\ufeff") {
		_, o.err = o.w.Write([]byte("\ufeff"))
	}
	if o.err == nil && len(o.buf) > 0 {
		_, o.err = o.w.Write(o.buf)
		o.started = true
	}
	o.buf = o.buf[:0]
}
