package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"

	"mingle/dataset/rows"
	"mingle/internal/disk"
)

// sqliteFile is a file of SQLite, on the one connection that has the transaction.
type sqliteFile struct {
	*sql.Conn
	db   *sql.DB
	name string // as messages call it
}

// The modes in which a file is opened.
const (
	readOnly  = "ro"
	readWrite = "rw"
)

// openSQLite opens a file that is there.
func openSQLite(ctx context.Context, l rows.Location, mode string) (*sqliteFile, error) {
	name := shown(l)
	info, err := disk.Stat(l.Address)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file", l.Address)
	case err != nil:
		return nil, fmt.Errorf("%s: it cannot be read", l.Address)
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a directory, not a file", l.Address)
	}
	db, err := sql.Open("sqlite", uri(l.Address, mode))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), db.Close())
	}
	f := &sqliteFile{conn, db, name}
	if err := f.confine(mode); err != nil {
		f.end()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// uri is how SQLite calls a file. Others that hold the file are waited for. What two slashes begin
// would be a host, so an absolute path has an empty one before it. Where nothing is written, views
// of the file are trusted: they may search full texts, and more than a query they may not do.
func uri(path, mode string) string {
	address := (&url.URL{Path: path}).EscapedPath()
	if strings.HasPrefix(address, "/") {
		address = "//" + address
	}
	out := "file:" + address + "?mode=" + mode + "&_pragma=busy_timeout(10000)"
	if mode == readOnly {
		return out + "&_pragma=query_only(1)&_defensive=1"
	}
	return out + "&_pragma=trusted_schema(0)"
}

// end closes the file; what was not committed is undone.
func (f *sqliteFile) end() {
	f.Conn.Close()
	f.db.Close()
}

func (f *sqliteFile) run(ctx context.Context, statement string) error {
	_, err := f.ExecContext(ctx, statement)
	return f.explain(ctx, err)
}

// explain is an error of SQLite with the name of the file, and without its codes.
func (f *sqliteFile) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	text := err.Error()
	switch {
	case strings.Contains(text, "(5)"), strings.Contains(text, "database is locked"):
		text = "others are writing to the file: try again when they are done"
	case strings.Contains(text, "(23)"), strings.Contains(text, "not authorized"):
		text = "a query may only read tables of the file, and this one does more (" + text + ")"
	case strings.Contains(text, "(26)"):
		text = "the file is not one of SQLite"
	}
	return fmt.Errorf("%s: %s", f.name, strings.ReplaceAll(text, "\n", " "))
}

// tables are the names of the tables and views, with the SQL that made them.
func (f *sqliteFile) tables(ctx context.Context) (names, made []string, err error) {
	found, err := f.QueryContext(ctx, "SELECT name, coalesce(sql, '') FROM sqlite_master "+
		"WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name")
	if err != nil {
		return nil, nil, f.explain(ctx, err)
	}
	defer found.Close()
	for found.Next() {
		var name, sql string
		if err := found.Scan(&name, &sql); err != nil {
			return nil, nil, f.explain(ctx, err)
		}
		names, made = append(names, name), append(made, sql)
	}
	return names, made, f.explain(ctx, found.Err())
}
