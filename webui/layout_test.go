package webui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/dataset"
	"mingle/internal/soak"
)

// How files are guessed to be laid out, by their names and first records.
func TestGuess(t *testing.T) {
	long := layout{Format: "long", Transaction: "HADM_ID", Item: "ICD9_CODE"}
	semicolon := long
	semicolon.Delimiter = ";"
	stays := "ROW_ID,SUBJECT_ID,HADM_ID,ICD9_CODE\n1,7,10,0389\n2,7,10,4019\n3,8,11,0389\n"
	for _, c := range []struct {
		name, text string
		want       layout
	}{
		{"a.dat", "1 2 3\n", layout{Format: "fimi"}},
		{"a.jsonl", `{"items":["a"]}`, layout{Format: "jsonl"}},
		{"a.csv", "milk,bread\nmilk\nbutter,bread,tea\n", layout{Format: "basket"}},
		{"a.csv", "milk;bread\nmilk\n", layout{Format: "basket", Delimiter: ";"}},
		{"a.tsv", "milk\tbread\nmilk\n", layout{Format: "basket"}},
		{
			"a.csv", "tid,item,when\n1,a,x\n",
			layout{Format: "long", Transaction: "tid", Item: "item"},
		},
		{"a.csv", stays, long},
		{"a.csv", strings.ReplaceAll(stays, ",", ";"), semicolon},
		{"a.csv", "who,bought\n1,a;b\n2,c;d\n", layout{Format: "table", Set: "bought"}},
		{
			"a.csv", "who,bought\n1,a|b\n2,c|d\n",
			layout{Format: "table", Set: "bought", Inner: "|"},
		},
		{"a.csv", "n,items\n1,a;b\n", layout{Format: "table", Set: "items"}},
		{
			"a.csv", "who,what\nx,1\nx,2\ny,1\n",
			layout{Format: "long", Transaction: "who", Item: "what"},
		},
		{"noextension", "1 2\n3\n", layout{Format: "fimi"}},
		{"noextension", `{"items":["a"]}` + "\n", layout{Format: "jsonl"}},
		{"a.csv", "", layout{}},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, guess(path)); diff != "" {
			t.Errorf("%s %q:\n%s", c.name, c.text, diff)
		}
	}
}

// Records of different lengths are guessed at, too: the user may ask for columns where there are
// none.
func TestArrangeRagged(t *testing.T) {
	for _, c := range []struct {
		head [][]string
		want layout
	}{
		{
			[][]string{{"butter", "milk", "bread"}, {"butter"}, {"milk", "eggs"}},
			layout{Format: "long", Transaction: "butter", Item: "milk"},
		},
		{
			[][]string{{"who", "got"}, {"1"}, {"1", "a"}, {}, {"2", "b", "c"}},
			layout{Format: "long", Transaction: "who", Item: "got"},
		},
		{
			[][]string{{"who", "got"}, {"1", "a;b"}, {"2"}, {"3", "c;d", "e"}},
			layout{Format: "table", Set: "got"},
		},
		{nil, layout{}},
		{[][]string{{}, {"a"}}, layout{}},
	} {
		var got layout
		if got.arrange(c.head); cmp.Diff(c.want, got) != "" {
			t.Errorf("%q:\n%s", c.head, cmp.Diff(c.want, got))
		}
	}
}

// No file makes the guess fail, and none that of its columns, whether it has any or not.
func FuzzGuess(f *testing.F) {
	f.Add("a,b\n1,2\n1,3\n", ".csv")
	f.Add("a\"b,;\n\n|\t", ".txt")
	f.Add("butter,milk,bread\nbutter\nmilk,eggs\n", ".csv")
	soak.Fuzz(f, func(t *testing.T, text, ext string) {
		path := filepath.Join(t.TempDir(), "a"+safeName("x"+ext))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Skip()
		}
		guess(path)
		if _, head, err := dataset.Head(path, "", 200); err == nil {
			new(layout).arrange(head)
		}
	})
}

// A line of further options is taken apart as a shell does.
func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		"": nil, "  -k 5  ": {"-k", "5"}, `--a "b c" 'd "e'`: {"--a", "b c", `d "e`},
		`x"y z"`: {"xy z"}, `""`: {""},
	} {
		if got, err := words(line); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%q: %q %v", line, got, err)
		}
	}
	if _, err := words(`a "b`); err == nil {
		t.Error("an open quote is no error")
	}
}

// Columns that hold persons, what is sensitive, and what is kept are asked for together.
func TestColumnsTogether(t *testing.T) {
	l := layout{Person: "who", Sensitive: []string{"diagnosis"}, Keep: []string{"ward"}}
	want := []string{
		"--person-column", "who", "--sensitive-column", "diagnosis", "--keep-columns", "ward",
	}
	if got := l.columns(); !cmp.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// What is said for one format goes with it, and what is said in one form with another format that
// has no use for it is refused.
func TestFieldsOfAFormat(t *testing.T) {
	before := layout{Format: "table", Delimiter: ";", Inner: "|", Header: "no", Encoding: "utf-16le"}
	l := before
	l.Format = "parquet"
	if got := l.after(before); got.Delimiter+got.Header+got.Encoding != "" || got.Inner != "|" {
		t.Errorf("%+v", got)
	}
	l.Delimiter = "tab"
	got := l.after(before)
	if !slices.Contains(got.reading(), "--delimiter") || !got.Shows("delimiter") {
		t.Errorf("%+v is read by %q", got, got.reading())
	}
	for format, want := range map[string][]bool{
		"":     {true, true, true, true},
		"long": {true, true, true, false}, "table": {true, true, true, true},
		"fimi": {false, false, true, false}, "jsonl": {false, false, true, false},
		"xlsx": {false, true, false, true}, "database": {false, false, false, true},
	} {
		l := layout{Format: format}
		for i, field := range []string{"delimiter", "header", "encoding", "inner"} {
			if l.Shows(field) != want[i] {
				t.Errorf("%q shows %s: %v", format, field, !want[i])
			}
		}
	}
}

// Layouts are the same where each part is: a column whose name has a blank is not two columns, and
// no list is an empty one.
func TestLayoutsAreEqualByParts(t *testing.T) {
	one := layout{Format: "long", Item: "a", Sensitive: []string{"b c"}}
	for _, other := range []layout{
		{Format: "long", Item: "a", Sensitive: []string{"b", "c"}},
		{Format: "long", Item: "a", Keep: []string{"b c"}},
		{Format: "long", Set: "a", Sensitive: []string{"b c"}},
	} {
		if one.equal(other) {
			t.Errorf("%+v is taken for %+v", other, one)
		}
	}
	if !one.equal(layout{Format: "long", Item: "a", Sensitive: []string{"b c"}, Keep: []string{}}) {
		t.Error("no list and an empty one are taken for different ones")
	}
}
