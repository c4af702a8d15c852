package experiment_test

import (
	"os"
	"path/filepath"
	"testing"

	"mingle/experiment"
)

// A nonreciprocal release of data with too few items for the queries is done: figures of queries
// are left out, and the message says why.
func TestTooFewItemsForQueries(t *testing.T) {
	r := open(t, `
data: [{name: few, file: few.dat}, {name: enough, file: few.dat, query_absent: 3}]
runs: [{data: [few, enough], algorithm: nr, k: 5}]
`, filepath.Join(t.TempDir(), "results.csv"))
	lines := []byte("1 2 3\n1 2\n2 3\n1 3\n1 2 3\n1 2\n2 3\n1 3\n1\n2\n")
	if err := os.WriteFile(filepath.Join(r.Dir, "few.dat"), lines, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Table.Rows {
		want := map[string]string{
			"few": "no query error: queries of 3 and 4 items cannot be drawn from 3",
		}[row.Data]
		asked := row.Text("query_error_1") != "" && row.Text("query_error_2") != ""
		if row.Status != experiment.StatusDone || row.Verified != "yes" || row.Message != want ||
			row.Text("error_rate") == "" || asked != (row.Data == "enough") {
			t.Errorf("%s: %+v", row.Data, row.Outcome)
		}
	}
}
