package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"mingle/dataset"
	"mingle/dataset/rows"
	"mingle/internal/disk"
	"mingle/internal/publish"
)

// A database takes the place of a file: what it gives is a stream of rows, which has a hash as a
// file has, and what is published is written to a table that appears in the end or not at all.

// baseName is how reports call a file: without directories, which would tell about the machine; of
// a database host, database and table.
func baseName(path string) string {
	if path != Stdin && rows.Is(path) {
		return rows.Shown(path)
	}
	return filepath.Base(name(path))
}

// locate completes the location of a database by the table that options name.
func locate(path string, opts dataset.Options) (string, error) {
	switch {
	case opts.Format != dataset.Database && rows.Is(path):
		return path, fmt.Errorf("%s is a database: leave --input-format and --output-format out",
			name(path))
	case opts.Format != dataset.Database:
		return path, nil
	case path == Stdin:
		return path, errors.New("standard input is no database: name one, such as " +
			"postgres://user@host/database")
	case opts.Table == "":
		return path, nil
	}
	at, err := rows.WithTable(path, opts.Table)
	if err != nil {
		err = fmt.Errorf("%s: %w", name(path), err)
	}
	return at, err
}

// database streams the rows of a table or of a query.
func (f *Files) database(ctx context.Context, path, query string) (io.ReadCloser, error) {
	if f.Databases == nil {
		return nil, fmt.Errorf("%s: %w", name(path), rows.ErrNone)
	}
	from, err := rows.Parse(path)
	if err == nil && f.apart != nil {
		err = f.apart(ctx, from, query)
	}
	if err != nil {
		return nil, err
	}
	return f.Databases.Read(ctx, from, query)
}

// toTable tells whether the release is written to a table, and of which file, where that is a new
// one: it is put in place as files are. "": the database is there already.
func (r *run) toTable() (is bool, newFile string) {
	if r.Output == Stdin || !rows.Is(r.Output) {
		return false, ""
	}
	file := rows.File(r.Output)
	if file == "" {
		return true, ""
	}
	if _, err := disk.Stat(file); err == nil {
		return true, ""
	}
	return true, file
}

// checkTable refuses, before any work, a table that cannot be written. Whether the original is read
// from it is seen when it is known where that is, if a table may be replaced at all.
func (r *run) checkTable(ctx context.Context) error {
	is, _ := r.toTable()
	if !is {
		return nil
	}
	to, err := rows.Parse(r.Output)
	if err != nil {
		return err
	}
	if r.Databases == nil {
		return fmt.Errorf("%s: %w", name(r.Output), rows.ErrNone)
	}
	if r.Force {
		r.env.files.apart = func(ctx context.Context, from rows.Location, query string) error {
			opts := rows.Options{Force: true, Original: &from, Query: query}
			return r.Databases.Check(ctx, to, opts)
		}
	}
	return r.Databases.Check(ctx, to, rows.Options{Force: r.Force})
}

// differ refuses, before the work, columns that are one in a table of SQLite.
func differ(path string, names ...string) error {
	if path == Stdin || !rows.Is(path) || rows.File(path) == "" {
		return nil
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	if a, b, same := rows.SameForSQLite(names); same {
		return fmt.Errorf("%s: "+rows.SameText, rows.Shown(path), a, b)
	}
	return nil
}

// create opens what the release is written to: a temporary file, or a table that nobody sees yet.
func (r *run) create(ctx context.Context) (io.Writer, error) {
	is, newFile := r.toTable()
	if !is {
		f, err := r.set.Create(r.Output, publish.Public)
		r.output = f
		return f, err
	}
	to, err := rows.Parse(r.Output)
	if err != nil {
		return nil, err
	}
	opts := rows.Options{Force: r.Force}
	if newFile != "" {
		if r.output, err = r.set.Create(newFile, publish.Public); err != nil {
			return nil, err
		}
		opts.Name, opts.Unfinished = rows.Shown(r.Output), true
		to.Address = r.output.Name()
	}
	r.table, err = r.Databases.Create(ctx, to, opts)
	return r.table, err
}

// back is what was written, from its beginning.
func (r *run) back(ctx context.Context) (io.ReadCloser, error) {
	if r.table != nil {
		in, err := r.table.Back(ctx)
		if err != nil {
			return nil, &databaseError{err}
		}
		return &fromDatabase{in}, nil
	}
	_, err := r.output.Seek(0, io.SeekStart)
	return io.NopCloser(r.output), err
}

// databaseError is a fault of a database, such as a lost connection, where all else that could go
// wrong is one of the program.
type databaseError struct{ error }

func (e *databaseError) Unwrap() error { return e.error }

// fromDatabase tells the faults of a database from those of what is made of its rows.
type fromDatabase struct{ io.ReadCloser }

func (f *fromDatabase) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = &databaseError{err}
	}
	return n, err
}

// readBack reads what was written. The hash of a table is that of its rows as they are read: a
// database may have its own form for what it was given.
func (r *run) readBack(ctx context.Context) error {
	in, err := r.back(ctx)
	if err != nil {
		return err
	}
	if r.table == nil {
		return r.task.parse(ctx, in, true)
	}
	sum := newSummer()
	watched := io.TeeReader(in, sum)
	err = r.task.parse(ctx, watched, true)
	if err == nil {
		_, err = io.Copy(io.Discard, watched)
	}
	if err = errors.Join(err, in.Close()); err == nil {
		named := r.written
		r.written = sum.file(named.Role, r.Output, named.Format)
	}
	return err
}

// place puts all files in place, and the table with them. A table of a database that is there
// appears last: where it is new, so is the report. A new file of SQLite is one of the files.
func (r *run) place() error {
	if r.table == nil {
		return r.set.Commit()
	}
	if err := r.table.Place(); err != nil {
		return err
	}
	if r.output == nil {
		// what belongs to a table of which nobody knows stays: a report without its release is
		// harmless, and a release without its report is not
		r.set.Last, r.set.Unsure = r.table.Commit, rows.ErrUnknown
		return r.set.Commit()
	}
	if _, newFile := r.toTable(); newFile == "" {
		return fmt.Errorf("%s: a file has appeared there meanwhile", name(r.Output))
	}
	if err := r.table.Commit(); err != nil {
		return err
	}
	return r.set.Commit()
}
