package hierarchy

import (
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
)

// Data is bound by what its ids name: labels in another order are other items, and labels that were
// read elsewhere are the same.
func TestCheckBound(t *testing.T) {
	read := func(text string) *Tree {
		tree, err := Read(strings.NewReader(text), ReadOptions{Format: ARX})
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	tree := read("b2;B;ALL\nb1;B;ALL\na2;A;ALL\na1;A;ALL\n")
	again := read("b2;B;ALL\nb1;B;ALL\na2;A;ALL\na1;A;ALL\n")
	turned := read("a1;A;ALL\na2;A;ALL\nb1;B;ALL\nb2;B;ALL\n")
	raw := dataset.FromLabels([][]string{{"a1", "b1", "b2"}, {"a2", "b1"}})
	more := dataset.FromLabels([][]string{{"a1", "a2", "b1", "b2", "c"}})
	encoded, err := tree.Encode(raw)
	if err != nil {
		t.Fatal(err)
	}
	published, err := tree.EncodePublished(raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name              string
		tree              *Tree
		data              *dataset.Dataset
		leaves, published bool
	}{
		{"encoded", tree, encoded, true, false},
		{"published", tree, published, false, true},
		{"encoded by an equal tree", again, encoded, true, false},
		{"published by an equal tree", again, published, false, true},
		{"encoded by another tree", turned, encoded, false, false},
		{"published by another tree", turned, published, false, false},
		{"never encoded", tree, raw, false, false},
		{"more items than leaves", tree, more, false, false},
		{"none", tree, nil, false, false},
		{"no tree", nil, encoded, false, false},
	} {
		if err := c.tree.CheckBound(c.data); (err == nil) != c.leaves {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := c.tree.CheckBoundPublished(c.data); (err == nil) != c.published {
			t.Errorf("%s, as published data: %v", c.name, err)
		}
	}
	if err := tree.CheckBound(raw); !strings.Contains(err.Error(), "call Tree.Encode") ||
		!slices.Equal(raw.Dict().Labels(), []string{"a1", "a2", "b1", "b2"}) {
		t.Error(err)
	}
}

// A cut of nodes that the tree does not have is refused.
func TestNewCutRefusesOtherNodes(t *testing.T) {
	tree, err := Read(strings.NewReader("a1;A\na2;A\n"), ReadOptions{Format: ARX})
	if err != nil {
		t.Fatal(err)
	}
	for _, nodes := range [][]int32{{99}, {-1}, {3}, nil} {
		if _, err := NewCut(tree, nodes); err == nil {
			t.Errorf("%v is a cut", nodes)
		}
	}
	if _, err := NewCut(nil, nil); err == nil {
		t.Error("there is a cut of no tree")
	}
}
