package limits

import (
	"bytes"
	"io"
	"testing"

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
