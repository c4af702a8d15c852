package dataset

import (
	"bytes"
	"context"
	"io"
	"slices"
	"testing"

	"mingle/internal/soak"
)

// fuzzRead checks for any bytes: the reader does not panic; what it accepts has the invariants, is
// the same for other workers and blocks, and comes back as it was when written and read again.
func fuzzRead(f *testing.F, opts Options, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	soak.Fuzz(f, func(t *testing.T, text []byte) {
		d, err := Read(context.Background(), plainReader{bytes.NewReader(text)}, opts)
		other := opts
		other.Workers, other.block = 2, 3
		d2, err2 := Read(context.Background(), plainReader{bytes.NewReader(text)}, other)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("one worker: %v; two: %v", err, err2)
		}
		if err != nil {
			return
		}
		checkInvariants(t, d)
		if content(d) != content(d2) {
			t.Fatalf("one worker: %s\ntwo: %s", content(d), content(d2))
		}
		var b bytes.Buffer
		if err := Write(&b, d, opts); err != nil {
			t.Fatalf("read, but not written again: %v", err)
		}
		written := b.String()
		back, err := Read(context.Background(), &b, opts)
		if err != nil {
			t.Fatalf("written as %q, but not read again: %v", written, err)
		}
		if !slices.EqualFunc(sets(d), sets(back), slices.Equal) {
			t.Fatalf("wrote %q, read %q", sets(d), sets(back))
		}
		for i, c := range d.Columns {
			if !slices.Equal(c.Values, back.Columns[i].Values) || c.Name != back.Columns[i].Name {
				t.Fatalf("column %q: wrote %q, read %q", c.Name, c.Values, back.Columns[i].Values)
			}
		}
	})
}

// plainReader hides the length, as a pipe does.
type plainReader struct{ io.Reader }

func FuzzFimi(f *testing.F) {
	fuzzRead(
		f, Options{Format: Fimi, Workers: 1}, "1 2 3\n\n007 7\r\n", "\ufeffa \ufeffb\n-1",
		"1 1\n", "\x1f\x8b", "\x28\xb5\x2f\xfd",
	)
}

func FuzzBasket(f *testing.F) {
	fuzzRead(
		f, Options{Format: Basket, Workers: 1}, "a,b\n\n\"x\"\"y\",\" z \",\n", "\"a\nb\",c\r\n",
		"1,2,,\n", "\"\n\",\"\"\"\"\n",
	)
}

func FuzzLong(f *testing.F) {
	fuzzRead(
		f, Options{Format: Long, Workers: 1}, "tid,item\n1,a\n2,b\n1,c\n",
		"tid,item\n1,\n\"\n\",a\n", "x,y\n01,a\n1,b\n",
	)
}

func FuzzLongLabels(f *testing.F) {
	fuzzRead(
		f, Options{Format: Long, Workers: 1, Header: HeaderAbsent, LabelColumns: []string{"3"}},
		"1,a,f\n1,b,f\n", "1,a,f\n1,b,m\n",
	)
}

func FuzzTable(f *testing.F) {
	fuzzRead(
		f, Options{Format: Table, Workers: 1}, "id,items\n1,a;b\n2,\n",
		"items\n\"\"\n\"a\n;b\"\n", "set,,x\n a ; b,\" \",\n",
	)
}

func FuzzJSONL(f *testing.F) {
	fuzzRead(
		f, Options{Format: JSONL, Workers: 1}, "{\"id\":1,\"items\":[\"a\",7]}\n",
		"{\"items\":[],\"x\":{\"y\":[1, \"]\"]}}",
		"{\"\":\"\\u0041\",\"items\":[\"\\u0000\"]}\n\n{\"items\":[-1e5]}",
		"{\"items\":[1e5, 2.5]}",
	)
}

func FuzzSPMF(f *testing.F) {
	fuzzRead(
		f, Options{Format: SPMF, Workers: 1}, "@ITEM=1=apple\n1 2\n# x\n\n3\n", "007 7\n",
		"@ITEM=1=\n1",
	)
}

func FuzzSPMFSequences(f *testing.F) {
	fuzzRead(f, Options{Format: SPMF, Workers: 1, Sequences: true}, "1 -1 2 -1 -2\n", "-2\n")
}

// written is a small file of a format.
func written(f *testing.F, opts Options) string {
	d := FromLabels([][]string{{"a", "b"}, {}, {"b", "7", "é😀"}, {"a"}})
	d.Columns = []Column{{Name: "who", Values: []string{"x", "", "x", "z"}}}
	return mustWrite(f, d, opts)
}

func FuzzParquet(f *testing.F) {
	opts := Options{Format: Parquet, Workers: 1}
	rows := Options{Format: Parquet, TransactionColumn: "transaction", ItemColumn: "item"}
	fuzzRead(f, opts, written(f, opts), written(f, rows))
}

func FuzzSheet(f *testing.F) {
	opts := Options{Format: Sheet, Workers: 1}
	fuzzRead(f, opts, written(f, opts))
}

func FuzzArrow(f *testing.F) {
	opts := Options{Format: Arrow, Workers: 1}
	rows := Options{Format: Arrow, TransactionColumn: "transaction", ItemColumn: "item"}
	fuzzRead(
		f, opts, written(f, opts), written(f, rows),
		written(f, Options{Format: Arrow, Name: "a.arrow"}),
	)
}
