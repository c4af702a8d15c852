package bound

import (
	"math/bits"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/release"
)

func leafTree(t *testing.T, paths ...[]string) *hierarchy.Tree {
	t.Helper()
	b := hierarchy.NewBuilder()
	for _, p := range paths {
		if err := b.Path(p, 0); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func encode(t *testing.T, tree *hierarchy.Tree, txs [][]string) *dataset.Dataset {
	t.Helper()
	d, err := tree.Encode(dataset.FromLabels(txs))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func lines(text ...string) [][]string {
	out := make([][]string, len(text))
	for i, l := range text {
		out[i] = strings.Fields(l)
	}
	return out
}

// itemsOf are the items of a set given as bits.
func itemsOf(set int) (out []int32) {
	for x := range int32(bits.Len(uint(set))) {
		if set>>x&1 == 1 {
			out = append(out, x)
		}
	}
	return out
}

// relabelled is the same item numbers under other labels.
func relabelled(d *dataset.Dataset) *dataset.Dataset {
	labels := slices.Clone(d.Dict().Labels())
	same := make([]int32, len(labels))
	for id := range same {
		same[id] = int32(id)
	}
	slices.Reverse(labels)
	return d.Recode(dataset.MustDictionary(labels), same)
}

// A proof is not checked against data that is not bound to the hierarchy: other sets would be
// counted than it names. Nor is one that is not there.
func TestProofsNeedBoundData(t *testing.T) {
	tree, data := triangle(t)
	for name, d := range map[string]*dataset.Dataset{
		"no data": nil, "leaves in another order": relabelled(data),
	} {
		in := Input{Data: d, Tree: tree, K: 2, M: 1}
		if _, err := Certificate(t.Context(), in, &release.Certificate{}); err == nil {
			t.Errorf("%s: a certificate was checked", name)
		}
		if _, err := Program(t.Context(), in, &release.Program{}); err == nil {
			t.Errorf("%s: a program was checked", name)
		}
	}
	in := Input{Data: data, Tree: tree, K: 2, M: 1}
	if _, err := Certificate(t.Context(), in, nil); err == nil {
		t.Error("no certificate was checked")
	}
	if _, err := Program(t.Context(), in, nil); err == nil {
		t.Error("no program was checked")
	}
	in.Persons = make([]int32, data.Len()-1)
	if _, err := Certificate(t.Context(), in, &release.Certificate{}); err == nil {
		t.Error("with the persons of fewer lines a certificate was checked")
	}
}

func TestNCPOfAnObjective(t *testing.T) {
	f := ProgramFinding{Unit: 4}
	if f.NCP(1) != 0.25 || (&ProgramFinding{}).NCP(1) != 0 {
		t.Error("NCP")
	}
}
