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

// Whatever measures a plan asks for, a cell that is done is not run again for want of one that its
// algorithm does not have.
func TestMeasuresThatAnAlgorithmLacks(t *testing.T) {
	r := open(t, `
data:
  - {name: made, shape: {transactions: 60, items: 9, longest: 5, average: 2, exponent: 1, seed: 1}}
  - {name: bags, income: 60}
runs:
  - {data: made, algorithm: [aa, nr, cahd, walks], k: 2, m: 2, measure: [ml2, queries, attack, gap]}
  - {data: bags, algorithm: [acd, local-ranges], k: 2, m: 2, measure: [ml2, queries, attack, gap]}
`, filepath.Join(t.TempDir(), "results.csv"))
	for i := range 2 {
		ran := 0
		r.Progress = func(p experiment.Progress) {
			if p.Running != "" {
				ran++
			}
		}
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := []int{6, 0}[i]; ran != want {
			t.Errorf("run %d: %d cells were run, want %d", i+1, ran, want)
		}
	}
	for _, row := range r.Table.Rows {
		if row.Status != experiment.StatusDone {
			t.Errorf("%s: %s", row.Cell, row.Message)
		}
	}
}
