package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mingle/pipeline"
)

// The book holds every page of the documentation; every link in it leads to a place in it or to
// another site; it loads nothing.
func TestBook(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := book(root, pipeline.Version)
	if err != nil {
		t.Fatal(err)
	}
	whole := string(text)
	places := map[string]bool{}
	for _, found := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(whole, -1) {
		if places[found[1]] {
			t.Errorf("two places are called %s", found[1])
		}
		places[found[1]] = true
	}
	for _, found := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(whole, -1) {
		if !places[found[1]] {
			t.Errorf("a link leads to %s, which is nowhere", found[1])
		}
	}
	loads := regexp.MustCompile(`(src|srcset|action)="([^d][^"]*)"|@import|<link|fetch\(`)
	if found := loads.FindString(whole); found != "" {
		t.Errorf("the book loads something: %s", found)
	}
	for _, dir := range []string{"docs", "docs/algorithms", "docs/decisions"} {
		pages, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.md"))
		if err != nil || len(pages) == 0 {
			t.Fatal(dir, err)
		}
		for _, page := range pages {
			if !places[anchor(dir+"/"+filepath.Base(page), "")] {
				t.Errorf("%s is not in the book", page)
			}
		}
	}
}

// A page with a link that leads nowhere makes no book.
func TestBookWithADeadLink(t *testing.T) {
	root := t.TempDir()
	write := func(file, text string) {
		full := filepath.Join(root, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"README.md", "docs/install.md", "CHANGELOG.md", "CONTRIBUTING.md"} {
		write(file, "# Title\n\n[there](#title)\n")
	}
	if _, err := book(root, "1"); err != nil {
		t.Fatal(err)
	}
	write("docs/x.md", "# X\n\n[gone](gone.md)\n")
	if _, err := book(root, "1"); err == nil || !strings.Contains(err.Error(), "gone.md") {
		t.Error("the dead link is not told:", err)
	}
}
