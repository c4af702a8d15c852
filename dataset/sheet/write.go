package sheet

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"strconv"

	"mingle/dataset/column"
)

// writer writes a workbook of one sheet. All cells are texts.
type writer struct {
	archive *zip.Writer
	w       *bufio.Writer
	fields  []column.Field
	inner   byte // between the items of a set
	text    []byte
	row     int
	err     error
}

// Names that the parts of a workbook have.
const (
	packages  = "http://schemas.openxmlformats.org/package/2006/"
	documents = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	content   = "application/vnd.openxmlformats-"
	sheetML   = content + "officedocument.spreadsheetml."
	main      = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
)

// The parts of a workbook beside its sheet.
var parts = []struct{ name, text string }{
	{"[Content_Types].xml", `<Types xmlns="` + packages + `content-types">` +
		`<Default Extension="rels" ContentType="` + content + `package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="` + sheetML + `sheet.main+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + sheetML +
		`worksheet+xml"/></Types>`},
	{"_rels/.rels", relation("officeDocument", "xl/workbook.xml")},
	{"xl/_rels/workbook.xml.rels", relation("worksheet", "worksheets/sheet1.xml")},
}

// relation says where the one part is that another one needs.
func relation(kind, target string) string {
	return `<Relationships xmlns="` + packages + `relationships"><Relationship Id="rId1" Type="` +
		documents + "/" + kind + `" Target="` + target + `"/></Relationships>`
}

// xmlHead begins every part.
const xmlHead = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

// Writer is a column.Maker of a workbook with a sheet of the name given; inner stands between the
// items of a set. An empty text is an empty cell.
func Writer(name string, inner byte) column.Maker {
	return func(w io.Writer, fields []column.Field) (column.Sink, error) {
		out := &writer{archive: zip.NewWriter(w), fields: fields, inner: inner}
		book := `<workbook ` + main + ` xmlns:r="` + documents + `"><sheets><sheet name="` +
			string(escaped(nil, name)) + `" sheetId="1" r:id="rId1"/></sheets></workbook>`
		for _, p := range parts {
			out.part(p.name, p.text)
		}
		out.part("xl/workbook.xml", book)
		out.begin("xl/worksheets/sheet1.xml")
		out.put(`<worksheet ` + main + `><sheetData>`)
		out.open()
		for i, f := range fields {
			out.cell(i, []byte(f.Name))
		}
		out.put("</row>")
		return out, out.err
	}
}

// begin begins a part. No time is written: the same data are the same bytes.
func (w *writer) begin(name string) {
	if w.err != nil {
		return
	}
	part, err := w.archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	w.err, w.w = err, bufio.NewWriter(part)
	w.put(xmlHead)
}

func (w *writer) part(name, text string) {
	w.begin(name)
	w.put(text)
	w.flush()
}

func (w *writer) put(text string) {
	if w.err == nil {
		_, w.err = w.w.WriteString(text)
	}
}

func (w *writer) flush() {
	if w.err == nil {
		w.err = w.w.Flush()
	}
}

// open begins a row.
func (w *writer) open() {
	if w.row++; w.row > MaxRows && w.err == nil {
		w.err = fmt.Errorf("a sheet has at most %d rows: write csv or parquet", MaxRows)
	}
	w.put(`<row r="` + strconv.Itoa(w.row) + `">`)
}

// cell writes a cell of text.
func (w *writer) cell(at int, text []byte) {
	w.put(`<c r="` + letters(at) + strconv.Itoa(w.row) +
		`" t="inlineStr"><is><t xml:space="preserve">`)
	w.text = escaped(w.text[:0], string(text))
	if w.err == nil {
		_, w.err = w.w.Write(w.text)
	}
	w.put("</t></is></c>")
}

// escaped appends a text as XML, with what XML cannot hold as _x0001_.
func escaped(dst []byte, text string) []byte {
	for i, r := range text {
		switch {
		case r == '&':
			dst = append(dst, "&amp;"...)
		case r == '<':
			dst = append(dst, "&lt;"...)
		case r == '>':
			dst = append(dst, "&gt;"...)
		case r == '"':
			dst = append(dst, "&quot;"...)
		case r < ' ' && r != '\t' && r != '\n', r == 0xfffe, r == 0xffff,
			r == '_' && i+1 < len(text) && text[i+1] == 'x':
			dst = fmt.Appendf(dst, "_x%04X_", r)
		default:
			dst = append(dst, string(r)...)
		}
	}
	return dst
}

// Write implements column.Sink.
func (w *writer) Write(b *column.Batch) error {
	from := make([]uint32, len(w.fields))
	var set []byte
	for row := range b.Rows {
		w.open()
		for i, f := range w.fields {
			cells := &b.Cells[i]
			if !f.List {
				if text := cells.Text(row); len(text) > 0 {
					w.cell(i, text)
				}
				continue
			}
			set = set[:0]
			for k, code := range cells.Codes[from[i]:cells.Ends[row]] {
				if k > 0 {
					set = append(set, w.inner)
				}
				set = append(set, cells.Words.At(int(code))...)
			}
			if from[i] = cells.Ends[row]; len([]rune(string(set))) > MaxText && w.err == nil {
				w.err = fmt.Errorf("the set of row %d has more than %d characters, the most of a cell: "+
					"write a row an item (--transaction-column, --item-column), or csv", w.row, MaxText)
			}
			w.cell(i, set) // also an empty one: a blank row would not be one
		}
		w.put("</row>")
		if w.err != nil {
			break
		}
	}
	return w.err
}

// Close implements column.Sink.
func (w *writer) Close() error {
	w.put("</sheetData></worksheet>")
	w.flush()
	if w.err == nil {
		w.err = w.archive.Close()
	}
	return w.err
}
