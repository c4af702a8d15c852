package lint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// notLibraries are directories with packages that nobody imports.
var notLibraries = []string{"bench", "cmd", "internal", "proofs"}

// Every library is in the README's table of packages.
func TestTheReadmeHasEveryLibrary(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for path := range packages(t) {
		top, _, _ := strings.Cut(path, "/")
		if top == "" || slices.Contains(notLibraries, top) {
			continue
		}
		if !strings.Contains(string(text), "\n| `"+top+"` |") {
			t.Errorf("the README's table does not have package %s", top)
		}
	}
}
