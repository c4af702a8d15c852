package hierarchy

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"mingle/dataset"
	"mingle/internal/limits"
)

func mustRead(t testing.TB, text string) *Tree {
	t.Helper()
	tree, err := Read(strings.NewReader(text), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// example is the tree of docs/hierarchies.md, in every layout.
var example = []string{"a1;A;*", "a2;A;*", "b;*"}

func TestLayouts(t *testing.T) {
	for name, text := range map[string]string{
		"arx":                        "a1;A;*\na2;A;*\nb;*\n",
		"arx with commas":            "a1,A,*\na2,A,*\nb,*\n",
		"arx, no last line end":      "a1;A;*\na2;A;*\nb;*",
		"arx, CRLF, BOM and blanks":  "\ufeffa1;A;*\r\n\r\na2;A;*\r\n   \nb;*\r\n",
		"arx, quoted":                "\"a1\";\"A\";*\na2;A;\"*\"\nb;*\n",
		"arx, label repeated upward": "a1;A;*\na2;A;A;*\nb;b;*\n",
		"arx, a line twice":          "a1;A;*\na2;A;*\na1;A;*\nb;*\n",
		"pairs":                      "a1,A\na2,A\nA,*\nb,*\n",
		"pairs with semicolons":      "a1;A\na2;A\nA;*\nb;*\n",
		"pairs with a header":        "Child,Parent\na1,A\na2,A\nA,*\nb,*\n",
		"pairs, parent first":        "parent;node\nA;a1\nA;a2\n*;A\n*;b\n",
		"pairs with the root":        "item,parent\n*,\nA,*\na1,A\na2,A\nb,*\n",
		"amnesia": "distinct\nname codes\ntype string\nheight 3\n\nA has a1 " +
			"a2 \n\n* has A b \n\n",
		"amnesia range": "range\nname codes\ntype int\nheight 3\n\nA has a1 " +
			"a2\n\n* has A b\n",
		"json": `{"label": "*", "children": [{"label": "A", "children": ` +
			`["a1", "a2"]}, "b"]}`,
		"json, name for label": `{"children": [{"children": [{"name": "a1"}, "a2"], "name": ` +
			`"A"}, {"name": "b", "children": []}], "name": "*"}`,
		"json terms": `{"name": "x", "terms": [["a1", "A", "*"], ["a2", "A", "*"], ` +
			`["b", "*"]]}`,
		"json of amnesia": `{"hierType":"distinct","name":"n","type":"string","height":3,` +
			`"level1":{"*":["A","b"]},"level2":{"A":["a1","a2"]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(example, paths(mustRead(t, text))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLabelsThatLookLikeSyntax(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"commas under semicolons": {
			"55267;55267,55283;*\n55271;55267,55283;*\n",
			[]string{"55267;55267,55283;*", "55271;55267,55283;*"},
		},
		"quotes and separators": {
			"\"a;\"\"1\"\"\";\"x, y\";*\nb;\"x, y\";*\n", []string{"a;\"1\";x, y;*", "b;x, y;*"},
		},
		"ranges": {
			"[15, 20[;[10, 20[;*\n[10, 15[;[10, 20[;*\n",
			[]string{"[15, 20[;[10, 20[;*", "[10, 15[;[10, 20[;*"},
		},
		"a root called parent": {
			"item,parent\na,parent\n", []string{"item;parent", "a;parent"},
		},
		"leaf and group of two": {"child;parent\n", []string{"child;parent"}},
		"one node":              {"a\n", []string{"a"}},
		"blanks around a label are cut, in quotes they are kept": {
			"a b ; A ;*\nc\t;A;*\n\" d\";A;*\n", []string{"a b;A;*", "c;A;*", " d;A;*"},
		},
		"empty cells at the end of lines, as spreadsheets pad them": {
			"a;A;*;;\nb;*;;;\n;;;;\nc;C;D;*;\n", []string{"a;A;*", "b;*", "c;C;D;*"},
		},
		"pairs with empty cells": {
			"child;parent;;\nA;*;;\na;A;;\nb;A;;\n", []string{"a;A;*", "b;A;*"},
		},
		"a header": {
			"item;Level 1;level-2\na;A;*\nb;A;*\n", []string{"a;A;*", "b;A;*"},
		},
		"a first item with the name of a column": {
			"item;group;*\nb;B;*\n", []string{"item;group;*", "b;B;*"},
		},
		"json numbers": {
			`{"label":"*","children":[1,2.50]}`, []string{"1;*", "2.50;*"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, paths(mustRead(t, c.text))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAddRoot(t *testing.T) {
	forest := "a;A\nb;A\nc;B\n"
	tree, err := Read(strings.NewReader(forest), ReadOptions{AddRoot: "everything"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a;A;everything", "b;A;everything", "c;B;everything"}
	if diff := cmp.Diff(want, paths(tree)); diff != "" {
		t.Error(diff)
	}
	if _, err := Read(strings.NewReader(forest), ReadOptions{AddRoot: "b"}); err == nil ||
		!strings.Contains(err.Error(), `"b": a node has that label`) {
		t.Error(err)
	}
}

// TestTable: an item and its group of the same name are two nodes; a group that only holds its
// namesake is none.
func TestTable(t *testing.T) {
	text := "item,label,level2,level1\n" +
		"1,frankfurter,sausage,meat\n2,sausage,sausage,meat\n3,pork,pork,meat\n" +
		"4,soap,soap,perfumery\n" +
		"5,perfume,perfumery,perfumery\n6,scent,perfumery,perfumery\n"
	tree, err := Read(
		strings.NewReader(text),
		ReadOptions{Columns: []string{"label", "level2", "level1"}, AddRoot: "*"},
	)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"frankfurter;sausage*;meat;*", "sausage;sausage*;meat;*", "pork;meat;*",
		"soap;perfumery*;*", "perfume;perfumery;perfumery*;*", "scent;perfumery;perfumery*;*",
	}
	if diff := cmp.Diff(want, paths(tree)); diff != "" {
		t.Error(diff)
	}
}

func TestOpenCompressed(t *testing.T) {
	text := []byte(strings.Join(example, "\n"))
	var gz bytes.Buffer
	zw := gzip.NewWriter(&gz)
	if _, err := zw.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"h.csv": text, "h.csv.gz": gz.Bytes(), "h.csv.zst": enc.EncodeAll(text, nil),
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		tree, err := Open(path, ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(example, paths(tree)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if name == "h.csv" {
			continue
		}
		if err := os.WriteFile(path, b[:len(b)-5], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, ReadOptions{}); err == nil ||
			!strings.Contains(err.Error(), "cut short or damaged") ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%s cut short: %v", name, err)
		}
		if err := os.WriteFile(path, append(b, "garbage"...), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, ReadOptions{}); !errors.Is(err, limits.ErrFollowed) ||
			strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s and more: %v", name, err)
		}
	}
}

// TestFaults: what is wrong is named with its line, the node, the rule and what to do.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		o    ReadOptions
		want []string
	}{
		"two roots": {
			"a;A;x\nb;B;y\n",
			ReadOptions{},
			[]string{"h.csv: ", `2 roots ("x" (line 1), "y" (line 2))`, "--add-root"},
		},
		"two parents": {
			"a;A;*\nb;B;*\na;B;*\n",
			ReadOptions{},
			[]string{`h.csv:3: node "a" has two parents, "A" (line 1) and "B"`},
		},
		"group's parents": {
			"a;A;x;*\nb;A;y;*\n",
			ReadOptions{},
			[]string{`h.csv:2: node "A" has two parents, "x" (line 1) and "y"`},
		},
		"cycle": {
			"a,b\nb,c\nc,a\n",
			ReadOptions{},
			[]string{`h.csv:1: the hierarchy has a cycle: "a" (line 1) below "b" (line 2) ` +
				`below "c" (line 3) below "a"`},
		},
		"cycle in a line": {"a;b;c;b\n", ReadOptions{}, []string{"h.csv:1: the hierarchy has a " +
			"cycle"}},
		"two cycles": {"a,b\nb,a\nc,d\nd,c\n", ReadOptions{}, []string{"h.csv:1: the " +
			"hierarchy has a cycle", "h.csv:3: the hierarchy has a cycle"}},
		"own parent": {
			"a,*\nb,b\n", ReadOptions{}, []string{`h.csv:2: node "b" is its own parent`},
		},
		"leaf and group": {
			"a;b;*\nb;*\nc;d;*\n",
			ReadOptions{},
			[]string{`h.csv:2: node "b" is given as a leaf, but "a" is below it (line 1)`, `"b*"`},
		},
		"empty label": {"a;A;*\nb;;*\n", ReadOptions{}, []string{"h.csv:2: label 2 of 3 is " +
			"empty"}},
		"empty leaf": {"a;A;*\n;A;*\n", ReadOptions{}, []string{"h.csv:2: label 1 of 3 is " +
			"empty"}},
		"empty between": {"a;A;*\nb;;*;\n", ReadOptions{}, []string{"h.csv:2: label 2 of 3 " +
			"is empty"}},
		"a header of unknown words": {"x;y;z\na;A;*\nb;A;*\n", ReadOptions{}, []string{
			"a line of column names must be taken out",
		}},
		"empty child": {"a,b\n,b\n", ReadOptions{}, []string{"h.csv:2: the child's label is " +
			"empty"}},
		"open quote": {"a;A;*\n\"b;A;*\n", ReadOptions{}, []string{"h.csv:2: the quote " +
			"that opens label 1 is not closed"}},
		"quote inside": {"a;A;*\n5\" pipe;A;*\n", ReadOptions{}, []string{"h.csv:2: label 1 " +
			"has a quote inside"}},
		"behind a quote": {"a;A;*\n\"b\"c;A;*\n", ReadOptions{}, []string{"h.csv:2: label 1 " +
			"goes on behind its closing quote"}},
		"broken UTF-8": {
			"a;A;*\nb\xff;A;*\n\xc3;A;*\n",
			ReadOptions{},
			[]string{"h.csv:2: the text is not UTF-8: byte 2 is 0xff", "h.csv:3:"},
		},
		"empty": {"", ReadOptions{}, []string{"h.csv: the hierarchy is empty"}},
		"blank": {"\n\n", ReadOptions{}, []string{"h.csv: the hierarchy is empty"}},
		"not a pair": {"a,b\nb,c,d\n", ReadOptions{Format: Pairs}, []string{"h.csv:2: the " +
			"line has 3 labels"}},
		"amnesia line": {
			"distinct\nname a\ntype string\nheight 2\n\n* has a b\nc d\n",
			ReadOptions{},
			[]string{"h.csv:7: the line is not of the form"},
		},
		"amnesia has": {
			"distinct\nname a\n\n* has a has b\n",
			ReadOptions{},
			[]string{"h.csv:4: the line says \"has\" twice"},
		},
		"amnesia mask": {"mask\nname a\n\n", ReadOptions{}, []string{"h.csv:1: hierarchies " +
			"of kind mask cannot be read"}},
		"amnesia header": {
			"distinct\nname a\nheight x\nlevels 3\n\n",
			ReadOptions{},
			[]string{"h.csv:3: the height", "h.csv:4: \"levels\" is not known"},
		},
		"amnesia kind": {"a;b\n", ReadOptions{Format: Amnesia}, []string{"h.csv:1: the first " +
			"line is \"a;b\""}},
		"amnesia parents": {
			"distinct\nname a\n\nA has x\nB has x\n\n* has A B\n",
			ReadOptions{},
			[]string{`h.csv:4: node "x" has two parents, "B" (line 5) and "A"`},
		},
		"amnesia nothing": {"", ReadOptions{Format: Amnesia}, []string{"h.csv: the hierarchy is " +
			"empty"}},
		"json syntax": {
			"{\"label\": \"*\",\n\"children\": [}\n",
			ReadOptions{},
			[]string{"h.csv:2: the JSON cannot be read"},
		},
		"json list": {"[1]", ReadOptions{Format: JSON}, []string{"h.csv:1: the JSON " +
			"cannot be read"}},
		"json unknown": {"{\"labels\": 1}", ReadOptions{}, []string{"h.csv: the JSON is of " +
			"no known layout"}},
		"json key": {
			"{\"label\": \"*\",\n\"childs\": [\"a\"], \"children\": [\"b\"]}",
			ReadOptions{},
			[]string{"h.csv:2: key \"childs\" is not known"},
		},
		"json no label": {
			"{\"label\": \"*\", \"children\": [\n{\"children\": [\"b\"]}]}",
			ReadOptions{},
			[]string{"h.csv:2: a node has no label"},
		},
		"json twice": {
			"{\"label\": \"*\", \"children\": [\"b\"],\n \"children\": [\"c\"]}",
			ReadOptions{},
			[]string{"h.csv:2: key \"children\" stands twice"},
		},
		"json parents": {
			"{\"label\": \"*\", \"children\": [\n{\"label\": \"A\", " +
				"\"children\": [\"x\"]},\n{\"label\": \"B\", \"children\": [\"x\"]}]}",
			ReadOptions{},
			[]string{`h.csv:3: node "x" has two parents, "A" (line 2) and "B"`},
		},
		"json shapes": {
			`{"label": ["*"], "children": [["a"], null, ""]}`,
			ReadOptions{},
			[]string{"a label must be a string", "a child must be a node"},
		},
		"json no list": {
			`{"label": "*", "children": {"a": {"b": []}}}`,
			ReadOptions{},
			[]string{"\"children\" must be a list"},
		},
		"json terms": {
			"{\"terms\": [[\"a\", \"*\"],\n [\"b\", \"\"], \"c\", [\"d\", " +
				"{\"x\":1}, \"*\"]]}",
			ReadOptions{},
			[]string{
				"h.csv:2: label 2 of a term",
				"h.csv:2: a term must be a list",
			},
		},
		"json term list": {`{"terms": 3}`, ReadOptions{}, []string{"\"terms\" must be a list"}},
		"json levels": {
			`{"level1": {"*": ["a", ""], "x": 1}, "level2": [1]}`,
			ReadOptions{},
			[]string{
				`a child of "*" in "level1" is empty`, `the children of "x"`,
				`"level2" must be an object`,
			},
		},
		"table column": {
			"a,b\n1,2\n",
			ReadOptions{Columns: []string{"a", "c", "d"}},
			[]string{`h.csv:1: the header has no column "c": the columns are a, b`, `no column "d"`},
		},
		"table parents": {
			"i,g,t\na,A,x\nb,A,y\n",
			ReadOptions{Columns: []string{"i", "g", "t"}},
			[]string{`h.csv:3: g "A" has two parents in column t, "x" (line 2) and "y"`},
		},
		"table empty": {
			"i,g\na,\n",
			ReadOptions{Columns: []string{"i", "g"}},
			[]string{`h.csv:2: column "g" is empty`},
		},
		"table short": {
			"i,g\na\n",
			ReadOptions{Columns: []string{"i", "g"}, Separator: ','},
			[]string{`h.csv:2: column "g" is empty`},
		},
		"table no lines": {
			"i,g\n",
			ReadOptions{Columns: []string{"i", "g"}},
			[]string{"no line stands below the header"},
		},
		"table nothing": {
			"", ReadOptions{Columns: []string{"i", "g"}}, []string{"the table is empty"},
		},
		"table quotes": {
			"i,g\n\"a,b\n",
			ReadOptions{Columns: []string{"i", "g"}},
			[]string{"h.csv:2: the quote that opens"},
		},
		"format": {
			"",
			ReadOptions{Format: "xml"},
			[]string{`hierarchy format "xml" is not known: it must be one of arx, pairs, ` +
				`amnesia, json`},
		},
		"separator": {"", ReadOptions{Separator: '"'}, []string{"the separator '\"' must be"}},
		"no separator": {
			"", ReadOptions{Format: JSON, Separator: ';'}, []string{"format json has no separator"},
		},
		"columns": {
			"",
			ReadOptions{Format: JSON, Columns: []string{"a"}},
			[]string{"columns are of a table", "must be at least two"},
		},
		"column twice": {
			"", ReadOptions{Columns: []string{"a", "a"}}, []string{`column "a" is given twice`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.Name = "h.csv"
			tree, err := Read(strings.NewReader(c.text), c.o)
			if err == nil {
				t.Fatalf("read as %v", paths(tree))
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in the error:\n%v", want, err)
				}
			}
		})
	}
}

func TestManyFaultsAreCounted(t *testing.T) {
	_, err := Read(strings.NewReader(strings.Repeat("a;;*\n", 27)), ReadOptions{Name: "h.csv"})
	var faults *dataset.Faults
	if !errors.As(err, &faults) || len(faults.List) != 20 || faults.More != 7 ||
		!strings.Contains(err.Error(), "and 7 more") {
		t.Error(err)
	}
}

// TestWriteThenRead: every layout gives back the tree it was given, whatever the labels, or says
// which label it cannot hold.
func TestWriteThenRead(t *testing.T) {
	nasty := []string{
		";", ",", `"`, `""`, " ", "\t", "a;b", "a,b", `a"b`, "has", "parent", "child", "Child",
		"PARENT", "CHILD", "item", "name x", "distinct", "{\"a\"", "[1, 2]",
		"\ufeff", "\u00a0", "\u2028", "ä", "漢字", "*", "0", "-1.5", "<&>", "\\", "null", "a\nb",
		"\r", "x y",
	}
	rapid.Check(t, func(rt *rapid.T) {
		labels := append(
			rapid.Permutation(nasty).Draw(rt, "labels"),
			rapid.SliceOfN(rapid.StringMatching(`[a-z0-9]{1,3}`), 30, 30).Draw(rt, "more")...)
		names := nameSet{}
		for range rapid.IntRange(0, 30).Draw(rt, "plain") {
			labels = labels[1:]
		}
		_, tree := randomTree(rt, 25, func(i int) string { return names.free(labels[i]) })
		format := rapid.SampledFrom(append(Formats(), "")).Draw(rt, "format")
		read := rapid.SampledFrom([]Format{format, ""}).Draw(rt, "read as")
		roundTrip(rt, tree, format, read)
	})
}

func roundTrip(t *rapid.T, tree *Tree, format, read Format) {
	var text bytes.Buffer
	if err := Write(&text, tree, format); err != nil {
		if text.Len() > 0 || format == JSON {
			t.Fatalf("%d bytes were written as %s: %v", text.Len(), format, err)
		}
		checkRefusal(t, tree, format, err)
		return
	}
	got, err := Read(bytes.NewReader(text.Bytes()), ReadOptions{Format: read})
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	if diff := cmp.Diff(paths(tree), paths(got)); diff != "" {
		t.Fatalf("%s as %s:\n%s\n%s", format, read, text.String(), diff)
	}
}

// checkRefusal: a layout refuses only what it cannot hold.
func checkRefusal(t *rapid.T, tree *Tree, format Format, err error) {
	for u := range int32(tree.Nodes()) {
		label := tree.Label(u)
		if strings.ContainsAny(label, "\r\n") ||
			format == Amnesia && (strings.ContainsAny(label, " \t") || label == "has") {
			return
		}
	}
	if format == Amnesia && tree.Nodes() == 1 ||
		format == Pairs && strings.Contains(err.Error(), "called child and parent") {
		return
	}
	t.Fatalf("refused for no reason: %v", err)
}

func TestWriteNamesWhatALayoutCannotHold(t *testing.T) {
	tree := mustRead(t, "whole milk;dairy;*\nhas;dairy;*\n")
	err := Write(&bytes.Buffer{}, tree, Amnesia)
	if err == nil || !strings.Contains(err.Error(), `label "whole milk" has a blank`) {
		t.Error(err)
	}
	if err := Write(&bytes.Buffer{}, tree, "xml"); err == nil {
		t.Error("format xml was written")
	}
}

// TestAmnesiaText is the layout as Amnesia writes it: the lowest groups first, a block a level.
func TestAmnesiaText(t *testing.T) {
	tree := mustRead(t, "a1;A;*\na2;A;*\nb1;B;*\nb2;B;*\n")
	var got bytes.Buffer
	if err := Write(&got, tree, Amnesia); err != nil {
		t.Fatal(err)
	}
	want := "distinct\nname hierarchy\ntype string\nheight 3\n\nA has a1 a2 \nB has b1 b2 \n\n* " +
		"has A B \n\n"
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

func TestJSONText(t *testing.T) {
	tree := mustRead(t, "a1;A;*\na2;A;*\nb;*\nc;C;*\n")
	var got bytes.Buffer
	if err := Write(&got, tree, JSON); err != nil {
		t.Fatal(err)
	}
	want := `{"label": "*", "children": [
 {"label": "A", "children": ["a1", "a2"]}, "b",
 {"label": "C", "children": ["c"]}
]}
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

// A reading of which nothing more is wanted ends: while text is read, while nodes are collected,
// and before the tree is built.
func TestReadEnds(t *testing.T) {
	var text strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&text, "i%d;all\n", i)
	}
	count := 0
	read := func(most int) error {
		asked := 0
		_, err := Read(strings.NewReader(text.String()), ReadOptions{
			Ended: func() error {
				if count = asked; asked == most {
					return errors.New("enough")
				}
				asked++
				return nil
			},
		})
		return err
	}
	if err := read(-1); err != nil || count < 6 {
		t.Fatalf("asked %d times: %v", count, err)
	}
	for most := range count + 1 {
		if err := read(most); err == nil || !strings.Contains(err.Error(), "enough") {
			t.Errorf("after %d times: %v", most, err)
		}
	}
}
