package mingle_test

import (
	"context"
	"slices"
	"strings"
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

// A promise about what the arguments do not have says what to use.
func TestAnonymizeRefusesWhatItIsNotGiven(t *testing.T) {
	for _, promise := range []privacy.KM{
		{K: 2, M: 1, L: 2},
		{K: 2, M: 1, L: 2, Columns: []string{"diagnosis"}},
		{K: 2, M: 1, Persons: true},
	} {
		_, err := mingle.Anonymize(t.Context(), nil, nil, promise)
		if err == nil || !strings.Contains(err.Error(), "anonymize.Input") {
			t.Errorf("%+v: %v", promise, err)
		}
	}
}

// Data whose ids name other items than the tree's leaves is refused, and not published under their
// names.
func TestUnboundDataIsRefused(t *testing.T) {
	read := func(text string) *hierarchy.Tree {
		tree, err := hierarchy.Read(strings.NewReader(text),
			hierarchy.ReadOptions{Format: hierarchy.ARX})
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	tree := read("b2;B;*\nb1;B;*\na2;A;*\na1;A;*\n")
	lines := slices.Repeat([][]string{{"a1", "b1", "b2"}, {"a2", "b1"}}, 3)
	raw, promise := dataset.FromLabels(lines), privacy.KM{K: 2, M: 2}
	more := dataset.FromLabels(append(lines, []string{"c", "d"}))
	data, err := tree.Encode(raw)
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]*dataset.Dataset{
		"not encoded": raw, "more items than leaves": more, "none": nil,
	} {
		if g, err := mingle.Anonymize(t.Context(), d, tree, promise); err == nil {
			t.Errorf("%s: released as %v", name, g.Published().Labels(0))
		}
	}
	if _, err := mingle.Anonymize(t.Context(), data, nil, promise); err == nil {
		t.Error("released without a tree")
	}
	g, err := mingle.Anonymize(t.Context(), data, tree, promise)
	if err != nil {
		t.Fatal(err)
	}
	published, turned := g.Published(), read("a1;A;*\na2;A;*\nb1;B;*\nb2;B;*\n")
	if f, err := mingle.Verify(t.Context(), raw, published, tree, promise); err == nil {
		t.Errorf("an original that is not encoded was judged: %+v", f)
	}
	if f, err := mingle.Verify(t.Context(), data, published, turned, promise); err == nil {
		t.Errorf("a release was judged by another tree: %+v", f)
	}
}
