// Package sheet reads and writes sheets of Excel workbooks (.xlsx): archives of XML, of which the
// cells' texts are what is needed. Texts, numbers and dates are read as they are shown, as far as
// formats of dates, zeros and percentages go. A sheet is read row by row.
package sheet

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"mingle/dataset/column"
	"mingle/internal/limits"
)

// The bounds of a sheet, which are Excel's.
const (
	MaxRows    = 1 << 20
	MaxColumns = 1 << 14
	MaxText    = 32767
)

// File is a sheet that is being read. It is a column.Source.
type File struct {
	archive *zip.Reader
	account *limits.Account
	book    book
	styles  []style
	shared  column.Words

	name   string // of the sheet
	in     io.Closer
	marks  *marks // of the sheet
	fields []column.Field
	at     []int // by field: the column of the sheet, from 0
	of     map[int]int
	chosen []int
	words  []column.Words
	first  *row // of a file without header: it was read to find the columns
	row    row
	last   int // row read
}

// Options say what is read.
type Options struct {
	Sheet    string // "": the first one
	NoHeader bool   // columns are called 1, 2, 3, ...
	Account  *limits.Account
}

// Open finds the sheet and reads its header.
func Open(r io.ReaderAt, size int64, o Options) (*File, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, notBook(r)
	}
	f := &File{archive: archive, account: o.Account, of: map[int]int{}}
	if err := f.readBook(); err != nil {
		return nil, err
	}
	at := 0
	if o.Sheet != "" {
		at = slices.IndexFunc(f.book.sheets, func(s sheetAt) bool { return s.name == o.Sheet })
	}
	if at < 0 || len(f.book.sheets) == 0 {
		return nil, fmt.Errorf("there is no sheet %q: the sheets are %s", o.Sheet,
			strings.Join(f.Sheets()[:min(12, len(f.book.sheets))], ", "))
	}
	f.name = f.book.sheets[at].name
	in, err := f.open(f.book.sheets[at].path)
	if err != nil {
		return nil, err
	}
	f.in, f.marks = in, newMarks(in, f.account)
	return f, f.header(o.NoHeader)
}

// notBook says what a file is that is no archive.
func notBook(r io.ReaderAt) error {
	var head [4]byte
	_, _ = r.ReadAt(head[:], 0)
	if string(head[:]) == "\xd0\xcf\x11\xe0" {
		return errors.New("this is a workbook of the older form (.xls), or an encrypted one: save it " +
			"as .xlsx without a password")
	}
	return errors.New("this is no Excel workbook (.xlsx), or not a whole one")
}

// Sheets are the names of all sheets.
func (f *File) Sheets() []string {
	var out []string
	for _, s := range f.book.sheets {
		out = append(out, s.name)
	}
	return out
}

// Sheet is the name of the one that is read.
func (f *File) Sheet() string { return f.name }

// Close closes the sheet.
func (f *File) Close() error {
	if f.in == nil {
		return nil
	}
	return f.in.Close()
}

// open opens a part of the archive.
func (f *File) open(name string) (io.ReadCloser, error) {
	for _, z := range f.archive.File {
		if strings.EqualFold(strings.TrimPrefix(z.Name, "/"), name) {
			return z.Open()
		}
	}
	return nil, fmt.Errorf("the workbook has no part %s: is it an .xlsx file?", name)
}

// header reads the names of the columns.
func (f *File) header(absent bool) error {
	var names row
	err := f.next(&names)
	if err != nil && err != io.EOF {
		return err
	}
	for i, c := range names.cells {
		name := string(names.text(i))
		switch {
		case absent:
			name = strconv.Itoa(c.column + 1)
		case name == "":
			continue
		}
		f.of[c.column] = len(f.fields)
		f.fields = append(f.fields, column.Field{Name: name})
		f.at = append(f.at, c.column)
	}
	if absent && err == nil {
		f.first = &names
	}
	if len(f.fields) == 0 && !absent {
		return fmt.Errorf("sheet %q has no header: its first row must name the columns", f.name)
	}
	return nil
}

// Fields implements column.Source.
func (f *File) Fields() []column.Field { return f.fields }

// Choose implements column.Source.
func (f *File) Choose(fields []int) error {
	f.chosen, f.words = fields, make([]column.Words, len(fields))
	return nil
}

const batchRows = 4096

// Next implements column.Source.
func (f *File) Next(b *column.Batch) error {
	b.Reset(len(f.chosen))
	for i := range b.Cells {
		f.words[i].Reset()
		b.Cells[i].Words = &f.words[i]
	}
	size := 0
	for b.Rows < batchRows && size < limits.MaxLine {
		r := &f.row
		if f.first != nil {
			r, f.first = f.first, nil
		} else if err := f.next(r); err == io.EOF {
			if b.Rows == 0 {
				return io.EOF
			}
			return nil
		} else if err != nil {
			return err
		}
		if err := f.take(b, r); err != nil {
			return err
		}
		size += len(r.words.Text)
	}
	return nil
}

// take puts a row into the batch.
func (f *File) take(b *column.Batch, r *row) error {
	for i, c := range r.cells {
		if _, known := f.of[c.column]; !known && len(r.text(i)) > 0 {
			return fmt.Errorf("row %d has a value in column %s, which has no name in the header: name "+
				"it, or take the value out", r.number, letters(c.column))
		}
	}
	for n, field := range f.chosen {
		cells := &b.Cells[n]
		i, has := slices.BinarySearchFunc(r.cells, f.at[field], func(c cell, at int) int {
			return c.column - at
		})
		if !has || len(r.text(i)) == 0 {
			cells.Codes = append(cells.Codes, column.Null)
			continue
		}
		cells.Codes = append(cells.Codes, int32(cells.Words.Len()))
		cells.Words.Add(r.text(i))
	}
	b.Rows++
	b.Lines = append(b.Lines, r.number)
	return nil
}

// letters are the name of a column of a sheet.
func letters(column int) string {
	name := ""
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}

// columnOf is the column of a reference such as AB12, -1 where it is none.
func columnOf(ref string) int {
	n := 0
	for i := 0; i < len(ref) && i < 4; i++ {
		c := ref[i] &^ 0x20
		if c < 'A' || c > 'Z' {
			break
		}
		n = 26*n + int(c-'A') + 1
	}
	if n > MaxColumns {
		return -1
	}
	return n - 1
}

// book is what the workbook says of its sheets.
type book struct {
	sheets []sheetAt
	early  bool // days are counted from 1904
}

type sheetAt struct{ name, path string }

// small reads a part that is small by nature.
func (f *File) small(name string, into any) error {
	in, err := f.open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	text, err := limits.All(in, 16<<20, "a part of a workbook")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := xml.Unmarshal(text, into); err != nil {
		return fmt.Errorf("the workbook is damaged: %s: %w", name, err)
	}
	return nil
}

// readBook reads all but the sheets.
func (f *File) readBook() error {
	var stored struct {
		Properties struct {
			Date1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	if err := f.small("xl/workbook.xml", &stored); err != nil {
		return err
	}
	var relations struct {
		All []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if err := f.small("xl/_rels/workbook.xml.rels", &relations); err != nil {
		return err
	}
	f.book.early = stored.Properties.Date1904 == "1" || stored.Properties.Date1904 == "true"
	targets := make(map[string]string, len(relations.All))
	for _, r := range relations.All {
		if _, twice := targets[r.ID]; !twice { // a forged book has millions of each
			targets[r.ID] = r.Target
		}
	}
	for _, s := range stored.Sheets {
		target, has := targets[s.ID]
		if !has {
			continue
		}
		if !strings.HasPrefix(target, "/") {
			target = path.Join("xl", target)
		}
		f.book.sheets = append(f.book.sheets, sheetAt{s.Name, strings.TrimPrefix(target, "/")})
	}
	if err := f.readStyles(); err != nil {
		return err
	}
	return f.readShared()
}
