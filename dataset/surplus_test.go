package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/dataset/arrow"
	"mingle/dataset/column"
	"mingle/dataset/parquet"
	"mingle/dataset/rows"
	"mingle/dataset/sheet"
)

// surplus is what a file shows beside its sets, however it is read and taken apart.
func surplus(t *testing.T, text string, opts Options) Surplus {
	t.Helper()
	opts.Workers, opts.block = 1, 8
	want := mustRead(t, text, opts).Surplus
	for _, packed := range []bool{false, true} {
		opts.Packed, opts.Workers = packed, 2
		d := mustRead(t, text, opts)
		plain, apart, err := Split(d, []string{"s"})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []*Dataset{d, d.Pack(), d.Flat(), plain, apart} {
			if got := fmt.Sprint(d.Surplus); got != fmt.Sprint(want) {
				t.Errorf("%s, packed %t: %s, want %v", opts.Format, packed, got, want)
			}
		}
	}
	return want
}

// The first line whose items do not stand in the natural order of their labels is told. Repeats
// alone are in order.
func TestUnsorted(t *testing.T) {
	for _, c := range []struct {
		format Format
		text   string
		want   int
	}{
		{Fimi, "a b\n\na9 a10\nb a\nc b\n", 4},
		{Fimi, "a b\n\na9 a10 a10\nb\n", 0},
		{Fimi, "a a\na b b a\n", 2},
		{Fimi, "a10 a9\n", 1},
		{Fimi, strings.Repeat("0 1 2 3 4 5 6 7 8 9 10 11 12 13 13\n", 9) +
			"0 1 2 3 4 5 6 7 8 9 10 10 12 13 11\n", 10},
		{Basket, "a,b\n\"q\",\"b\"\n", 2},
		{Basket, "a,b\nb,q\n", 0},
		{Long, "transaction,item\n1,a\n2,c\n1,b\n2,d\n", 0},
		{Long, "transaction,item\n1,b\n2,d\n1,c\n2,c\n", 3},
		{Table, "id,items\n1,a;b\n2,d;c\n", 3},
		{JSONL, `{"items":["a","b"]}` + "\n" + `{"items":["b","a"]}`, 2},
		{SPMF, "@ITEM=1=z\n@ITEM=2=y\n1\n1 2\n2 1\n", 4},
		{SPMF, "@ITEM=1=z\n@ITEM=2=y\n1\n2 1\n", 0},
	} {
		if got := surplus(t, c.text, Options{Format: c.format}); got.Unsorted != c.want {
			t.Errorf("%s %q: line %d, want %d", c.format, c.text, got.Unsorted, c.want)
		}
	}
}

// In much data the first line is the one that a walk over the text finds, whether sets are sorted
// one by one or together.
func TestFirstUnsortedOfMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	for _, rare := range []bool{false, true} {
		var text strings.Builder
		first := 150_000 + rng.IntN(1_000)
		for i := range 200_000 {
			items := rng.Perm(40)[:4]
			if slices.Sort(items); i == first || i > first && !rare {
				slices.Reverse(items)
			}
			fmt.Fprintf(&text, "%d %d %d %d %[4]d\n", items[0], items[1], items[2], items[3])
		}
		for workers := 1; workers <= 3; workers++ {
			for _, packed := range []bool{false, true} {
				opts := Options{Format: Fimi, Workers: workers, Packed: packed}
				if got := mustRead(t, text.String(), opts).Surplus; got.Unsorted != first+1 {
					t.Errorf("%d workers, packed %t, rare %t: %+v, want line %d", workers, packed,
						rare, got, first+1)
				}
			}
		}
	}
}

// Lines of comments are counted, and the ends of itemsets and sequences. The head that names items
// is neither.
func TestCommentsAndEnds(t *testing.T) {
	head := "@CONVERTED_FROM_TEXT\n@ITEM=1=z\n@ITEM=12=a name\r\n"
	for _, c := range []struct {
		text string
		want Surplus
	}{
		{head + "1\n\n12 \n1 12\n", Surplus{Unsorted: 7}},
		{"# one\n" + head + "1\n% two\n@three\n@ITEM=-1=|\n1\n#5", Surplus{Comments: 5}},
		{"@ITEM=1=z\n@CONVERTED_FROM_TEXT by\n1\n@ITEM\n", Surplus{Comments: 2}},
		{"1 -1 2 -1 -2\n1 2\n3 -2\n", Surplus{Ends: 4}},
	} {
		got := surplus(t, c.text, Options{Format: SPMF, Sequences: true})
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%q: %+v, want %+v", c.text, got, c.want)
		}
	}
	if got := surplus(t, "1 2\n#3 # % @x\n", Options{Format: Fimi}); got.Comments != 0 {
		t.Errorf("fimi has no comments: %+v", got)
	}
}

// Rows, fields and elements without an item are counted, but for those by which transactions
// without items are written.
func TestEmpty(t *testing.T) {
	for _, c := range []struct {
		format Format
		text   string
		want   int
	}{
		{Basket, "a,b\n\nc\n\"\"\n", 0},
		{Basket, "a,,b\n,a\nb,\n,\n7, ,\"\"\n", 7},
		{Long, "transaction,item\n1,a\n2,\n3,b\n", 0},
		{Long, "transaction,item\n1,a\n2,\n1,\n2,\n3,\n3,b\n2,\n", 4},
		{Table, "items\na;b\n\"\"\nc\n", 0},
		{Table, "id,items\n1,a;;b\n2,;\n3,\n4, ;c;\n", 5},
		{JSONL, `{"items":[]}` + "\n\n" + `{"items":["a"]}`, 0},
		{Fimi, "a  b \n\n", 0},
	} {
		if got := surplus(t, c.text, Options{Format: c.format}); got.Empty != c.want {
			t.Errorf("%s %q: %+v, want %d", c.format, c.text, got, c.want)
		}
	}
}

// The same of files of columns.
func TestEmptyInColumns(t *testing.T) {
	lists := []column.Field{{Name: "items", List: true}}
	pairs := []column.Field{{Name: "tid"}, {Name: "item"}}
	const null = column.Null
	for format, begin := range map[Format]column.Maker{
		Parquet: parquet.NewWriter, Arrow: arrow.NewStream, Database: rows.NewWriter,
		Sheet: sheet.Writer("s", ';'),
	} {
		for _, c := range []struct {
			fields []column.Field
			codes  [][]int32 // by column, of the words "", "a", "b", "c"
			ends   []uint32  // of the lists
			want   int
		}{
			{lists, [][]int32{{1, 2, 3}}, []uint32{2, 2, 3}, 0},
			{lists, [][]int32{{1, 0, 2, 0, 1}}, []uint32{3, 3, 5}, 2},
			{pairs, [][]int32{{1, 2, 3}, {1, 2, null}}, nil, 0},
			{pairs, [][]int32{{1, 1, 2, 2, 3, 3}, {null, 2, null, null, 3, 0}}, nil, 3},
		} {
			var file bytes.Buffer
			sink, err := begin(&file, c.fields)
			if err != nil {
				t.Fatal(err)
			}
			words := &column.Words{}
			for _, word := range []string{"", "a", "b", "c"} {
				words.Add([]byte(word))
			}
			b := &column.Batch{Rows: max(len(c.ends), 3)}
			for i, codes := range c.codes {
				if c.ends == nil {
					b.Rows = len(codes)
				}
				b.Cells = append(b.Cells, column.Cells{Words: words, Codes: codes})
				if i == 0 {
					b.Cells[i].Ends = c.ends
				}
			}
			if err := errors.Join(sink.Write(b), sink.Close()); err != nil {
				t.Fatal(format, err)
			}
			if got := surplus(t, file.String(), Options{Format: format}); got.Empty != c.want {
				t.Errorf("%s %v %v: %+v, want %d", format, c.codes, c.ends, got, c.want)
			}
		}
	}
}

// Columns that are passed over are named, whatever the format.
func TestUnread(t *testing.T) {
	const text = "at,tid,item,age\n8,1,a,7\n"
	for _, c := range []struct {
		opts Options
		text string
		want []string
	}{
		{Options{Format: Long}, text, []string{"at", "age"}},
		{Options{Format: Long, Keep: []string{"age", "tid"}}, text, []string{"at"}},
		{Options{Format: Long}, "tid,item\n1,a\n", nil},
		{Options{Format: Table}, "at,items\n1,a\n", nil},
		{Options{Format: JSONL}, `{"at":1,"items":[]}`, nil},
	} {
		if got := surplus(t, c.text, c.opts); !slices.Equal(got.Unread, c.want) {
			t.Errorf("%+v %q: %+v, want %q", c.opts, c.text, got, c.want)
		}
	}
	d := mustRead(t, text, Options{Format: Long, Keep: []string{"at", "age"}})
	for _, opts := range columnFormats {
		if opts.ItemColumn == "" {
			continue
		}
		file := mustWrite(t, d, opts)
		opts.Keep = []string{"age"}
		if got := surplus(t, file, opts); !slices.Equal(got.Unread, []string{"tid", "at"}) {
			t.Errorf("%s: %+v", opts.Format, got)
		}
	}
}

// What is written shows nothing beside its sets, in any format, whatever the original showed.
func TestWrittenHasNoSurplus(t *testing.T) {
	text := "transaction,item\n1,b\n2,d\n1,a10\n2,a9\n2,\n3,\n3,\n4,c\n4,b\n4,b\n"
	d := mustRead(t, text, Options{Format: Long})
	if d.Surplus.Unsorted == 0 {
		t.Fatal("the original shows nothing")
	}
	for _, format := range Formats() {
		if format == Database {
			continue // where a location is needed; see package database
		}
		for _, form := range []Options{{}, {TransactionColumn: "transaction", ItemColumn: "item"}} {
			form.Format = format
			if format != Long && !format.IsColumns() && form.ItemColumn != "" {
				continue
			}
			of := d
			if format == SPMF {
				of = d.Select([]int32{0, 1, 3}) // it has no empty transactions
			}
			var file bytes.Buffer
			if err := Write(&file, of, form); err != nil {
				t.Fatal(format, err)
			}
			back, err := Read(t.Context(), &file, form)
			if err != nil {
				t.Fatal(format, err)
			}
			got := fmt.Sprint(back.Surplus)
			if back.Len() != of.Len() || got != fmt.Sprint(Surplus{}) {
				t.Errorf("%s: %s", format, got)
			}
		}
	}
}
