package experiment_test

import (
	"os"
	"path/filepath"
	"testing"

	"mingle/experiment"
)

// Results that end anywhere, as those of a run that was killed while it wrote, can be gone on with:
// the rows before are there, also where a message has several lines.
func TestResultsThatEndAnywhereAreResumed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.csv")
	table, err := experiment.OpenTable(path)
	if err != nil {
		t.Fatal(err)
	}
	ends := []int{0} // the size with so many rows
	for k := 2; k <= 3; k++ {
		var row experiment.Row
		row.Data, row.Algorithm, row.K = "d", "aa", k
		row.Status = experiment.StatusFailed
		row.Message = "the hierarchy lacks 2 items:\n\"q\"\n\"z\"\n"
		if err := table.Add(row); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, int(info.Size()))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for size := range len(text) + 1 {
		if err := os.WriteFile(path, text[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		table, err := experiment.OpenTable(path)
		if err != nil {
			t.Fatalf("%d of %d bytes: %v", size, len(text), err)
		}
		want := 0
		for want+1 < len(ends) && ends[want+1] <= size {
			want++
		}
		if len(table.Rows) != want {
			t.Errorf("%d of %d bytes: %d rows, want %d", size, len(text), len(table.Rows), want)
		}
	}
}
