package experiment_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle/experiment"
)

// The page about plans names every algorithm that a plan may have.
func TestThePageOfPlansHasEveryAlgorithm(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "compare.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range experiment.Algorithms() {
		if !strings.Contains(string(text), "`"+name+"`") && !strings.HasSuffix(name, "+items") {
			t.Errorf("the page does not name %s", name)
		}
	}
}
