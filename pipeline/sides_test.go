package pipeline_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/dataset"
	"mingle/pipeline"
	"mingle/privacy"
)

// Both files of a release lie beside each other, line by line and item by item.
func TestSides(t *testing.T) {
	dir := t.TempDir()
	path := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	family := pipeline.KM{
		Layout:    dataset.Options{Format: dataset.Fimi},
		Hierarchy: path("tree.csv", "a;A;*\nb;A;*\nc;C;*\nd;C;*\n"),
		Promise:   privacy.KM{K: 2, M: 1}, MaySuppress: true,
	}
	pair := pipeline.Pair{
		Family: family, Original: path("original.dat", "a c\nb\nb d\n\n"),
		Published: path("published.dat", "A c\nb\nb\n\n"), Files: &pipeline.Files{},
	}
	s, err := pair.Sides(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := []pipeline.Line{
		{Of: 1, Before: []string{"a", "c"}, After: []string{"A", "c"}},
		{Of: 2, Before: []string{"b"}, After: []string{"b"}},
		{Of: 3, Before: []string{"b", "d"}, After: []string{"b"}},
		{Of: 4},
	}
	for i := range s.Len() {
		if diff := cmp.Diff(want[i], s.Line(i)); diff != "" {
			t.Error(diff)
		}
	}
	items, err := s.Items(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]pipeline.Became{
		{Item: "b", Occurrences: 2, As: []pipeline.As{{Label: "b", Height: 0, Count: 2}}},
		{Item: "a", Occurrences: 1, As: []pipeline.As{{Label: "A", Height: 1, Count: 1}}},
		{Item: "c", Occurrences: 1, As: []pipeline.As{{Label: "c", Height: 0, Count: 1}}},
		{Item: "d", Occurrences: 1, As: []pipeline.As{{Label: "", Height: -1, Count: 1}}},
	}, items); diff != "" {
		t.Error(diff)
	}
	pair.Published, pair.Files = path("short.dat", "A c\nb\n"), &pipeline.Files{}
	if _, err := pair.Sides(context.Background()); err == nil {
		t.Error("files of different lengths are laid beside each other")
	}
}
