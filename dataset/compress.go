package dataset

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"mingle/dataset/rows"
)

// Compress compresses what is written to w as the path's extension has it: .gz, .zst, or else not
// at all. Close ends the compressed data; it does not close w. The same text gives the same bytes.
func Compress(w io.Writer, path string) (io.WriteCloser, error) {
	if rows.Is(path) { // whatever its table is called
		return plainWriter{w}, nil
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".gz":
		return gzip.NewWriter(w), nil
	case ".zst":
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	}
	return plainWriter{w}, nil
}

type plainWriter struct{ io.Writer }

func (plainWriter) Close() error { return nil }
