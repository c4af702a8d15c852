package limits

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A zstd file may begin with frames that are passed over.
func TestSkippableFrameIsZstd(t *testing.T) {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := z.EncodeAll([]byte("a b\n"), nil)
	for kind := range byte(16) {
		note := []byte{0x50 | kind, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'}
		text, err := Open(bytes.NewReader(append(note, packed...)), 1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(text)
		text.Close()
		if err != nil || string(got) != "a b\n" || text.Packed != "zstd" {
			t.Errorf("%x: %q, %v", kind, got, err)
		}
	}
}

// Members of gzip data follow one another, and zeros the last one, as gzip takes it. Anything else
// is not said to be damaged data.
func TestWhatFollowsCompressedData(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte("a b\n"))
	w.Close()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	gz, zst := b.String(), string(z.EncodeAll([]byte("a b\n"), nil))
	zeros := strings.Repeat("\x00", 3*bufferSize)
	for _, c := range []struct {
		what, packed, text string
		err                error
	}{
		{"two members", gz + gz, "a b\na b\n", nil},
		{"zeros", gz + zeros, "a b\n", nil},
		{"zeros after two members", gz + gz + "\x00", "a b\na b\n", nil},
		{"an empty member", gz + gz[:10] + "\x03\x00" + zeros[:8], "a b\n", nil},
		{"a text", gz + "garbage", "a b\n", ErrFollowed},
		{"a character", gz + "\n", "a b\n", ErrFollowed},
		{"half a mark", gz + gz[:1], "a b\n", ErrFollowed},
		{"a text after zeros", gz + zeros + "a", "a b\n", ErrFollowed},
		{"a member after zeros", gz + "\x00" + gz, "a b\n", ErrFollowed},
		{"half a member", gz + gz[:len(gz)-1], "a b\na b\n", io.ErrUnexpectedEOF},
		{"half a header", gz + gz[:5], "a b\n", io.ErrUnexpectedEOF},
		{"a text after zstd", zst + "garbage", "a b\n", ErrFollowed},
		{"two frames", zst + zst, "a b\na b\n", nil},
	} {
		text, err := Open(iotest.OneByteReader(strings.NewReader(c.packed)), 1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(text)
		text.Close()
		if string(got) != c.text || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v", c.what, got, err)
		}
	}
}
