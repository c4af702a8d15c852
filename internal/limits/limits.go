// Package limits opens what users give, and bounds the memory that a file can make a reader hold,
// however small the file is.
//
// Files of transactions may be of any size and are read as a stream: what counts is what is kept of
// them ([Account]), and how long one record is ([MaxLine]). Files that are small by nature are read
// whole, up to a stated size ([All]).
package limits

import (
	"bytes"
	"fmt"
	"io"

	"mingle/internal/disk"
)

// The bounds that all readers share.
const (
	// MaxLine is the most bytes of one line, or of one CSV record: some millions of items.
	MaxLine = 16 << 20
	// MaxColumns is the most columns of a CSV file or fields of JSON objects: as many as a
	// spreadsheet holds.
	MaxColumns = 16384
	// maxWindow is the most memory that a zstd frame may ask for: what the zstd command allows by
	// default.
	maxWindow = 128 << 20
)

// The largest files that are read whole, in bytes of their text after decompression.
const (
	MaxHierarchy = 256 << 20
	MaxAudit     = 256 << 20
	MaxReport    = 64 << 20
	MaxList      = 64 << 20
	MaxResults   = 64 << 20
	MaxPlan      = 256 << 10
)

// TooLarge says that a file, or a record of it, is beyond a bound.
type TooLarge struct{ Why string }

func (e *TooLarge) Error() string { return e.Why }

func tooLarge(format string, args ...any) error { return &TooLarge{fmt.Sprintf(format, args...)} }

// All reads r to its end; what says in an error what should have been read. Reading ends after
// limit bytes.
func All(r io.Reader, limit int64, what string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(text)) > limit {
		return nil, tooLarge("is larger than %s, too large for %s: is it the right file?",
			Bytes(limit), what)
	}
	return text, err
}

// File is All of the file at path.
func File(path string, limit int64, what string) ([]byte, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return All(f, limit, what)
}

// maxObjects is the most objects of a JSON file that is read whole, each of some hundred bytes in
// memory.
const maxObjects = 4 << 20

// JSON is All of a JSON file, of which a short text must not ask for a great many objects.
func JSON(r io.Reader, limit int64, what string) ([]byte, error) {
	text, err := All(r, limit, what)
	if err == nil && bytes.Count(text, []byte("{")) > maxObjects {
		return nil, tooLarge("has more than %d objects, too many for %s: is it the right file?",
			maxObjects, what)
	}
	return text, err
}

// Bytes is a number of bytes in words.
func Bytes(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
