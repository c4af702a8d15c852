package bag

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"mingle/dataset"
)

// Sniff finds the format by the first line that is not empty, and returns a reader of all of r. Values between
// delimiters are a basket file, values between blanks a fimi file, an object jsonl. A line with anything else names columns: one called values,
// items or set makes a table, one called value or item, beside one for the record, or two columns, a long file.
func (l *Layout) Sniff(r io.Reader) (io.Reader, error) {
	const most = 1 << 16
	br := bufio.NewReaderSize(r, most)
	head, _ := br.Peek(most)
	line := firstLine(head)
	delim := string(l.delimiter())
	switch names := strings.Split(strings.ToLower(line), delim); {
	case strings.HasPrefix(line, "{"):
		l.Format = dataset.JSONL
	case l.Set == "" && l.ID == "" && l.allValues(strings.Split(line, delim)):
		l.Format = dataset.Basket
		if !strings.Contains(line, delim) && (len(strings.Fields(line)) > 1 || l.isFimi()) {
			l.Format = dataset.Fimi
		}
	case l.Set == "" && l.ID == "" && l.allValues(strings.Fields(line)):
		l.Format = dataset.Fimi
	case l.ID != "" || has(names, "value", "item") || len(names) == 2 && !has(names, "values", "items", "set") && l.Set == "":
		l.Format = dataset.Long
	case l.Set != "" || has(names, "values", "items", "set"):
		l.Format = dataset.Table
	default:
		return nil, fmt.Errorf("%s:1: %.60q is neither a list of %ss nor a line of column names with one for the values: name the format (fimi, basket, table, long or jsonl) or the column",
			l.name(), line, l.Kind)
	}
	return br, nil
}

// isFimi tells whether the name of the file says that values stand between blanks: a line of one value
// does not tell.
func (l *Layout) isFimi() bool {
	name := strings.ToLower(l.Name)
	for _, packed := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	return strings.HasSuffix(name, ".dat")
}

func firstLine(head []byte) string {
	for len(head) > 0 {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte("\n"))
		if s := strings.TrimSpace(string(line)); s != "" {
			return s
		}
	}
	return ""
}

// allValues tells whether some field is a value or a range, or all are empty: a header has none. A faulty field beside values is
// for the reader to report.
func (l *Layout) allValues(fields []string) bool {
	empty := true
	for _, f := range fields {
		f = strings.Trim(strings.TrimSpace(f), `"`)
		empty = empty && f == ""
		if _, err := l.Kind.ParseTerm(f); err == nil {
			return true
		}
	}
	return empty
}

func has(names []string, wanted ...string) bool {
	for _, n := range names {
		for _, w := range wanted {
			if strings.Trim(strings.TrimSpace(n), `"`) == w {
				return true
			}
		}
	}
	return false
}
