// Package rows reads and writes the rows of databases: where they are ([Location]), and the stream
// of bytes in which they come and go. It has no driver: what opens a database is an [Opener], such
// as that of dataset/database.
//
// A stream begins with the names and types of its columns; what follows is the binary form of
// PostgreSQL's COPY, as its server sends and takes it (PostgreSQL 15, "COPY", "Binary Format").
// Rows of SQLite are put into the same form.
package rows

import (
	"context"
	"errors"
	"io"
)

// Opener opens databases.
type Opener interface {
	// Read streams the rows of the table of a location, or of a query in its place.
	Read(ctx context.Context, from Location, query string) (io.ReadCloser, error)
	// Check tells what would keep a table from being written, before the work.
	Check(ctx context.Context, to Location, o Options) error
	// Create begins a table: all of it appears in the end, or nothing.
	Create(ctx context.Context, to Location, o Options) (Table, error)
}

// Options say how a table is written.
type Options struct {
	// Force replaces a table that was written by the program, and no other one.
	Force bool
	// Unfinished says that the file of SQLite is a temporary one that nobody else sees: it need
	// not survive a crash.
	Unfinished bool
	// Name is what messages call such a file.
	Name string
	// Original is where the rows of the original come from, by Query where that is not "". A table
	// that is among what is read for them is not replaced. nil: they come from no database.
	Original *Location
	Query    string
}

// Table is a table that is being written. What is written to it is a stream of rows.
type Table interface {
	io.Writer
	// Finish ends the stream.
	Finish() error
	// Back streams what the database now has, in the order in which it was written.
	Back(ctx context.Context) (io.ReadCloser, error)
	// Place does all that can fail before Commit.
	Place() error
	// Commit makes the table appear in place of the one that it replaces. An error that is
	// [ErrUnknown] leaves open whether it did.
	Commit() error
	// Abort leaves everything as it was. It is harmless after Commit.
	Abort()
}

// ErrUnknown says that the connection was lost in the moment in which a table was to appear.
var ErrUnknown = errors.New("whether the table is in place is not known")

// SameText is what is said of two columns of a table of SQLite, see [SameForSQLite].
const SameText = "columns %q and %q are one for SQLite, which does not tell capitals from small " +
	"letters: give one of them another name"

// ErrNone says that there is nothing that opens databases.
var ErrNone = errors.New("databases are not read or written here: give a file")
