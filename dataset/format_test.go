package dataset

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A new format is a line in the table of formats, a parser and a writer: this one has a transaction
// a line, items between bars, and is written, read back and found by its extension like all others.
func TestAFormatIsAParserAWriterAndALine(t *testing.T) {
	before := kinds
	defer func() { kinds = before }()
	kinds = append(slices.Clone(kinds), kind{
		format: "bars", extensions: []string{".bars"}, shape: barsShape, prepare: writeBars,
	})
	opts := Options{Format: "bars"}
	rapid.Check(t, func(t *rapid.T) {
		d := drawDataset(t)
		var b bytes.Buffer
		if err := Write(&b, d, opts); err != nil {
			return // it names what cannot be written
		}
		back, err := Read(t.Context(), &b, opts)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := d.Len(), back.Len(); got != want {
			t.Fatalf("%d transactions are read back as %d", got, want)
		}
		for i := range d.Len() {
			got, want := back.Labels(i), d.Labels(i)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("transaction %d is %q, want %q", i+1, got, want)
			}
		}
	})
	if f, _, err := FormatOf("data.bars.gz"); f != "bars" || err != nil {
		t.Errorf("the extension means %q: %v", f, err)
	}
	if f, err := ParseFormat("bars"); f != "bars" || err != nil {
		t.Error(err)
	}
	if _, err := ParseFormat("beams"); err == nil || !strings.Contains(err.Error(), "bars") {
		t.Errorf("an error does not list the format: %v", err)
	}
}

func barsShape(_ []byte, _ Options, _ *Faults) *shape {
	return &shape{newParser: func() parser { return &barsParser{newInterner()} }}
}

type barsParser struct{ ids *interner }

func (p *barsParser) interner() *interner { return p.ids }

func (p *barsParser) parse(block []byte, out *part) {
	checkText(block, out)
	for line := range bytes.Lines(block) {
		for item := range bytes.SplitSeq(bytes.TrimSuffix(line, []byte("\n")), []byte("|")) {
			if len(item) > 0 {
				out.items = append(out.items, p.ids.id(item))
			}
		}
		out.end(out.count)
		out.count++
	}
}

func writeBars(e *encoder) func() {
	e.encode(func(label string) string {
		if strings.ContainsAny(label, "|\n") {
			return "contains a bar or a line end, which separate in bars files"
		}
		return ""
	}, plainText)
	return func() { e.lines('|') }
}

// What a new format lacks: a round trip of any data, and its place in the documentation.
func TestEveryFormatIsTestedAndDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats() {
		if !slices.ContainsFunc(roundTrips, func(r roundTrip) bool { return r.opts.Format == f }) {
			t.Errorf("%s is not among the round trips", f)
		}
		if !bytes.Contains(text, []byte("`"+string(f)+"`")) {
			t.Errorf("docs/formats.md does not describe %s", f)
		}
	}
}

// What a format has no place for is refused by name, in reading and in writing: were it ignored,
// the file would be read in another way than it was meant. What is true of a format is taken.
func TestWhatAFormatHasNoPlaceForIsRefused(t *testing.T) {
	of := func(formats ...Format) []Format { return formats }
	for _, c := range []struct {
		what  string
		opts  Options
		taken []Format
	}{
		{"no header", Options{Header: HeaderPresent}, of(
			Basket, Long, Table, Parquet, Arrow, Sheet, Database)},
		{"always names", Options{Header: HeaderAbsent}, of(
			Fimi, Basket, Long, Table, JSONL, SPMF, Sheet)},
		{"no columns of transactions and items", Options{TransactionColumn: "a"}, of(
			Long, Parquet, Arrow, Sheet, Database)},
		{"no columns of transactions and items", Options{ItemColumn: "a"}, of(
			Long, Parquet, Arrow, Sheet, Database)},
		{"no column of sets", Options{SetColumn: "a"}, of(
			Table, JSONL, Parquet, Arrow, Sheet, Database)},
		{"no sequences", Options{Sequences: true}, of(SPMF)},
	} {
		for _, f := range Formats() {
			c.opts.Format = f
			wrong := CheckLabels([]string{"1"}, c.opts)
			if slices.Contains(c.taken, f) {
				if wrong != nil {
					t.Errorf("%s, %s: %v", f, c.what, wrong)
				}
				continue
			}
			_, err := Read(t.Context(), strings.NewReader("1 2\n"), c.opts)
			for _, err := range []error{wrong, err} {
				want := "format " + string(f) + " "
				if err == nil || !strings.Contains(err.Error(), want) ||
					!strings.Contains(err.Error(), c.what) ||
					!strings.HasSuffix(err.Error(), ": "+namesOf(c.taken)) {
					t.Errorf("%s, %s: %v", f, c.what, err)
				}
			}
		}
	}
}
