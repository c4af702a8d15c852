package bag

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/internal/memtest"
	"mingle/internal/soak"
)

// TestBagBombsSoak: files of bags of a few megabytes that unpack to gigabytes, or that ask for
// large tables, are refused within 2 GB.
func TestBagBombsSoak(t *testing.T) {
	const gb = 1 << 30
	for _, c := range []struct {
		name, want string
		layout     Layout
		text       func() io.Reader
		always     bool
	}{
		{
			"records", "more than 32 times",
			Layout{Format: dataset.Fimi},
			func() io.Reader { return memtest.Zstd("", "1 2\n", gb) }, false,
		},
		{
			"empty records", "more than 32 times",
			Layout{Format: dataset.Fimi},
			func() io.Reader { return memtest.Zstd("1", "\n", gb) }, false,
		},
		{
			"one line", "f:2: the line is longer than 16 MiB",
			Layout{Format: dataset.Fimi},
			func() io.Reader { return memtest.Zstd("1\n", "1 ", gb) }, true,
		},
		{
			"open quote", "f:2: the record is longer than 16 MiB",
			Layout{Format: dataset.Table},
			func() io.Reader { return memtest.Zstd("id,values\n\"", "b\n", gb) }, true,
		},
		{
			"columns", "more than 16384 columns",
			Layout{Format: dataset.Table},
			func() io.Reader {
				return strings.NewReader("values" + strings.Repeat(",", 1<<20) + "\n")
			},
			false,
		},
		{
			"rows", "more than 32 times",
			Layout{Format: dataset.Long},
			func() io.Reader { return memtest.Zstd("record,value\n", "1,1\n", gb) }, false,
		},
		{
			"cells", "more than 32 times",
			Layout{Format: dataset.Table},
			func() io.Reader { return memtest.Zstd("a,b,values\n", "1,1,1\n", gb) }, false,
		},
		{
			"many fields", "more than 16384 different fields",
			Layout{Format: dataset.JSONL},
			func() io.Reader { return oneObject(1 << 15) }, true,
		},
		{
			"absent fields", "fields that only few lines have",
			Layout{Format: dataset.JSONL},
			func() io.Reader { return manyFields(1<<20, 1<<13) }, false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !c.always && soak.Share(0, 1) == 0 {
				t.Skip("in make soak")
			}
			c.layout.Name = "f"
			text := c.text()
			var err error
			memtest.Within(t, 2*gb, func() { _, err = Read(t.Context(), text, &c.layout) })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %.300v, want one with %q", err, c.want)
			}
		})
	}
}

// oneObject is an object of n fields.
func oneObject(n int) io.Reader {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"f%d":1,`, i)
	}
	return strings.NewReader("{" + b.String() + `"values":[]}` + "\n")
}

// manyFields is plain objects and then n, each with a field of its own.
func manyFields(plain, n int) io.Reader {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"values":[],"f%d":1}`+"\n", i)
	}
	return io.MultiReader(
		strings.NewReader(strings.Repeat(`{"values":[]}`+"\n", plain)),
		strings.NewReader(b.String()),
	)
}
