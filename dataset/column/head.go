package column

import (
	"io"
	"strings"
)

// CellText is how many bytes of a value [Head] shows.
const CellText = 1000

// Head is the beginning of a file, for whoever chooses how to read it: the names of its columns as
// the first record, then its first rows, n at most, or fewer where they are large. The elements of
// a list are one text with semicolons between them; NULL and what cannot be read are empty, and
// long texts are cut off. lists are the names of the columns of lists. Columns are chosen by it,
// and a batch is read.
func Head(s Source, n int) (records [][]string, lists []string, err error) {
	fields, chosen := s.Fields(), []int(nil)
	names := make([]string, len(fields))
	for i, f := range fields {
		if names[i] = f.Name; f.Unusable != "" {
			continue
		}
		chosen = append(chosen, i)
		if f.List {
			lists = append(lists, f.Name)
		}
	}
	var b Batch
	if err := s.Choose(chosen); err != nil {
		return nil, nil, err
	}
	if err := s.Next(&b); err != nil && err != io.EOF {
		return nil, nil, err
	}
	records = [][]string{names}
	for row := range min(b.Rows, n) {
		record := make([]string, len(fields))
		for i, at := range chosen {
			record[at] = b.Cells[i].shown(row, fields[at].List)
		}
		records = append(records, record)
	}
	return records, lists, nil
}

// shown is the value of a row, as it is shown.
func (c *Cells) shown(row int, list bool) string {
	from, to := row, row+1
	if list {
		from, to = 0, int(c.Ends[row])
		if row > 0 {
			from = int(c.Ends[row-1])
		}
	}
	var out []string
	for i := from; i < to; i++ {
		out = append(out, string(c.Text(i)))
	}
	text := strings.Join(out, ";")
	if len(text) > CellText {
		text = text[:CellText]
	}
	return strings.ToValidUTF8(text, "")
}
