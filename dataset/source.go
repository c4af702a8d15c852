package dataset

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"mingle/dataset/rows"
	"mingle/internal/disk"
	"mingle/internal/limits"
)

// Open reads the transactions of a file. Where opts.Format is empty, the options that name columns
// or else the file's extensions tell it (see [FormatOf]); compression is told by the content.
func Open(ctx context.Context, path string, opts Options) (*Dataset, error) {
	opts, err := opts.WithFormat(path)
	if err != nil {
		return nil, err
	}
	if rows.Is(path) {
		return nil, fmt.Errorf("%s: a database is opened by dataset/database, and read by Read",
			rows.Shown(path))
	}
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if opts.Name == "" {
		opts.Name = path
	}
	if info, err := f.Stat(); err == nil {
		if info.IsDir() {
			return nil, fmt.Errorf("%s: is a directory, not a file of transactions", path)
		}
		if info.Mode().IsRegular() {
			opts.Size = info.Size()
		}
	}
	return Read(ctx, f, opts)
}

// formatOf is FormatOf, helped by the options that only one of the CSV formats has.
func formatOf(path string, opts Options) (Format, error) {
	if NamedCSV(path) {
		switch {
		case opts.TransactionColumn != "" || opts.ItemColumn != "":
			return Long, nil
		case opts.SetColumn != "":
			return Table, nil
		}
	}
	f, _, err := FormatOf(path)
	return f, err
}

// source is the text of a file, decompressed and without its byte-order mark.
type source struct {
	*limits.Text
	size int64 // of the raw bytes; 0: not known
}

// newSource looks at the first bytes for the marks of compression and encoding.
func newSource(r io.Reader, size int64, workers int, encoding string) (*source, error) {
	t, err := limits.OpenAs(r, workers, encoding)
	return &source{t, size}, err
}

// fraction is how much of the source has been read, 0 where its size is not known.
func (s *source) fraction() float64 {
	if s.size == 0 {
		return 0
	}
	return float64(s.Raw.N()) / float64(s.size)
}

// explain says what a reading error means for the user; lines is how many lines came before it.
func (s *source) explain(err error, name string, lines int) error {
	switch {
	case s.bound(err):
		return fmt.Errorf("%s:%d: %w", name, lines+1, err)
	case errors.Is(err, limits.ErrFollowed):
		return fmt.Errorf("%s: after line %d of the text: %w", name, lines, err)
	case s.Packed != "" && (errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF):
		return fmt.Errorf("%s: the %s data is truncated: it ends within line %d of the text; "+
			"get the whole file again: %w", name, s.Packed, lines+1, io.ErrUnexpectedEOF)
	case s.Packed != "" && s.damaged(err):
		return fmt.Errorf(
			"%s: the %s data is damaged, after line %d of the text: %w", name, s.Packed, lines,
			err,
		)
	}
	return fmt.Errorf("%s: %w", name, err)
}

func (s *source) damaged(err error) bool {
	var path *os.PathError
	return !errors.As(err, &path)
}

// bound tells whether an error is that of a bound on what is read.
func (s *source) bound(err error) bool {
	_, ok := errors.AsType[*limits.TooLarge](err)
	return ok
}

// DamagedError says that a compressed file is damaged or cut off; it names the file.
type DamagedError struct{ error }

func (e *DamagedError) Unwrap() error { return e.error }

// FirstRecord is the fields of a CSV file's first record, the names of its columns where it has a
// header, by the delimiter that gives the most of them.
func FirstRecord(path string) ([]string, error) {
	records, err := firstRecords(path)
	if err != nil {
		return nil, err
	}
	var best []string
	for _, names := range records {
		if len(names) > len(best) {
			best = names
		}
	}
	return best, nil
}

// delimiters are those that files have most often.
const delimiters = ",;\t|"

// firstRecords are the fields of a CSV file's first record by each of the delimiters.
func firstRecords(path string) ([][]string, error) {
	if err := notOnce(path); err != nil {
		return nil, err
	}
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := newSource(f, 0, 1, "")
	if err != nil {
		return nil, err
	}
	defer src.Close()
	sp := splitter{src: src, size: 1 << 12, quoted: true, delim: ','}
	b, err := sp.next(nil)
	if err != nil && err != io.EOF && src.Packed != "" {
		return nil, &DamagedError{src.explain(err, path, 0)}
	}
	if err != nil {
		return nil, err
	}
	var out [][]string
	for _, delim := range []byte(delimiters) {
		names, _ := readHeader(b, delim, false, &part{})
		out = append(out, names)
	}
	return out, nil
}

// notOnce refuses a file that can be read only once, as a pipe: looking at its first lines would
// take them from who reads it then.
func notOnce(path string) error {
	info, err := disk.Stat(path)
	if err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeCharDevice) != 0 {
		return errors.New("it can be read only once")
	}
	return nil // what is wrong else is said where it is opened
}

// Head is the first records of a CSV file, n at most and those of its first 64 KB alone, by the
// delimiter that its first record has most often; encoding as in [Options]. It is for whoever
// chooses how to read the file: where quotes are broken the records are what can be had.
func Head(path, encoding string, n int) (delimiter rune, records [][]string, err error) {
	f, err := disk.Open(path)
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	src, err := newSource(f, 0, 1, encoding)
	if err != nil {
		return 0, nil, err
	}
	defer src.Close()
	text := make([]byte, 64<<10)
	got, err := io.ReadFull(src, text)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return 0, nil, err
	}
	whole := err != nil
	text = bytes.TrimPrefix(text[:got], []byte("\xef\xbb\xbf"))
	for _, d := range delimiters {
		found := headBy(text, d, n, whole)
		if len(found) > 0 && (records == nil || len(found[0]) > len(records[0])) {
			delimiter, records = d, found
		}
	}
	return delimiter, records, nil
}

// headBy reads records by one delimiter; of a text that is cut off the last one is not whole.
func headBy(text []byte, delimiter rune, n int, whole bool) (records [][]string) {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = delimiter, true, -1
	for len(records) <= n {
		record, err := r.Read()
		if err != nil {
			break
		}
		records = append(records, record)
	}
	if len(records) <= n && !whole && len(records) > 1 {
		records = records[:len(records)-1]
	}
	return records[:min(n, len(records))]
}
