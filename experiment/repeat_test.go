package experiment_test

import (
	"path/filepath"
	"testing"

	"mingle/experiment"
)

// What a comparison measures is the same in every run, but for time and memory: local, too, draws
// what it refuses from the same seed. Of these data another seed refuses something else.
func TestFiguresAreTheSameInEveryRun(t *testing.T) {
	const plan = `
data:
  - {name: made, shape: {transactions: 1500, items: 1200, longest: 8, average: 3, exponent: 1, seed: 1}}
runs:
  - {data: made, algorithm: [local, nr], k: 2, m: 1, measure: [queries, attack]}
`
	var before []experiment.Row
	for range 3 {
		r := open(t, plan, filepath.Join(t.TempDir(), "results.csv"))
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		rows := r.Table.Rows
		for i := range before {
			for _, column := range experiment.Columns() {
				switch column {
				case "seconds", "cpu_seconds", "peak_mb":
					continue
				}
				if got, want := rows[i].Text(column), before[i].Text(column); got != want {
					t.Errorf("%s: %s is %s, and was %s", rows[i].Cell, column, got, want)
				}
			}
		}
		before = rows
	}
}
