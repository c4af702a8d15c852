package bag

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"mingle/dataset"
	"mingle/internal/limits"
)

// Layout says how a file of bags is laid out: one of the formats fimi, basket, table, long and jsonl of package dataset.
type Layout struct {
	Format    dataset.Format
	Name      string // of the file, for errors
	Delimiter rune   // between fields of basket, table and long; default ','
	Inner     rune   // table: between the values of a bag; default ';', or ',' where Delimiter is ';'
	Set       string // table, jsonl: the column of the bags (default "values", "items" or "set"). Long: the column of the values (default: "value", "item", or the second of two)
	ID        string // long: the column that says which record (default: "record", "transaction", "transaction_id", "tid", or the first of two)
	Kind      Kind
	Ranges    bool // the fields may be ranges: a published file
	Own       bool // the program wrote the file itself: it may unpack to any multiple of its size

	// Header are the names of the columns of a table or long file, or of the fields of jsonl, filled in by [Read] and used
	// by [Write].
	Header []string
	raw    bool // columns hold JSON as it was read
}

func (l *Layout) delimiter() rune {
	if l.Delimiter == 0 {
		return ','
	}
	return l.Delimiter
}

func (l *Layout) inner() string {
	switch {
	case l.Inner != 0:
		return string(l.Inner)
	case l.delimiter() == ';':
		return ","
	}
	return ";"
}

func (l *Layout) name() string {
	if l.Name == "" {
		return "input"
	}
	return l.Name
}

func (l *Layout) parse(s string) (Term, error) {
	t, err := l.Kind.ParseTerm(s)
	if err == nil && !l.Ranges && strings.HasPrefix(s, "[") {
		return t, errRange
	}
	return t, err
}

// Read reads a file of bags, plain or compressed by gzip or zstd. A format that is not given is found by [Layout.Sniff].
// What is wrong is told with its lines, the first 20 faults and a count of the others, as
// a *dataset.Faults. Blank lines of fimi and basket files are empty records.
func Read(r io.Reader, l *Layout) (*Bags, error) {
	rd := &reader{l: l, b: NewBuilder(), faults: dataset.Faults{Name: l.name()}}
	text, err := limits.Open(r, 1)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.name(), err)
	}
	defer text.Close()
	if rd.account = text.Account(0); l.Own {
		rd.account.Off()
	}
	r = text
	if l.Format == "" {
		if r, err = l.Sniff(r); err != nil {
			return nil, err
		}
	}
	l.raw = l.Format == dataset.JSONL
	switch l.Format {
	case dataset.Fimi:
		err = rd.lines(r, func(s string) []string { return strings.Fields(s) })
	case dataset.Basket:
		err = rd.basket(r)
	case dataset.Table:
		err = rd.table(r)
	case dataset.Long:
		err = rd.long(r)
	case dataset.JSONL:
		err = rd.jsonl(r)
	default:
		return nil, fmt.Errorf("%s: bags of numbers are read from fimi, basket, table, long and jsonl files, not from %q", l.name(), l.Format)
	}
	if err != nil {
		return nil, err
	}
	if len(rd.faults.List) > 0 {
		return nil, &rd.faults
	}
	if err := rd.b.Err(); err != nil {
		return nil, err
	}
	out := rd.b.Build()
	out.Columns = rd.columns
	return out, nil
}

type reader struct {
	l       *Layout
	b       *Builder
	columns []dataset.Column
	at      map[string]int // jsonl: name -> column
	faults  dataset.Faults
	account *limits.Account
	cells   int64 // bytes of the columns' values, and of rows of long files
}

// What is kept of a value of a column beside its text, and of a row of a long file.
const (
	bytesPerCell = 16
	bytesPerRow  = 48
)

// end ends the record that began on a line.
func (rd *reader) end(line int) error {
	rd.b.End(line)
	return rd.hold(line)
}

func (rd *reader) hold(line int) error {
	if err := rd.account.Hold(rd.b.held() + rd.cells); err != nil {
		return fmt.Errorf("%s:%d: %w", rd.l.name(), line, err)
	}
	return nil
}

const maxFaults = 20

func (rd *reader) fault(line int, err error) {
	if len(rd.faults.List) == maxFaults {
		rd.faults.More++
		return
	}
	rd.faults.List = append(rd.faults.List, dataset.Fault{Line: line, Text: err.Error()})
}

func (rd *reader) fields(fields []string, line int) {
	for _, f := range fields {
		if err := rd.b.AddField([]byte(strings.TrimSpace(f)), rd.l.parse); err != nil {
			rd.fault(line, err)
		}
	}
}

// lines reads a record a line.
func (rd *reader) lines(r io.Reader, split func(string) []string) error {
	for in := limits.NewLines(r, 0); ; {
		text, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", rd.l.name(), in.N, err)
		}
		rd.fields(split(strings.TrimRight(string(text), "\r\n")), in.N)
		if err := rd.end(in.N); err != nil {
			return err
		}
	}
}

// basket splits at the delimiter; a field may be quoted, but holds a number, so that it never spans lines.
func (rd *reader) basket(r io.Reader) error {
	delim := string(rd.l.delimiter())
	return rd.lines(r, func(s string) []string {
		if strings.TrimSpace(s) == "" {
			return nil
		}
		fields := strings.Split(s, delim)
		for i, f := range fields {
			if t := strings.TrimSpace(f); len(t) >= 2 && t[0] == '"' && t[len(t)-1] == '"' {
				fields[i] = t[1 : len(t)-1]
			}
		}
		return fields
	})
}

// csvFile is a CSV file with a header.
type csvFile struct {
	*csv.Reader
	source *limits.Records
	line   int // of the record that was read last, from 1
}

// Read reads a record.
func (c *csvFile) Read() ([]string, error) {
	row, err := c.Reader.Read()
	if err == nil {
		c.line, _ = c.FieldPos(0)
	}
	c.source.Done = c.InputOffset()
	return row, err
}

func (rd *reader) csv(r io.Reader) (*csvFile, error) {
	source := &limits.Records{R: r}
	c := &csvFile{Reader: csv.NewReader(source), source: source}
	c.Comma = rd.l.delimiter()
	c.ReuseRecord = true
	header, err := c.Read()
	if errors.Is(err, io.EOF) {
		return c, fmt.Errorf("%s: the file is empty: the first line names the columns", rd.l.name())
	}
	if err != nil {
		return c, rd.wrap(c, err)
	}
	if len(header) > limits.MaxColumns {
		return c, fmt.Errorf("%s:1: there are %d columns, of which at most %d are read: is the delimiter right?", rd.l.name(), len(header), limits.MaxColumns)
	}
	rd.l.Header = slices.Clone(header)
	for i, name := range header {
		if slices.Contains(header[:i], name) {
			return c, fmt.Errorf("%s:1: two columns are called %q: rename one", rd.l.name(), name)
		}
	}
	return c, nil
}

func (rd *reader) wrap(c *csvFile, err error) error {
	if _, ok := errors.AsType[*limits.TooLarge](err); ok {
		return fmt.Errorf("%s:%d: after this line: %w", rd.l.name(), c.line, err)
	}
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("%s:%d: %w", rd.l.name(), p.Line, p.Err)
	}
	return fmt.Errorf("%s: %w", rd.l.name(), err)
}

// table reads a column of bags; the other columns pass through.
func (rd *reader) table(r io.Reader) error {
	c, err := rd.csv(r)
	if err != nil {
		return err
	}
	set, err := rd.l.column(rd.l.Set, "bags", "values", "items", "set")
	if err != nil {
		return err
	}
	for i, name := range rd.l.Header {
		if i != set {
			rd.columns = append(rd.columns, dataset.Column{Name: name})
		}
	}
	for {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return rd.wrap(c, err)
		}
		line, _ := c.FieldPos(set)
		at := 0
		for i, field := range row {
			if i != set {
				rd.columns[at].Values = append(rd.columns[at].Values, strings.Clone(field))
				rd.cells += bytesPerCell + int64(len(field))
				at++
			}
		}
		if row[set] != "" {
			rd.fields(strings.Split(row[set], rd.l.inner()), line)
		}
		if err := rd.end(line); err != nil {
			return err
		}
	}
}

// long reads a value a row; rows of one record need not stand together. Records keep the order of their first rows.
func (rd *reader) long(r io.Reader) error {
	c, err := rd.csv(r)
	if err != nil {
		return err
	}
	id, value, err := rd.l.pair()
	if err != nil {
		return err
	}
	type record struct {
		line   int
		fields []string
		at     []int
	}
	index := map[string]int{}
	var records []record
	var ids []string
	for {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return rd.wrap(c, err)
		}
		line, _ := c.FieldPos(value)
		n, ok := index[row[id]]
		if !ok {
			n = len(records)
			key := strings.Clone(row[id])
			index[key] = n
			ids = append(ids, key)
			records = append(records, record{line: line})
		}
		records[n].fields = append(records[n].fields, strings.Clone(row[value]))
		records[n].at = append(records[n].at, line)
		rd.cells += bytesPerRow + int64(len(row[value]))
		if !ok {
			rd.cells += 2*bytesPerRow + int64(len(row[id]))
		}
		if err := rd.hold(line); err != nil {
			return err
		}
	}
	for _, rec := range records {
		for i, f := range rec.fields {
			rd.fields([]string{f}, rec.at[i])
		}
		rd.b.End(rec.line)
	}
	slices.SortFunc(rd.faults.List, func(a, b dataset.Fault) int { return a.Line - b.Line })
	rd.columns = []dataset.Column{{Name: rd.l.Header[id], Values: ids}}
	return nil
}

func (l *Layout) pair() (id, value int, err error) {
	names := []string{"record", "transaction", "transaction_id", "tid"}
	if id, err = l.column(l.ID, "records", names...); err != nil && (l.ID != "" || len(l.Header) != 2) {
		return 0, 0, err
	} else if err != nil {
		id = 0
	}
	if value, err = l.column(l.Set, "values", "value", "item"); err != nil && (l.Set != "" || len(l.Header) != 2) {
		return 0, 0, err
	} else if err != nil {
		value = 1 - id
	}
	if id == value {
		return 0, 0, fmt.Errorf("%s: column %q cannot say both which record and which value", l.name(), l.Header[id])
	}
	l.ID, l.Set = l.Header[id], l.Header[value]
	return id, value, nil
}

// column finds the column that is given, else the only one with one of the usual names.
func (l *Layout) column(given, what string, usual ...string) (int, error) {
	found := -1
	for i, h := range l.Header {
		switch {
		case h == given && given != "":
			return i, nil
		case given == "" && slices.Contains(usual, strings.ToLower(h)):
			if found >= 0 {
				return 0, fmt.Errorf("%s: columns %q and %q may both hold the %s: say which", l.name(), l.Header[found], h, what)
			}
			found = i
		}
	}
	if found < 0 && given != "" {
		return 0, fmt.Errorf("%s: there is no column %q; the columns are %s", l.name(), given, strings.Join(l.Header, ", "))
	}
	if found < 0 {
		return 0, fmt.Errorf("%s: no column is called %s: say which one holds the %s; the columns are %s",
			l.name(), strings.Join(usual, " or "), what, strings.Join(l.Header, ", "))
	}
	if what != "records" {
		l.Set = l.Header[found]
	}
	return found, nil
}
