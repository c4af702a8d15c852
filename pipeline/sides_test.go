package pipeline_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
	for _, c := range []struct {
		label string
		most  int
		want  []int
	}{
		{"b", 9, []int{1, 2}},
		{"b", 1, []int{1}},
		{"A", 9, []int{0}},
		{"d", 9, []int{2}},
		{"*", 9, nil},
	} {
		wanted := func(label string) bool { return label == c.label }
		found, err := s.Find(context.Background(), wanted, c.most)
		if diff := cmp.Diff(c.want, found); err != nil || diff != "" {
			t.Errorf("%s: %v %s", c.label, err, diff)
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

// Lines are found by the values and ranges that they show, too.
func TestSidesOfRanges(t *testing.T) {
	dir := t.TempDir()
	original, published := filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv")
	for path, text := range map[string]string{
		original: "1,20\n2,20\n3\n3\n", published: "[1-2],20\n[1-2],20\n3\n3\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pair := pipeline.Pair{
		Family:   pipeline.Continuous{Promise: privacy.Continuous{K: 2, M: 1}},
		Original: original, Published: published, Files: &pipeline.Files{},
	}
	s, err := pair.Sides(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]int{"[1": {0, 1}, "2": {0, 1}, "3": {2, 3}, "7": nil} {
		wanted := func(label string) bool { return strings.Contains(label, text) }
		found, err := s.Find(context.Background(), wanted, 9)
		if diff := cmp.Diff(want, found); err != nil || diff != "" {
			t.Errorf("%s: %v %s", text, err, diff)
		}
	}
}

// Of a release in a random order each line is told with the line of the original that it is of.
func TestSidesOfShuffledRanges(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	var text strings.Builder
	for i := range 20 {
		fmt.Fprintln(&text, 100+i)
	}
	if err := os.WriteFile(path("in.csv"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	job := pipeline.Job{
		Family: pipeline.Continuous{Promise: privacy.Continuous{K: 2, M: 1}, Threshold: 0.001},
		Input:  path("in.csv"), Output: path("out.csv"), Audit: path("audit.json"),
		Shuffle: true, Seed: &[32]byte{1},
	}
	if _, err := job.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	pair := pipeline.Pair{
		Family: job.Family, Original: job.Input, Published: job.Output, Audit: job.Audit,
		Files: &pipeline.Files{},
	}
	s, err := pair.Sides(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Len() {
		if l := s.Line(i); l.Before[0] != fmt.Sprint(99+l.Of) {
			t.Errorf("line %d is told to be of %d, and is of %s", i, l.Of, l.Before[0])
		}
	}
}
