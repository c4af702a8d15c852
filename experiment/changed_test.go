package experiment_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mingle/experiment"
)

const changing = `
data:
  - {name: file, file: one.dat, hierarchy: tree.csv}
  - {name: other, file: other.dat}
  - {name: made, shape: {transactions: 60, items: 8, longest: 4, average: 2, exponent: 1, seed: 1}}
runs:
  - {data: [file, other, made], algorithm: [aa, partition], k: 2, m: 1}
`

// again runs a plan with a table that is read anew, and returns the data of which cells were run.
func again(t *testing.T, plan, dir, table string) (ran []string, rows []experiment.Row) {
	t.Helper()
	r := open(t, plan, table)
	r.Dir = dir
	r.Progress = func(p experiment.Progress) {
		if p.Running != "" {
			ran = append(ran, strings.Fields(p.Running)[0])
		}
	}
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	tab, err := experiment.OpenTable(table)
	if err != nil {
		t.Fatal(err)
	}
	return ran, tab.Select(r.Plan)
}

// Cells whose data have changed since they were run are run again, and no others: a file, its
// hierarchy, the columns that are read, the numbers of made data.
func TestChangedDataAreRunAgain(t *testing.T) {
	dir, table := t.TempDir(), filepath.Join(t.TempDir(), "results.csv")
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("one.dat", "a b\na b\nb\n")
	put("other.dat", "1 2\n1 2\n2\n")
	put("tree.csv", "a;x\nb;x\n")
	seed := strings.Replace(changing, "seed: 1", "seed: 2", 1)
	for _, step := range []struct {
		what string
		do   func()
		plan string
		ran  []string
	}{
		{"at first", func() {}, changing, []string{"file", "other", "made"}},
		{"nothing", func() {}, changing, nil},
		{"the same file anew", func() { put("one.dat", "a b\na b\nb\n") }, changing, nil},
		{"the file", func() { put("one.dat", "a b\na b\na b\nb\n") }, changing, []string{"file"}},
		{"the hierarchy", func() { put("tree.csv", "a;y\nb;y\n") }, changing, []string{"file"}},
		{"the seed", func() {}, seed, []string{"made"}},
		{"it goes", func() { os.Remove(filepath.Join(dir, "one.dat")) }, seed, nil},
		{"it is back", func() { put("one.dat", "a\na\n") }, seed, []string{"file"}},
	} {
		step.do()
		ran, rows := again(t, step.plan, dir, table)
		if got := slices.Compact(ran); !slices.Equal(got, step.ran) || len(ran) != 2*len(step.ran) {
			t.Errorf("%s: cells of %v were run, want both of %v", step.what, ran, step.ran)
		}
		for _, row := range rows {
			if row.Status != experiment.StatusDone || row.Hash == "" {
				t.Errorf("%s: %s: %s (%s), hash %q", step.what, row.Cell, row.Status, row.Message,
					row.Hash)
			}
		}
		text, _ := os.ReadFile(table)
		if n := strings.Count(string(text), "\n"); n != 7 {
			t.Errorf("%s: the table has %d lines, want a header and 6", step.what, n)
		}
	}
}

// Rows that do not say of which data they are, such as those of before there was a column for it,
// stay. So do others when a run ends while it looks at the data.
func TestRowsOfUnknownDataStay(t *testing.T) {
	dir, table := t.TempDir(), filepath.Join(t.TempDir(), "results.csv")
	plan := "data: [{name: d, income: 40}]\nruns: [{data: d, algorithm: acd, k: 2, m: 1}]\n"
	_, rows := again(t, plan, dir, table)
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	unknown := strings.Replace(string(text), rows[0].Hash, "", 1)
	if err := os.WriteFile(table, []byte(unknown), 0o600); err != nil {
		t.Fatal(err)
	}
	plan = strings.Replace(plan, "40", "50", 1)
	if ran, _ := again(t, plan, dir, table); ran != nil {
		t.Errorf("cells of %v were run again", ran)
	}
	if err := os.WriteFile(table, text, 0o600); err != nil {
		t.Fatal(err)
	}
	r := open(t, plan, table)
	ctx, stop := context.WithCancelCause(t.Context())
	why := errors.New("told to stop")
	stop(why)
	if err := r.Run(ctx); !errors.Is(err, why) {
		t.Error(err)
	}
	if after, _ := os.ReadFile(table); string(after) != string(text) {
		t.Errorf("the table is\n%s", after)
	}
}

// The page of a comparison does not have the hashes of the data.
func TestThePageHasNoHashes(t *testing.T) {
	r := open(t, changing, filepath.Join(t.TempDir(), "results.csv"))
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	rows := r.Table.Select(r.Plan)
	if err := r.Plan.WritePage(&page, rows); err != nil {
		t.Fatal(err)
	}
	if hash := rows[len(rows)-1].Hash; hash == "" || strings.Contains(page.String(), hash) {
		t.Errorf("the page has the hash %q", hash)
	}
}
