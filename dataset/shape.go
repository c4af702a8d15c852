package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"mingle/internal/limits"
)

// layout is how the columns of the file were arranged that a dataset was read from, for writing it
// the same way.
type layout struct {
	format                 Format
	long                   bool   // a row an item, whatever the format
	transaction, item, set string // names of the columns that are not among Columns
	at                     int    // how many of Columns stand before the set (table, jsonl)
	json                   bool   // Columns hold JSON text, except the labels
	labels                 map[string]bool
}

// shape is what the options and a file's header say about how to parse it.
type shape struct {
	layout    layout
	newParser func() parser
	unread    []string // columns that are passed over
	skip      int      // bytes of the header
	skipLines int
}

// lineShape is that of a format with a transaction a line and items between blanks.
func lineShape(_ []byte, opts Options, bad *Faults) *shape {
	if opts.SkipIncomplete {
		bad.Addf(0, "a line of the format %s is never incomplete, as it is nothing but its items: "+
			"leave out --skip-incomplete", opts.Format)
	}
	return &shape{newParser: func() parser {
		return &lineParser{
			ids: newInterner(), spmf: opts.Format == SPMF, sequences: opts.Sequences,
		}
	}}
}

// basketShape skips a header.
func basketShape(first []byte, opts Options, bad *Faults) *shape {
	s := &shape{newParser: func() parser {
		return &basketParser{
			ids: newInterner(), csv: newCSVScanner(opts.delimiter()),
			values: opts.values != nil, skip: opts.SkipIncomplete,
		}
	}}
	if opts.SkipIncomplete && opts.values == nil {
		bad.Addf(0, "a line of a basket file is never incomplete, as an empty field is no item: "+
			"leave out --skip-incomplete")
	}
	if opts.Header == HeaderPresent && len(first) > 0 {
		out := &part{}
		_, scan := readHeader(first, opts.delimiter(), false, out)
		checkText(first[:scan.i], out)
		s.skip, s.skipLines = scan.i, scan.line
		bad.merge(&out.faults, 0)
	}
	return s
}

func jsonShape(first []byte, opts Options, _ *Faults) *shape {
	set := opts.SetColumn
	what := anItem
	if opts.values != nil {
		what = "a value"
	}
	switch {
	case set != "":
	case opts.values != nil:
		set = setField(first, opts.usual.Set)
	default:
		set = UsualSet
	}
	labels := stringSet(opts.textColumns())
	values := stringSet(opts.ValueColumns)
	return &shape{
		layout: layout{format: JSONL, set: set, json: true, labels: labels},
		newParser: func() parser {
			return &jsonParser{
				ids: newInterner(), set: set, labels: labels, values: values,
				at: map[string]int{}, what: what, skip: opts.SkipIncomplete,
			}
		},
	}
}

// textColumns are the columns that are kept as text: labels and values.
func (o Options) textColumns() []string { return slices.Concat(o.LabelColumns, o.ValueColumns) }

// setField is the first field of the first object that has one of the names, the first of them
// where none has.
func setField(first []byte, names []string) string {
	dec := json.NewDecoder(bytes.NewReader(first))
	for _, err := dec.Token(); err == nil && dec.More(); {
		var key json.Token
		if key, err = dec.Token(); err != nil {
			break
		}
		if name, ok := key.(string); ok && slices.Contains(names, name) {
			return name
		}
		var value json.RawMessage
		err = dec.Decode(&value)
	}
	return names[0]
}

// columnShape reads the header of long and table.
func columnShape(first []byte, opts Options, bad *Faults) *shape {
	out := &part{}
	names, scan := readHeader(first, opts.delimiter(), opts.Header == HeaderAbsent, out)
	checkText(first[:scan.i], out)
	bad.merge(&out.faults, 0)
	if len(names) == 0 && opts.Header == HeaderAbsent && !bad.Any() {
		// an empty file
		return &shape{layout: layout{
			long: opts.Format == Long, transaction: "1", item: "2", set: opts.SetColumn,
		}}
	}
	if len(names) > limits.MaxColumns {
		bad.Addf(scan.line, "the first record has more than %d columns, the most that are read: "+
			"is the delimiter right, or a line end missing?", limits.MaxColumns)
		return nil
	}
	if len(names) == 0 {
		bad.Addf(0, "there is no header: the first line must name the columns")
	}
	if bad.Any() {
		return nil
	}
	s := &shape{skip: scan.i, skipLines: scan.line}
	if opts.Header == HeaderAbsent {
		s.skip, s.skipLines = 0, 0
	}
	for i, n := range names {
		if slices.Contains(names[:i], n) {
			bad.Addf(scan.line, "column %q is there twice: columns need different names", n)
		}
	}
	find := finder{names, scan.line, opts.delimiter(), bad}
	if opts.Format == Long {
		s.long(find, opts)
	} else {
		s.table(find, opts)
	}
	return s
}

// readHeader reads the first record that is not blank; the scanner stands behind it.
func readHeader(b []byte, delim byte, absent bool, out *part) ([]string, csvScanner) {
	s := newCSVScanner(delim)
	s.start(b, out)
	for s.more() && s.blank() {
	}
	if !s.more() {
		return nil, s
	}
	return header(s.record(nil), absent), s
}

// finder looks up columns by name and notes those that are not there.
type finder struct {
	names []string
	line  int
	delim byte
	bad   *Faults
}

func (f finder) column(name string) int {
	i := slices.Index(f.names, name)
	if i < 0 {
		near := meant(name, f.names)
		f.bad.Addf(f.line, "there is no column %q: %s%s", name, f.columns(), near)
		if near == "" {
			f.bad.NoColumns = append(f.bad.NoColumns, name)
		}
	}
	return i
}

// meant names the column that differs from the one asked for in case, blanks and the like only.
func meant(name string, names []string) string {
	letters := func(text string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, text)
	}
	for _, n := range names {
		if letters(n) == letters(name) {
			return fmt.Sprintf("; did you mean %q?", n)
		}
	}
	return ""
}

// ColumnHint lists columns, and names the one that may be meant.
func ColumnHint(name string, names []string) string {
	if len(names) == 0 {
		return ": there are none"
	}
	return ": " + finder{names: names}.columns() + meant(name, names)
}

// columns lists the header, and asks about the delimiter where it looks like another one.
func (f finder) columns() string {
	const most = 12
	var names []string
	for _, name := range f.names[:min(most, len(f.names))] {
		names = append(names, fmt.Sprintf("%.60s", name)) // text without line ends may be one name
	}
	if len(f.names) > most {
		names = append(names, "...")
	}
	list := "the columns are " + strings.Join(names, ", ")
	if len(f.names) == 1 {
		for _, d := range ",;\t|" {
			if byte(d) != f.delim && strings.ContainsRune(f.names[0], d) {
				return list + "; is the delimiter " + shown(string(d)) + "?"
			}
		}
	}
	return list
}

// pair finds the columns of transactions and items.
func (f finder) pair(opts Options) (transaction, item int) {
	transaction, okT := guess(f.names, opts.usual.Transaction)
	item, okI := guess(f.names, opts.usual.Item)
	firstTwo := len(f.names) == 2 || len(f.names) > 2 && opts.Header == HeaderAbsent
	if firstTwo && opts.TransactionColumn == "" && opts.ItemColumn == "" && !(okT && okI) {
		transaction, item, okT, okI = 0, 1, true, true
	}
	if opts.TransactionColumn != "" {
		transaction, okT = f.column(opts.TransactionColumn), true
	}
	if opts.ItemColumn != "" {
		item, okI = f.column(opts.ItemColumn), true
	}
	record, field := "transaction", "item"
	if opts.values != nil {
		record, field = "record", "value"
	}
	if !okT {
		f.bad.Addf(f.line, "which column holds the %s? Name it with --%s-column: %s", record, record,
			f.columns())
	}
	if !okI {
		f.bad.Addf(f.line, "which column holds the %s? Name it with --%s-column: %s", field, field,
			f.columns())
	}
	if okT && okI && transaction == item && transaction >= 0 {
		f.bad.Addf(f.line, "column %q cannot be both transaction and item", f.names[item])
	}
	return transaction, item
}

func (s *shape) long(find finder, opts Options) {
	tx, item := find.pair(opts)
	var labels []int
	for _, name := range opts.textColumns() {
		if i := find.column(name); i >= 0 && (i == tx || i == item) {
			find.bad.Addf(find.line, "column %q cannot be a label: it is the transaction or the "+
				"item", name)
		} else if !slices.Contains(labels, i) {
			labels = append(labels, i)
		}
	}
	for _, name := range opts.Keep {
		switch i := find.column(name); {
		case i == item && i >= 0:
			find.bad.Addf(find.line, "column %q cannot be kept: it holds the items", name)
		case i != tx && !slices.Contains(labels, i):
			labels = append(labels, i)
		}
	}
	if find.bad.Any() {
		return
	}
	slices.Sort(labels)
	for i, name := range find.names {
		if i != tx && i != item && !slices.Contains(labels, i) {
			s.unread = append(s.unread, name)
		}
	}
	var names []string
	for _, i := range labels {
		names = append(names, find.names[i])
	}
	s.layout = layout{
		format: Long, long: true, transaction: find.names[tx], item: find.names[item],
		labels: stringSet(names),
	}
	s.newParser = func() parser {
		return &longParser{
			ids: newInterner(), csv: newCSVScanner(opts.delimiter()), width: len(find.names),
			skip: opts.SkipIncomplete,
			tx:   tx, item: item, labels: labels, names: names, values: opts.values != nil,
		}
	}
}

func (s *shape) table(find finder, opts Options) {
	set, ok := guess(find.names, opts.usual.Set)
	switch {
	case opts.SetColumn != "":
		set = find.column(opts.SetColumn)
	case !ok:
		flag := "set-column"
		if opts.values != nil {
			flag = "value-column"
		}
		find.bad.Addf(find.line, "which column holds the set? Name it with --%s: %s", flag,
			find.columns())
	}
	for _, name := range opts.textColumns() {
		if i := find.column(name); i >= 0 && i == set {
			find.bad.Addf(find.line, "column %q cannot be a label: it holds the set", name)
		}
	}
	if find.bad.Any() {
		return
	}
	s.layout = layout{
		format: Table, set: find.names[set], at: set, labels: stringSet(opts.textColumns()),
	}
	s.newParser = func() parser {
		return &tableParser{
			ids: newInterner(), csv: newCSVScanner(opts.delimiter()), names: find.names,
			set: set, inner: opts.inner(), skip: opts.SkipIncomplete,
			values: opts.values != nil,
		}
	}
}

func stringSet(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}

func sortedKeys(set map[string]bool) []string {
	keys := make([]string, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
