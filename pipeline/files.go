package pipeline

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/dataset/rows"
	"mingle/hierarchy"
	"mingle/internal/disk"
	"mingle/internal/limits"
	"mingle/internal/publish"
	"mingle/release"
	"mingle/report"
)

// Stdin is the path that stands for standard input.
const Stdin = "-"

// Files reads input files. What it read is kept in Read, with the SHA-256 of exactly the bytes that
// were parsed.
type Files struct {
	In       io.Reader // what "-" reads
	Progress func(stage string, done, total int64)
	Workers  int
	// Databases opens what is no file; nil: there are none.
	Databases rows.Opener
	// apart refuses rows that come from the table which they would replace; nil: there is none.
	apart func(ctx context.Context, from rows.Location, query string) error

	Read []report.File
	used bool // standard input can be read once
}

// Transactions reads a file of transactions; role is what it is called in the report.
func (f *Files) Transactions(
	ctx context.Context, role, path string, opts dataset.Options,
) (*dataset.Dataset, dataset.Options, error) {
	opts, err := f.layout(path, opts)
	if err != nil {
		return nil, opts, err
	}
	if path, err = locate(path, opts); err != nil {
		return nil, opts, err
	}
	opts.Name = name(path)
	var d *dataset.Dataset
	from := origin{role, path, string(opts.Format), opts.Query}
	err = f.openFrom(ctx, from, func(r io.Reader) error {
		d, err = dataset.Read(ctx, r, opts)
		return err
	})
	return d, opts, err
}

// Release reads a published file of items and groups, to count in it. One of base sets is refused.
func (f *Files) Release(
	ctx context.Context, path string, opts dataset.Options,
) (*dataset.Dataset, dataset.Options, error) {
	d, opts, err := f.Transactions(ctx, "published", path, opts)
	if err == nil {
		err = noBaseSets(path, d)
	}
	return d, opts, err
}

// noBaseSets refuses a published file whose lines do not say what a transaction has.
func noBaseSets(path string, d *dataset.Dataset) error {
	if !release.HasBaseSets(d) {
		return nil
	}
	return fmt.Errorf("%s: is a release of kind nonreciprocal (base sets with uncertain items): a "+
		"line does not say what a transaction has, and a count in it would not be right; use "+
		"\"mingle measure nonreciprocal\", \"mingle verify nonreciprocal\" or \"mingle attack "+
		"--kind nonreciprocal\", with the original", name(path))
}

// layout completes the layout of a file of transactions: by its extension, where no format is
// given.
func (f *Files) layout(path string, opts dataset.Options) (dataset.Options, error) {
	opts.Workers, opts.Name = f.Workers, name(path)
	if path == Stdin && opts.Format == "" {
		switch { // only one of the formats has such columns
		case opts.TransactionColumn != "" || opts.ItemColumn != "":
			opts.Format = dataset.Long
		case opts.SetColumn != "" && f.objects():
			opts.Format = dataset.JSONL
		case opts.SetColumn != "":
			opts.Format = dataset.Table
		}
	}
	if path == Stdin && opts.Format == "" {
		return opts, errors.New(
			"standard input has no extension to tell its format: name it with --input-format",
		)
	}
	if info, err := disk.Stat(path); path != Stdin && err == nil && info.IsDir() {
		return opts, reading(path, errDirectory)
	}
	opts, err := opts.WithFormat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a name tells nothing of what is not there
		if _, absent := disk.Stat(path); errors.Is(absent, fs.ErrNotExist) {
			err = absent
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return opts, reading(path, err)
	}
	if _, damaged := errors.AsType[*dataset.DamagedError](err); damaged {
		return opts, err
	}
	if err != nil && dataset.NamedCSV(path) {
		return opts, fmt.Errorf("%w with --input-format, or the columns of a long file with "+
			"--transaction-column and --item-column, of a table with --set-column", err)
	}
	if err != nil {
		return opts, fmt.Errorf("%w with --input-format", err)
	}
	return opts, nil
}

// objects tells whether standard input begins with an object of JSON.
func (f *Files) objects() bool {
	if f.In == nil {
		return false // reading it is refused
	}
	in := bufio.NewReader(f.In)
	f.In = in
	for n := 1; n <= in.Size(); n++ {
		head, err := in.Peek(n)
		if err != nil {
			return false
		}
		if c := head[n-1]; c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c == '{'
		}
	}
	return false
}

// published lets a task parse a published file.
func (f *Files) published(ctx context.Context, path string, t task) error {
	return f.open(ctx, "published", path, string(t.format()), func(r io.Reader) error {
		return t.parse(ctx, r, false)
	})
}

// listener is Progress, as algorithms call it.
func (f *Files) listener() func(anonymize.Progress) {
	if f.Progress == nil {
		return nil
	}
	return func(p anonymize.Progress) { f.Progress(p.Stage, p.Done, p.Total) }
}

// Hierarchy reads a hierarchy.
func (f *Files) Hierarchy(
	ctx context.Context, path string, opts hierarchy.ReadOptions,
) (*hierarchy.Tree, error) {
	if opts.Name == "" {
		opts.Name = name(path)
	}
	role := report.RoleHierarchy
	if len(opts.Columns) > 0 {
		role = report.RoleHierarchyTable
	}
	opts.Ended = func() error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return nil
	}
	var t *hierarchy.Tree
	err := f.open(ctx, role, path, string(opts.Format), func(r io.Reader) (err error) {
		t, err = hierarchy.Read(r, opts)
		return err
	})
	if err != nil {
		err = stopped(ctx, err)
	}
	return t, err
}

// Items reads a list of items, one a line.
func (f *Files) Items(ctx context.Context, role, path string) ([]string, error) {
	var items []string
	err := f.open(ctx, role, path, "", func(r io.Reader) (err error) {
		items, err = ReadItems(r, name(path))
		return err
	})
	return items, err
}

// Bags reads a file of bags of numbers; what Read finds out about the layout is put into it.
func (f *Files) Bags(ctx context.Context, path string, l *bag.Layout) (*bag.Bags, error) {
	if l.Format == "" {
		l.Format = columnsOf(path)
	}
	path, err := locate(path, dataset.Options{Format: l.Format, Table: l.Table})
	if err != nil {
		return nil, err
	}
	l.Name = name(path)
	if l.Delimiter == 0 && dataset.Extension(path) == dataset.TSV {
		l.Delimiter = '\t'
	}
	var b *bag.Bags
	from := origin{roleRecords, path, string(l.Format), l.Query}
	err = f.openFrom(ctx, from, func(r io.Reader) (err error) {
		b, err = bag.Read(ctx, r, l)
		return err
	})
	if err == nil {
		f.Read[len(f.Read)-1].Format = string(l.Format)
	}
	return b, err
}

// columnsOf is the format of a file of columns by its name, or that of a database; "": it is neither.
func columnsOf(path string) dataset.Format {
	if path == Stdin {
		return ""
	}
	if rows.Is(path) {
		return dataset.Database
	}
	if f := dataset.ByExtension(dataset.Extension(path)); f.IsColumns() {
		return f
	}
	return ""
}

// bytes reads a whole audit file or certificate.
func (f *Files) bytes(ctx context.Context, role, path string) (text []byte, err error) {
	err = f.open(ctx, role, path, "", func(r io.Reader) (err error) {
		if text, err = limits.JSON(r, limits.MaxAudit, "a report or an audit file"); err != nil {
			return fmt.Errorf("%s: %w", name(path), err)
		}
		return nil
	})
	return text, err
}

// open lets parse read a file, and notes what was read.
func (f *Files) open(
	ctx context.Context, role, path, format string, parse func(io.Reader) error,
) error {
	return f.openFrom(ctx, origin{role: role, path: path, format: format}, parse)
}

// origin is a file, or a query of a database.
type origin struct{ role, path, format, query string }

func (f *Files) openFrom(ctx context.Context, from origin, parse func(io.Reader) error) error {
	role, path, format := from.role, from.path, from.format
	in, size, err := f.source(ctx, from)
	if err != nil {
		return reading(path, err)
	}
	defer in.Close()
	sum := newSummer()
	watched := io.TeeReader(in, sum)
	if f.Progress != nil {
		sum.wrote = func(n int64) { f.Progress("reading "+baseName(path), n, size) }
	}
	if err := parse(&stoppable{ctx, watched, size}); err != nil {
		return reading(path, err)
	}
	if _, err := io.Copy(io.Discard, watched); err != nil {
		return reading(path, err)
	}
	f.Read = append(f.Read, sum.file(role, path, format))
	return nil
}

func (f *Files) source(ctx context.Context, from origin) (in io.ReadCloser, size int64, err error) {
	path := from.path
	if from.format == string(dataset.Database) || path != Stdin && rows.Is(path) {
		in, err = f.database(ctx, path, from.query)
		return in, 0, err
	}
	if path == Stdin {
		if f.used {
			return nil, 0, errors.New(
				"standard input can be read only once: name files for the rest",
			)
		}
		if f.In == nil {
			return nil, 0, errNoIn
		}
		f.used = true
		return io.NopCloser(f.In), 0, nil
	}
	file, err := disk.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = errDirectory
	}
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	if info.Mode().IsRegular() {
		size = info.Size()
	}
	return file, size, nil
}

var errNoIn = errors.New("standard input is to be read, and In is not given")

var errDirectory = errors.New("is a directory, not a file")

// reading says which file could not be read, where the error does not say so itself.
func reading(path string, err error) error {
	var known *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &reworded{path + ": there is no such file", fs.ErrNotExist}
	case errors.Is(err, fs.ErrPermission):
		return &reworded{path + ": you may not read this file", fs.ErrPermission}
	case errors.As(err, &known):
		return fmt.Errorf("%s: %w", path, known.Err)
	case errors.Is(err, errDirectory):
		return fmt.Errorf("%s: %w", path, err)
	}
	return err
}

// name is how messages call a file.
func name(path string) string {
	if path == Stdin {
		return "standard input"
	}
	if rows.Is(path) && rows.File(path) == "" {
		return rows.Shown(path)
	}
	return path
}

// nameWritten is what errors call a file that is written.
func nameWritten(path string) string {
	if path == publish.Stdout {
		return "standard output"
	}
	return name(path)
}

// stoppable ends a read when the context has ended.
type stoppable struct {
	ctx  context.Context
	r    io.Reader
	size int64 // 0: not known
}

// Len is the size, by which a reader foretells how much room it needs.
func (s *stoppable) Len() int { return int(s.size) }

func (s *stoppable) Read(p []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	return s.r.Read(p)
}

// summer counts and hashes what is written to it.
type summer struct {
	hash  hash.Hash
	bytes int64
	wrote func(n int64)
}

func newSummer() *summer { return &summer{hash: sha256.New()} }

func (s *summer) Write(p []byte) (int, error) {
	s.hash.Write(p)
	s.bytes += int64(len(p))
	if s.wrote != nil {
		s.wrote(s.bytes)
	}
	return len(p), nil
}

// file describes what was summed. Its name has no directory: that would tell about the machine. It
// is text, as JSON has it: where it has other bytes, all that names the file would differ.
func (s *summer) file(role, path, format string) report.File {
	return report.File{
		Role: role, Name: string([]rune(baseName(path))), Format: format,
		Bytes: s.bytes, SHA256: hex.EncodeToString(s.hash.Sum(nil)),
	}
}
