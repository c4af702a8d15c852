package database

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"mingle/dataset/rows"
)

// sqliteMark stands in the SQL that made a table, which SQLite keeps: its tables have no comments.
const sqliteMark = "/* " + Mark + " */"

// sqliteTable is a table that is being written, in a transaction that ends with it.
type sqliteTable struct {
	ctx   context.Context
	file  *sqliteFile
	table string
	force bool
	incoming
	ended bool
}

// checkSQLite looks into a file that is there.
func checkSQLite(ctx context.Context, to rows.Location, opts rows.Options) error {
	if _, err := os.Stat(to.Address); errors.Is(err, fs.ErrNotExist) {
		return nil // it will be new
	}
	f, err := openSQLite(ctx, to, "rw")
	if err != nil {
		return err
	}
	defer f.end()
	_, err = (&sqliteTable{ctx: ctx, file: f, table: to.Table, force: opts.Force}).mayReplace()
	return err
}

func createSQLite(
	ctx context.Context, to rows.Location, opts rows.Options,
) (rows.Table, error) {
	f, err := openSQLite(ctx, to, "rw")
	if err != nil {
		return nil, err
	}
	t := &sqliteTable{ctx: ctx, file: f, table: to.Table, force: opts.Force}
	t.incoming = incoming{staging: stagingName(), begin: t.create}
	// a new name for the table must not be held against views, which read the former one
	pragmas := []string{"PRAGMA legacy_alter_table = ON"}
	if opts.Unfinished {
		pragmas = append(pragmas, "PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF")
	}
	for _, statement := range append(pragmas, "BEGIN IMMEDIATE") {
		if err = f.run(ctx, statement); err != nil {
			break
		}
	}
	if err == nil {
		_, err = t.mayReplace()
	}
	if err != nil {
		t.Abort()
		return nil, err
	}
	return t, nil
}

// mayReplace tells whether there is a table that is replaced. It refuses one that the program did
// not write.
func (t *sqliteTable) mayReplace() (there bool, err error) {
	names, made, err := t.file.tables(t.ctx)
	if err != nil {
		return false, err
	}
	for i, name := range names {
		switch {
		case !strings.EqualFold(name, t.table):
		case !t.force:
			return true, fmt.Errorf(t.file.name+": "+existsText, name)
		case !strings.Contains(made[i], sqliteMark):
			return true, fmt.Errorf(t.file.name+": "+foreignText, name)
		default:
			return true, nil
		}
	}
	return false, nil
}

// create creates the table.
func (t *sqliteTable) create() (*sink, error) {
	var columns, places []string
	for _, c := range t.header.Columns {
		columns, places = append(columns, identifier(c.Name)+" TEXT"), append(places, "?")
	}
	err := t.file.run(t.ctx, "CREATE TABLE "+identifier(t.staging)+" ("+sqliteMark+" "+
		strings.Join(columns, ", ")+")")
	if err != nil {
		return nil, err
	}
	insert, err := t.file.PrepareContext(t.ctx, "INSERT INTO "+identifier(t.staging)+" VALUES ("+
		strings.Join(places, ", ")+")")
	if err != nil {
		return nil, t.file.explain(t.ctx, err)
	}
	arguments := make([]any, len(columns))
	return drain(func(r io.Reader) error {
		defer insert.Close()
		return rows.Tuples(r, func(values [][]byte) error {
			for i, value := range values {
				var err error
				if arguments[i], err = argument(t.header.Columns[i].Type, value); err != nil {
					return err
				}
			}
			_, err := insert.ExecContext(t.ctx, arguments...)
			return t.file.explain(t.ctx, err)
		})
	}), nil
}

// argument is a value as SQLite keeps it: a list is a JSON array.
func argument(t rows.Type, value []byte) (any, error) {
	if value == nil {
		return nil, nil
	}
	if t != rows.TextArray {
		return string(value), nil
	}
	items, err := rows.Elements(value)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(items); err != nil {
		return nil, err
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// Back streams the table from within the transaction. What was written as a list is one, also
// where the table is empty.
func (t *sqliteTable) Back(ctx context.Context) (io.ReadCloser, error) {
	r, err := t.file.query(ctx, "SELECT * FROM "+identifier(t.staging)+" ORDER BY rowid")
	if err != nil {
		return nil, err
	}
	for i, c := range t.header.Columns {
		r.columns[i].Type = rows.Text
		if c.Type == rows.TextArray {
			r.columns[i].Type = rows.JSON
		}
	}
	return stream(ctx, r.write, func() { r.Close() }), nil
}

// Place gives the table its name, in place of the former one.
func (t *sqliteTable) Place() error {
	former, err := t.mayReplace()
	if err == nil && former {
		err = t.file.run(t.ctx, "DROP TABLE "+identifier(t.table))
	}
	if err == nil {
		err = t.file.run(t.ctx, "ALTER TABLE "+identifier(t.staging)+" RENAME TO "+
			identifier(t.table))
	}
	return err
}

// Commit makes the table appear.
func (t *sqliteTable) Commit() error {
	t.ended = true
	err := t.file.run(context.Background(), "COMMIT")
	if err != nil {
		t.file.run(context.Background(), "ROLLBACK")
	}
	t.file.end()
	return err
}

// Abort undoes everything.
func (t *sqliteTable) Abort() {
	t.sink.finish(errAborted)
	if t.ended {
		return
	}
	t.ended = true
	t.file.run(context.Background(), "ROLLBACK")
	t.file.end()
}
