package bag_test

import (
	"bytes"
	"errors"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/internal/soak"
)

func number(t testing.TB, s string) bag.Number {
	t.Helper()
	n, err := bag.ParseNumber(s)
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return n
}

func TestNumbersAreExact(t *testing.T) {
	ordered := []string{
		"-123456789012345678901234567890", "-10", "-2.50", "-1e-3", "0", "1e-400", ".5",
		"0.50000000000000000000000000000001", "1",
		"9007199254740992", "9007199254740993", "12345678901234567890.1",
		"12345678901234567890.10000000000000000000000000001", "1e30", "+2E30",
	}
	for i, a := range ordered {
		for j, b := range ordered {
			got := number(t, a).Compare(number(t, b))
			if want := big.NewInt(int64(i)).Cmp(big.NewInt(int64(j))); got != want {
				t.Errorf("%s against %s: %d, want %d", a, b, got, want)
			}
		}
		if number(t, a).String() != a {
			t.Errorf("%s lost its text", a)
		}
	}
	for _, same := range [][2]string{
		{"1.50", "1.5"}, {"1e3", "1000"}, {"-0", "0"}, {"5.", "05"}, {"0e99", "0.00"},
	} {
		if number(t, same[0]).Compare(number(t, same[1])) != 0 {
			t.Errorf("%s and %s are one number", same[0], same[1])
		}
	}
	if got := number(t, "0.3").Sub(number(t, "0.1")).RatString(); got != "1/5" {
		t.Errorf("0.3-0.1 = %s", got)
	}
}

func TestNotNumbers(t *testing.T) {
	for s, want := range map[string]string{
		"": "empty", "NaN": "cannot be ordered", "nan": "cannot be ordered", "inf": "infinite",
		"-Infinity": "infinite", "∞": "infinite",
		"1,000": "is not a number", "1 000": "is not a number", "0x10": "is not a number",
		"1e": "is not a number", "--1": "is not a number",
		".": "is not a number", "-": "is not a number", "1_000": "is not a number",
		"１": "is not a number", "1e999999999": "more than 400 digits",
		"1e-999999999": "more than 400 digits",
	} {
		if _, err := bag.ParseNumber(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", s, err, want)
		}
	}
}

func TestRangesKeepTheEndsTexts(t *testing.T) {
	date, err := bag.NewKind("date", "", "")
	if err != nil {
		t.Fatal(err)
	}
	stamp, _ := bag.NewKind("timestamp", "", "")
	german, _ := bag.NewKind("date", "02.01.2006", "")
	for _, c := range []struct {
		kind bag.Kind
		text string
		lo   string
		hi   string
	}{
		{bag.Numbers(), "[20000-30500]", "20000", "30500"},
		{bag.Numbers(), "[-30--20]", "-30", "-20"},
		{bag.Numbers(), "[-30-20]", "-30", "20"},
		{bag.Numbers(), "[1e-5-2.50e-3]", "1e-5", "2.50e-3"},
		{bag.Numbers(), "7", "7", "7"},
		{date, "[2010-01-05-2010-02-03]", "2010-01-05", "2010-02-03"},
		{german, "[05.01.2010-03.02.2010]", "05.01.2010", "03.02.2010"},
		{
			stamp, "[2010-01-05T10:00:00-05:00-2010-01-05T16:00:00.25Z]",
			"2010-01-05T10:00:00-05:00", "2010-01-05T16:00:00.25Z",
		},
	} {
		got, err := c.kind.ParseTerm(c.text)
		if err != nil || got.Lo.String() != c.lo || got.Hi.String() != c.hi ||
			got.String() != c.text {
			t.Errorf("%s: %s to %s (%v), want %s to %s", c.text, got.Lo, got.Hi, err, c.lo, c.hi)
		}
	}
	for _, bad := range []string{
		"[5-3]", "[5", "[5-]", "[-]", "[]", "[a-b]", "[1-2-3]", "[nan-5]",
	} {
		if got, err := bag.Numbers().ParseTerm(bad); err == nil {
			t.Errorf("%s was read as %s", bad, got)
		}
	}
}

func TestUnits(t *testing.T) {
	const stamp = "2010-03-05 10:31:59"
	for unit, want := range map[string]string{
		"": stamp, "year": "2010", "month": "2010-03", "day": "2010-03-05", "hour": "2010-03-05T10",
		"minute": "2010-03-05T10:31", "second": "2010-03-05T10:31:59",
	} {
		k, err := bag.NewKind("timestamp", "", unit)
		if err != nil {
			t.Fatal(err)
		}
		n, err := k.Parse(stamp)
		if err != nil || n.String() != want {
			t.Errorf("unit %q: %s (%v), want %s", unit, n, err, want)
		}
		again, err := k.Parse(n.String())
		if err != nil || again.Compare(n) != 0 {
			t.Errorf("unit %q: %s is read back as %s (%v)", unit, n, again, err)
		}
	}
	for _, bad := range [][3]string{
		{"number", "", "day"},
		{"number", "2006", ""},
		{"date", "", "week"},
		{"month", "", ""},
		// what is shown would be more than what is compared, or another on other machines
		{"date", "", "hour"},
		{"date", "2006-01-02T15:04:05Z07:00", ""},
		{"date", "2006-01-02 Z07:00", ""},
		{"timestamp", "2006-01-02 15:04 MST", ""},
		{"timestamp", "2006-01-02 15:04 MST", "day"},
	} {
		if _, err := bag.NewKind(bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("kind %q was taken", bad)
		}
	}
	for _, good := range [][3]string{
		{"date", "2006-01-02T15:04:05Z07:00", "day"},
		{"date", "Mon 02.01.06", "month"},
		{"timestamp", "2006-01-02 15:04 -07:00", ""},
	} {
		if _, err := bag.NewKind(good[0], good[1], good[2]); err != nil {
			t.Errorf("kind %q: %v", good, err)
		}
	}
	for _, c := range []struct {
		layout, unit, text string
		ok                 bool
	}{
		// a fraction that the layout does not show is read, and would be judged
		{"2006-01-02 15:04:05", "", "2010-03-05 10:31:59.5", false},
		{"2006-01-02 15:04:05", "", "2010-03-05 10:31:59,5", false},
		{"2006-01-02 15:04:05.9", "", "2010-03-05 10:31:59.25", false},
		{"2006-01-02 15:04:05", "", "2010-03-05 10:31:59.00", true},
		{"2006-01-02 15:04:05", "second", "2010-03-05 10:31:59.5", true},
		{"2006-01-02 15:04:05.9", "", "2010-03-05 10:31:59.5", true},
		{"2006-01-02 15:04:05.00", "", "2010-03-05 10:31:59.25", true},
		{"", "", "2010-03-05 10:31:59.123456789", true},
	} {
		k, err := bag.NewKind("timestamp", c.layout, c.unit)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = k.Parse(c.text); (err == nil) != c.ok ||
			err != nil && !strings.Contains(err.Error(), "does not show") {
			t.Errorf("%s by %q: %v", c.text, c.layout, err)
		}
	}
	k, _ := bag.NewKind("date", "", "")
	a, _ := k.Parse("1969-12-31")
	b, _ := k.Parse("2024-02-29")
	if a.Compare(bag.Int(-1)) != 0 || b.Sub(a).RatString() != "19783" {
		t.Errorf("days are counted wrongly: %v", b.Sub(a))
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		l             bag.Layout
		file, written string // written empty: as the file
		records       []string
	}{
		{
			bag.Layout{Format: dataset.Fimi},
			"3 1.50 1.5\n\n-2\n", "1.5 1.5 3\n\n-2\n",
			[]string{"1.5 1.5 3", "", "-2"},
		},
		{
			bag.Layout{Format: dataset.Basket},
			"\ufeff\"40000\", 11000\r\n\r\n7",
			"11000,40000\n\n7\n",
			[]string{"11000 40000", "", "7"},
		},
		{
			bag.Layout{Format: dataset.Table},
			"name,values,age\nJohn,5;3;5,40\n\"Doe, J\",,30\n",
			"name,values,age\nJohn,3;5;5,40\n\"Doe, J\",,30\n",
			[]string{"3 5 5", ""},
		},
		{
			bag.Layout{Format: dataset.Long},
			"tid,value\nb,2\na,9\nb,1\n",
			"tid,value\nb,1\nb,2\na,9\n",
			[]string{"1 2", "9"},
		},
		{
			bag.Layout{Format: dataset.Basket, Ranges: true},
			"[1-5],[1-5],7\n", "",
			[]string{"[1-5] [1-5] 7"},
		},
	} {
		b, err := bag.Read(t.Context(), strings.NewReader(c.file), &c.l)
		if err != nil {
			t.Errorf("%s: %v", c.l.Format, err)
			continue
		}
		var got []string
		for i := range b.Len() {
			got = append(got, strings.Join(b.Texts(i), " "))
		}
		if !slices.Equal(got, c.records) {
			t.Errorf("%s: read %q, want %q", c.l.Format, got, c.records)
		}
		var out bytes.Buffer
		if err := bag.Write(&out, b, &c.l); err != nil {
			t.Errorf("%s: %v", c.l.Format, err)
		}
		if c.written == "" {
			c.written = c.file
		}
		if out.String() != c.written {
			t.Errorf("%s: wrote %q, want %q", c.l.Format, out.String(), c.written)
		}
	}
}

// Every fault is told with its line; after 20 they are counted.
func TestFaultsNameTheLine(t *testing.T) {
	_, err := bag.Read(t.Context(),
		strings.NewReader("1,2\nNaN,3\n4,,5\n\n6,inf\n[1-2]\n"),
		&bag.Layout{Format: dataset.Basket, Name: "pay.csv"},
	)
	var faults *dataset.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("error %v", err)
	}
	var lines []int
	for _, f := range faults.List {
		lines = append(lines, f.Line)
	}
	if !slices.Equal(lines, []int{2, 3, 5, 6}) {
		t.Errorf("faults on lines %v:\n%v", lines, err)
	}
	if !strings.Contains(err.Error(), "pay.csv:3: the field is empty") {
		t.Errorf("message:\n%v", err)
	}
	_, err = bag.Read(t.Context(),
		strings.NewReader(strings.Repeat("x\n", 100)), &bag.Layout{Format: dataset.Fimi},
	)
	if !errors.As(err, &faults) || len(faults.List) != 20 || faults.More != 80 {
		t.Errorf("error %v", err)
	}
}

// In a .csv file blanks may be between thousands, so they separate values where the format says so.
func TestBlanksOfThousands(t *testing.T) {
	for _, name := range []string{"a.csv", "a.CSV.gz", "a.tsv"} {
		for _, text := range []string{"1 000\n1 000\n", "1 000,2 000\n", "1 000;2 000\n"} {
			l := &bag.Layout{Name: name}
			if _, err := bag.Read(t.Context(), strings.NewReader(text), l); err == nil ||
				!strings.Contains(err.Error(), "has blanks") {
				t.Errorf("%s, %q: %v, format %q", name, text, err, l.Format)
			}
		}
	}
	for _, l := range []*bag.Layout{
		{Name: "a.csv", Format: dataset.Fimi}, {Name: "a.csv", Ranges: true}, {Name: "a.dat"}, {},
	} {
		if b, err := bag.Read(t.Context(), strings.NewReader("1 2\n3\n"), l); err != nil ||
			!slices.Equal(texts(b), []string{"1 2", "3"}) {
			t.Errorf("%+v: %v, %v", l, b, err)
		}
	}
	dates, err := bag.NewKind("date", "", "")
	if err != nil {
		t.Fatal(err)
	}
	b, err := bag.Read(t.Context(), strings.NewReader("2020-01-01 2020-01-02\n"), &bag.Layout{Name: "a.csv", Kind: dates})
	if err != nil || !slices.Equal(texts(b), []string{"2020-01-01 2020-01-02"}) {
		t.Errorf("dates between blanks: %v, %v", b, err)
	}
}

// An empty field between delimiters is a fault, where a set would pass over it; a line, a set or an
// array with nothing in it is an empty record.
func TestEmptyFields(t *testing.T) {
	for _, c := range []struct {
		format dataset.Format
		file   string
		lines  []int // of the faults
		sizes  []int // of the records, where there are none
	}{
		{dataset.Basket, "1,\n\n,2\n3\n,\n", []int{1, 3, 5, 5}, nil},
		{dataset.Basket, "1\n\n \n", nil, []int{1, 0, 0}},
		{dataset.Table, "id,values\na,1;\nb,;1\nc,1;;2\n", []int{2, 3, 4}, nil},
		{dataset.Table, "id,values\na,\nb,1\n", nil, []int{0, 1}},
		{dataset.Long, "record,value\na,1\na,\nb,x\na,2\n", []int{3, 4}, nil},
		{dataset.JSONL, `{"values":[]}` + "\n" + `{"values":[]}`, nil, []int{0, 0}},
		{dataset.JSONL, `{"values":[]}` + "\n" + `{"values":null}`, []int{2}, nil},
		{dataset.JSONL, `{"values":[""]}`, []int{1}, nil},
	} {
		b, err := bag.Read(t.Context(), strings.NewReader(c.file), &bag.Layout{Format: c.format})
		var lines, sizes []int
		if faults, ok := errors.AsType[*dataset.Faults](err); ok {
			for _, f := range faults.List {
				lines = append(lines, f.Line)
			}
		} else if err == nil {
			for i := range b.Len() {
				sizes = append(sizes, len(b.Record(i)))
			}
		}
		if !slices.Equal(lines, c.lines) || !slices.Equal(sizes, c.sizes) {
			t.Errorf("%s %q: faults on %v, records of %v: %v", c.format, c.file, lines, sizes, err)
		}
	}
}

func TestColumnsThatAreMissing(t *testing.T) {
	for _, c := range []struct{ l bag.Layout }{
		{bag.Layout{Format: dataset.Table}},
		{bag.Layout{Format: dataset.Table, Set: "z"}},
		{bag.Layout{Format: dataset.Long}},
		{bag.Layout{Format: dataset.Long, ID: "a", Set: "a"}},
		{bag.Layout{Format: dataset.JSONL}},
	} {
		if _, err := bag.Read(t.Context(), strings.NewReader("a,b,c\n1,2,3\n"), &c.l); err == nil {
			t.Errorf("%+v was read", c.l)
		}
	}
	if _, err := bag.Read(t.Context(), strings.NewReader(""), &bag.Layout{Format: dataset.Table}); err == nil {
		t.Error("an empty table was read")
	}
}

func TestWriteRefusesSeparators(t *testing.T) {
	k, _ := bag.NewKind("timestamp", "", "")
	b, err := bag.FromFields(k, [][]string{{"2010-03-05 10:31:59"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := bag.Write(&bytes.Buffer{}, b, &bag.Layout{Format: dataset.Fimi}); err == nil {
		t.Error("a text with a blank was written to a fimi file")
	}
}

// A long file that is made of another has the columns of records and values.
func TestLongOfAnotherFormat(t *testing.T) {
	k, _ := bag.NewKind("number", "", "")
	b, err := bag.FromFields(k, [][]string{{"7", "3"}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := bag.Write(&out, b, &bag.Layout{Format: dataset.Long}); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "record,value\n1,3\n1,7\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The order of the records does not change terms or texts.
func TestOrderDoesNotMatter(t *testing.T) {
	records := [][]string{{"1.0", "2"}, {"1", "1.00"}, {"02", "-3"}, {"2"}}
	want, _ := bag.FromFields(bag.Numbers(), records)
	for range 20 {
		rand.Shuffle(
			len(records), func(i, j int) { records[i], records[j] = records[j], records[i] },
		)
		got, _ := bag.FromFields(bag.Numbers(), records)
		same := slices.EqualFunc(
			got.Terms(), want.Terms(),
			func(a, b bag.Term) bool { return a.String() == b.String() },
		)
		if !same {
			t.Fatalf("terms %v, then %v", want.Terms(), got.Terms())
		}
	}
}

func TestPositions(t *testing.T) {
	b := bag.FromInts([][]int64{{0, 10}, {5, 10}})
	if got := b.Positions(); !slices.Equal(got, []float64{0, 0.5, 1}) {
		t.Errorf("positions %v", got)
	}
	if b.Longest() != 2 || b.AtLeast(2) != 2 || b.AtLeast(3) != 0 || b.Occurrences() != 4 {
		t.Errorf("%s", b)
	}
}

// Fields beside the values pass through jsonl as they are, also those that not every object has.
func TestJSONL(t *testing.T) {
	in := `{"id":1,"values":[3,"2.50"],"w":{"a":[1, 2]}}` + "\n\n" +
		`{"new":true,"values":[],"id":"x"}` + "\n" + `{"values":[]}`
	l := &bag.Layout{}
	b, err := bag.Read(t.Context(), strings.NewReader(in), l)
	if err != nil || l.Format != dataset.JSONL || b.Len() != 3 || b.Line(1) != 3 {
		t.Fatalf("%v, %s as %s", err, b, l.Format)
	}
	var out bytes.Buffer
	if err := bag.Write(&out, b, l); err != nil {
		t.Fatal(err)
	}
	want := `{"id":1,"values":["2.50","3"],"w":{"a":[1, 2]}}` + "\n" +
		`{"id":"x","values":[],"new":true}` + "\n" + `{"values":[]}` + "\n"
	if out.String() != want {
		t.Errorf("written as\n%s, want\n%s", &out, want)
	}
	out.Reset()
	table, err := bag.Read(t.Context(), strings.NewReader("who,values\nx,1;2\n"), &bag.Layout{})
	if err != nil || bag.Write(&out, table, &bag.Layout{Format: dataset.JSONL}) != nil ||
		out.String() != `{"who":"x","values":["1","2"]}`+"\n" {
		t.Errorf("%v: a table became %s", err, &out)
	}
}

func TestJSONLRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"[1]":                              `f:1: "[1]" is not a JSON object`,
		"{\"values\":[1]}\n{\"id\":1}":     `f:2: the object has no field "values"`,
		`{"values":[1,true]}`:              `f:1: a value must be a string or a number, not "true"`,
		`{"values":["a"]}`:                 `f:1: "a" is not a number`,
		`{"values":[1],"values":[2]}`:      `f:1: field "values" is given twice`,
		`{"values":[1],"Values":[2]}`:      `f:1: fields "values" and "Values" differ in case only`,
		`{"values":[1],"\ud800":2}`:        `f:1: JSON: half of a surrogate pair is no character`,
		`{"values":7}`:                     `f:1: field "values" must be an array`,
		`{"values":[1]} 2`:                 `f:1: JSON: "2" after the object`,
		`{"values":[1`:                     `f:1: JSON: `,
		"{\"values\":[1],\"\xff\":1}":      `f:1: broken UTF-8: byte 16 of the line`,
		`{"values":["NaN"]}` + "\n" + `{"`: `f:1: "NaN" cannot be ordered`,
	} {
		_, err := bag.Read(t.Context(), strings.NewReader(in), &bag.Layout{Name: "f", Format: dataset.JSONL})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", in, err, want)
		}
	}
}

// What is read is written and read again as the same; nothing else than an error happens on any
// input.
func FuzzRead(f *testing.F) {
	f.Add(0, "1 2 3\n\n4.5 -6\n")
	f.Add(1, "1,[2-3]\n")
	f.Add(2, "values,x\n1;2,y\n")
	f.Add(3, "record,value\na,1\na,2\n")
	f.Add(3, ",0") // a column without a name is not found by it
	f.Add(4, "{\"id\":1,\"values\":[1,\"2.50\",\"[3-4]\"]}\n\n{\"values\":[],\"x\":[]}\n")
	formats := []dataset.Format{
		dataset.Fimi, dataset.Basket, dataset.Table, dataset.Long, dataset.JSONL,
		dataset.Parquet, dataset.Arrow, dataset.Sheet, dataset.Database,
	}
	for i, format := range formats[5:] {
		bags, err := bag.FromFields(bag.Numbers(), [][]string{{"1", "1", "[2-3]"}, {}, {"4.50"}})
		var out bytes.Buffer
		if err == nil {
			err = bag.Write(&out, bags, &bag.Layout{Format: format})
		}
		if err != nil {
			f.Fatal(err)
		}
		f.Add(5+i, out.String())
	}
	soak.Fuzz(f, func(t *testing.T, format int, text string) {
		if format < 0 {
			return
		}
		l := &bag.Layout{Format: formats[format%len(formats)], Ranges: true}
		b, err := bag.Read(t.Context(), strings.NewReader(text), l)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := bag.Write(&out, b, l); err != nil {
			return
		}
		again, err := bag.Read(t.Context(), bytes.NewReader(out.Bytes()), l)
		if err != nil {
			t.Fatalf("%v after writing %q", err, out.String())
		}
		if !l.RowAValue() && again.Len() != b.Len() ||
			again.Occurrences() != b.Occurrences() {
			t.Fatalf("%q became %q", text, out.String())
		}
	})
}

// TestBeside finds the format of a csv file of numbers that was published of another file.
func TestBeside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "published.csv")
	for _, c := range []struct {
		of   bag.Layout
		text string
		want dataset.Format
	}{
		{bag.Layout{Format: dataset.JSONL}, "[1-5],7\n", dataset.Basket},
		{bag.Layout{Format: dataset.JSONL}, "3\n", dataset.Basket},
		{bag.Layout{Format: dataset.JSONL}, "record,value\n1,2\n", dataset.Long},
		{bag.Layout{Format: dataset.JSONL}, "age,ward,values\n", dataset.Table},
		{bag.Layout{Format: dataset.JSONL}, "{\"values\":[\"1\",\"2\"]}\n", dataset.JSONL},
		{bag.Layout{Format: dataset.Fimi}, "3\n1 2\n", dataset.Fimi},
		{bag.Layout{Format: dataset.Fimi}, "1 2\n", dataset.Fimi},
		{bag.Layout{Format: dataset.Table, Set: "amount"}, "id,amount\n", dataset.Table},
		{bag.Layout{Format: dataset.Table, Set: "amount"}, "record,value\n", dataset.Long},
		{bag.Layout{Format: dataset.Long, ID: "who", Set: "values"}, "who,values\n", dataset.Long},
		{bag.Layout{Format: dataset.JSONL}, "x,y,z\n", ""},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := c.of.Beside(path); got != c.want {
			t.Errorf("%q beside %+v: %q, want %q", c.text, c.of, got, c.want)
		}
	}
	if got := (&bag.Layout{Format: dataset.JSONL}).Beside(path + ".csv"); got != "" {
		t.Errorf("no file: %s", got)
	}
}
