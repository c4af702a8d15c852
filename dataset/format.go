package dataset

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"mingle/dataset/column"
	"mingle/dataset/rows"
	"mingle/internal/limits"
)

// Format is a layout of transactions in a file. See docs/formats.md for an example of each.
type Format string

// The formats that can be read and written.
const (
	Fimi Format = "fimi" // one transaction a line, items separated by blanks
	// one transaction a line, items separated by a delimiter, quoted as RFC 4180
	Basket Format = "basket"
	Long   Format = "long"  // CSV with a header; one (transaction, item) pair a line
	Table  Format = "table" // CSV with a header; one column holds the set with an inner delimiter
	JSONL  Format = "jsonl" // one object a line: {"id":..., "items":[...], ...}
	SPMF   Format = "spmf"  // integers; "#", "%" and "@" lines are metadata

	Parquet Format = "parquet" // a column of lists, or a row an item
	Arrow   Format = "arrow"   // the same, as an IPC stream or file
	Sheet   Format = "xlsx"    // the same, as a sheet of an Excel workbook; a set is text in a cell

	Database Format = "database" // the same, as a table of PostgreSQL or SQLite, or a query's rows
)

// kind is what a format is known by, and how it is read and written.
type kind struct {
	format     Format
	extensions []string // that mean it alone, with their dots; .csv files are told by their header
	csv        bool     // it is CSV
	// shape finds the columns; first is the first block of the text. What is wrong is noted in bad.
	shape func(first []byte, opts Options, bad *Faults) *shape
	// prepare notes what cannot be written, and returns the function that writes.
	prepare func(*encoder) func()
	// open is how a file of columns is read, which has no shape.
	open func(in *input) (column.Source, error)
}

// kinds is the one table of formats, in the order of the documentation.
var kinds = []kind{
	{Fimi, []string{".dat"}, false, lineShape, (*encoder).fimi, nil},
	{Basket, nil, true, basketShape, (*encoder).basket, nil},
	{Long, nil, true, columnShape, (*encoder).long, nil},
	{Table, nil, true, columnShape, (*encoder).table, nil},
	{JSONL, []string{".jsonl", ".ndjson"}, false, jsonShape, (*encoder).jsonl, nil},
	{SPMF, []string{".txt"}, false, lineShape, (*encoder).spmf, nil},
	{Parquet, []string{".parquet"}, false, nil, (*encoder).parquet, openParquet},
	{Arrow, arrowExtensions, false, nil, (*encoder).arrow, openArrow},
	{Sheet, []string{".xlsx"}, false, nil, (*encoder).sheet, openSheet},
	{Database, rows.Extensions, false, nil, (*encoder).database, openDatabase},
}

// arrowExtensions: .arrow and .feather files have a table of contents, .arrows files are streams.
var arrowExtensions = []string{".arrow", ".arrows", ".feather"}

// kind is a known format's.
func (f Format) kind() kind {
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.format == f })]
}

// Formats are all formats, in the order of the documentation.
func Formats() []Format {
	var out []Format
	for _, k := range kinds {
		out = append(out, k.format)
	}
	return out
}

// HasColumns tells whether a format is known and has a place for columns beside the sets.
func (f Format) HasColumns() bool {
	return f == Long || f == Table || f == JSONL || f.IsColumns()
}

// WithColumns names the formats that have a place for columns, for messages.
func WithColumns() string {
	var names []string
	for _, f := range Formats() {
		if f.HasColumns() {
			names = append(names, string(f))
		}
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Extensions are those that mean a format, the usual one of each, and those of csv files.
func Extensions() []string {
	var out []string
	for _, k := range kinds {
		if len(k.extensions) > 0 {
			out = append(out, k.extensions[0])
		} else if k.format == Basket {
			out = append(out, ".csv", TSV)
		}
	}
	return out
}

// ByExtension is the one format that an extension means, with its dot; "": there is none.
func ByExtension(ext string) Format {
	for _, k := range kinds {
		if slices.Contains(k.extensions, ext) {
			return k.format
		}
	}
	return ""
}

// ParseFormat finds a format by its name.
func ParseFormat(name string) (Format, error) {
	if f := Format(name); slices.Contains(Formats(), f) {
		return f, nil
	}
	return "", fmt.Errorf("format %q is not known: it must be one of %s", name, formatNames())
}

func formatNames() string { return namesOf(Formats()) }

func namesOf(formats []Format) string {
	var names []string
	for _, f := range formats {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// Header says whether the first record of a CSV file names its columns.
type Header int

const (
	HeaderDefault Header = iota // by format: long and table have one, basket has none
	HeaderPresent               // the first record is a header; basket skips it
	HeaderAbsent                // long and table: columns are named 1, 2, 3, ... by position
)

// Options say how a file is laid out. The zero value of every field but Format is usable.
type Options struct {
	Format Format
	Name   string // of the file, for errors; "input" where empty

	// between the fields of basket, long and table, one ASCII character; default ','
	Delimiter rune
	Header    Header // of basket, long and table

	// long; default: the column called transaction, transaction_id or tid, or the first of two
	TransactionColumn string
	// long; default: the column called item, item_id or label, or the second of two
	ItemColumn string
	// table and jsonl; default: the column called items (table: or itemset, or set)
	SetColumn string
	// table: between the items of a set; default ';' (',' where Delimiter is ';')
	InnerDelimiter rune
	// long: columns that are kept and must be constant within a transaction. Table, jsonl: columns
	// that must exist
	LabelColumns []string
	// long: further columns that are kept and must be constant within a transaction; the
	// transaction's own may be among them. The other formats keep all columns
	Keep []string
	// columns of values that may be empty, kept as text: like labels, but a field of jsonl may be
	// missing or null, which is an empty value, or a truth value
	ValueColumns []string
	// long, table: leave out rows with too few fields, without a transaction, or with an empty
	// value; jsonl: objects without the set or a named field, or with null in its place; basket:
	// lines with an empty value. They are counted in a note; else they are faults. In the other
	// formats, and where basket files have items, nothing can be missing, and it is a fault
	SkipIncomplete bool
	// of the text, one of [Encodings]; "": UTF-8, or UTF-16 where the text has its mark
	Encoding string
	// xlsx: the sheet that is read; default: the first one. The name of the one that is written
	Sheet string
	// database: the table that is read, where its location names none, or the query whose rows are
	// read in its place
	Table, Query string
	// Clean says what is done to items as they are read. It does not concern values.
	Clean Cleaning
	// spmf: read a sequence file (-1, -2); the itemsets of a sequence are united
	Sequences bool

	// bytes of the source, compressed as it is, where the caller knows them; else 0. It spares
	// memory
	Size    int64
	Packed  bool // make a packed dataset, which takes less memory and more time
	Workers int  // at most this many goroutines parse; 0: one a processor
	// the program wrote the file itself: it may unpack to any multiple of its size
	Own bool
	// bytes of the source read so far, of how many (0: not known); of writing: transactions
	// written. It is called from one goroutine at a time.
	Progress func(done, total int64)

	block  int     // bytes of text parsed at a time, for tests; 0: blockSize
	values *Values // the fields are values, not items; nil: items
	usual  Names   // of the columns that are not named above
}

// Names are those by which columns are found that are not named.
type Names struct{ Transaction, Item, Set []string }

// What columns are called where nothing else is said.
const (
	UsualTransaction = "transaction"
	UsualItem        = "item"
	UsualSet         = "items"
)

var usualItems = Names{
	Transaction: []string{UsualTransaction, "transaction_id", "tid"},
	Item:        []string{UsualItem, "item_id", "label"},
	Set:         []string{UsualSet, "itemset", "set"},
}

// UsualNames are those of the columns of transactions and items. The caller must not change them.
func UsualNames() Names { return usualItems }

// IsCSV tells whether a format is known and CSV.
func (f Format) IsCSV() bool {
	return slices.ContainsFunc(kinds, func(k kind) bool { return k.format == f && k.csv })
}

func (o Options) name() string {
	if o.Name == "" {
		return "input"
	}
	return o.Name
}

// delimiter is the byte between fields; o must be checked.
func (o Options) delimiter() byte {
	if o.Delimiter == 0 {
		return ','
	}
	return byte(o.Delimiter)
}

// inner is the byte between the items of a set in a table; o must be checked.
func (o Options) inner() byte {
	switch {
	case o.InnerDelimiter != 0:
		return byte(o.InnerDelimiter)
	case o.Delimiter == ';':
		return ','
	}
	return ';'
}

// check refuses options that contradict each other or the format, all at once.
func (o Options) check() error {
	var bad Faults
	if _, err := ParseFormat(string(o.Format)); err != nil {
		bad.Addf(0, "%v", err)
	} else {
		o.misplaced(&bad)
	}
	if err := limits.CheckEncoding(o.Encoding); err != nil {
		bad.Addf(0, "%v", err)
	} else if o.Encoding != "" && o.Format.IsColumns() {
		bad.Addf(0, "format %s has no other encoding: leave --encoding out", o.Format)
	}
	o.Clean.check(&bad)
	if o.Sheet != "" && o.Format != Sheet {
		bad.Addf(0, "format %s has no sheets: leave --sheet out", o.Format)
	}
	if o.Table+o.Query != "" && o.Format != Database {
		bad.Addf(0, "format %s is no database: leave --table and --query out", o.Format)
	}
	for _, d := range []struct {
		what string
		r    rune
		used bool
	}{
		{"delimiter", o.Delimiter, o.Format.IsCSV()},
		{"inner delimiter", o.InnerDelimiter, o.Format == Table || o.Format.IsColumns()},
	} {
		switch {
		case d.r == 0:
		case !d.used:
			bad.Addf(
				0, "format %s has no %s: leave it out, or choose a format that has one", o.Format,
				d.what,
			)
		case d.r < 0 || d.r > 126 || d.r < ' ' && d.r != '\t' || d.r == '"':
			bad.Addf(0, "the %s %q must be one printable ASCII character (or a tab) other than "+
				"a quote", d.what, d.r)
		}
	}
	if o.Format == Table && o.inner() == o.delimiter() {
		bad.Addf(
			0, "the delimiter and the inner delimiter are both %q: give two different ones",
			o.inner(),
		)
	}
	return bad.Err(o.name())
}

// misplaced notes what is said of a file that one of its format never has. It must not be ignored:
// the file would be read in another way than it was meant.
func (o Options) misplaced(bad *Faults) {
	columns := "columns of transactions and items"
	if o.values != nil {
		columns = "columns of records and values"
		if o.ItemColumn == "" {
			columns = "column that says which record, for a row is one"
		}
	}
	pair := o.TransactionColumn+o.ItemColumn != ""
	if o.SetColumn != "" && pair && o.values == nil {
		bad.Addf(0, "a file has a row an item (--transaction-column, --item-column) or a row a "+
			"transaction (--set-column): name the columns of one of the two")
		return
	}
	for _, p := range []struct {
		given bool
		lacks string // what a format does that has no place for it
		has   func(Format) bool
	}{
		{o.Header == HeaderPresent, "has no header", func(f Format) bool {
			return f.IsCSV() || f.IsColumns()
		}},
		{o.Header == HeaderAbsent, "always names its columns", func(f Format) bool {
			return !f.IsColumns() || f == Sheet
		}},
		{pair, "has no " + columns, func(f Format) bool {
			return f == Long || f.IsColumns()
		}},
		{o.SetColumn != "", "has no column of sets", func(f Format) bool {
			return f == Table || f == JSONL || f.IsColumns()
		}},
		{o.Sequences, "has no sequences", func(f Format) bool { return f == SPMF }},
	} {
		if !p.given || p.has(o.Format) {
			continue
		}
		others := slices.DeleteFunc(Formats(), func(f Format) bool { return !p.has(f) })
		bad.Addf(0, "format %s %s: leave that out, or name a format that it is for: %s", o.Format,
			p.lacks, namesOf(others))
	}
}

// FormatOf finds the format of a file and its compression ("", "gz" or "zst") from its extensions.
// A .csv or .tsv file may be basket, long or table: the file's header decides where it names the
// columns of one of them; else the error says what to give.
func FormatOf(path string) (f Format, compression string, err error) {
	if rows.Is(path) {
		return Database, "", nil
	}
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".gz", ".zst":
		compression = ext[1:]
	}
	ext := Extension(path)
	if f = ByExtension(ext); f != "" {
		return f, compression, nil
	}
	switch ext {
	case ".csv", TSV:
		f, err = sniffCSV(path)
		return f, compression, err
	case "":
		return "", compression, fmt.Errorf(
			"%s: no extension tells the format: name it, one of %s", path, formatNames(),
		)
	default:
		return "", compression, fmt.Errorf("%s: extension %s is of no known format: name the "+
			"format, one of %s", path, ext, formatNames())
	}
}

// sniffCSV tells long from table by the header's names. A basket file has no header, so that it is
// one cannot be seen.
func sniffCSV(path string) (Format, error) {
	which := fmt.Sprintf("a %s file may be basket (a transaction a line), long (an item a line) "+
		"or table (a column holds the set): name the format", Extension(path))
	ambiguous := fmt.Errorf("%s: %s", path, which)
	names, err := FirstRecord(path)
	if errors.Is(err, io.EOF) {
		return "", fmt.Errorf("%s: the file is empty, and %s", path, which)
	}
	if _, damaged := errors.AsType[*DamagedError](err); damaged { // whatever its format is
		return "", err
	}
	if err != nil {
		return "", fmt.Errorf("%w (its header could not be read: %w)", ambiguous, err)
	}
	_, transaction := guess(names, usualItems.Transaction)
	_, item := guess(names, usualItems.Item)
	_, table := guess(names, usualItems.Set)
	switch long := transaction && item; {
	case long && !table:
		return Long, nil
	case table && !long:
		return Table, nil
	}
	return "", ambiguous
}

// guess is the only column that has one of the names, whatever their case.
func guess(header, names []string) (at int, ok bool) {
	for i, h := range header {
		if slices.Contains(names, strings.ToLower(h)) {
			if ok {
				return 0, false
			}
			at, ok = i, true
		}
	}
	return at, ok
}
