package dataset

import (
	"fmt"
	"strings"

	"mingle/dataset/arrow"
	"mingle/dataset/column"
	"mingle/dataset/parquet"
	"mingle/dataset/rows"
	"mingle/dataset/sheet"
)

// openParquet reads the metadata, which stand at the end of the file.
func openParquet(in *input) (column.Source, error) {
	at, err := in.seekable()
	if err != nil {
		return nil, err
	}
	return parquet.Open(at, at.size, in.account)
}

func (e *encoder) parquet() func() { return e.columnFile(parquet.NewWriter) }

// openArrow reads a stream; a file has the messages of a stream, too.
func openArrow(in *input) (column.Source, error) { return arrow.Open(in.src, in.account) }

// arrow writes a stream, or a file where the name is one of a file.
func (e *encoder) arrow() func() {
	switch Extension(e.opts.Name) {
	case ".arrow", ".feather":
		return e.columnFile(arrow.NewFile)
	}
	return e.columnFile(arrow.NewStream)
}

// openSheet reads a sheet of a workbook.
func openSheet(in *input) (column.Source, error) {
	at, err := in.seekable()
	if err != nil {
		return nil, err
	}
	f, err := sheet.Open(at, at.size, sheet.Options{
		Sheet: in.opts.Sheet, NoHeader: in.opts.Header == HeaderAbsent, Account: in.account,
	})
	if err != nil {
		return nil, err
	}
	if all := f.Sheets(); len(all) > 1 && in.opts.Sheet == "" {
		in.note = fmt.Sprintf("sheet %q was read, the first of %s: --sheet names another one",
			f.Sheet(), strings.Join(all[:min(12, len(all))], ", "))
	}
	return f, nil
}

// sheet writes a workbook of one sheet, a set as text in a cell.
func (e *encoder) sheet() func() {
	name := firstOf(e.opts.Sheet, "transactions")
	if len([]rune(name)) > 31 || strings.ContainsAny(name, `[]:*?/\`) {
		e.bad.Addf(0, "sheet %q cannot be called so: at most 31 characters, without []:*?/\\", name)
	}
	rows := e.n
	if e.layout.long {
		for i := range e.n {
			rows += max(0, len(e.ranks(i))-1)
		}
	}
	if rows >= sheet.MaxRows {
		e.bad.Addf(0, "%d rows and a header are needed, and a sheet has at most %d rows: write csv or "+
			"parquet", rows, sheet.MaxRows)
	}
	write := e.columnFile(sheet.Writer(name, e.opts.inner()))
	for _, label := range e.labels {
		why := ""
		if !e.layout.long {
			why = e.notInSet(label)
		}
		if why == "" && len([]rune(label)) > sheet.MaxText {
			why = fmt.Sprintf("has more than %d characters, the most of a cell", sheet.MaxText)
		}
		if why != "" {
			e.bad.Addf(0, "item %s %s", shown(label), why)
		}
	}
	for _, c := range e.given {
		for i, v := range c.Values {
			if len(v) > sheet.MaxText && len([]rune(v)) > sheet.MaxText {
				e.bad.Addf(0, "the value of %q in transaction %d has more than %d characters, the most "+
					"of a cell", c.Name, i+1, sheet.MaxText)
			}
		}
	}
	return write
}

// openDatabase reads the stream of rows that a database gives.
func openDatabase(in *input) (column.Source, error) { return rows.Open(in.src, in.account) }

// database writes such a stream.
func (e *encoder) database() func() { return e.columnFile(rows.NewWriter) }
