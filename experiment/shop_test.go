package experiment_test

import (
	"path/filepath"
	"testing"
	"time"

	"mingle/experiment"
)

const wider = `
title: a shop, and data in which too much is frequent
data:
  - {name: shop, shop: {transactions: 2000, products: 60, seed: 1}}
  - {name: dense, shape: {transactions: 40, items: 26, longest: 26, average: 24, exponent: 0, seed: 1}}
runs:
  - {data: shop, algorithm: [vpa, vpa+items, local+items], k: 5, m: 2, measure: ml2}
  - {data: dense, algorithm: local, k: 2, m: 1, measure: [ml2, queries]}
plots:
  - name: thresholds
    title: ML2 against the threshold
    x: threshold
    y: ml2
    over: [ml2_1, ml2_2, ml2_3]
    where: {data: shop}
    check: [{below: 1.1}]
`

// Items may be left out where the algorithm says so; a shop brings its catalogue; a release without
// ML2 is a release, and is not run again for want of it; several columns can stand along x.
func TestShopAndDenseData(t *testing.T) {
	if testing.Short() {
		t.Skip("it mines until there are too many itemsets")
	}
	r := open(t, wider, filepath.Join(t.TempDir(), "results.csv"))
	r.Until = time.Now().Add(-time.Second)
	if err := r.Run(t.Context()); err != nil || len(r.Table.Rows) != 0 {
		t.Fatalf("its time was over, and it ran %d cells: %v", len(r.Table.Rows), err)
	}
	r.Until = time.Time{}
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows := r.Table.Select(r.Plan)
	for _, row := range rows {
		if row.Status != experiment.StatusDone || row.Verified != "yes" {
			t.Errorf("%v: %+v", row.Cell, row.Outcome)
		}
		if row.Data == "shop" && row.Height != 3 {
			t.Errorf("the catalogue has height %d, want 3", row.Height)
		}
	}
	if with, without := rows[1].NCP, rows[0].NCP; with > without {
		t.Errorf("leaving items out makes the loss %v out of %v", with, without)
	}
	dense := rows[len(rows)-1]
	if dense.Message == "" || dense.Text("ml2") != "" || dense.Text("query_error") == "" {
		t.Errorf("%+v", dense.Outcome)
	}
	again := 0
	r.Progress = func(p experiment.Progress) {
		if p.Running != "" {
			again++
		}
	}
	if err := r.Run(t.Context()); err != nil || again != 0 {
		t.Errorf("%d cells were run again: %v", again, err)
	}
	c := r.Plan.Charts(rows)[0]
	if len(c.Lines) != 3 || len(c.Lines[0].Points) != 3 || c.XText(2) != "ml2_3" {
		t.Errorf("%+v", c)
	}
}
