package hierarchy

import (
	"strings"
	"testing"

	"mingle/dataset"
)

func TestHints(t *testing.T) {
	tree := mustRead(t, "8;1-139;*\n250;240-279;*\n4019;390-459;*\nA09;A;*\ncheese;dairy;*\ncaf\u00e9;drinks;*\nA\u030a;B;*\n")
	for _, c := range []struct {
		items, want string
	}{
		{"25001 2509 x", `2 of these 3 items would be in the hierarchy cut to their first 3 characters, such as "250" for "2509"`},
		{"401.9", "without their dots"},
		{"008", "without their leading zeros"},
		{"0089 2501", "cut to their first 3 characters, without leading zeros"},
		{"a09", "in capital letters"},
		{"Cheese", "in small letters"},
		{"cheese\t", "without the blanks around them"},
		{"cafe\u0301", `with composed letters (NFC), which look the same, such as "caf\u00e9" for "cafe\u0301"`},
		{"\u212b", `(NFD), which look the same, such as "A\u030a" for "\u212b"`},
		{"x y z", ""},
		{"dairy", ""},
	} {
		sep := " "
		if strings.HasSuffix(c.items, "\t") {
			sep = "\n"
		}
		data := dataset.FromLabels([][]string{strings.Split(c.items, sep)})
		_, err := tree.Encode(data)
		missing, ok := err.(*MissingItemsError)
		if !ok {
			t.Fatalf("%q: %v", c.items, err)
		}
		if c.want == "" && missing.Hint != "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.items, err, c.want)
		}
	}
}

// A table that is read as a tree is hinted at where something is wrong with it, and only there.
func TestHintAtTable(t *testing.T) {
	const rows = "1,sausage,meat,food\n2,meat,sausage,food\n3,beer,drinks,food\n"
	for text, want := range map[string]string{
		"id,label,level2,level1\n" + rows: `h.csv:1: this line looks like the names of columns: if the ` +
			`file is a table, name those that are the tree, from the item up, with ` +
			`--hierarchy-columns, such as --hierarchy-columns "label,level2,level1"`,
		"\nItem,Label,Level 2,Level 1,\n" + rows: `h.csv:2: this line looks like the names of columns`,
		rows:                                     "",
		"a;b\nb;a\n":                             "",
		"child,parent\na,b\nb,a\n":               "",
		"parent,group\ngroup,parent\na,b,c\n":    "this line looks like",
	} {
		_, err := Read(strings.NewReader(text), ReadOptions{Name: "h.csv"})
		if err == nil {
			t.Errorf("%q: no fault", text)
			continue
		}
		has := strings.Contains(err.Error(), "looks like the names of columns")
		if has != (want != "") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	const fine = "id,label,level2,level1\n1,milk,dairy,food\n2,beer,drinks,food\n"
	if _, err := Read(strings.NewReader(fine), ReadOptions{Name: "h.csv"}); err != nil {
		t.Errorf("a table that is a tree: %v", err)
	}
	o := ReadOptions{Name: "h.csv", Columns: []string{"label", "level2", "level1"}}
	if _, err := Read(strings.NewReader("id,label,level2,level1\n"+rows), o); err != nil {
		t.Errorf("what the hint says: %v", err)
	}
}
