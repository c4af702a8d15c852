package bag

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mingle/dataset"
)

// sniff finds the format by the first line that is not empty. Values between delimiters are a
// basket file, values between blanks a fimi file, an object jsonl. A line with anything else names
// columns: one called values, items or set makes a table, one called value or item, beside one for
// the record, or two columns, a long file.
func (l *Layout) sniff(head []byte) (dataset.Format, error) {
	line := firstLine(head)
	format, err := l.shown(line)
	// of a published file the reader refuses texts that are no terms, such as 000
	if format == dataset.Fimi && l.Kind.layout == nil && !l.Ranges && l.named(".csv", ".tsv") {
		return "", fmt.Errorf("%s:1: %.60q has blanks, which numbers may have between thousands: "+
			"write 1 000 as 1000, or, where blanks are between numbers, name the format fimi",
			l.Name, line)
	}
	return format, err
}

// shown is the format that a first line shows.
func (l *Layout) shown(line string) (dataset.Format, error) {
	delim := string(cmp.Or(l.Delimiter, ','))
	switch names := strings.Split(strings.ToLower(line), delim); {
	case strings.HasPrefix(line, "{"):
		return dataset.JSONL, nil
	case l.Set == "" && l.ID == "" && l.allValues(strings.Split(line, delim)):
		if !strings.Contains(line, delim) && (len(strings.Fields(line)) > 1 || l.named(".dat")) {
			return dataset.Fimi, nil
		}
		return dataset.Basket, nil
	case l.Set == "" && l.ID == "" && l.allValues(strings.Fields(line)):
		return dataset.Fimi, nil
	case l.ID != "" || has(names, "value", "item") ||
		len(names) == 2 && !has(names, "values", "items", "set") && l.Set == "":
		return dataset.Long, nil
	case l.Set != "" || has(names, "values", "items", "set"):
		return dataset.Table, nil
	}
	return "", fmt.Errorf("%s:1: %.60q is neither a list of %ss nor a line of column names with "+
		"one for the values: "+
		"name the format (fimi, basket, table, long or jsonl) or the column",
		cmp.Or(l.Name, "input"), line, l.Kind)
}

// named tells whether the name of the file, maybe compressed, has one of the extensions: that
// of fimi says that values stand between blanks, which a line of one value does not tell.
func (l *Layout) named(extensions ...string) bool {
	name := strings.ToLower(l.Name)
	for _, packed := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	return slices.Contains(extensions, filepath.Ext(name))
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

// allValues tells whether some field is a value or a range, or all are empty: a header has none. A
// faulty field beside values is for the reader to report.
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
	return slices.ContainsFunc(names, func(n string) bool {
		return slices.Contains(wanted, strings.Trim(strings.TrimSpace(n), `"`))
	})
}

// Beside is the format of the .csv or .tsv file at path, which was published of a file with the
// layout l: that of l where the file has the columns of l, else the one that its beginning shows.
// "": it shows none.
func (l *Layout) Beside(path string) dataset.Format {
	names, err := dataset.FirstRecord(path)
	if err != nil {
		return "" // the reader says what is wrong
	}
	named := func(column string) bool { return column != "" && slices.Contains(names, column) }
	if l.Format == dataset.Table && named(l.Set) ||
		l.Format == dataset.Long && named(l.Set) && named(l.ID) {
		return l.Format
	}
	delimiter := cmp.Or(l.Delimiter, ',')
	fresh := Layout{Delimiter: delimiter, Kind: l.Kind, Ranges: true, Name: path}
	format, _ := fresh.sniff([]byte(strings.Join(names, string(delimiter))))
	if format == dataset.Basket && len(names) == 1 && l.Format == dataset.Fimi {
		return l.Format // a line of one value does not tell
	}
	return format
}
