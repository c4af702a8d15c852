package dataset

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A round trip is a format with options under which what is written must be read back as it was.
type roundTrip struct {
	name string
	opts Options
}

var roundTrips = []roundTrip{
	{"fimi", Options{Format: Fimi}},
	{"basket", Options{Format: Basket}},
	{"basket semicolon header", Options{Format: Basket, Delimiter: ';', Header: HeaderPresent}},
	{"basket tab", Options{Format: Basket, Delimiter: '\t'}},
	{"long", Options{Format: Long}},
	{"long labels", Options{Format: Long, LabelColumns: []string{"sex", "tag"}}},
	{"long no header", Options{Format: Long, Header: HeaderAbsent}},
	{"table", Options{Format: Table}},
	{"table pipe", Options{Format: Table, Delimiter: ';', InnerDelimiter: '|'}},
	{"jsonl", Options{Format: JSONL}},
	{"jsonl labels", Options{Format: JSONL, LabelColumns: []string{"sex"}, SetColumn: "bag"}},
	{"spmf", Options{Format: SPMF}},
	{"parquet", Options{Format: Parquet}},
	{"parquet labels", Options{Format: Parquet, LabelColumns: []string{"sex", "tag"}}},
	{"arrow", Options{Format: Arrow}},
	{"arrow file labels", Options{
		Format: Arrow, Name: "a.arrow", LabelColumns: []string{"sex", "tag"},
	}},
	{"arrow long labels", Options{
		Format: Arrow, TransactionColumn: "t", ItemColumn: "i", LabelColumns: []string{"sex"},
	}},
	{"xlsx", Options{Format: Sheet}},
	{"xlsx labels", Options{Format: Sheet, LabelColumns: []string{"sex", "tag"}}},
	{"xlsx long labels", Options{
		Format: Sheet, TransactionColumn: "t", ItemColumn: "i", LabelColumns: []string{"sex"},
	}},
	{"database", Options{Format: Database}},
	{"database labels", Options{Format: Database, LabelColumns: []string{"sex", "tag"}}},
	{"database long labels", Options{
		Format: Database, TransactionColumn: "t", ItemColumn: "i", LabelColumns: []string{"sex"},
	}},
	{"parquet long", Options{Format: Parquet, TransactionColumn: "t", ItemColumn: "i"}},
	{"parquet long labels", Options{
		Format: Parquet, TransactionColumn: "t", ItemColumn: "i", LabelColumns: []string{"sex"},
	}},
}

// drawText draws text made of what is hard for some format.
func drawText(t *rapid.T, name string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "b", "7", "0", "12", "1048576", "-", " ", "\t", "\"", "\"\"", ",", ";", "|", "\n",
		"\r", "\r\n", "\\", "#", "@", "%",
		"=", "{", ":", "\x00", "\x01", "\ufeff", "\ufffd", "é", "😀", "\u2028", "null", "@ITEM=",
	}), 0, 4).Draw(t, name), "")
}

func drawDataset(t *rapid.T) *Dataset {
	labels := rapid.SliceOfN(rapid.OneOf(
		rapid.Custom(func(t *rapid.T) string { return drawText(t, "label") }),
		rapid.SampledFrom([]string{"1", "2", "3", "01", "x", "y"}),
	), 1, 8).Draw(t, "labels")
	var txs [][]string
	for range rapid.IntRange(0, 12).Draw(t, "transactions") {
		txs = append(txs, rapid.SliceOfN(rapid.SampledFrom(labels), 0, 5).Draw(t, "tx"))
	}
	d := FromLabels(txs)
	for _, name := range rapid.SampledFrom([][]string{nil, {"sex", "tag"}}).Draw(t, "columns") {
		c := Column{Name: name}
		for range d.Len() {
			c.Values = append(c.Values, drawText(t, name))
		}
		d.Columns = append(d.Columns, c)
	}
	return d
}

// TestRoundTrip writes any data in any format: it is refused, or read back as it was, by any number
// of workers and whatever the blocks.
func TestRoundTrip(t *testing.T) {
	for _, f := range roundTrips {
		t.Run(f.name, func(t *testing.T) {
			written := 0
			rapid.Check(t, func(t *rapid.T) {
				d := drawDataset(t)
				var b bytes.Buffer
				if err := Write(&b, d, f.opts); err != nil {
					if b.Len() > 0 {
						t.Fatalf("refused after something was written: %v", err)
					}
					return
				}
				written++
				opts := f.opts
				opts.Workers = rapid.IntRange(1, 3).Draw(t, "workers")
				opts.block = rapid.SampledFrom([]int{0, 1, 5, 40}).Draw(t, "block")
				if len(d.Columns) == 0 {
					opts.LabelColumns = nil
				}
				back, err := Read(context.Background(), &b, opts)
				if err != nil {
					t.Fatalf("written, but not read again: %v", err)
				}
				if a, b := sets(d), sets(back); !slices.EqualFunc(a, b, slices.Equal) {
					t.Fatalf("wrote %q, read %q", a, b)
				}
				for _, name := range opts.LabelColumns {
					was, _ := d.Column(name)
					is, _ := back.Column(name)
					if !slices.Equal(was.Values, is.Values) {
						t.Fatalf("column %q: wrote %q, read %q", name, was.Values, is.Values)
					}
				}
			})
			if written == 0 {
				t.Error("nothing was ever written")
			}
		})
	}
}

// TestSameForAnyWorkers reads larger files: everything that can be seen is the same for any workers
// and blocks, and the ids do not depend on the order of the transactions.
func TestSameForAnyWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var txs [][]string
	for range 3000 {
		var tx []string
		for range rng.IntN(6) {
			tx = append(
				tx,
				[]string{"x", "item ", "0", "", "é\"", "-"}[rng.IntN(6)]+string(
					rune('a'+rng.IntN(26)),
				)+strings.Repeat(
					"1", rng.IntN(9),
				),
			)
		}
		txs = append(txs, tx)
	}
	d := FromLabels(txs)
	shuffled := slices.Clone(txs)
	rng.Shuffle(
		len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] },
	)
	for _, f := range []Format{Basket, Long, Table, JSONL, Parquet} {
		text := mustWrite(t, d, Options{Format: f})
		want := mustRead(t, text, Options{Format: f, Workers: 1})
		diff(t, string(f), sets(d), sets(want))
		for _, opts := range []Options{
			{Workers: 2, block: 100},
			{Workers: 8, block: 1000},
			{Workers: 1, block: 7},
			{Workers: 3},
		} {
			opts.Format = f
			if got := mustRead(t, text, opts); content(got) != content(want) {
				t.Errorf(
					"%s: workers %d, blocks of %d: another result", f, opts.Workers, opts.block,
				)
			}
		}
		other := mustRead(
			t, mustWrite(t, FromLabels(shuffled), Options{Format: f}), Options{Format: f},
		)
		diff(t, "labels of shuffled "+string(f), want.dict.Labels(), other.dict.Labels())
	}
}

// TestLongScattered reads the rows of a long file in any order and compares with a naive twin.
func TestLongScattered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := "tid,item\n"
		var order []string
		want := map[string]map[string]bool{}
		for range rapid.IntRange(1, 40).Draw(t, "rows") {
			tid := rapid.SampledFrom([]string{"1", "2", "3", "x", "01"}).Draw(t, "tid")
			item := rapid.SampledFrom([]string{"a", "b", "c", "10", "9"}).Draw(t, "item")
			text += tid + "," + item + "\n"
			if want[tid] == nil {
				want[tid] = map[string]bool{}
				order = append(order, tid)
			}
			want[tid][item] = true
		}
		d, err := readText(
			text,
			Options{Format: Long, Workers: 2, block: rapid.IntRange(1, 60).Draw(t, "block")},
		)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(d.Columns[0].Values, order) {
			t.Fatalf("transactions %q, want %q", d.Columns[0].Values, order)
		}
		for i, tid := range order {
			labels := sortedKeys(want[tid])
			slices.SortFunc(labels, CompareLabels)
			if !slices.Equal(d.Labels(i), labels) {
				t.Fatalf("transaction %q is %q, want %q", tid, d.Labels(i), labels)
			}
		}
	})
}
