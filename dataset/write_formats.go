package dataset

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

func plainText(dst []byte, label string) []byte { return append(dst, label...) }

// fimi writes labels separated by spaces.
func (e *encoder) fimi() func() {
	e.encode(func(label string) string {
		if strings.ContainsAny(label, " \t\v\f\r\n") {
			return "contains a blank, which separates items in fimi files: write a csv file " +
				"(basket) instead"
		}
		return ""
	}, plainText)
	return func() { e.lines(' ') }
}

func (e *encoder) lines(sep byte) {
	if workers := e.opts.workers(); workers > 1 && e.reader != nil && e.n > tellEvery {
		e.linesBy(workers, sep)
		return
	}
	for i := range e.n {
		e.joined(i, sep)
		e.out.endLine()
	}
}

// basket writes labels as the fields of a record.
func (e *encoder) basket() func() {
	e.encode(func(string) string { return "" }, e.csvField)
	return func() {
		if e.opts.Header == HeaderPresent {
			e.out.buf = e.csvField(e.out.buf, e.layout.set)
			e.out.endLine()
		}
		e.lines(e.opts.delimiter())
	}
}

// csvField appends a field, quoted where it must be for readers to get it back.
func (e *encoder) csvField(dst []byte, text string) []byte {
	delim := e.opts.delimiter()
	plain := true
	for i := 0; i < len(text) && plain; i++ {
		switch text[i] {
		case delim, '"', '\n', '\r':
			plain = false
		case ' ', '\t':
			plain = i > 0 && i < len(text)-1
		}
	}
	if plain {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(text, `"`, `""`)...)
	return append(dst, '"')
}

// spmf writes numbers. Labels that are not numbers in their shortest form make all items be
// numbered from 1, with their names in the head of the file.
func (e *encoder) spmf() func() {
	for i := range e.n {
		if len(e.ranks(i)) == 0 {
			e.bad.Addf(0, "transaction %d (line %d) is empty, and spmf has no empty "+
				"transactions: write fimi instead", i+1, e.line(i))
		}
	}
	named := slices.ContainsFunc(e.labels, func(l string) bool { return !isNumber(l) })
	e.encode(func(label string) string {
		if named && strings.ContainsAny(label, "\r\n") {
			return "contains a line end, which spmf names cannot hold: write basket or jsonl " +
				"instead"
		}
		return ""
	}, plainText)
	return func() {
		if named {
			e.spmfNames()
		}
		e.lines(' ')
	}
}

func (e *encoder) spmfNames() {
	e.out.buf = append(e.out.buf, converted...)
	e.out.endLine()
	for r := range e.text {
		number := strconv.AppendInt(nil, int64(r+1), 10)
		e.out.buf = append(e.out.buf, "@ITEM="...)
		e.out.buf = append(e.out.buf, number...)
		e.out.buf = append(e.out.buf, '=')
		e.out.buf = append(e.out.buf, e.text[r]...)
		e.out.endLine()
		e.text[r] = number
	}
}

// isNumber tells whether a label is an integer from 0 up in its shortest form.
func isNumber(label string) bool {
	return label != "" && digitRun(label) == len(label) && (label[0] != '0' || label == "0")
}

// keptColumn is a column that is being written.
type keptColumn struct {
	Column
	raw bool // values are JSON text
}

// columns lists the dataset's columns, checked: what they hold must be text. In a long file the one
// that names the transactions is not among them.
func (e *encoder) columns() []keptColumn {
	var cols []keptColumn
	for _, c := range e.given {
		if e.layout.long && c.Name == e.layout.transaction {
			continue
		}
		cols = append(cols, keptColumn{c, e.layout.json && !e.layout.labels[c.Name]})
		for i, v := range c.Values {
			if !utf8.ValidString(v) ||
				e.opts.Format != JSONL && strings.IndexByte(cols[len(cols)-1].text(i), 0) >= 0 {
				e.bad.Addf(
					0, "the value of %q in transaction %d is not text: %s", c.Name, i+1, shown(v),
				)
			}
		}
	}
	return cols
}

// text is the value of transaction i as plain text.
func (c keptColumn) text(i int) string {
	v := c.Values[i]
	if c.raw && strings.HasPrefix(v, `"`) {
		if s, ok := jsonText([]byte(v)); ok {
			return string(s)
		}
	}
	return v
}

// checkNames refuses a header in which a name is there twice.
func (e *encoder) checkNames(names []string) {
	for i, n := range names {
		if slices.Contains(names[:i], n) {
			e.bad.Addf(0, "two columns are called %q: give the columns of transaction, item and "+
				"set other names", n)
		}
		if !utf8.ValidString(n) || e.opts.Format != JSONL && strings.IndexByte(n, 0) >= 0 {
			e.bad.Addf(0, "the column name %s is not text", shown(n))
		}
	}
}

// csvRecord writes fields, each already fit for it. A record that would look blank is written as an
// empty quoted field.
func (e *encoder) csvRecord(fields [][]byte) {
	if len(fields) == 1 && len(fields[0]) == 0 {
		e.out.buf = append(e.out.buf, `""`...)
	}
	for i, f := range fields {
		if i > 0 {
			e.out.buf = append(e.out.buf, e.opts.delimiter())
		}
		e.out.buf = append(e.out.buf, f...)
	}
	e.out.endLine()
}

func (e *encoder) csvHeader(names []string) {
	if e.opts.Header == HeaderAbsent {
		return
	}
	var fields [][]byte
	for _, n := range names {
		fields = append(fields, e.csvField(nil, n))
	}
	e.csvRecord(fields)
}

// long writes a row an item. A transaction without items is one row without an item.
func (e *encoder) long() func() {
	e.encode(func(string) string { return "" }, e.csvField)
	cols := e.columns()
	names := []string{e.layout.transaction, e.layout.item}
	for _, c := range cols {
		names = append(names, c.Name)
	}
	e.checkNames(names)
	ids := e.transactionIDs()
	return func() {
		e.csvHeader(names)
		fields := make([][]byte, len(names))
		for i := range e.n {
			fields[0] = e.csvField(fields[0][:0], ids(i))
			for k, c := range cols {
				fields[k+2] = e.csvField(fields[k+2][:0], c.text(i))
			}
			set := e.ranks(i)
			for _, r := range set {
				fields[1] = e.text[r]
				e.csvRecord(fields)
			}
			if len(set) == 0 && e.sets {
				fields[1] = nil
				e.csvRecord(fields)
			}
		}
	}
}

// transactionIDs names the transactions: by the column of that name if there is one, else by their
// number.
func (e *encoder) transactionIDs() func(i int) string {
	at := slices.IndexFunc(e.given, func(c Column) bool { return c.Name == e.layout.transaction })
	if at < 0 {
		return func(i int) string { return strconv.Itoa(i + 1) }
	}
	c := e.given[at]
	col := keptColumn{c, e.layout.json && !e.layout.labels[c.Name]}
	seen := make(map[string]int, len(c.Values))
	for i := range c.Values {
		id := col.text(i)
		first, twice := seen[id]
		switch {
		case id == "":
			e.bad.Addf(0, "transaction %d has no value in column %q, which names the "+
				"transactions in a long file", i+1, c.Name)
		case twice:
			e.bad.Addf(0, "transactions %d and %d are both called %s in column %q: in a long "+
				"file they would become one", first+1, i+1, shown(id), c.Name)
		case !utf8.ValidString(id) || strings.IndexByte(id, 0) >= 0:
			e.bad.Addf(
				0, "the value of %q in transaction %d is not text: %s", c.Name, i+1, shown(id),
			)
		}
		seen[id] = i
	}
	return col.text
}

// table writes a row a transaction, the set where it was.
func (e *encoder) table() func() {
	inner := e.opts.inner()
	e.encode(e.notInSet, plainText)
	cols := e.columns()
	var names []string
	for _, c := range cols {
		names = append(names, c.Name)
	}
	names = slices.Insert(names, e.layout.at, e.layout.set)
	e.checkNames(names)
	return func() {
		e.csvHeader(names)
		fields := make([][]byte, len(names))
		for i := range e.n {
			for k, c := range cols {
				at := k
				if k >= e.layout.at {
					at++
				}
				fields[at] = e.csvField(fields[at][:0], c.text(i))
			}
			fields[e.layout.at] = e.csvField(fields[e.layout.at][:0], e.innerSet(i, inner))
			e.csvRecord(fields)
		}
	}
}

// notInSet says what keeps a label from being one of a set that is text; "": nothing does.
func (e *encoder) notInSet(label string) string {
	switch inner := e.opts.inner(); {
	case strings.IndexByte(label, inner) >= 0:
		return "contains the inner delimiter " + strconv.QuoteRune(rune(inner)) +
			": choose another one, or write jsonl"
	case len(trimBlanks([]byte(label))) < len(label):
		return "begins or ends with a blank, which a set in a table cannot hold: write basket or " +
			"jsonl instead"
	}
	return ""
}

func (e *encoder) innerSet(i int, inner byte) string {
	var set []byte
	for n, r := range e.ranks(i) {
		if n > 0 {
			set = append(set, inner)
		}
		set = append(set, e.text[r]...)
	}
	return string(set)
}

// jsonl writes an object a transaction, the set where it was.
func (e *encoder) jsonl() func() {
	e.encode(func(string) string { return "" }, appendJSON)
	cols := e.columns()
	names := []string{e.layout.set}
	var keys [][]byte
	for _, c := range cols {
		names = append(names, c.Name)
		keys = append(keys, append(appendJSON(nil, c.Name), ':'))
	}
	e.checkNames(names)
	setKey := append(appendJSON(nil, e.layout.set), ':', '[')
	return func() {
		for i := range e.n {
			e.out.buf = append(e.out.buf, '{')
			for k := 0; k <= len(cols); k++ {
				if k == e.layout.at {
					e.out.buf = append(e.comma(), setKey...)
					e.joined(i, ',')
					e.out.buf = append(e.out.buf, ']')
				}
				if k < len(cols) {
					e.jsonValue(keys[k], cols[k], i)
				}
			}
			e.out.buf = append(e.out.buf, '}')
			e.out.endLine()
		}
	}
}

// comma appends a comma unless the object has just been opened.
func (e *encoder) comma() []byte {
	if b := e.out.buf; b[len(b)-1] == '{' {
		return b
	}
	return append(e.out.buf, ',')
}

// jsonValue writes one field; one that the transaction did not have is left out.
func (e *encoder) jsonValue(key []byte, c keptColumn, i int) {
	switch v := c.Values[i]; {
	case !c.raw:
		e.out.buf = appendJSON(append(e.comma(), key...), v)
	case v != "":
		e.out.buf = append(append(e.comma(), key...), v...)
	}
}

const hexDigits = "0123456789abcdef"

// appendJSON appends text as a JSON string; only what JSON demands is escaped.
func appendJSON(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
