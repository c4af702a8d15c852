package dataset

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Open reads the transactions of a file. Where opts.Format is empty, the options that name columns or else the file's
// extensions tell it (see [FormatOf]); compression is told by the content.
func Open(ctx context.Context, path string, opts Options) (*Dataset, error) {
	if opts.Format == "" {
		f, err := formatOf(path, opts)
		if err != nil {
			return nil, err
		}
		opts.Format = f
	}
	f, err := os.Open(path)
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
	base := strings.ToLower(filepath.Base(path))
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".gz"), ".zst")
	if strings.HasSuffix(base, ".csv") {
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
	*bufio.Reader
	raw    *counter
	size   int64  // of the raw bytes; 0: not known
	packed string // "", "gzip" or "zstd"
	close  func()
}

// counter counts the bytes read through it.
type counter struct {
	r io.Reader
	n atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// newSource looks at the first bytes for the marks of compression and encoding.
func newSource(r io.Reader, size int64, workers int) (*source, error) {
	s := &source{raw: &counter{r: r}, size: size, close: func() {}}
	s.Reader = bufio.NewReaderSize(s.raw, 1<<16)
	magic, _ := s.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		s.packed = "gzip"
		z, err := gzip.NewReader(s.Reader)
		if err != nil {
			return s, err
		}
		s.Reader = bufio.NewReaderSize(z, 1<<16)
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		s.packed = "zstd"
		z, err := zstd.NewReader(s.Reader, zstd.WithDecoderConcurrency(min(workers, 2)))
		if err != nil {
			return s, err
		}
		s.close = z.Close
		s.Reader = bufio.NewReaderSize(z, 1<<16)
	}
	return s, s.byteOrderMark()
}

func (s *source) byteOrderMark() error {
	mark, err := s.Peek(3)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch {
	case string(mark) == "\ufeff":
		_, err = s.Discard(3)
		return err
	case bytes.HasPrefix(mark, []byte{0xff, 0xfe}), bytes.HasPrefix(mark, []byte{0xfe, 0xff}):
		return errors.New("the text is UTF-16: save it as UTF-8")
	}
	return nil
}

// fraction is how much of the source has been read, 0 where its size is not known.
func (s *source) fraction() float64 {
	if s.size == 0 {
		return 0
	}
	return float64(s.raw.n.Load()) / float64(s.size)
}

// explain says what a reading error means for the user; lines is how many lines came before it.
func (s *source) explain(err error, name string, lines int) error {
	switch {
	case s.packed != "" && (errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF):
		return fmt.Errorf("%s: the %s data is truncated: it ends within line %d of the text; get the whole file again: %w", name, s.packed, lines+1, io.ErrUnexpectedEOF)
	case s.packed != "" && s.damaged(err):
		return fmt.Errorf("%s: the %s data is damaged, after line %d of the text: %w", name, s.packed, lines, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

func (s *source) damaged(err error) bool {
	var path *os.PathError
	return !errors.As(err, &path) && !errors.Is(err, errLongLine)
}

// firstRecord reads the fields of a CSV file's first record, by the delimiter that gives the most of them.
func firstRecord(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := newSource(f, 0, 1)
	defer src.close()
	if err != nil {
		return nil, err
	}
	sp := splitter{src: src, size: 1 << 12, quoted: true, delim: ','}
	b, err := sp.next(nil)
	if err != nil {
		return nil, err
	}
	var best []string
	for _, delim := range []byte{',', ';', '\t', '|'} {
		if names, _ := readHeader(b, delim, false, &part{}); len(names) > len(best) {
			best = names
		}
	}
	return best, nil
}
