package dataset

import (
	"strings"
	"testing"
)

// TestAccepted reads a small file of each kind that docs/formats.md says is accepted.
func TestAccepted(t *testing.T) {
	type want = [][]string
	for _, c := range []struct {
		name, text string
		opts       Options
		want       want
	}{
		{"fimi", "1 2 3\n2\n", Options{Format: Fimi}, want{{"1", "2", "3"}, {"2"}}},
		{"fimi: no final newline", "1 2", Options{Format: Fimi}, want{{"1", "2"}}},
		{
			"fimi: CRLF, tabs, blanks around", "  1\t2  \r\n3\r\n",
			Options{Format: Fimi},
			want{{"1", "2"}, {"3"}},
		},
		{
			"fimi: blank lines are empty transactions", "1\n\n  \n2\n\n",
			Options{Format: Fimi},
			want{{"1"}, {}, {}, {"2"}, {}},
		},
		{"fimi: byte-order mark", "\ufeff1 2\n", Options{Format: Fimi}, want{{"1", "2"}}},
		{"fimi: nothing", "", Options{Format: Fimi}, want{}},
		{
			"fimi: labels are text",
			"7 007 -7 1e3 99999999999999999999 Käse 1048575 1048576 0 00\n",
			Options{Format: Fimi},
			want{{
				"-7", "0", "00", "1e3", "007", "7", "1048575", "1048576", "99999999999999999999",
				"Käse",
			}},
		},
		{"fimi: repeated items", "2 1 2 1 b b\n", Options{Format: Fimi}, want{{"1", "2", "b"}}},
		{"basket", "a,b\nc\n", Options{Format: Basket}, want{{"a", "b"}, {"c"}}},
		{
			"basket: blank and padded lines", "a,b,,\n\n,,\r\nc\r\n",
			Options{Format: Basket},
			want{{"a", "b"}, {}, {}, {"c"}},
		},
		{
			"basket: quotes", "\"a,b\",\"say \"\"hi\"\"\",\" x \", y \n\"two\nlines\",z",
			Options{Format: Basket},
			want{{" x ", "a,b", "say \"hi\"", "y"}, {"two\nlines", "z"}},
		},
		{
			"basket: header", "items\na,b\n",
			Options{Format: Basket, Header: HeaderPresent},
			want{{"a", "b"}},
		},
		{
			"basket: delimiter", "a|b,c\n",
			Options{Format: Basket, Delimiter: '|'},
			want{{"a", "b,c"}},
		},
		{
			"long", "transaction,item\n1,a\n2,b\n1,c\n",
			Options{Format: Long},
			want{{"a", "c"}, {"b"}},
		},
		{
			"long: two columns of any name", "who,what\nx,a\nx,b\n",
			Options{Format: Long},
			want{{"a", "b"}},
		},
		{
			"long: named columns", "n,what,who\n1,a,x\n2,b,y\n",
			Options{Format: Long, TransactionColumn: "who", ItemColumn: "what"},
			want{{"a"}, {"b"}},
		},
		{
			"long: no header", "1,a\n1,b\n",
			Options{Format: Long, Header: HeaderAbsent},
			want{{"a", "b"}},
		},
		{
			"long: row without an item", "tid,item\n1,\n2,b\n",
			Options{Format: Long},
			want{{}, {"b"}},
		},
		{
			"table", "id,items,city\n1,a;b,Athens\n2,,Rome\n",
			Options{Format: Table},
			want{{"a", "b"}, {}},
		},
		{
			"table: blanks and delimiters", "id;set\n1; a , b ,\n",
			Options{Format: Table, Delimiter: ';'},
			want{{"a", "b"}},
		},
		{
			"jsonl", "{\"id\":1,\"items\":[\"a\",7,\"a b\"]}\n\n{\"items\":[]}\n",
			Options{Format: JSONL},
			want{{"7", "a", "a b"}, {}},
		},
		{
			"jsonl: escapes", `{"items":["\u00e4","\"","\ud83d\ude00",-1.50]}`,
			Options{Format: JSONL},
			want{{"\"", "-1.50", "ä", "😀"}},
		},
		{
			"jsonl: another field", `{"x":[1],"items":null}`,
			Options{Format: JSONL, SetColumn: "x"},
			want{{"1"}},
		},
		{"spmf", "% c\n1 2\n\n@x\n3\n", Options{Format: SPMF}, want{{"1", "2"}, {"3"}}},
		{
			"spmf: names",
			"@CONVERTED_FROM_TEXT\n@ITEM=1=apple\n@ITEM=2=a=b c\n@ITEM=-1=|\n1 2 3\n",
			Options{Format: SPMF},
			want{{"3", "a=b c", "apple"}},
		},
		{
			"spmf: sequences", "1 2 -1 3 1 -1 -2\n4 -1 -2\n",
			Options{Format: SPMF, Sequences: true},
			want{{"1", "2", "3"}, {"4"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := mustRead(t, c.text, c.opts)
			diff(t, "transactions", c.want, sets(d))
		})
	}
}

// TestRefused reads files that docs/formats.md says are refused, and checks that the message tells
// where and what to do.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name, text string
		opts       Options
		want       string // all of the message
	}{
		{
			"broken UTF-8", "1\n2 \xe9\n",
			Options{Format: Fimi},
			`f:2: broken UTF-8: byte 3 of the line is 0xe9, which is 'é' in Windows-1252: ` +
				`say --encoding windows-1252 if that is right, or save the file as UTF-8`,
		},
		{
			"NUL", "1\n2 \x00\n",
			Options{Format: Basket},
			`f:2: byte 3 of the line is NUL: is this a binary file, or UTF-16? ` +
				`Save it as UTF-8, or say --encoding utf-16le`,
		},
		{
			"UTF-16", "\xff\xfe1",
			Options{Format: Fimi},
			`f: line 1: the text ends within a character of UTF-16`,
		},
		{
			"old Mac", "1 2\r3 4\r",
			Options{Format: Fimi},
			`f:1: a carriage return inside the line: lines must end in LF or CRLF`,
		},
		{
			"basket: old Mac", "1,2\r3,4\r",
			Options{Format: Basket},
			`f:1: a carriage return inside the line: lines must end in LF or CRLF`,
		},
		{
			"basket: bare quote", "a,5\" pipe\nb",
			Options{Format: Basket},
			`f:1: a quote inside a field that does not begin with one: quote the whole field, ` +
				`and double the quotes in it`,
		},
		{
			"basket: text after quote", "x\n\"a\"b,c\n",
			Options{Format: Basket},
			`f:2: text after a closing quote: quote the whole field, and double the quotes in it`,
		},
		{
			"basket: open quote", "x\n\"a,b\nc\n",
			Options{Format: Basket},
			`f:2: the field that begins with a quote here is never closed`,
		},
		{"long: ragged", "tid,item\n1,a\n2\n3,b,c\n", Options{Format: Long}, "f:3: 1 fields " +
			"where the header has 2\nf:4: 3 fields where the header has 2"},
		{
			"long: no transaction", "tid,item\n,a\n",
			Options{Format: Long},
			`f:2: the row has no transaction: fill the column, leave the row out, or name ` +
				`another column`,
		},
		{
			"long: label differs", "tid,item,sex\n1,a,f\n2,a,m\n1,b,m\n",
			Options{Format: Long, LabelColumns: []string{"sex"}},
			`f:4: label "sex" of transaction "1" is "m" here and "f" on line 2: it must be ` +
				`the same on all its lines`,
		},
		{
			"long: no such column", "a,b,c\n",
			Options{Format: Long, TransactionColumn: "x", ItemColumn: "b"},
			`f:1: there is no column "x": the columns are a, b, c`,
		},
		{"long: which columns", "a,b,c\n", Options{Format: Long}, "f:1: which column holds the " +
			"transaction? Name it with --transaction-column: the columns are a, b, c\nf:1: which " +
			"column holds the item? Name it with --item-column: the columns are a, b, c"},
		{
			"long: other delimiter", "a;b;c\n",
			Options{Format: Long, TransactionColumn: "a", ItemColumn: "b"},
			"f:1: there is no column \"a\": the columns are a;b;c; is the delimiter " +
				"\";\"?\nf:1: there is no column \"b\": the columns are a;b;c; is the delimiter " +
				"\";\"?",
		},
		{
			"long: nothing", "",
			Options{Format: Long},
			`f: there is no header: the first line must name the columns`,
		},
		{
			"table: which column", "id,x,y\n",
			Options{Format: Table},
			`f:1: which column holds the set? Name it with --set-column: the columns are id, x, y`,
		},
		{
			"table: name twice", "id,items,id\n",
			Options{Format: Table},
			`f:1: column "id" is there twice: columns need different names`,
		},
		{
			"jsonl: no object", "[1]\n",
			Options{Format: JSONL},
			`f:1: "[1]" is not a JSON object: each line must be one, as {"items":["a","b"]}`,
		},
		{
			"jsonl: no items", "{\"id\":1}\n",
			Options{Format: JSONL},
			`f:1: the object has no field "items"`,
		},
		{
			"jsonl: item of another kind", `{"items":["a",null]}`,
			Options{Format: JSONL},
			`f:1: an item must be a string or a number, not "null"`,
		},
		{
			"jsonl: twice", `{"items":[],"items":[]}`,
			Options{Format: JSONL},
			`f:1: field "items" is given twice`,
		},
		{
			"jsonl: nameless", `{"items":[""]}`,
			Options{Format: JSONL},
			`f:1: an item is an empty string: items need a name`,
		},
		{
			"jsonl: cut", "{\"items\":[\"a\"]}\n{\"items\":[\"a\"",
			Options{Format: JSONL},
			`f:2: JSON: the array of "items" is not closed`,
		},
		{
			"jsonl: label missing", "{\"items\":[],\"l\":\"x\"}\n{\"items\":[]}\n",
			Options{Format: JSONL, LabelColumns: []string{"l"}},
			`f:2: the object has no field "l", which is named as a label`,
		},
		{
			"jsonl: other letters", `{"items":["a"],"ITEMS":["b"]}`,
			Options{Format: JSONL},
			`f:1: fields "items" and "ITEMS" differ in case only, which readers take in ` +
				`different ways: rename one`,
		},
		{
			"jsonl: half a surrogate", `{"items":["\ud800"]}`,
			Options{Format: JSONL},
			`f:1: JSON: half of a surrogate pair is no character`,
		},
		{
			"jsonl: half a surrogate beside the replacement", `{"items":["\ufffd\ud800"]}`,
			Options{Format: JSONL},
			`f:1: JSON: half of a surrogate pair is no character`,
		},
		{
			"spmf: sequence", "1 -1 2 -1 -2\n3 -1 -2\n",
			Options{Format: SPMF},
			`f:1: this is a sequence file (-1 ends an itemset, -2 a sequence): read it with ` +
				`--sequences, which unites the itemsets of a sequence to one ` +
				`transaction`,
		},
		{
			"spmf: word", "1 x\n",
			Options{Format: SPMF},
			`f:1: "x" is not an item: items in SPMF files are integers from 0 up; for names ` +
				`use fimi or basket`,
		},
		{
			"spmf: utility", "1 2:5:2 3\n",
			Options{Format: SPMF},
			`f:1: "2:5:2" is not an item: this looks like a utility file (items:utility:...), ` +
				`which holds no plain transactions`,
		},
		{
			"spmf: two names", "@ITEM=1=a\n@ITEM=1=b\n1\n",
			Options{Format: SPMF},
			`f:2: item 1 is named "b" here and "a" on line 1`,
		},
		{
			"spmf: one name", "@ITEM=1=a\n@ITEM=2=a\n1 2\n",
			Options{Format: SPMF},
			`f:2: items 1 and 2 are both named "a"`,
		},
		{
			"spmf: empty sequence", "1 -1 -2\n-2\n",
			Options{Format: SPMF, Sequences: true},
			`f:2: the sequence holds no item: SPMF files have no empty transactions`,
		},
		{
			"option: delimiter of fimi", "1\n",
			Options{Format: Fimi, Delimiter: ','},
			`f: format fimi has no delimiter: leave it out, or choose a format that has one`,
		},
		{
			"option: same delimiters", "1\n",
			Options{Format: Table, Delimiter: '|', InnerDelimiter: '|'},
			`f: the delimiter and the inner delimiter are both '|': give two different ones`,
		},
		{
			"option: format", "1\n",
			Options{Format: "xls"},
			`f: format "xls" is not known: it must be one of fimi, basket, long, table, ` +
				`jsonl, spmf, parquet, arrow, xlsx, database`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.opts.Name = "f"
			for _, workers := range []int{1, 2} {
				c.opts.Workers, c.opts.block = workers, 1
				if c.opts.block = 1 << 10; workers == 2 {
					c.opts.block = 4
				}
				_, err := readText(c.text, c.opts)
				if err == nil {
					t.Fatal("accepted")
				}
				diff(t, "message", c.want, err.Error())
			}
		})
	}
}

func TestTwentyFaultsThenACount(t *testing.T) {
	text := "tid,item\n" + strings.Repeat("1\n", 57)
	for _, block := range []int{0, 16} {
		_, err := readText(text, Options{Format: Long, Name: "f", block: block})
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != 21 || lines[19] != "f:21: 1 fields where the header has 2" ||
			lines[20] != "f: and 37 more" {
			t.Errorf("block %d: %d lines of message:\n%v", block, len(lines), err)
		}
	}
}

func TestNotes(t *testing.T) {
	d := mustRead(t, "1 2 1\n2 2 2\n", Options{Format: Fimi})
	one := mustRead(t, "a a b\n", Options{Format: Fimi})
	diff(t, "notes", []string{"1 repeated item was dropped: a transaction is a set"}, one.Notes)
	diff(t, "notes", []string{"3 repeated items were dropped: a transaction is a set"}, d.Notes)
	d = mustRead(t, "tid,item\n1,a\n1,\n2,\n", Options{Format: Long})
	diff(t, "notes", []string{"2 rows have no item; their transactions are kept"}, d.Notes)
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		text string
		opts Options
		want []int
	}{
		{"1\n\n2\n", Options{Format: Fimi}, []int{1, 2, 3}},
		{"a,\"b\nc\"\nd\ne\n", Options{Format: Basket}, []int{1, 3, 4}},
		{"items\na\nb\n", Options{Format: Basket, Header: HeaderPresent}, []int{2, 3}},
		{"tid,item\n1,a\n\n2,b\n1,c\n3,d\n", Options{Format: Long}, []int{2, 4, 6}},
		{"\nid,items\n1,a\n\n2,\"b\n\"\n3,c\n", Options{Format: Table}, []int{3, 5, 7}},
		{"{\"items\":[]}\n\n{\"items\":[]}\n", Options{Format: JSONL}, []int{1, 3}},
		{"1\n# c\n2\n", Options{Format: SPMF}, []int{1, 3}},
	} {
		for _, block := range []int{0, 1} {
			c.opts.block, c.opts.Workers = block, 2
			diff(t, c.text, c.want, linesOf(mustRead(t, c.text, c.opts)))
		}
	}
}

func TestColumnsPassThrough(t *testing.T) {
	for _, c := range []struct {
		text string
		opts Options
	}{
		{
			"id,items,city, note\n1,a;b,Athens, x\n2,,\"Rome, \"\"old\"\"\",\n",
			Options{Format: Table},
		},
		{"items\na;b\n\"\"\n", Options{Format: Table}},
		{"{\"id\":1.50,\"items\":[\"a\",\"b\"],\"more\":{\"x\": " +
			"[1,2]}}\n{\"items\":[],\"late\":null}\n", Options{Format: JSONL}},
		{"{\"items\":[\"a\"]}\n{\"items\":[],\"x\":\"\\u0041\"}\n", Options{Format: JSONL}},
		{
			"transaction,item,sex\nx,a,f\nx,b,f\ny,,m\n",
			Options{Format: Long, LabelColumns: []string{"sex"}},
		},
	} {
		for _, block := range []int{0, 1} {
			c.opts.block, c.opts.Workers = block, 2
			got := mustWrite(t, mustRead(t, c.text, c.opts), c.opts)
			diff(
				t, "written again", strings.Replace(c.text, ", note", ",note", 1),
				strings.ReplaceAll(got, "\" x\"", " x"),
			)
		}
	}
}

func TestLabelColumns(t *testing.T) {
	d := mustRead(
		t, "{\"items\":[\"a\"],\"l\":\"fl\\u0075\"}\n{\"items\":[],\"l\":5}\n",
		Options{Format: JSONL, LabelColumns: []string{"l"}},
	)
	c, _ := d.Column("l")
	diff(t, "labels", []string{"flu", "5"}, c.Values)
	diff(
		t, "written", "{\"items\":[\"a\"],\"l\":\"flu\"}\n{\"items\":[],\"l\":\"5\"}\n",
		mustWrite(t, d, Options{Format: JSONL}),
	)
	d = mustRead(t, "{\"id\":\"x y\",\"items\":[\"a\"]}\n", Options{Format: JSONL})
	diff(t, "as a table", "id,items\nx y,a\n", mustWrite(t, d, Options{Format: Table}))
	diff(
		t, "as long", "id,item\nx y,a\n",
		mustWrite(t, d, Options{Format: Long, TransactionColumn: "id"}),
	)
}

// Fields of values may be missing or null, and are text in all formats.
func TestValueColumns(t *testing.T) {
	opts := Options{Format: JSONL, ValueColumns: []string{"v"}}
	d := mustRead(t, `{"items":["a"],"v":"x"}
{"items":["a"],"v":null}
{"items":["a"]}
{"v":7,"items":[]}
{"items":["a"],"v":true}
`, opts)
	c, _ := d.Column("v")
	diff(t, "values", []string{"x", "", "", "7", "true"}, c.Values)
	if _, err := readText(`{"items":["a"],"v":["x"]}`+"\n", opts); err == nil {
		t.Error("a list is a value")
	}
}
