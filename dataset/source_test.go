package dataset

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mingle/internal/testdata"
)

func compressed(t testing.TB, text, path string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := Compress(&b, path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestCompression reads every format plain, as gzip and as zstd; the content tells, not the name.
func TestCompression(t *testing.T) {
	d := FromLabels([][]string{{"1", "2"}, {"3"}})
	for _, f := range Formats() {
		text := mustWrite(t, d, Options{Format: f})
		for _, ext := range []string{"", ".gz", ".zst"} {
			path := filepath.Join(t.TempDir(), "data"+ext)
			if err := os.WriteFile(path, compressed(t, text, path), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := Open(context.Background(), path, Options{Format: f})
			if err != nil {
				t.Fatalf("%s%s: %v", f, ext, err)
			}
			diff(t, string(f)+ext, sets(d), sets(got))
		}
	}
}

// TestTruncated cuts a compressed file anywhere: it is never taken for a whole one, and the message
// says so.
func TestTruncated(t *testing.T) {
	text := strings.Repeat("1 2 3\n4 5\nsome words\n", 400)
	for _, ext := range []string{".gz", ".zst"} {
		whole := compressed(t, text, ext)
		for cut := 4; cut < len(whole); cut += 3 {
			for _, workers := range []int{1, 2} {
				_, err := Read(
					context.Background(), bytes.NewReader(whole[:cut]),
					Options{Format: Fimi, Name: "f", Workers: workers, block: 200},
				)
				if err == nil || !errors.Is(err, io.ErrUnexpectedEOF) ||
					!strings.Contains(err.Error(), "truncated") {
					t.Fatalf("%s cut at %d of %d: %v", ext, cut, len(whole), err)
				}
			}
		}
		broken := bytes.Clone(whole)
		broken[len(broken)-6] ^= 0xff
		_, err := Read(context.Background(), bytes.NewReader(broken), Options{Format: Fimi})
		if err == nil ||
			!strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s with a wrong byte: %v", ext, err)
		}
	}
}

// TestFollowed reads compressed files that something follows: zeros are no text, and anything else
// is said to be what it is.
func TestFollowed(t *testing.T) {
	for _, c := range []struct{ ext, tail, err string }{
		{".gz", strings.Repeat("\x00", 10_000), ""},
		{".gz", "garbage", "f: after line 2 of the text: something follows the compressed data"},
		{".zst", "garbage", "f: after line 2 of the text: something follows the compressed data"},
	} {
		packed := append(compressed(t, "1 2\n3\n", c.ext), c.tail...)
		for _, workers := range []int{1, 2} {
			d, err := Read(
				context.Background(), bytes.NewReader(packed),
				Options{Format: Fimi, Name: "f", Workers: workers},
			)
			if c.err == "" && (err != nil || d.Len() != 2) ||
				c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("%s and %.10q: %v", c.ext, c.tail, err)
			}
		}
	}
}

func TestFormatOf(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, text, format, packed, err string }{
		{"a.dat", "", "fimi", "", ""},
		{"a.dat.gz", "", "fimi", "gz", ""},
		{"A.JSONL.zst", "", "jsonl", "zst", ""},
		{"a.ndjson", "", "jsonl", "", ""},
		{"a.txt", "", "spmf", "", ""},
		{"pairs.csv", "transaction,label\n1,a\n", "long", "", ""},
		{"pairs.csv.gz", "TID;x;Item\n1;2;a\n", "long", "gz", ""},
		{"sets.csv", "id,items\n1,a;b\n", "table", "", ""},
		{"baskets.csv", "beer,chips\n", "", "", "name the format"},
		{"both.csv", "tid,item,items\n", "", "", "name the format"},
		{"a.orc", "", "", "", "extension .orc is of no known format"},
		{"a", "", "", "", "no extension tells the format"},
		{"missing.csv", "-", "", "", "name the format"},
	} {
		path := filepath.Join(dir, c.name)
		if c.text != "-" {
			if err := os.WriteFile(path, compressed(t, c.text, path), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f, comp, err := FormatOf(path)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.err)
			}
		} else if string(f) != c.format || comp != c.packed || err != nil {
			t.Errorf("%s: %s, %q, %v", c.name, f, comp, err)
		}
	}
	path := filepath.Join(dir, "baskets.csv")
	if d, err := Open(context.Background(), path, Options{Format: Basket}); err != nil ||
		d.Len() != 1 {
		t.Errorf("basket when told so: %v, %v", d, err)
	}
	long := Options{TransactionColumn: "beer", ItemColumn: "chips"}
	if d, err := Open(context.Background(), path, long); err != nil ||
		d.Len() != 0 {
		t.Errorf("long by its columns: %v, %v", d, err)
	}
}

// TestBeside finds the format of a csv file that was published of another: its header decides,
// unless what was named for the original tells.
func TestBeside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "published.csv")
	for _, c := range []struct {
		of     Options
		header string
		want   Format
	}{
		{Options{Format: Fimi}, "transaction,item\n1,a\n", Long},
		{Options{Format: Fimi}, "tid;item\n1;a\n", Long},
		{Options{Format: JSONL}, "age,items\n7,a\n", Table},
		{Options{Format: Fimi}, "a,b\n", Basket},
		{Options{Format: Fimi}, "", Basket},
		{Options{Format: Long}, "age,items\n7,a\n", Table},
		{Options{Format: Table}, "transaction,item\n1,a\n", Long},
		{Options{Format: Table}, "a,b\n", Table},
		{Options{Format: Basket}, "transaction,item\n1,a\n", Basket},
		{Options{Format: Long, Header: HeaderAbsent}, "set,a\n1,a\n", Long},
		{Options{Format: Long, TransactionColumn: "who", ItemColumn: "set"}, "who,set\n1,a\n", Long},
		{Options{Format: Long, TransactionColumn: "who", ItemColumn: "set"}, "set\na;b\n", Table},
		{Options{Format: Table, SetColumn: "item"}, "tid,item\n1,a\n", Table},
		{Options{Format: JSONL, SetColumn: "item"}, "tid,item\n1,a\n", Long},
	} {
		if err := os.WriteFile(path, []byte(c.header), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := c.of.Beside(path); got != c.want {
			t.Errorf("%q beside %+v: %s, want %s", c.header, c.of, got, c.want)
		}
	}
	if got := (Options{Format: Fimi}).Beside(path + ".csv"); got != Basket {
		t.Errorf("no file: %s", got)
	}
}

// TestAnyLength reads lines that are longer than any block: an ordinary one and a label.
func TestAnyLength(t *testing.T) {
	var b strings.Builder
	const n = 300_000
	for i := range n {
		b.WriteString(strings.Repeat("7", i%9+1))
		b.WriteString(" x ")
	}
	b.WriteString("\n" + strings.Repeat("y", 3*blockSize) + "\n1\n")
	for _, workers := range []int{1, 2} {
		d := mustRead(t, b.String(), Options{Format: Fimi, Workers: workers})
		if d.Len() != 3 || len(d.Tx(0)) != 10 || len(d.Labels(1)[0]) != 3*blockSize {
			t.Errorf("%v, first %v", d, d.Labels(0))
		}
	}
}

// endless never ends, and cancels when enough has been read.
type endless struct {
	stop context.CancelCauseFunc
	n    int
	why  error
}

func (e *endless) Read(p []byte) (int, error) {
	if e.n += len(p); e.n > 4*blockSize {
		e.stop(e.why)
	}
	return copy(p, strings.Repeat("1 2\n", len(p)/4+1)), nil
}

func TestCancel(t *testing.T) {
	for _, workers := range []int{1, 4} {
		why := errors.New("enough")
		ctx, stop := context.WithCancelCause(context.Background())
		done := make(chan error, 1)
		go func() {
			_, err := Read(ctx, &endless{stop, 0, why}, Options{Format: Fimi, Workers: workers})
			done <- err
		}()
		select {
		case err := <-done:
			if !errors.Is(err, why) {
				t.Errorf("%d workers: %v", workers, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%d workers: still reading", workers)
		}
	}
}

func TestProgress(t *testing.T) {
	text := strings.Repeat("1 2\n", 1000)
	last := int64(0)
	d := mustRead(
		t,
		text,
		Options{Format: Fimi, block: 100, Workers: 2, Progress: func(done, total int64) {
			if done < last || total != int64(len(text)) {
				t.Errorf("%d of %d after %d", done, total, last)
			}
			last = done
		}},
	)
	if d.Len() != 1000 || last != int64(len(text)) {
		t.Errorf("%d transactions, %d bytes", d.Len(), last)
	}
}

func TestCannotBeWritten(t *testing.T) {
	one := func(labels ...string) *Dataset { return FromLabels([][]string{labels}) }
	withIDs := FromLabels([][]string{{"a"}, {"b"}})
	withIDs.Columns = []Column{{Name: "transaction", Values: []string{"x", "x"}}}
	for _, c := range []struct {
		d    *Dataset
		opts Options
		want string
	}{
		{
			one("whole milk"),
			Options{Format: Fimi},
			`output: item "whole milk" contains a blank, which separates items in fimi files: ` +
				`write a csv file (basket) instead`,
		},
		{
			one("a;b"),
			Options{Format: Table},
			`output: item "a;b" contains the inner delimiter ';': choose another one, or ` +
				`write jsonl`,
		},
		{
			one(" a"),
			Options{Format: Table},
			`output: item " a" begins or ends with a blank, which a set in a table cannot ` +
				`hold: write basket or jsonl instead`,
		},
		{
			one("a\x00"),
			Options{Format: Basket},
			`output: item "a\x00" contains a NUL byte: write jsonl instead`,
		},
		{one("a\xff"), Options{Format: JSONL}, `output: item "a\xff" is not UTF-8`},
		{one(""), Options{Format: JSONL}, `output: item "" has no name: give it one`},
		{
			one("a\nb"),
			Options{Format: SPMF},
			`output: item "a\nb" contains a line end, which spmf names cannot hold: write ` +
				`basket or jsonl instead`,
		},
		{
			one(),
			Options{Format: SPMF},
			`output: transaction 1 (line 1) is empty, and spmf has no empty transactions: ` +
				`write fimi instead`,
		},
		{
			withIDs,
			Options{Format: Long},
			`output: transactions 1 and 2 are both called "x" in column "transaction": in a ` +
				`long file they would become one`,
		},
		{
			one("a"),
			Options{Format: Long, ItemColumn: "transaction"},
			`output: two columns are called "transaction": give the columns of transaction, ` +
				`item and set other names`,
		},
	} {
		var b bytes.Buffer
		err := Write(&b, c.d, c.opts)
		if err == nil || b.Len() > 0 {
			t.Fatalf("%q was written as %s", sets(c.d), c.opts.Format)
		}
		diff(t, "message", c.want, err.Error())
	}
}

// TestOnlyWhatOccursIsWritten guards against publishing names of items that were suppressed.
func TestOnlyWhatOccursIsWritten(t *testing.T) {
	d := FromLabels([][]string{{"kept", "secret"}})
	r := d.Recode(MustDictionary([]string{"secret", "*", "kept"}), []int32{2, -1})
	diff(
		t, "spmf", "@CONVERTED_FROM_TEXT\n@ITEM=1=kept\n1\n",
		mustWrite(t, r, Options{Format: SPMF}),
	)
}

// TestNaturalOrder writes sets in the order of the labels, whatever the dictionary's.
func TestNaturalOrder(t *testing.T) {
	b := NewBuilder(MustDictionary([]string{"b", "a10", "a9"}))
	b.Add([]int32{0, 1, 2})
	diff(t, "fimi", "a9 a10 b\n", mustWrite(t, b.Build(), Options{Format: Fimi}))
}

// TestPublicData reads the public data sets; their sizes are those their page states.
func TestPublicData(t *testing.T) {
	for _, c := range []struct {
		name               string
		tx, items, longest int
		average            float64
	}{
		{"bms-webview-1/bms-webview-1.dat.gz", 59602, 497, 267, 2.5106},
		{"bms-webview-2/bms-webview-2.dat.gz", 77512, 3340, 161, 4.6222},
		{"chess/chess.dat.gz", 3196, 75, 37, 37},
		{"pumsb/pumsb.dat.gz", 49046, 2113, 74, 74},
		{"retail/retail.dat.gz", 88162, 16470, 76, 10.3058},
		{"mushroom/mushroom.dat.gz", 8124, 119, 23, 23},
		{"t10i4d100k/t10i4d100k.dat.gz", 100000, 870, 29, 10.1023},
		{"t40i10d10k/t40i10d10k.dat.gz", 10000, 940, 72, 39.5671},
		{"foodmart/foodmart.dat.gz", 4141, 1559, 14, 4.4238},
		{"groceries/groceries.dat.gz", 9835, 169, 32, 4.4095},
		{"groceries/groceries_named.csv.gz", 9835, 169, 32, 4.4095},
		{"online-retail-ii/online-retail-ii-invoices.dat.gz", 22100, 4167, 674, 22.62},
		{"online-retail-ii/online-retail-ii-customers.dat.gz", 4314, 4017, 1741, 63.6182},
		{"online-retail-ii/online-retail-ii-payments-pence.dat.gz", 4312, 14701, 189, 4.3873},
		{"mimic3-demo/mimic3-demo-admissions.dat.gz", 129, 581, 37, 13.6512},
		{"mimic3-demo/mimic3-demo-patients.dat.gz", 100, 581, 85, 14.89},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := testdata.Path(t, c.name)
			for _, workers := range []int{1, 2} {
				d, err := Open(context.Background(), path, Options{Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				checkInvariants(t, d)
				average := float64(d.Occurrences()) / float64(d.Len())
				if d.Len() != c.tx || d.Dict().Len() != c.items || d.MaxLen() != c.longest ||
					average < c.average-5e-5 ||
					average > c.average+5e-5 ||
					d.Notes != nil {
					t.Errorf(
						"%v, longest %d, average %.4f, notes %v", d, d.MaxLen(), average, d.Notes,
					)
				}
			}
		})
	}
}

// TestPublicLong reads real long files with columns by name.
func TestPublicLong(t *testing.T) {
	d, err := Open(
		context.Background(),
		testdata.Path(t, "mimic3-demo/DIAGNOSES_ICD.csv"),
		Options{
			TransactionColumn: "HADM_ID", ItemColumn: "ICD9_CODE",
			LabelColumns: []string{"SUBJECT_ID"},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	if d.Len() != 129 || d.Dict().Len() != 581 || len(d.Columns) != 2 {
		t.Errorf("admissions: %v, %d columns", d, len(d.Columns))
	}
	d, err = Open(
		context.Background(),
		testdata.Path(t, "online-retail-ii/online_retail_ii_2009_2010.csv.gz"),
		Options{TransactionColumn: "Invoice", ItemColumn: "StockCode"},
	)
	if err != nil {
		t.Fatal(err)
	}
	checkInvariants(t, d)
	t.Log("all invoices, cancelled ones too:", d, d.Notes)
}

// A writer tells how many transactions are behind it, and never goes back.
func TestProgressOfWriting(t *testing.T) {
	d := mustRead(t, strings.Repeat("1 2 3\n", 3*tellEvery), Options{Format: Fimi})
	for _, format := range []Format{Fimi, Long, Parquet} {
		told, before := 0, int64(-1)
		opts := Options{Format: format, Progress: func(done, total int64) {
			if done < before || total != int64(d.Len()) {
				t.Errorf("%s: %d of %d after %d", format, done, total, before)
			}
			told, before = told+1, done
		}}
		if err := Write(io.Discard, d, opts); err != nil {
			t.Fatal(err)
		}
		if told < 4 || before != int64(d.Len()-1) {
			t.Errorf("%s: told %d times, at last of %d", format, told, before)
		}
	}
}

// A message that lists columns shows the beginning of a name alone: a text may be one long name.
func TestColumnsAreListedInShort(t *testing.T) {
	text := strings.Repeat("x", 1<<16) + ",y,z\n"
	_, err := Read(context.Background(), strings.NewReader(text), Options{Format: Table})
	if err == nil || len(err.Error()) > 300 ||
		!strings.Contains(err.Error(), "columns are "+strings.Repeat("x", 60)+", y, z") {
		t.Errorf("%.400v", err)
	}
}
