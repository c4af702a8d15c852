package dataset

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"mingle/dataset/column"
	"mingle/internal/limits"
)

// A file of columns is in one of two forms, which its columns tell: a row a transaction, of which
// one column holds the set, as a list or as text with an inner delimiter; or a row an item, as in a
// long file.

// IsColumns tells whether a format is known and one of files of columns, which have types.
func (f Format) IsColumns() bool {
	return slices.ContainsFunc(kinds, func(k kind) bool { return k.format == f && k.open != nil })
}

// readColumns reads a file of columns.
func (in *input) readColumns() error {
	account := in.src.Account(in.opts.Size)
	account.Dense()
	if in.opts.Own {
		account.Off()
	}
	in.account = account
	defer func() { in.spool.Close() }() // opening the file makes it
	src, err := in.opts.Format.kind().open(in)
	if err != nil {
		return in.explainColumns(err)
	}
	var bad Faults
	p := newColumnParser(src.Fields(), in.opts, &bad)
	if err := bad.Err(in.opts.name()); err != nil {
		return err
	}
	if err := src.Choose(p.chosen); err != nil {
		return in.explainColumns(err)
	}
	in.shape = &shape{layout: p.layout, unread: p.unread}
	in.out = newCollector(in.opts, in.shape)
	in.out.account, in.out.ids, in.out.passed = account, p.ids, p.passed
	in.out.note = in.note
	return in.batches(src, p)
}

// explainColumns says where reading ended too early.
func (in *input) explainColumns(err error) error {
	if in.src.bound(err) && in.out != nil && in.out.base > 0 {
		return fmt.Errorf("%s: after row %d: %w", in.opts.name(), in.out.base, err)
	}
	return fmt.Errorf("%s: %w", in.opts.name(), err)
}

// columnParser makes transactions of batches of rows.
type columnParser struct {
	ids    *interner
	layout layout
	inner  byte
	skip   bool // rows in which something is missing are left out
	values bool // fields are values, and a missing one is a fault

	chosen   []int // of the fields
	tx, item int   // among the chosen; long
	set      int
	list     bool
	kept     []int // among the chosen
	names    []string
	passed   []string // columns that could not be read, with the reason
	unread   []string // these, and those that were not asked for

	of    *column.Words // whose ids known has
	epoch int
	known []int32 // by word: the item's id; unknownWord, noItem

	texts map[*column.Words]int // the epoch in which words were found to be texts, and how many
}

const (
	unknownWord = -2
	noItem      = -1
)

// newColumnParser finds the columns.
func newColumnParser(fields []column.Field, opts Options, bad *Faults) *columnParser {
	p := &columnParser{
		ids: newInterner(), inner: opts.inner(), skip: opts.SkipIncomplete,
		values: opts.values != nil, texts: map[*column.Words]int{},
	}
	names, seen := []string(nil), map[string]bool{}
	for _, f := range fields {
		if seen[f.Name] {
			bad.Addf(0, "column %q is there twice: columns need different names", f.Name)
		}
		names, seen[f.Name] = append(names, f.Name), true
	}
	find := columnFinder{finder: finder{names: names, bad: bad}, fields: fields, opts: opts}
	if find.isLong() {
		p.long(find)
	} else {
		p.table(find)
	}
	p.layout.format = opts.Format
	for i, name := range names {
		if !slices.Contains(p.chosen, i) {
			p.unread = append(p.unread, name)
		}
	}
	return p
}

// parse makes a part of a batch; base is how many rows came before it.
func (p *columnParser) parse(b *batch, base int, out *part) {
	for i, at := range p.kept {
		out.cols = append(out.cols, partColumn{name: p.names[i]})
		p.checkTexts(&b.Cells[at], p.names[i], out)
	}
	line := func(row int) int {
		if b.Lines == nil {
			return row
		}
		return b.Lines[row] - base - 1
	}
	out.count = b.Rows
	if b.Lines != nil && b.Rows > 0 {
		out.count = b.Lines[b.Rows-1] - base
	}
	if p.layout.long {
		p.longRows(b, line, out)
		return
	}
	end := uint32(0)
	for row := range b.Rows {
		cells, from := &b.Cells[p.set], end
		if p.list {
			end = cells.Ends[row]
		}
		if p.skip && p.values && p.lacks(cells, row, from, end) {
			out.incomplete++
			continue
		}
		if p.list {
			here := func(int) int { return line(row) }
			out.missing += p.take(cells, int(from), int(end), here, out)
		} else {
			p.split(cells.Text(row), line(row), out)
		}
		for i, at := range p.kept {
			out.cols[i].values.add(b.Cells[at].Text(row))
		}
		out.end(line(row))
	}
}

// items is how many items a batch has at most, as far as that is known before it is parsed.
func (p *columnParser) items(b *batch) int {
	switch {
	case p.layout.long:
		return b.Rows
	case p.list:
		return len(b.Cells[p.set].Codes)
	}
	return 0
}

// lacks tells whether one of a row's values is missing: the elements from to end of a list, or a
// piece of a text.
func (p *columnParser) lacks(cells *column.Cells, row int, from, end uint32) bool {
	for at := from; at < end; at++ {
		if len(cells.Text(int(at))) == 0 {
			return true
		}
	}
	if p.list || len(cells.Text(row)) == 0 {
		return false
	}
	for value := range bytes.SplitSeq(cells.Text(row), []byte{p.inner}) {
		if len(trimBlanks(value)) == 0 {
			return true
		}
	}
	return false
}

// maxTexts is the most bytes of the texts of some rows.
const maxTexts = 256 << 20

// bounded makes sure that the texts of some rows, spelled out, may be. A dictionary can have a
// large one that is on every row.
func (p *columnParser) bounded(b *batch, account *limits.Account) error {
	total := 0
	for i := range b.Cells {
		c := &b.Cells[i]
		if p.layout.long && i == p.item || p.list && i == p.set {
			continue // looked up word by word
		}
		if c.Words == nil || len(c.Codes)*len(c.Words.Text) <= maxTexts/limits.MaxColumns {
			continue
		}
		if c.Words.Once {
			total += len(c.Words.Text) // which the reader has bounded
			continue
		}
		for row := range c.Codes {
			if total += len(c.Text(row)); total > maxTexts {
				return &limits.TooLarge{Why: "the texts of a few rows take more than " +
					limits.Bytes(maxTexts) + ": is it the right column?"}
			}
		}
	}
	return account.Work(int64(total))
}

// checkTexts notes that a column has values that are no texts.
func (p *columnParser) checkTexts(cells *column.Cells, name string, out *part) {
	w := cells.Words
	state := w.Epoch<<32 | w.Len() // words are only added to
	if p.texts[w] == state && w.Len() > 0 {
		return
	}
	if why := notWords(w); why != "" {
		out.faultf(0, "in these rows, column %q has a value that %s", name, why)
	}
	p.texts[w] = state
}

// notValue says why the value of a column is no text; "": it is. Such a file says itself what its
// texts are, so that no encoding can be named for it.
func notValue(text []byte) string {
	switch {
	case !utf8.Valid(text):
		return "is not UTF-8"
	case bytes.IndexByte(text, 0) >= 0:
		return "contains a NUL byte"
	}
	return ""
}

// notWords says why some of the words are no texts; "": all are.
func notWords(w *column.Words) string {
	text := w.Text
	if why := notValue(text); why != "" {
		return why
	}
	for _, at := range w.Ends { // a word must not begin within a character
		if int(at) < len(text) && !utf8.RuneStart(text[at]) {
			return "is not UTF-8"
		}
	}
	return ""
}

// take takes the values from to to of the column of items, and says how many are none. Most of them
// are words that were looked up before.
func (p *columnParser) take(
	cells *column.Cells, from, to int, line func(at int) int, out *part,
) (none int) {
	known, codes := p.ready(cells), cells.Codes[from:to]
	first, n := len(out.items), 0
	out.items = slices.Grow(out.items, len(codes))[:first+len(codes)]
	items := out.items[first:][:len(codes)]
	for ; n < len(codes); n++ {
		code := uint32(codes[n]) // Null is beyond all words
		if code >= uint32(len(known)) || known[code] < 0 {
			break
		}
		items[n] = known[code]
	}
	for i := n; i < len(codes); i++ {
		if id := p.id(cells, codes[i], line(from+i), out); id >= 0 {
			items[n] = id
			n++
		} else {
			none++
		}
	}
	out.items = out.items[:first+n]
	return none
}

// ready has room for the items that the words of a dictionary are, and those that are known.
func (p *columnParser) ready(cells *column.Cells) []int32 {
	w := cells.Words
	if w == nil || w.Once {
		return nil
	}
	if w != p.of || w.Epoch != p.epoch {
		p.of, p.epoch, p.known = w, w.Epoch, p.known[:0]
	}
	for n := len(p.known); n < w.Len(); n++ {
		p.known = append(p.known, unknownWord)
	}
	return p.known
}

// id is the item that a value is, noItem where it is none.
func (p *columnParser) id(cells *column.Cells, code int32, line int, out *part) int32 {
	if code == column.Null {
		return p.absent()
	}
	if cells.Words.Once {
		return p.word(cells.Words.At(int(code)), line, out)
	}
	id := p.known[code] // take has made room
	if id == unknownWord {
		id = p.word(cells.Words.At(int(code)), line, out)
		p.known[code] = id
	}
	return id
}

// absent is the item of what is missing: none, but of values a fault.
func (p *columnParser) absent() int32 {
	if p.values {
		return p.ids.id(nil)
	}
	return noItem
}

// word is the item that a text is.
func (p *columnParser) word(text []byte, line int, out *part) int32 {
	if len(text) == 0 {
		return p.absent()
	}
	if id, known := p.ids.find(text); known {
		return id
	}
	if why := notValue(text); why != "" {
		out.faultf(line, "item %s %s", shown(text), why)
		return noItem
	}
	return p.ids.id(text)
}

// split takes the items of a set that is a text.
func (p *columnParser) split(set []byte, line int, out *part) {
	for more := len(set) > 0; more; {
		label := set
		n := bytes.IndexByte(set, p.inner)
		if more = n >= 0; more {
			label, set = set[:n], set[n+1:]
		}
		label = trimBlanks(label)
		if len(label) == 0 && !p.values {
			out.surplus.Empty++
			continue
		}
		if id := p.word(label, line, out); id >= 0 {
			out.items = append(out.items, id)
		}
	}
}

// runs tells whether adjacent rows of one transaction can be taken together.
func (p *columnParser) runs() bool { return p.layout.long && !p.values && len(p.kept) == 0 }

// longRows takes rows of one item each. Adjacent rows of one transaction with the same labels are
// one run; the collector unites the runs of a transaction. Where the transactions come in runs,
// value n is that of a run, and there are no labels.
func (p *columnParser) longRows(b *batch, line func(int) int, out *part) {
	keys, items := &b.Cells[p.tx], &b.Cells[p.item]
	p.checkTexts(keys, p.layout.transaction, out)
	start, first, end := -1, 0, 0
	for n, row := 0, 0; row < b.Rows; n, row = n+1, end {
		if end = row + 1; len(keys.Runs) > 0 {
			end = int(keys.Runs[n])
		}
		key := keys.Text(n)
		if p.skip && (len(key) == 0 || p.values && len(items.Text(row)) == 0) {
			out.incomplete += end - row
			continue
		}
		if len(key) == 0 {
			for at := row; at < end; at++ {
				out.faultf(line(at), "the row has no transaction: fill the column, leave the row out, "+
					"or name another column")
			}
			continue
		}
		if start < 0 || p.values || !p.sameRun(b, first, n) {
			if start >= 0 {
				out.end(start)
			}
			start, first = line(row), n
			out.keys.add(key)
			for i, at := range p.kept {
				out.cols[i].values.add(b.Cells[at].Text(n))
			}
		}
		out.itemless += p.take(items, row, end, line, out)
	}
	if start >= 0 {
		out.end(start)
	}
}

// sameRun tells whether a value has the transaction and the labels of another.
func (p *columnParser) sameRun(b *batch, first, n int) bool {
	same := func(c *column.Cells) bool {
		return c.Codes[first] == c.Codes[n] || string(c.Text(first)) == string(c.Text(n))
	}
	if !same(&b.Cells[p.tx]) {
		return false
	}
	for _, at := range p.kept {
		if !same(&b.Cells[at]) {
			return false
		}
	}
	return true
}
