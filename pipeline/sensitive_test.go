package pipeline_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"mingle/internal/memtest"
	"mingle/pipeline"
)

// TestListBombs: a list of items is read up to 64 MiB; repeats are kept once, and faults are told
// up to 20.
func TestListBombs(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{strings.Repeat("a", 1<<20) + "\n", "larger than 64 MiB"},
		{"a\n", "larger than 64 MiB"},
	} {
		var err error
		text := strings.NewReader(strings.Repeat(c.line, (65<<20)/len(c.line)))
		memtest.Within(t, 512<<20, func() { _, err = pipeline.ReadItems(text, "list") })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %.300v, want one with %q", err, c.want)
		}
	}
	memtest.Within(t, 256<<20, func() {
		items, err := pipeline.ReadItems(
			strings.NewReader(strings.Repeat("b\na\n\n", 4<<20)), "list",
		)
		if err != nil || !slices.Equal(items, []string{"a", "b"}) {
			t.Errorf("%q, %v", items, err)
		}
	})
	_, err := pipeline.ReadItems(
		io.MultiReader(strings.NewReader(strings.Repeat("\xff\n", 1000))), "list",
	)
	if err == nil || strings.Count(err.Error(), "\n") != 20 || !strings.Contains(
		err.Error(), "and 980 more",
	) {
		t.Errorf("%.300v", err)
	}
}

// A line of a list is an item as it stands, but for its end and a byte-order mark.
func TestListsKeepBlanks(t *testing.T) {
	items, err := pipeline.ReadItems(strings.NewReader("\ufeffS \r\n\nS\n\u00a0S\n x y\r\n"), "list")
	if want := []string{" x y", "S", "S ", "\u00a0S"}; err != nil || !slices.Equal(items, want) {
		t.Errorf("%q, %v, want %q", items, err, want)
	}
}
