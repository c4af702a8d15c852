package suppress

import (
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/release"
)

// An item that was left out is read at a label above it, and must be possible there.
func TestReadable(t *testing.T) {
	b := hierarchy.NewBuilder()
	for _, path := range [][]string{{"a1", "A", "*"}, {"a2", "A", "*"}, {"b", "*"}} {
		if err := b.Path(path, 0); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := tree.Encode(dataset.FromLabels([][]string{{"a1", "a2", "b"}}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a1, a2, b string // "": left out
		readable  bool
	}{
		{"a1", "", "*", false},
		{"a1", "", "b", true},
		{"a1", "", "", true},
		{"*", "", "*", true},
		{"A", "", "*", true}, // a2 is read at A
		{"", "", "*", true},
		{"a1", "*", "*", true}, // nothing is left out: the inner algorithm answers for the rest
	} {
		as := map[string]string{"a1": c.a1, "a2": c.a2, "b": c.b}
		var nodes []int32
		for _, leaf := range data.Tx(0) {
			u := release.Suppressed
			if label := as[tree.Label(leaf)]; label != "" {
				id, ok := tree.Dict().ID(label)
				if !ok {
					t.Fatal(label)
				}
				u = id
			}
			nodes = append(nodes, u)
		}
		if got := readable(release.Local(tree, data, nodes)); got != c.readable {
			t.Errorf("%+v: readable %v", c, got)
		}
	}
}
