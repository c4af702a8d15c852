package bag

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mingle/dataset"
)

// Write writes bags in a layout. Record i of the file is record i of b; the values of a record ascend. A text that the
// layout cannot hold (a timestamp with a blank in a fimi file) is an error that names it.
func Write(w io.Writer, b *Bags, l *Layout) error {
	bw := bufio.NewWriterSize(w, 1<<16)
	var err error
	switch l.Format {
	case dataset.Fimi:
		err = writeLines(bw, b, " ")
	case dataset.Basket:
		err = writeLines(bw, b, string(l.delimiter()))
	case dataset.Table:
		err = l.writeTable(bw, b)
	case dataset.Long:
		err = l.writeLong(bw, b)
	case dataset.JSONL:
		err = l.writeJSONL(bw, b)
	default:
		return fmt.Errorf("bags of numbers are written to fimi, basket, table, long and jsonl files, not to %q", l.Format)
	}
	if err != nil {
		return err
	}
	return bw.Flush()
}

// spell are the terms' texts; one that holds the separator cannot be told from two.
func spell(b *Bags, separator string) ([]string, error) {
	texts := make([]string, len(b.terms))
	for i, t := range b.terms {
		texts[i] = t.String()
		if strings.Contains(texts[i], separator) {
			return nil, fmt.Errorf("%q holds the separator %q: choose another delimiter or format", texts[i], separator)
		}
	}
	return texts, nil
}

func writeLines(w *bufio.Writer, b *Bags, separator string) error {
	texts, err := spell(b, separator)
	if err != nil {
		return err
	}
	for i := range b.Len() {
		for n, id := range b.Record(i) {
			if n > 0 {
				_, _ = w.WriteString(separator)
			}
			_, _ = w.WriteString(texts[id])
		}
		if err := w.WriteByte('\n'); err != nil {
			return err
		}
	}
	return nil
}

// writeTable puts the bags back into their column, among the columns that passed through. Without a header there is
// one column, "values".
func (l *Layout) writeTable(w io.Writer, b *Bags) error {
	texts, err := spell(b, l.inner())
	if err != nil {
		return err
	}
	set := l.Set
	header := l.Header
	if set == "" {
		set = "values"
	}
	if header == nil {
		for _, c := range b.Columns {
			header = append(header, c.Name)
		}
		header = append(header, set)
	}
	c := csv.NewWriter(w)
	c.Comma = l.delimiter()
	if err := c.Write(header); err != nil {
		return err
	}
	row := make([]string, len(header))
	var fields []string
	for i := range b.Len() {
		fields = fields[:0]
		for _, id := range b.Record(i) {
			fields = append(fields, texts[id])
		}
		at := 0
		for n, name := range header {
			if name == set {
				row[n] = strings.Join(fields, l.inner())
				continue
			}
			row[n] = b.Columns[at].Values[i]
			at++
		}
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// writeLong writes a row a value. Records are named as they were read, else by number; empty ones leave no row.
func (l *Layout) writeLong(w io.Writer, b *Bags) error {
	id, set := l.ID, l.Set
	if id == "" {
		id = "record"
	}
	if set == "" {
		set = "value"
	}
	c := csv.NewWriter(w)
	c.Comma = l.delimiter()
	if err := c.Write([]string{id, set}); err != nil {
		return err
	}
	for i := range b.Len() {
		name := strconv.Itoa(i + 1)
		if len(b.Columns) > 0 && b.Columns[0].Name == id {
			name = b.Columns[0].Values[i]
		}
		for _, term := range b.Record(i) {
			if err := c.Write([]string{name, b.terms[term].String()}); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}
