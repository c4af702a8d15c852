package pipeline_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize/global"
	"mingle/dataset"
	"mingle/internal/memtest"
	"mingle/pipeline"
	"mingle/privacy"
	"mingle/report"
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

// An item of a list has at most as many bytes as a label of a hierarchy. A longer one is not shown
// whole.
func TestItemsOfListsAreBounded(t *testing.T) {
	most := strings.Repeat("x", 1<<16)
	if items, err := pipeline.ReadItems(strings.NewReader(most+"\r\n"), "list"); err != nil ||
		len(items) != 1 {
		t.Errorf("%d items, %v", len(items), err)
	}
	_, err := pipeline.ReadItems(strings.NewReader("a\n"+most+"x\n"), "list")
	if err == nil || !strings.Contains(err.Error(), "list:2: ") || len(err.Error()) > 200 {
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

// The counts of a report, and what the verifier says of empty lines, are of the published file as
// anybody sees it: its sensitive items included.
func TestCountsAreOfThePublishedFile(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	in := put("d.dat", strings.Repeat("s1\n", 10)+strings.Repeat("s2\n", 10)+
		strings.Repeat("a b\n", 12))
	family := pipeline.KM{
		Hierarchy: put("t.csv", "a;*\nb;*\n"), Sensitive: put("s.txt", "s1\ns2\n"),
		Promise: privacy.KM{K: 5, M: 1, L: 2}, Algorithm: global.AA{},
	}
	for _, known := range []bool{false, true} {
		family.Promise.SensitiveKnown = known
		out := filepath.Join(dir, "o.dat")
		job := pipeline.Job{Family: family, Input: in, Output: out, Force: true}
		made, err := job.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := report.Published{Transactions: 32, Occurrences: 44, Items: 4, Longest: 2}
		if got := made.Report.Published; got != want || len(made.Cautions()) > 0 {
			t.Errorf("known %v: %+v, %v", known, got, made.Cautions())
		}
		d, err := dataset.Open(t.Context(), out, dataset.Options{})
		if err != nil || d.Occurrences() != want.Occurrences {
			t.Errorf("known %v: %v, %v", known, d, err)
		}
		f, err := pipeline.Pair{
			Family: family, Original: in, Published: out, Files: &pipeline.Files{},
		}.Verify(t.Context())
		if err != nil || !f.Holds || strings.Contains(strings.Join(f.Notes, " "), "are empty") {
			t.Errorf("known %v: %+v, %v", known, f, err)
		}
	}
}
