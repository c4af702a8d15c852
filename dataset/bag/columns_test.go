package bag_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/dataset/rows"
)

// layouts are all that bags can be written in.
func layouts() map[string]bag.Layout {
	out := map[string]bag.Layout{"arrow file": {Format: dataset.Arrow, Name: "a.arrow"}}
	for _, f := range dataset.Formats() {
		if f == dataset.SPMF {
			continue
		}
		out[string(f)] = bag.Layout{Format: f}
		if f.IsColumns() {
			out[string(f)+" long"] = bag.Layout{Format: f, ID: "who", Set: "paid"}
		}
	}
	return out
}

func texts(b *bag.Bags) (out []string) {
	for i := range b.Len() {
		out = append(out, strings.Join(b.Texts(i), " "))
	}
	return out
}

// The same bags come back from every format: with their repeats and their own texts, and empty ones
// but where a row is a value.
func TestBagsInEveryFormat(t *testing.T) {
	for name, layout := range layouts() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				fields := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom([]string{
					"0", "-7", "2.50", "1e3", "12345678901234567890.1", "[1-2]", "[-3-0.5]",
				}), 0, 4), 0, 9).Draw(t, "bags")
				b, err := bag.FromFields(bag.Numbers(), fields)
				if err != nil {
					t.Fatal(err)
				}
				l := layout
				var out bytes.Buffer
				if err := bag.Write(&out, b, &l); err != nil {
					t.Fatal(err)
				}
				l.Ranges = true
				again, err := bag.Read(t.Context(), &out, &l)
				if err != nil {
					t.Fatal(err)
				}
				if by := strings.HasSuffix(name, "long"); l.RowAValue() != by {
					t.Fatalf("a row is a value: %v", l.RowAValue())
				} else if by {
					b = b.WithoutEmpty()
				}
				if got, want := texts(again), texts(b); !slices.Equal(got, want) {
					t.Fatalf("wrote %q, read %q", want, got)
				}
			})
		})
	}
}

// paid makes a stream of rows with two columns of the types given.
func paid(who, what rows.Type, rowsOf [][2][]byte) *bytes.Reader {
	out := rows.HeaderOf([]rows.Column{
		{Name: "who", Type: who, TypeName: "a"}, {Name: "paid", Type: what, TypeName: "b"},
	})
	out = append(out, "PGCOPY\n\xff\r\n\x00"...)
	out = append(out, make([]byte, 8)...)
	for _, row := range rowsOf {
		out = binary.BigEndian.AppendUint16(out, 2)
		for _, value := range row {
			if value == nil {
				out = binary.BigEndian.AppendUint32(out, math.MaxUint32)
				continue
			}
			out = binary.BigEndian.AppendUint32(out, uint32(len(value)))
			out = append(out, value...)
		}
	}
	return bytes.NewReader(binary.BigEndian.AppendUint16(out, math.MaxUint16))
}

const float8 rows.Type = 701 // of PostgreSQL

func double(f float64) []byte { return binary.BigEndian.AppendUint64(nil, math.Float64bits(f)) }

// Typed columns are read by their values; what has none is a fault of its row, or left out.
func TestTypedColumns(t *testing.T) {
	in := func() *bytes.Reader {
		return paid(rows.Text, float8, [][2][]byte{
			{[]byte("Ann"), double(7)},
			{[]byte("Bob"), double(0.1)},
			{[]byte("Ann"), double(7)},
			{[]byte("Cid"), nil},
			{nil, double(3)},
			{[]byte("Dan"), double(math.NaN())},
		})
	}
	layout := func() *bag.Layout {
		return &bag.Layout{Format: dataset.Database, ID: "who", Set: "paid", Name: "db"}
	}
	_, err := bag.Read(t.Context(), in(), layout())
	for _, want := range []string{
		"db:4: the field is empty", "db:5: the row has no transaction", "db:6: the field is empty",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	l := layout()
	l.SkipIncomplete = true
	b, err := bag.Read(t.Context(), in(), l)
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(b); !slices.Equal(got, []string{"7 7", "0.1"}) || len(b.Notes) != 1 ||
		!strings.HasPrefix(b.Notes[0], "3 incomplete rows were left out") {
		t.Errorf("read %q, notes %q", got, b.Notes)
	}
	infinite := paid(rows.Text, float8, [][2][]byte{{[]byte("Ann"), double(math.Inf(1))}})
	if _, err := bag.Read(t.Context(), infinite, layout()); err == nil ||
		!strings.Contains(err.Error(), "infinite") {
		t.Errorf("infinity: %v", err)
	}
}

// A set with a value missing is left out as a whole, of lists and of texts.
func TestIncompleteSetsOfValues(t *testing.T) {
	for _, text := range []string{"7;", "7;;8", " ; 7"} {
		in := paid(rows.Text, rows.Text, [][2][]byte{
			{[]byte("Ann"), []byte("1; 2")}, {[]byte("Bob"), []byte(text)}, {[]byte("Cid"), nil},
		})
		l := &bag.Layout{Format: dataset.Database, Set: "paid", Name: "db"}
		if _, err := bag.Read(t.Context(), in, l); err == nil || !strings.Contains(err.Error(), "db:2: ") {
			t.Errorf("%q: %v", text, err)
		}
		in.Seek(0, 0)
		l.SkipIncomplete = true
		b, err := bag.Read(t.Context(), in, l)
		if err != nil || !slices.Equal(texts(b), []string{"1 2", ""}) {
			t.Errorf("%q: %v, %v", text, b, err)
		}
	}
	in := paid(rows.Text, rows.JSON, [][2][]byte{
		{[]byte("Ann"), []byte(`[1, "2"]`)}, {[]byte("Bob"), []byte(`[1, null]`)},
	})
	l := &bag.Layout{Format: dataset.Database, Set: "paid", SkipIncomplete: true}
	if b, err := bag.Read(t.Context(), in, l); err != nil || !slices.Equal(texts(b), []string{"1 2"}) {
		t.Errorf("%v, %v", b, err)
	}
}

// What a format has no place for is refused.
func TestColumnsOfBagsRefuse(t *testing.T) {
	b := bag.FromInts([][]int64{{1}})
	for want, l := range map[string]bag.Layout{
		"bags of numbers are in files of every format but spmf": {Format: dataset.SPMF},
		"format fimi has no sheets":                             {Format: dataset.Fimi, Sheet: "x"},
		"format parquet is no database":                         {Format: dataset.Parquet, Table: "x"},
		"format arrow has no delimiter":                         {Format: dataset.Arrow, Delimiter: ';'},
		"cannot be called so":                                   {Format: dataset.Sheet, Sheet: "a:b"},
		"format fimi has no column of sets":                     {Format: dataset.Fimi, Set: "v"},
		"format basket has no columns of transactions":          {Format: dataset.Basket, ID: "r"},
		"format jsonl has no columns of transactions": {
			Format: dataset.JSONL, ID: "r",
		},
	} {
		if err := bag.Write(&bytes.Buffer{}, b, &l); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// In a file whose rows are records nothing says which record a row is of.
func TestNoColumnOfRecords(t *testing.T) {
	for _, f := range []dataset.Format{dataset.JSONL, dataset.Table} {
		l := &bag.Layout{Format: f, ID: "id", Set: "values"}
		_, err := bag.Read(t.Context(), strings.NewReader("{}\n"), l)
		want := "has no column that says which record, for a row is one: leave that out"
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", f, err)
		}
	}
}
