package dataset

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"mingle/internal/testdata"
)

// uncompressed is a public file, decompressed.
func uncompressed(t testing.TB, name string) []byte {
	t.Helper()
	f, err := os.Open(testdata.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	src, err := newSource(f, 0, 1, "")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	text, err := io.ReadAll(src)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// BenchmarkRead reads text in memory on one goroutine. The floor is a pass over the same text that
// finds every item's end and does nothing with it; "xfloor" is how many times as long reading
// takes.
func BenchmarkRead(b *testing.B) {
	for _, name := range []string{
		"retail/retail.dat.gz", "bms-webview-2/bms-webview-2.dat.gz",
		"t40i10d10k/t40i10d10k.dat.gz", "online-retail-ii/online-retail-ii-invoices.dat.gz",
		"pumsb/pumsb.dat.gz",
	} {
		text := uncompressed(b, name)
		text = bytes.Repeat(text, 1+(16<<20)/len(text))
		short, _, _ := strings.Cut(name, "/")
		for _, f := range []struct {
			opts Options
			sep  byte
		}{
			{Options{Format: Fimi}, ' '},
			{Options{Format: SPMF}, ' '},
			{Options{Format: Basket}, ','},
		} {
			in := bytes.ReplaceAll(text, []byte{' '}, []byte{f.sep})
			benchmarkRead(b, fmt.Sprintf("%s/%s", f.opts.Format, short), in, f.opts, f.sep)
		}
	}
	d, err := Open(
		context.Background(), testdata.Path(b, "groceries/groceries_named.csv.gz"), Options{},
	)
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range []struct {
		opts Options
		sep  byte
	}{
		{Options{Format: Basket}, ','},
		{Options{Format: Long}, ','},
		{Options{Format: Table}, ';'},
		{Options{Format: JSONL}, ','},
	} {
		plain := &Dataset{dict: d.dict, items: d.items, offsets: d.offsets, counted: &counted{}}
		text := mustWrite(b, plain, f.opts)
		body := text
		if f.opts.Format == Long || f.opts.Format == Table {
			_, body, _ = strings.Cut(text, "\n")
		}
		text += strings.Repeat(body, 16<<20/len(body))
		benchmarkRead(b, fmt.Sprintf("%s/groceries", f.opts.Format), []byte(text), f.opts, f.sep)
	}
}

func benchmarkRead(b *testing.B, name string, text []byte, opts Options, sep byte) {
	b.Run(name, func(b *testing.B) {
		opts.Workers = 1
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := Read(context.Background(), bytes.NewReader(text), opts); err != nil {
				b.Fatal(err)
			}
		}
		perRead := b.Elapsed() / time.Duration(b.N)
		start, found, passes := time.Now(), 0, 0
		for time.Since(start) < 100*time.Millisecond {
			found += countEnds(text, sep)
			passes++
		}
		floor := time.Since(start) / time.Duration(passes)
		if found == 0 {
			b.Fatal("the floor found nothing")
		}
		b.ReportMetric(float64(perRead)/float64(floor), "xfloor")
	})
}

// countEnds counts the ends of items, byte by byte.
func countEnds(text []byte, sep byte) (n int) {
	for _, c := range text {
		if c == sep || c == '\n' {
			n++
		}
	}
	return n
}

// BenchmarkMerge merges identical transactions; the floor is reading every occurrence once.
func BenchmarkMerge(b *testing.B) {
	for _, name := range []string{
		"retail/retail.dat.gz", "bms-webview-2/bms-webview-2.dat.gz", "pumsb/pumsb.dat.gz",
	} {
		d, err := Open(context.Background(), testdata.Path(b, name), Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Merge(d)
			}
			perMerge := b.Elapsed() / time.Duration(b.N)
			start := time.Now()
			const passes = 50
			for range passes {
				d.Supports()
			}
			b.ReportMetric(float64(perMerge)/float64(time.Since(start)/passes), "xfloor")
		})
	}
}
