package database

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"modernc.org/sqlite"

	"mingle/dataset/rows"
	"mingle/internal/disk"
)

// sqliteMark stands in the SQL that made a table, which SQLite keeps: its tables have no comments.
const sqliteMark = "/* " + mark + " */"

// sqliteTable is a table that is being written. Of a new file it stands in its place at once, for
// nobody reads that file yet. Of a file that is there it stands in SQLite's temporary file, which
// has no name and is read by its owner only, until it was judged.
type sqliteTable struct {
	ctx    context.Context
	file   *sqliteFile
	table  string
	schema string // where it stands: in main, or in temp until it is placed
	force  bool
	incoming
	ended bool
}

// The databases of a connection.
const (
	mainSchema = "main" // the file
	tempSchema = "temp" // the temporary file
)

// checkSQLite looks into a file that is there.
func checkSQLite(ctx context.Context, to rows.Location, opts rows.Options) error {
	if _, err := disk.Stat(to.Address); errors.Is(err, fs.ErrNotExist) {
		return nil // it will be new
	}
	f, err := openSQLite(ctx, to, readWrite)
	if err != nil {
		return err
	}
	defer f.end()
	t := &sqliteTable{ctx: ctx, file: f, table: to.Table, force: opts.Force}
	there, err := t.mayReplace()
	if err != nil || !there || opts.Original == nil || !sameFile(*opts.Original, to) {
		return err
	}
	return apartSQLite(ctx, to.Table, opts)
}

// sameFile tells whether two locations are in one file, whatever it is called.
func sameFile(a, b rows.Location) bool {
	if a.Kind != rows.SQLite || b.Kind != rows.SQLite {
		return false
	}
	first, err := disk.Stat(a.Address)
	second, err2 := disk.Stat(b.Address)
	return err == nil && err2 == nil && os.SameFile(first, second)
}

// apartSQLite refuses to replace a table of a file that is read for the original. SQLite asks about
// every table that a statement reads, also through views.
func apartSQLite(ctx context.Context, table string, opts rows.Options) error {
	f, err := openSQLite(ctx, *opts.Original, readOnly)
	if err != nil {
		return err
	}
	defer f.end()
	query := opts.Query
	if query == "" {
		if query, err = f.wholeTable(ctx, opts.Original.Table); err != nil {
			return err
		}
	}
	read := false
	err = f.authorize(func(
		action sqlite.AuthorizerActionCode, first, second, database, by string,
	) sqlite.AuthorizerReturnCode {
		read = read || action == sqlite.AuthRead && strings.EqualFold(first, table)
		return mayRead(action, first, second, database, by)
	})
	if err == nil {
		err = f.refused(ctx, f.one(ctx, trimmed(query)))
	}
	if err == nil && read {
		err = fmt.Errorf(inputText, f.name)
	}
	return err
}

func createSQLite(
	ctx context.Context, to rows.Location, opts rows.Options,
) (rows.Table, error) {
	f, err := openSQLite(ctx, to, readWrite)
	if err != nil {
		return nil, err
	}
	t := &sqliteTable{ctx: ctx, file: f, table: to.Table, schema: tempSchema, force: opts.Force}
	t.incoming = incoming{begin: t.create}
	if opts.Unfinished {
		f.name, t.schema = cmp.Or(opts.Name, f.name), mainSchema
		err = t.run("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF")
	} else {
		err = t.tried()
	}
	if err == nil {
		err = t.run("BEGIN")
	}
	if err != nil {
		t.Abort()
		return nil, err
	}
	return t, nil
}

// tried tells what would keep the table from being placed, as far as that is seen before.
func (t *sqliteTable) tried() error {
	if err := t.run("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	_, err := t.mayReplace()
	return errors.Join(err, t.run("ROLLBACK"))
}

// run runs statements until one fails.
func (t *sqliteTable) run(statements ...string) error {
	for _, statement := range statements {
		if err := t.file.run(t.ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// in is the name of the table in a database.
func (t *sqliteTable) in(schema string) string { return schema + "." + identifier(t.table) }

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
			return true, fmt.Errorf("%s: "+existsText, t.file.name, name, disk.ErrExists)
		case !strings.Contains(made[i], sqliteMark):
			return true, fmt.Errorf("%s: "+foreignText, t.file.name, name)
		default:
			return true, nil
		}
	}
	return false, nil
}

// definition is the statement that makes the table in a database.
func (t *sqliteTable) definition(schema string) string {
	var columns []string
	for _, c := range t.header.Columns {
		columns = append(columns, identifier(c.Name)+" TEXT")
	}
	return "CREATE TABLE " + t.in(schema) + " (" + sqliteMark + " " +
		strings.Join(columns, ", ") + ")"
}

// create creates the table.
func (t *sqliteTable) create() (*sink, error) {
	var names []string
	for _, c := range t.header.Columns {
		names = append(names, c.Name)
	}
	if a, b, same := rows.SameForSQLite(names); same {
		return nil, fmt.Errorf("%s: "+rows.SameText, t.file.name, a, b)
	}
	if err := t.run(t.definition(t.schema)); err != nil {
		return nil, err
	}
	places := strings.Repeat(", ?", len(t.header.Columns))
	insert, err := t.file.PrepareContext(t.ctx, "INSERT INTO "+t.in(t.schema)+" VALUES ("+
		strings.TrimPrefix(places, ", ")+")")
	if err != nil {
		return nil, t.file.explain(t.ctx, err)
	}
	arguments := make([]any, len(t.header.Columns))
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

// Finish waits until all rows are in the table.
func (t *sqliteTable) Finish() error {
	if err := t.incoming.Finish(); err != nil {
		return err
	}
	return t.run("COMMIT")
}

// Back streams the table from where it stands, in the order of its rows: without one that is asked
// for SQLite has no other. What was written as a list is one, also where the table is empty.
func (t *sqliteTable) Back(ctx context.Context) (io.ReadCloser, error) {
	r, err := t.file.query(ctx, "SELECT * FROM "+t.in(t.schema))
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

// Place copies the table to its place in the file, in a transaction that Commit ends. What is
// dropped is overwritten: the former rows shall not be found in the file by whoever gets it.
func (t *sqliteTable) Place() error {
	if t.schema == mainSchema {
		return nil
	}
	if err := t.run("PRAGMA secure_delete = ON", "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	former, err := t.mayReplace()
	if err == nil && former {
		err = t.run("DROP TABLE " + t.in(mainSchema))
	}
	if err != nil {
		return err
	}
	return t.run(t.definition(mainSchema),
		"INSERT INTO "+t.in(mainSchema)+" SELECT * FROM "+t.in(tempSchema))
}

// Commit makes the table appear. A write-ahead log may have former rows, also of runs before: it is
// emptied into the file, unless somebody is reading from it.
func (t *sqliteTable) Commit() error {
	t.ended = true
	defer t.file.end()
	if t.schema == mainSchema {
		return nil
	}
	always := context.Background()
	if err := t.file.run(always, "COMMIT"); err != nil {
		t.file.run(always, "ROLLBACK")
		return err
	}
	t.file.run(always, "PRAGMA wal_checkpoint(TRUNCATE)") // the table is in place even so
	return nil
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
