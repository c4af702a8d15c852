package release

import (
	"io"
	"strings"
	"testing"

	"mingle/internal/memtest"
	"mingle/internal/soak"
)

// TestReleaseBombsSoak: published files and certificates that unpack to gigabytes are refused
// within 2 GB.
func TestReleaseBombsSoak(t *testing.T) {
	const gb = 1 << 30
	nonreciprocal := func(r io.Reader) error { _, err := ReadNonreciprocal(r, nil); return err }
	certificate := func(r io.Reader) error { _, err := ReadCertificate(r, nil); return err }
	for _, c := range []struct {
		name, want string
		read       func(io.Reader) error
		text       io.Reader
	}{
		{
			"line", ":1: the line is longer than 16 MiB", nonreciprocal,
			memtest.Zstd(`{"items":[`, `"a",`, gb),
		},
		{
			"lines", "more than 32 times", nonreciprocal,
			memtest.Zstd("", `{"items":[],"uncertain":[],"threshold":0}`+"\n",
				soak.Share(gb/4, gb)),
		},
		{"certificate", "larger than 256 MiB", certificate, io.LimitReader(endless('0'), gb)},
		{
			"objects", "more than 4194304 objects", certificate,
			io.MultiReader(strings.NewReader(`{"clauses":[`),
				strings.NewReader(strings.Repeat("{},", 5<<20))),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "lines" && !soak.All() {
				t.Skip("in make soak")
			}
			var err error
			memtest.Within(t, 2*gb, func() { err = c.read(c.text) })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %.300v, want one with %q", err, c.want)
			}
		})
	}
}

// endless is one byte for ever.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}
