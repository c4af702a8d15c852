// Package database reads and writes tables of PostgreSQL and SQLite, by their drivers
// (github.com/jackc/pgx, modernc.org/sqlite). Who does not import it does not link them.
//
// What is read is one snapshot, streamed: a transaction that may not write. What is written is a
// new table that nobody sees, from which it is read back to be verified: of PostgreSQL one under
// another name in one transaction, of SQLite one in a temporary file, from which it is copied. In
// the end it takes the place of a table that the program itself wrote before. Where a process is
// killed, the server or the journal undoes all of it.
package database

import (
	"context"
	"fmt"
	"io"

	"mingle/dataset/rows"
)

// Opener opens databases; it is a [rows.Opener].
type Opener struct {
	// Passwords are those of servers, by the address of the location. Where there is none, the
	// environment has it, or the user's password file, or a service file, as libpq finds them.
	Passwords map[string]string
}

// mark is how the comment of a table begins that the program wrote. Only such a table is replaced.
const mark = "Published by mingle"

// Read streams the rows of a table, or of a query.
func (o Opener) Read(ctx context.Context, from rows.Location, query string) (io.ReadCloser, error) {
	switch {
	case from.Table != "" && query != "":
		return nil, fmt.Errorf("%s: both a table and a query are named: name one", shown(from))
	case from.Table == "" && query == "" && from.Kind == rows.Postgres:
		return nil, fmt.Errorf("%s: name a table (--table, or #TABLE in the address) or give a "+
			"query (--query)", shown(from))
	}
	if from.Kind == rows.SQLite {
		return readSQLite(ctx, from, query)
	}
	return o.readPostgres(ctx, from, query)
}

// Check tells what would keep a table from being written.
func (o Opener) Check(ctx context.Context, to rows.Location, opts rows.Options) error {
	if err := named(to); err != nil {
		return err
	}
	if to.Kind == rows.SQLite {
		return checkSQLite(ctx, to, opts)
	}
	return o.checkPostgres(ctx, to, opts)
}

// Create begins a table.
func (o Opener) Create(
	ctx context.Context, to rows.Location, opts rows.Options,
) (rows.Table, error) {
	if err := named(to); err != nil {
		return nil, err
	}
	if to.Kind == rows.SQLite {
		return createSQLite(ctx, to, opts)
	}
	return o.createPostgres(ctx, to, opts)
}

func named(to rows.Location) error {
	if to.Table == "" {
		return fmt.Errorf("%s: name the table that is written (--output-table, or #TABLE in the "+
			"address)", shown(to))
	}
	return nil
}

func shown(l rows.Location) string { return rows.Shown(l.String()) }

// The texts about a table that stands where another shall be.
const (
	existsText  = "table %s %w" // disk.ErrExists
	inputText   = "the output would overwrite the input %s: choose another table"
	foreignText = "table %s was not written by mingle, so it is not replaced: choose another " +
		"name, or drop it yourself"
)
