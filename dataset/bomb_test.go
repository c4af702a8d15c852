package dataset

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"mingle/internal/memtest"
	"mingle/internal/soak"
)

// TestBombs: files of a few megabytes that unpack to gigabytes, or that ask for large tables, are
// refused within 2 GB.
func TestBombsSoak(t *testing.T) {
	const gb = 1 << 30
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		name   string
		opts   Options
		text   func() io.Reader
		want   string
		always bool // in make test too
	}{
		{
			"lines",
			Options{Format: Fimi},
			func() io.Reader { return memtest.Zstd("", "1 2\n", 2*gb) }, "more than 32 times",
			false,
		},
		{
			"empty lines",
			Options{Format: Fimi},
			func() io.Reader { return memtest.Zstd("", "\n", 2*gb) }, "more than 32 times", true,
		},
		{
			"packed",
			Options{Format: Fimi, Packed: true},
			func() io.Reader { return memtest.Zstd("", "1 2\n", 2*gb) }, "more than 32 times",
			false,
		},
		{
			"one line",
			Options{Format: Fimi},
			func() io.Reader { return memtest.Zstd("1\n", "1 ", gb) },
			"input:2: the line is longer than 16 MiB", true,
		},
		{
			"long lines",
			Options{Format: Fimi},
			func() io.Reader { return memtest.Zstd("", strings.Repeat("1 ", 4<<20)+"\n", 4*gb) },
			"more than 32 times", false,
		},
		{
			"open quote",
			Options{Format: Basket},
			func() io.Reader { return memtest.Zstd("a\n\"", "b\n", gb) },
			"input:2: the record is longer than 16 MiB", true,
		},
		{
			"columns",
			Options{Format: Table},
			func() io.Reader { return memtest.Zstd("items", ",", 8<<20) },
			"more than 16384 columns", true,
		},
		{
			"fields",
			Options{Format: Table},
			func() io.Reader {
				return memtest.Zstd("id,items\n", strings.Repeat(",", 4<<20)+"\n", 64<<20)
			},
			"16385 fields where the header has 2", false,
		},
		{
			"values",
			Options{Format: Table},
			func() io.Reader { return memtest.Zstd("a,b,items\n", ",,\n", 2*gb) },
			"more than 32 times", false,
		},
		{
			"runs",
			Options{Format: Long},
			func() io.Reader { return memtest.Zstd("transaction,item\n", "1,1\n2,1\n", 3*gb) },
			"more than 32 times", false,
		},
		{
			"names",
			Options{Format: SPMF},
			func() io.Reader { return memtest.Zstd("", "@ITEM=1=a\n", 2*gb) }, "more than 32 times",
			false,
		},
		{"labels", Options{Format: JSONL}, func() io.Reader {
			return memtest.Zstd("", `{"items":["a"],"a":"`+long+`"}`+"\n", gb)
		}, "more than 32 times", false},
		{
			"many fields",
			Options{Format: JSONL},
			func() io.Reader { return oneObject(1 << 15) },
			"more than 16384 different fields", true,
		},
		{"absent fields", Options{Format: JSONL}, func() io.Reader {
			plain := strings.Repeat(`{"items":[]}`+"\n", 1<<20)
			return io.MultiReader(strings.NewReader(plain), manyFields(1<<13))
		}, "fields that only few lines have", true},
	} {
		for _, workers := range []int{1, 8} {
			t.Run(fmt.Sprintf("%s/%d", c.name, workers), func(t *testing.T) {
				if !c.always && soak.Share(0, 1) == 0 {
					t.Skip("in make soak")
				}
				c.opts.Workers = workers
				text := c.text()
				var err error
				memtest.Within(t, 2*gb, func() { _, err = Read(t.Context(), text, c.opts) })
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %.300v, want one with %q", err, c.want)
				}
			})
		}
	}
}

// oneObject is an object of n fields.
func oneObject(n int) io.Reader {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"f%d":1,`, i)
	}
	return strings.NewReader("{" + b.String() + `"items":[]}` + "\n")
}

// manyFields is n objects, each with a field of its own.
func manyFields(n int) io.Reader {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"items":[],"f%d":1}`+"\n", i)
	}
	return strings.NewReader(b.String())
}

// TestOwnFileUnpacks: what the program wrote itself is read back whatever it unpacks to.
func TestOwnFileUnpacks(t *testing.T) {
	lines := soak.Share(1<<20, 1<<28)
	d, err := Read(t.Context(), memtest.Zstd("", "1\n", 2*lines), Options{Format: Fimi, Own: true})
	if err != nil || d.Len() < lines {
		t.Fatalf("%v", err)
	}
}

// TestLineAtTheBound: a line of just 16 MiB is read, one byte more is not.
func TestLineAtTheBound(t *testing.T) {
	if testing.Short() {
		t.Skip("a long line says nothing about goroutines")
	}
	for _, format := range []Format{Fimi, Basket} {
		for extra, want := range []bool{true, false} {
			text := "a\n" + strings.Repeat("x", 16<<20+extra) + "\nb\n"
			_, err := Read(t.Context(), strings.NewReader(text), Options{Format: format})
			if (err == nil) != want {
				t.Errorf("%s, %d bytes over: %v", format, extra, err)
			}
		}
	}
}
