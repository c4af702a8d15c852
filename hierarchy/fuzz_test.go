package hierarchy

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mingle/internal/soak"
)

// fuzzReader: any text is a tree or an error, never a panic; what is a tree is one through and
// through, and survives being written as JSON and read again.
func fuzzReader(f *testing.F, o ReadOptions, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	soak.Fuzz(f, func(t *testing.T, text []byte) {
		tree, err := Read(bytes.NewReader(text), o)
		if err != nil {
			if !utf8.ValidString(err.Error()) {
				t.Errorf("the error is not UTF-8: %q", err)
			}
			return
		}
		checkSound(t, tree)
		var out bytes.Buffer
		if err := Write(&out, tree, JSON); err != nil {
			if strings.Contains(err.Error(), "levels, more than") {
				return
			}
			t.Fatal(err)
		}
		again, err := Read(&out, ReadOptions{Format: JSON})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(paths(tree), paths(again)); diff != "" {
			t.Error(diff)
		}
	})
}

// checkSound: one root, every leaf under it, parents after children, labels distinct and not empty.
func checkSound(t *testing.T, tree *Tree) {
	lo, hi := tree.Range(tree.Root())
	if lo != 0 || int(hi) != tree.Leaves() {
		t.Errorf("the root covers %d..%d of %d leaves", lo, hi, tree.Leaves())
	}
	seen := map[string]bool{}
	for u := range int32(tree.Nodes()) {
		if p := tree.Parent(u); p >= 0 && p <= u || p < 0 && u != tree.Root() {
			t.Errorf("node %d has parent %d", u, p)
		}
		if l := tree.Label(u); l == "" || seen[l] {
			t.Errorf("label %q is empty or stands twice", l)
		}
		seen[tree.Label(u)] = true
	}
}

func FuzzDetect(f *testing.F) {
	fuzzReader(f, ReadOptions{}, "a1;A;*\na2;A;*\nb;*\n", "a,b\nb,*\n", "distinct\nname n\n\n* "+
		"has a b\n", `{"label":"*","children":["a"]}`, "\x1f\x8b\x08\x00", "\x28\xb5\x2f\xfd")
}

func FuzzARX(f *testing.F) {
	fuzzReader(
		f, ReadOptions{Format: ARX}, "a1;A;*\na2;A;*\nb;*\n", "\"a\"\"\";\"x;y\";*\r\n",
		"\ufeffa,A,*\nb,A,*",
	)
}

func FuzzPairs(f *testing.F) {
	fuzzReader(
		f, ReadOptions{Format: Pairs}, "child,parent\na,A\nA,*\n", "a;b\nb;\n",
		"parent,item\n*,a\n",
	)
}

func FuzzAmnesia(f *testing.F) {
	fuzzReader(f, ReadOptions{Format: Amnesia}, "distinct\nname n\ntype string\nheight 3\n\nA "+
		"has a1 a2 \n\n* has A b \n\n", "range\nname n\ntype int\n\n0,9 has 0,4 5,9\n")
}

func FuzzJSON(f *testing.F) {
	fuzzReader(
		f, ReadOptions{Format: JSON},
		`{"label":"*","children":[{"name":"A","children":["a",1]},"b"]}`,
		`{"terms":[["a","A","*"],["b","*"]]}`,
		`{"hierType":"distinct","name":"n","height":3,`+
			`"level1":{"*":["A","b"]},"level2":{"A":["a1"]}}`,
	)
}

func FuzzTable(f *testing.F) {
	fuzzReader(
		f, ReadOptions{Columns: []string{"a", "b"}, AddRoot: "*"}, "a,b\n1,x\n2,x\nx,x\n",
		"b;a;c\nx;1;z\n",
	)
}
