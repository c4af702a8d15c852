package sheet

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"

	"mingle/dataset/column"
	"mingle/internal/limits"
)

// row is a row of cells with something in them, in the order of the columns.
type row struct {
	number int
	cells  []cell
	words  column.Words
}

type cell struct{ column, word int }

func (r *row) text(i int) []byte { return r.words.At(r.cells[i].word) }

// next reads the next row that is not blank. A cell that holds an empty text makes a row that is
// not blank; a cell that has a colour alone does not.
func (f *File) next(r *row) error {
	for {
		t, err := f.marks.next()
		if err == io.EOF {
			return io.EOF
		}
		if err != nil {
			return damaged(fmt.Sprintf("sheet %q is damaged after row %d", f.name, f.last), err)
		}
		start, is := t.(xml.StartElement)
		if !is || start.Name.Local != "row" {
			continue
		}
		r.number, r.cells = f.last+1, r.cells[:0]
		r.words.Reset()
		if n, err := strconv.Atoi(attribute(start, "r")); err == nil {
			r.number = n
		}
		if r.number <= f.last || r.number > MaxRows {
			return fmt.Errorf("sheet %q is damaged: row %d stands behind row %d", f.name, r.number,
				f.last)
		}
		f.last = r.number
		if err := f.cells(r); err != nil {
			return damaged(fmt.Sprintf("sheet %q is damaged in row %d", f.name, r.number), err)
		}
		if len(r.cells) > 0 {
			return nil
		}
	}
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// cells reads the cells of a row.
func (f *File) cells(r *row) error {
	at := -1
	for {
		t, err := f.marks.next()
		if err != nil {
			return unexpected(err)
		}
		switch t := t.(type) {
		case xml.EndElement:
			if t.Name.Local == "row" {
				return nil
			}
		case xml.StartElement:
			if t.Name.Local != "c" {
				continue
			}
			if ref := attribute(t, "r"); ref == "" {
				at++
			} else if c := columnOf(ref); c > at {
				at = c
			} else {
				return fmt.Errorf("cell %.40q does not stand in its place", ref)
			}
			if at >= MaxColumns {
				return fmt.Errorf("it has more than %d columns", MaxColumns)
			}
			if err := f.cell(r, at, t); err != nil {
				return err
			}
		}
	}
}

// cell reads one cell.
func (f *File) cell(r *row, at int, start xml.StartElement) error {
	kind := attribute(start, "t")
	var value []byte
	var in inText
	has := false
	for depth := 1; depth > 0; {
		t, err := f.marks.next()
		if err != nil {
			return unexpected(err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			depth++
			in.start(t.Name.Local)
			has = has || in.shown
		case xml.EndElement:
			depth--
			in.end(t.Name.Local)
		case xml.CharData:
			if !in.shown {
				continue
			}
			if value, err = appendPiece(value, 0, t); err != nil {
				return err
			}
		}
	}
	if !has {
		return nil
	}
	if err := f.put(r, kind, attribute(start, "s"), value); err != nil {
		return err
	}
	r.cells = append(r.cells, cell{at, r.words.Len() - 1})
	return nil
}

// put adds the text of a cell.
func (f *File) put(r *row, kind, styled string, value []byte) error {
	w := &r.words
	switch kind {
	case "s":
		n, err := strconv.Atoi(string(value))
		if err != nil || n < 0 || n >= f.shared.Len() {
			return fmt.Errorf("it has no shared text %.40q", value)
		}
		text := f.shared.At(n)
		if err := f.account.Work(int64(len(text))); err != nil { // a short cell may name a long one
			return err
		}
		w.Text = appendText(w.Text, text)
	case "b":
		w.Text = strconv.AppendBool(w.Text, string(value) == "1")
	case "str", "inlineStr", "e", "d":
		w.Text = appendText(w.Text, value)
	default:
		n, _ := strconv.Atoi(styled)
		if len(value) > 0 {
			w.Text = f.styleOf(n).append(w.Text, string(value), f.book.early)
		}
	}
	w.End()
	if len(w.Text) > limits.MaxLine {
		return fmt.Errorf("it has more than %s of text", limits.Bytes(limits.MaxLine))
	}
	return nil
}

func (f *File) styleOf(n int) style {
	if n < 0 || n >= len(f.styles) {
		return style{}
	}
	return f.styles[n]
}

// appendText appends a text, in which _x000D_ stands for the character of that number.
func appendText(dst, text []byte) []byte {
	for i := 0; i < len(text); i++ {
		if text[i] == '_' && i+7 <= len(text) && text[i+1] == 'x' && text[i+6] == '_' {
			if n, err := strconv.ParseUint(string(text[i+2:i+6]), 16, 16); err == nil {
				dst = append(dst, string(rune(n))...)
				i += 6
				continue
			}
		}
		dst = append(dst, text[i])
	}
	return dst
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
