package database

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mingle/dataset/column"
	"mingle/dataset/rows"
)

// readSQLite streams a table, or the only one, or a query.
func readSQLite(ctx context.Context, from rows.Location, query string) (io.ReadCloser, error) {
	f, err := openSQLite(ctx, from, readOnly)
	if err != nil {
		return nil, err
	}
	if query == "" {
		query, err = f.wholeTable(ctx, from.Table)
	}
	query = trimmed(query)
	var r *sqliteRows
	if err == nil {
		r, err = f.query(ctx, query)
	}
	if err != nil {
		f.end()
		return nil, err
	}
	return stream(ctx, r.write, func() {
		r.Close()
		f.end()
	}), nil
}

// wholeTable is the query of a table.
func (f *sqliteFile) wholeTable(ctx context.Context, table string) (string, error) {
	names, _, err := f.tables(ctx)
	switch {
	case err != nil:
		return "", err
	case len(names) == 0:
		return "", fmt.Errorf("%s: the file has no table", f.name)
	case table == "" && len(names) == 1:
		table = names[0]
	case table == "":
		return "", fmt.Errorf("%s: name the table with --table, or give a query with --query: there "+
			"are %s", f.name, list(names))
	case !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, table) }):
		return "", fmt.Errorf("%s: there is no table %s: there are %s", f.name, table, list(names))
	}
	return "SELECT * FROM " + identifier(table), nil
}

func list(names []string) string { return strings.Join(names[:min(12, len(names))], ", ") }

// sqliteRows are the rows of a query, of which some have been read to find out what is in them:
// SQLite's columns have no types.
type sqliteRows struct {
	*sql.Rows
	file    *sqliteFile
	columns []rows.Column
	dates   []bool // columns whose texts the driver would take for times
	looked  [][]any
}

// looks is how many rows are looked at.
const looks = 100

// query begins a query, and finds out which columns hold lists.
func (f *sqliteFile) query(ctx context.Context, query string) (*sqliteRows, error) {
	r, err := f.begin(ctx, query)
	if err != nil {
		return nil, err
	}
	if slices.Contains(r.dates, true) { // a plus before a column takes its type away, and no more
		var columns []string
		for i, c := range r.columns {
			plus := ""
			if r.dates[i] {
				plus = "+"
			}
			columns = append(columns, plus+identifier(c.Name)+" AS "+identifier(c.Name))
		}
		r.Close()
		r, err = f.begin(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM ("+query+"\n)")
		if err != nil {
			return nil, err
		}
	}
	for len(r.looked) < looks && r.Next() {
		values, err := r.values()
		if err != nil {
			r.Close()
			return nil, f.explain(ctx, err)
		}
		r.looked = append(r.looked, slices.Clone(values))
	}
	for i := range r.columns {
		if r.lists(i) {
			r.columns[i].Type = rows.JSON
		}
	}
	return r, nil
}

// begin begins a query. It is one that can be part of another one, so that it only reads.
func (f *sqliteFile) begin(ctx context.Context, query string) (*sqliteRows, error) {
	err := f.one(ctx, query)
	var found *sql.Rows
	if err == nil {
		found, err = f.QueryContext(ctx, within(query))
	}
	if err != nil {
		return nil, f.refused(ctx, err)
	}
	types, err := found.ColumnTypes()
	if err != nil {
		found.Close()
		return nil, f.explain(ctx, err)
	}
	r := &sqliteRows{Rows: found, file: f}
	for _, t := range types {
		r.columns = append(r.columns, rows.Column{Name: t.Name(), Type: rows.Text, TypeName: "text"})
		date := slices.Contains([]string{"DATE", "DATETIME", "TIMESTAMP"}, t.DatabaseTypeName())
		r.dates = append(r.dates, date)
	}
	return r, nil
}

// refused is an error about a query.
func (f *sqliteFile) refused(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: the query is refused: give another one with --query", f.explain(ctx, err))
}

// values are those of a row.
func (r *sqliteRows) values() ([]any, error) {
	values, at := make([]any, len(r.columns)), make([]any, len(r.columns))
	for i := range values {
		at[i] = &values[i]
	}
	return values, r.Scan(at...)
}

// lists tells whether all values of a column that were looked at are JSON arrays.
func (r *sqliteRows) lists(i int) bool {
	some := false
	for _, row := range r.looked {
		text, is := row[i].(string)
		switch {
		case row[i] == nil:
		case is && strings.HasPrefix(strings.TrimSpace(text), "[") && json.Valid([]byte(text)):
			some = true
		default:
			return false
		}
	}
	return some
}

// write writes the stream.
func (r *sqliteRows) write(ctx context.Context, w io.Writer) error {
	buf := rows.AppendStart(rows.HeaderOf(r.columns))
	number := 0
	for more := true; more; {
		var values []any
		var err error
		if number < len(r.looked) {
			values = r.looked[number]
		} else if more = r.Next(); more {
			values, err = r.values()
		} else {
			break
		}
		number++
		if err == nil {
			buf, err = r.append(buf, values, number)
		}
		if err == nil && len(buf) >= pieceSize/4 {
			_, err = w.Write(buf)
			buf = buf[:0]
		}
		if err != nil {
			return err
		}
	}
	if err := r.file.explain(ctx, r.Err()); err != nil {
		return err
	}
	_, err := w.Write(rows.AppendEnd(buf))
	return err
}

// append appends a row, every value as a text.
func (r *sqliteRows) append(buf []byte, values []any, number int) ([]byte, error) {
	buf = rows.AppendRow(buf, len(values))
	var text []byte
	for i, value := range values {
		there := true
		switch v := value.(type) {
		case nil:
			there = false
		case string:
			buf = rows.AppendValue(buf, v)
			continue
		case int64:
			text = strconv.AppendInt(text[:0], v, 10)
		case float64:
			text, there = column.AppendFloat(text[:0], v, 64)
		default:
			return buf, fmt.Errorf("row %d: column %q holds a blob: cast it in --query, as in "+
				"CAST(%s AS TEXT), or leave it out", number, r.columns[i].Name,
				r.columns[i].Name)
		}
		if !there {
			buf = rows.AppendNull(buf)
			continue
		}
		buf = rows.AppendValue(buf, text)
	}
	return buf, nil
}
