package limits

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Text is the text of a file, decompressed and without its byte-order mark.
type Text struct {
	*bufio.Reader
	Raw    *Counter // the bytes of the file, compressed as it is
	Packed string   // "", "gzip" or "zstd"
	close  func()
	// Encoding is what the text was decoded from; "": it is UTF-8.
	Encoding string
}

// Counter counts the bytes read through it. It is safe to ask while another goroutine reads.
type Counter struct {
	r io.Reader
	n atomic.Int64
}

func (c *Counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// N is how many bytes have been read.
func (c *Counter) N() int64 { return c.n.Load() }

const bufferSize = 1 << 16

// Open looks at the first bytes of r for the marks of compression and encoding. workers is how many
// goroutines may decompress. Beside an error the text is there, and closed: it tells how it was
// packed.
func Open(r io.Reader, workers int) (*Text, error) {
	t, err := open(r, workers)
	if err != nil {
		t.Close()
	}
	return t, err
}

func open(r io.Reader, workers int) (*Text, error) {
	t := &Text{Raw: &Counter{r: r}, close: func() {}}
	t.Reader = bufio.NewReaderSize(t.Raw, bufferSize)
	magic, err := t.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return t, err
	}
	switch {
	case isGzip(magic):
		t.Packed = "gzip"
		z, err := gzip.NewReader(t.Reader)
		if err != nil {
			return t, err
		}
		z.Multistream(false)
		t.Reader = bufio.NewReaderSize(&members{z, t.Reader}, bufferSize)
	case isZstd(magic):
		t.Packed = "zstd"
		z, err := zstd.NewReader(t.Reader, zstd.WithDecoderConcurrency(min(max(workers, 1), 2)),
			zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
		if err != nil {
			return t, err
		}
		t.close = z.Close
		t.Reader = bufio.NewReaderSize(unpacking{z}, bufferSize)
	}
	return t, t.byteOrderMark()
}

// Marked tells whether [Open] takes the beginning of a text for a mark of compression or encoding.
// It does not where a byte-order mark stands before the text.
func Marked(text []byte) bool {
	return bytes.HasPrefix(text, []byte("\ufeff")) || isGzip(text) ||
		isZstd(text[:min(4, len(text))])
}

func isGzip(magic []byte) bool { return bytes.HasPrefix(magic, []byte{0x1f, 0x8b}) }

// isZstd tells whether a file begins with a zstd frame, or with a frame that zstd passes over, as
// it does where a program has put a note first (RFC 8878, sections 3.1.1 and 3.1.2).
func isZstd(magic []byte) bool {
	return bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		len(magic) == 4 && magic[0]&0xf0 == 0x50 && bytes.Equal(magic[1:], []byte{0x2a, 0x4d, 0x18})
}

// Close ends the decompression. It does not close the file.
func (t *Text) Close() { t.close() }

func (t *Text) byteOrderMark() error {
	mark, err := t.Peek(3)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch {
	case string(mark) == "\ufeff":
		_, err = t.Discard(3)
		return err
	case bytes.HasPrefix(mark, []byte{0xff, 0xfe}):
		return &errUTF16{encoding{name: "utf-16le"}}
	case bytes.HasPrefix(mark, []byte{0xfe, 0xff}):
		return &errUTF16{encoding{name: "utf-16be", big: true}}
	}
	return nil
}

// ErrFollowed is the error of compressed data that is whole, where something follows it.
var ErrFollowed = errors.New("something follows the compressed data: cut it off, or get the file " +
	"again")

// members reads gzip data, member by member (RFC 1952, section 2.2). Zeros after the last one are
// passed over, as gzip passes over them: they fill up blocks of tapes and disks.
type members struct {
	z    *gzip.Reader
	from *bufio.Reader
}

func (m *members) Read(p []byte) (int, error) {
	for {
		n, err := m.z.Read(p)
		if n > 0 && err == io.EOF {
			err = nil
		}
		if n > 0 || err != io.EOF {
			return n, err
		}
		if err := m.next(); err != nil {
			return 0, err
		}
	}
}

// next begins the next member; io.EOF: there is none.
func (m *members) next() error {
	mark, err := m.from.Peek(2)
	if !isGzip(mark) {
		if err != nil && err != io.EOF {
			return err
		}
		return m.onlyZeros()
	}
	err = m.z.Reset(m.from)
	m.z.Multistream(false)
	return err
}

// onlyZeros is io.EOF where nothing else than zeros is left.
func (m *members) onlyZeros() error {
	for {
		switch c, err := m.from.ReadByte(); {
		case err != nil:
			return err
		case c != 0:
			return ErrFollowed
		}
	}
}

// unpacking says in the user's words that a frame asks for too much memory, or is none.
type unpacking struct{ z *zstd.Decoder }

func (u unpacking) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		err = tooLarge("the zstd data asks for a window of more than %s: compress it again without --long or --ultra", Bytes(maxWindow))
	}
	if errors.Is(err, zstd.ErrMagicMismatch) { // not of the first frame, which has its mark
		err = ErrFollowed
	}
	return n, err
}
