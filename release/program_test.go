package release_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/release"
)

// program is that of five transactions of a and one of d, of which {a, d} is rare.
func program(t testing.TB) (*hierarchy.Tree, *release.Program) {
	tree := certificateTree(t)
	return tree, release.NewProgram(tree, []int{5, 0, 0, 1}, &release.Certificate{
		K: 3, M: 2, Scale: 1,
		Clauses: []release.Clause{
			{Nodes: []int32{0, 3}, Support: 1}, {Nodes: []int32{4, 3}, Support: 1},
		},
	})
}

const programText = `* node x1 "a..b"
* node x2 "c..d"
* node x3 "*"
min: 10 x1 2 x2 12 x3 ;
1 x1 1 ~x3 >= 1 ;
1 x2 1 ~x3 >= 1 ;
* rare 1 "a" "d"
1 x1 1 x2 >= 1 ;
* rare 1 "a..b" "d"
1 x2 >= 1 ;
`

func TestProgram(t *testing.T) {
	tree, p := program(t)
	var file bytes.Buffer
	if err := p.WriteOPB(&file, tree); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(file.String(), programText) {
		t.Fatalf("it is\n%s", file.String())
	}
	// the cut {a..b, c..d} costs what both of its nodes do: 5 times 2 and 1 times 2
	lifted, loss, ok := p.Lifted(tree, []int32{4, 4, 5, 5})
	if !cmp.Equal(lifted, []bool{true, true, false}) || loss != 12 || !ok {
		t.Errorf("%v %d %v", lifted, loss, ok)
	}
	if _, _, ok := p.Lifted(tree, []int32{4, 4, release.Suppressed, 5}); ok {
		t.Error("a suppressed item is on no cut")
	}
	back, err := release.ReadOPB(&file, tree)
	if err != nil {
		t.Fatal(err)
	}
	if p.K, p.M = 0, 0; !cmp.Equal(p, back) {
		t.Error(cmp.Diff(p, back))
	}
}

func TestReadOPBFaults(t *testing.T) {
	tree, _ := program(t)
	for name, change := range map[string]*strings.Replacer{
		"objective":        strings.NewReplacer("min: ", "max: "),
		"negative factor":  strings.NewReplacer("10 x1", "-10 x1"),
		"named twice":      strings.NewReplacer("2 x2 12", "2 x2 2 x2 12"),
		"unknown variable": strings.NewReplacer("1 x2 >= 1", "1 x9 >= 1"),
		"unknown node":     strings.NewReplacer(`x3 "*"`, `x3 "**"`),
		"no quotes":        strings.NewReplacer(`x3 "*"`, "x3 *"),
		"name":             strings.NewReplacer(`x3 "*"`, `y3 "*"`),
		"degree":           strings.NewReplacer("1 x2 >= 1", "1 x2 >= 2"),
		"factor":           strings.NewReplacer("1 x2 >= 1", "2 x2 >= 1"),
		"negated clause":   strings.NewReplacer("1 x2 >= 1", "1 ~x2 >= 1"),
		"no semicolon":     strings.NewReplacer("1 x2 >= 1 ;", "1 x2 >= 1"),
		"no clause":        strings.NewReplacer("1 x2 >= 1 ;\n", ""),
		"no set":           strings.NewReplacer(`* rare 1 "a" "d"`+"\n", ""),
		"support":          strings.NewReplacer("rare 1", "rare one"),
		"carriage return":  strings.NewReplacer(" ;\n", " ;\r\n"),
		"three of a pair":  strings.NewReplacer("1 ~x3 >=", "1 ~x3 1 x2 >="),
		"late variable":    strings.NewReplacer("* rare 1 \"a\"", "* node x4 \"a\"\n* rare 1 \"a\""),
	} {
		text := change.Replace(programText)
		if text == programText {
			t.Errorf("%s: nothing was changed", name)
		}
		if _, err := release.ReadOPB(strings.NewReader(text), tree); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func FuzzReadOPB(f *testing.F) {
	tree, _ := program(f)
	f.Add([]byte(programText))
	f.Add([]byte("min: ;\n"))
	soak.Fuzz(f, func(t *testing.T, text []byte) {
		p, err := release.ReadOPB(bytes.NewReader(text), tree)
		if err != nil {
			return
		}
		var file bytes.Buffer
		if err := p.WriteOPB(&file, tree); err != nil {
			t.Fatal(err)
		}
		again, err := release.ReadOPB(&file, tree)
		if err != nil || !cmp.Equal(p, again) {
			t.Fatalf("read %+v, read again %+v, %v", p, again, err)
		}
	})
}
