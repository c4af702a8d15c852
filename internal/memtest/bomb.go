package memtest

import (
	"bytes"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Gzip is the compressed text of head and then unit repeated to about size bytes.
func Gzip(head, unit string, size int) *bytes.Buffer {
	return bomb(head, unit, size, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
}

// Zstd is as Gzip; it compresses better.
func Zstd(head, unit string, size int) *bytes.Buffer {
	return bomb(head, unit, size, func(w io.Writer) io.WriteCloser {
		z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) // there is no wrong option
		return z
	})
}

// bomb compresses some megabytes of the text once and repeats the result, which is itself
// compressed text. Writing to memory does not fail.
func bomb(head, unit string, size int, compress func(io.Writer) io.WriteCloser) *bytes.Buffer {
	piece := func(text string) []byte {
		out := &bytes.Buffer{}
		w := compress(out)
		_, _ = io.WriteString(w, text)
		_ = w.Close()
		return out.Bytes()
	}
	units := min(max(1, (8<<20)/len(unit)), max(1, size/len(unit)))
	repeated := piece(strings.Repeat(unit, units))
	out := bytes.NewBuffer(piece(head))
	for n := 0; n < size; n += units * len(unit) {
		out.Write(repeated)
	}
	return out
}
