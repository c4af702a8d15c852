package experiment

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"mingle/internal/disk"
	"mingle/internal/limits"
	"mingle/internal/publish"
)

// Table is the results so far, one row a cell, in a csv file that grows by one row for each
// finished cell.
type Table struct {
	Rows []Row

	path  string
	at    map[Cell]int
	stale bool // the file has rows that later ones replace
}

// HoldTable has a table for this run alone until release is called: two runs at once would both add
// the same rows. The error says that another run has it.
func HoldTable(path string) (release func() error, err error) { return publish.Grow(path) }

// OpenTable reads the results of earlier runs; there need not be any. A last row that was not
// written to its end is dropped: its cell is run again. So are rows that later ones replace.
func OpenTable(path string) (*Table, error) {
	t := &Table{path: path, at: map[Cell]int{}}
	text, err := limits.File(path, limits.MaxResults, "the results of earlier runs")
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	whole := wholeRows(text)
	if len(whole) == 0 && !strings.HasPrefix(strings.Join(Columns(), ","), string(text)) {
		return nil, fmt.Errorf("%s: %w", path, errColumns)
	}
	if err := t.read(string(whole)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(whole) < len(text) {
		if err := disk.Truncate(path, int64(len(whole))); err != nil {
			return t, err
		}
	}
	return t, t.tidy()
}

// tidy takes rows that later ones replace out of the file.
func (t *Table) tidy() error {
	if !t.stale {
		return nil
	}
	set := &publish.Set{Force: true}
	defer set.Abort()
	err := writeInto(set, t.path, func(w io.Writer) error { return write(w, t.Rows, true) })
	if err == nil {
		err = set.Commit()
	}
	t.stale = err != nil
	return err
}

var errColumns = errors.New("line 1: these are not results of this version: the columns differ; " +
	"name another directory, or move what is there away, to begin anew")

// wholeRows is the text up to the end of its last whole row. A message has several lines at times:
// only a line break outside quotes ends a row. A quote that neither begins a field nor is within
// one quotes nothing: what reads the rows refuses it.
func wholeRows(text []byte) []byte {
	quoted, closed, end := false, -1, 0
	for i, b := range text {
		switch b {
		case '"':
			if quoted {
				closed = i
			}
			begins := i == 0 || text[i-1] == ',' || text[i-1] == '\n'
			quoted = !quoted && (begins || closed == i-1) // twice where a quote is meant
		case '\n':
			if !quoted {
				end = i + 1
			}
		}
	}
	return text[:end]
}

func (t *Table) read(text string) error {
	r := csv.NewReader(strings.NewReader(text))
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	if !slices.Equal(header, Columns()) {
		return errColumns
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var row Row
		for i, f := range fields {
			if err := row.parse(f, record[i]); err != nil {
				line, _ := r.FieldPos(i)
				return fmt.Errorf("line %d: column %s: %w", line, header[i], err)
			}
		}
		t.keep(row)
	}
}

// keep puts a row in; a later row of a cell replaces an earlier one.
func (t *Table) keep(row Row) {
	if i, there := t.at[row.Cell]; there {
		t.Rows[i], t.stale = row, true
		return
	}
	t.at[row.Cell] = len(t.Rows)
	t.Rows = append(t.Rows, row)
}

// Find finds the row of a cell.
func (t *Table) Find(c Cell) (Row, bool) {
	i, there := t.at[c]
	if !there {
		return Row{}, false
	}
	return t.Rows[i], true
}

// Add keeps a row, in the file too: after an error it is not there, not even in part.
func (t *Table) Add(row Row) error {
	f, err := disk.OpenFile(t.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := errors.Join(write(f, []Row{row}, info.Size() == 0), f.Sync()); err != nil {
		return errors.Join(err, disk.Truncate(t.path, info.Size()))
	}
	t.keep(row)
	return nil
}

// write writes rows, below the names of the columns where these are not there.
func write(to io.Writer, rows []Row, names bool) error {
	w := csv.NewWriter(to)
	if names {
		if err := w.Write(Columns()); err != nil {
			return err
		}
	}
	for i := range rows {
		record := make([]string, 0, len(fields))
		for _, f := range fields {
			record = append(record, spell(reflect.ValueOf(rows[i]).FieldByIndex(f.Index)))
		}
		if err := w.Write(record); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// Select are the rows of a plan's cells in the plan's order.
func (t *Table) Select(p *Plan) []Row {
	var out []Row
	for _, task := range p.Cells() {
		if row, ok := t.Find(task.Cell); ok {
			out = append(out, row)
		}
	}
	return out
}
