package dataset

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/internal/memtest"
	"mingle/internal/soak"
)

// columnFormats are all formats of files of columns, with their forms.
var columnFormats = []Options{
	{Format: Parquet},
	{Format: Parquet, TransactionColumn: "t", ItemColumn: "i"},
	{Format: Arrow},
	{Format: Arrow, Name: "a.arrow"},
	{Format: Arrow, TransactionColumn: "t", ItemColumn: "i"},
	{Format: Sheet},
	{Format: Sheet, TransactionColumn: "t", ItemColumn: "i"},
}

// TestSameInEveryFormatSoak: the same data in all formats are the same dataset, line by line: in
// make soak a million rows, which are sets or items as the form has it.
func TestSameInEveryFormatSoak(t *testing.T) {
	rows := soak.Share(5_000, 1_000_000)
	for _, f := range roundTrips {
		t.Run(f.name, func(t *testing.T) {
			d := manyRows(f.opts, rows)
			back := mustRead(t, mustWrite(t, d, f.opts), f.opts)
			if got := sets(back); !slices.EqualFunc(got, sets(d), slices.Equal) {
				t.Error("other sets")
			}
			diff(t, "labels", d.dict.Labels(), back.dict.Labels())
			for _, name := range f.opts.LabelColumns {
				was, _ := d.Column(name)
				is, _ := back.Column(name)
				if !slices.Equal(was.Values, is.Values) {
					t.Errorf("other values of %q", name)
				}
			}
		})
	}
}

// manyRows are generated sets that have so many rows in a format: of whole numbers, texts with
// quotes and emoji, dates, and none; beside them the labels that the options name.
func manyRows(opts Options, rows int) *Dataset {
	rng := rand.New(rand.NewPCG(5, 6))
	kinds := []string{"x", "007", "7", "é😀", "\"q\"", "a b", "2010-03-"}
	if opts.Format == Fimi {
		kinds = []string{"7", "1"}
	}
	long := opts.Format == Long || opts.Format.IsColumns() && opts.TransactionColumn != ""
	var txs [][]string
	for left := rows; left > 0; left-- {
		var tx []string
		size := rng.IntN(5)
		if opts.Format == SPMF { // it has no empty ones
			size++
		}
		for range size {
			tx = append(tx, kinds[rng.IntN(len(kinds))]+fmt.Sprint(10+rng.IntN(40)))
		}
		slices.Sort(tx)
		tx = slices.Compact(tx)
		if long {
			tx = tx[:min(len(tx), left)]
			left -= max(0, len(tx)-1)
		}
		txs = append(txs, tx)
	}
	d := FromLabels(txs)
	for _, name := range opts.LabelColumns {
		c := Column{Name: name}
		for range d.Len() {
			c.Values = append(c.Values, []string{"", "f", "m", "\"d\", é"}[rng.IntN(4)])
		}
		d.Columns = append(d.Columns, c)
	}
	return d
}

// TestDamagedColumns cuts files, and changes bytes of them: what is read, or an error, within
// bounds; never a panic.
func TestDamagedColumns(t *testing.T) {
	d := FromLabels([][]string{{"a", "b"}, {}, {"b", "7", "é😀"}, {"a"}})
	d.Columns = []Column{{Name: "who", Values: []string{"x", "", "x", "z"}}}
	rng := rand.New(rand.NewPCG(7, 8))
	for _, opts := range columnFormats {
		text := mustWrite(t, d, opts)
		memtest.Within(t, 1<<30, func() {
			for cut := range len(text) {
				readText(text[:cut], opts)
			}
			for range 300 {
				b := []byte(text)
				for range 1 + rng.IntN(3) {
					b[rng.IntN(len(b))] = byte(rng.IntN(256))
				}
				if back, err := readText(string(b), opts); err == nil {
					checkInvariants(t, back)
				}
			}
		})
	}
}

// TestSheetBombsSoak: a workbook whose sheet unpacks to far more than it is.
func TestSheetBombsSoak(t *testing.T) {
	if soak.Share(0, 1) == 0 {
		t.Skip("in make soak: it unpacks 270 MB")
	}
	many := make([][]string, 9000)
	for i := range many {
		many[i] = []string{fmt.Sprintf("%s%d", strings.Repeat("a", 30_000), i)}
	}
	big := mustWrite(t, FromLabels(many), Options{Format: Sheet})
	var err error
	memtest.Within(t, 2<<30, func() { _, err = readText(big, Options{Format: Sheet}) })
	if err == nil || !strings.Contains(err.Error(), "more than 128 times") {
		t.Errorf("%d bytes were read: %v", len(big), err)
	}
}

// TestLargeCell: a cell of more than Excel has, in a small file.
func TestLargeCell(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"xl/workbook.xml": `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/` +
			`2006/relationships"><sheets><sheet name="a" r:id="1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<R><Relationship Id="1" Target="a.xml"/></R>`,
		"xl/a.xml": `<worksheet><sheetData><row><c t="str"><v>items</v></c></row><row><c t="str"><v>` +
			strings.Repeat("a", 5<<20) + `</v></c></row></sheetData></worksheet>`,
	} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := readText(b.String(), Options{Format: Sheet})
	if err == nil || !strings.Contains(err.Error(), "in row 2: a text or a mark is larger than 4096 KiB") {
		t.Errorf("%d bytes: %v", b.Len(), err)
	}
}

// TestColumnsThroughAPipe: what cannot be read from any place is put aside.
func TestColumnsThroughAPipe(t *testing.T) {
	d := FromLabels([][]string{{"a", "b"}, {"c"}})
	for _, opts := range columnFormats {
		text := mustWrite(t, d, opts)
		back, err := Read(t.Context(), plainReader{strings.NewReader(text)}, opts)
		if err != nil {
			t.Fatalf("%+v: %v", opts, err)
		}
		diff(t, "sets", sets(d), sets(back))
		var packed bytes.Buffer
		w, err := Compress(&packed, "x.gz")
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		back, err = Read(t.Context(), plainReader{&packed}, opts)
		if err != nil {
			t.Fatalf("%+v, compressed: %v", opts, err)
		}
		diff(t, "sets", sets(d), sets(back))
	}
}

func TestColumnsRefused(t *testing.T) {
	d := FromLabels([][]string{{"a"}, {"b"}})
	d.Columns = []Column{{Name: "who", Values: []string{"x", ""}}}
	for _, format := range []Format{Parquet, Arrow, Sheet} {
		list := mustWrite(t, d, Options{Format: format})
		long := mustWrite(t, d, Options{Format: format, TransactionColumn: "t", ItemColumn: "i"})
		for _, c := range []struct {
			text string
			opts Options
			want string
		}{
			{"", Options{}, "this is no"},
			{"a,b\n1,2\n", Options{}, "this is no"},
			{list, Options{SetColumn: "sets"}, `there is no column "sets"`},
			{list, Options{SetColumn: "items", LabelColumns: []string{"items"}}, "cannot be a label"},
			{list, Options{LabelColumns: []string{"ward"}}, `there is no column "ward"`},
			{long, Options{}, "which column holds the sets? Name it with --set-column"},
			{long, Options{TransactionColumn: "t", ItemColumn: "t"}, "both transaction and item"},
			{long, Options{TransactionColumn: "who", ItemColumn: "i"}, "input:"},
			{
				list,
				Options{TransactionColumn: "who", SetColumn: "items"},
				"name the columns of one of the two",
			},
			{list, Options{Encoding: "latin-1"}, "has no other encoding"},
			{list, Options{Delimiter: ';'}, "has no delimiter"},
		} {
			c.opts.Format = format
			_, err := readText(c.text, c.opts)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %+v: %v, want %q", format, c.opts, err, c.want)
			}
		}
	}
}

// TestColumnsOfBytes: for an item that is no text no encoding is asked for, which such files have
// themselves.
func TestColumnsOfBytes(t *testing.T) {
	good := mustWrite(t, FromLabels([][]string{{"a-b"}}), Options{Format: Arrow})
	for wrong, why := range map[string]string{
		"a\x00b": `item "a\x00b" contains a NUL byte`,
		"a\xffb": `item "a\xffb" is not UTF-8`,
	} {
		_, err := readText(strings.ReplaceAll(good, "a-b", wrong), Options{Format: Arrow})
		if err == nil || !strings.Contains(err.Error(), why) ||
			strings.Contains(err.Error(), "encoding") {
			t.Errorf("%q: %v, want %q", wrong, err, why)
		}
	}
}
