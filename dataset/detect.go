package dataset

import (
	"path/filepath"
	"slices"
	"strings"

	"mingle/dataset/rows"
)

// Extension is that of a file, in small letters and with its dot, without that of compression. All
// databases have that of SQLite.
func Extension(path string) string {
	if rows.Is(path) { // whatever its table is called
		return rows.Extensions[0]
	}
	base := strings.ToLower(filepath.Base(path))
	for _, packed := range []string{".gz", ".zst"} {
		if cut, is := strings.CutSuffix(base, packed); is {
			base = cut
			break
		}
	}
	return filepath.Ext(base)
}

// TSV is the extension of CSV files with tabs for delimiters.
const TSV = ".tsv"

// NamedCSV tells whether the extension of a file is one of CSV files: its header tells the format.
func NamedCSV(path string) bool {
	ext := Extension(path)
	return ext == ".csv" || ext == TSV
}

// delimiterOf is the delimiter that is given or else, of a .tsv file, a tab.
func (o Options) delimiterOf(path string) rune {
	if o.Delimiter == 0 && Extension(path) == TSV && (o.Format == "" || o.Format.IsCSV()) {
		return '\t'
	}
	return o.Delimiter
}

// WithFormat fills in the format of the file at path, where it is not given, as [Open] does, and
// the tab of a .tsv file.
func (o Options) WithFormat(path string) (Options, error) {
	o.Delimiter = o.delimiterOf(path)
	if o.Format != "" {
		return o, nil
	}
	f, err := formatOf(path, o)
	o.Format = f
	return o, err
}

// Beside is the format of the .csv or .tsv file at path, which was made of a file with layout o.
// Its header decides, as for [FormatOf]. What o names comes before that: basket, no header, or
// columns that the header has. Where nothing tells, the format is that of o, or basket.
func (o Options) Beside(path string) Format {
	own := o.Format
	if !own.IsCSV() {
		own = Basket
	}
	if o.Format == Basket || o.Format.IsCSV() && o.Header == HeaderAbsent || o.namedIn(path) {
		return own
	}
	if f, err := sniffCSV(path); err == nil {
		return f
	}
	return own // the reader says what is wrong
}

// namedIn tells whether the options name columns, and the header of a file has all of them.
func (o Options) namedIn(path string) bool {
	names, err := FirstRecord(path)
	wanted := []string{o.TransactionColumn, o.ItemColumn}
	if o.Format == Table {
		wanted = []string{o.SetColumn}
	}
	wanted = slices.DeleteFunc(wanted, func(name string) bool { return name == "" })
	lacks := func(name string) bool { return !slices.Contains(names, name) }
	return err == nil && o.Format.IsCSV() && len(wanted) > 0 && !slices.ContainsFunc(wanted, lacks)
}

// Adapted are options that were given for another file, changed to what the header of the file at
// path shows: another delimiter, the columns' usual names. Where the header has what the options
// say, or nothing that they could mean, they stay as they are.
func (o Options) Adapted(path string) Options {
	if o.Format != Long && o.Format != Table || o.Header == HeaderAbsent {
		return o
	}
	records, err := firstRecords(path)
	if err != nil {
		return o // the reader says what is wrong
	}
	here := strings.IndexByte(delimiters, o.delimiter())
	if here >= 0 && o.found(records[here]) {
		return o
	}
	for i, names := range records {
		with := o
		if i != here {
			with.Delimiter = rune(delimiters[i])
		}
		if with.Format == Table && with.inner() == with.delimiter() {
			with.InnerDelimiter = 0
		}
		if with = with.usually(names); with.found(names) {
			return with
		}
	}
	return o
}

// found tells whether a header has the columns.
func (o Options) found(names []string) bool {
	has := func(name string, usual []string) bool {
		if name != "" {
			return slices.Contains(names, name)
		}
		_, ok := guess(names, usual)
		return ok
	}
	if o.Format == Table {
		return has(o.SetColumn, usualItems.Set)
	}
	if o.TransactionColumn == "" && o.ItemColumn == "" && len(names) == 2 {
		return true
	}
	return has(o.TransactionColumn, usualItems.Transaction) && has(o.ItemColumn, usualItems.Item)
}

// usually leaves out the names of columns that are not there.
func (o Options) usually(names []string) Options {
	for _, column := range []*string{&o.TransactionColumn, &o.ItemColumn, &o.SetColumn} {
		if !slices.Contains(names, *column) {
			*column = ""
		}
	}
	return o
}
