package mingle_test

import (
	"context"
	"slices"
	"testing"

	"mingle"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
)

// What Anonymize finds is what Verify holds.
func TestForwarding(t *testing.T) {
	b := hierarchy.NewBuilder()
	for _, path := range [][]string{{"a1", "A", "*"}, {"a2", "A", "*"}, {"b", "B", "*"}} {
		if err := b.Path(path, 0); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Repeat([][]string{{"a1", "b"}, {"a2"}, {"a1"}}, 3)
	data, err := tree.Encode(dataset.FromLabels(append(lines, []string{"a2", "b"})))
	if err != nil {
		t.Fatal(err)
	}
	promise := privacy.KM{K: 2, M: 2}
	release, err := mingle.Anonymize(context.Background(), data, tree, promise)
	if err != nil {
		t.Fatal(err)
	}
	finding, err := mingle.Verify(context.Background(), data, release.Published(), tree, promise)
	if err != nil || !finding.Holds {
		t.Errorf("%v %+v", err, finding)
	}
}
