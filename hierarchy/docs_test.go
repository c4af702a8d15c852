package hierarchy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDocumentedLayouts reads every example of docs/hierarchies.md: all of one tree, and a table
// beside what it means.
func TestDocumentedLayouts(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "hierarchies.md"))
	if err != nil {
		t.Fatal(err)
	}
	read := map[Format]int{}
	var table *Tree
	blocks := strings.Split(string(page), "```")
	for i := 1; i < len(blocks); i += 2 {
		head, text, _ := strings.Cut(blocks[i], "\n")
		kind, columns, _ := strings.Cut(head, " ")
		if kind == "table" {
			opts := ReadOptions{Columns: strings.Split(columns, ","), AddRoot: "*"}
			if table, err = Read(strings.NewReader(text), opts); err != nil {
				t.Fatal(err)
			}
			continue
		}
		format, err := ParseFormat(kind)
		if err != nil {
			continue // a command or a message
		}
		read[format]++
		want := example
		if table != nil {
			want, table = paths(table), nil
		}
		for _, f := range []Format{format, ""} {
			tree, err := Read(strings.NewReader(text), ReadOptions{Format: f})
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if diff := cmp.Diff(want, paths(tree), cmp.Transformer("sorted", sorted)); diff != "" {
				t.Errorf("%s\n%s", text, diff)
			}
		}
	}
	if diff := cmp.Diff(map[Format]int{ARX: 3, Pairs: 1, Amnesia: 1, JSON: 3}, read); diff != "" {
		t.Error(diff)
	}
}

// sorted ignores the order of siblings.
func sorted(paths []string) map[string]bool {
	out := map[string]bool{}
	for _, p := range paths {
		out[p] = true
	}
	return out
}
