package experiment_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle/experiment"
	"mingle/internal/publish"
	"mingle/internal/soak"
)

const small = `
title: a small comparison
data:
  - {name: made, shape: {transactions: 400, items: 20, longest: 8, average: 3, exponent: 1, seed: 1}, instead_of: BMS-POS}
  - {name: bags, income: 300}
  - {name: gone, file: nowhere.dat}
runs:
  - {data: made, algorithm: [aa, vpa, partition], k: [2, 5], m: [1, 2], parts: [2, 3], fanout: 3, measure: [ml2, queries, attack]}
  - {data: made, algorithm: aa, k: 1000, m: 2, fanout: 3}
  - {data: gone, algorithm: aa, k: 5, m: 2}
  - {data: bags, algorithm: acd, k: 5, m: 2}
  - {data: bags, algorithm: aa, k: 5, m: 2}
plots:
  - name: loss
    title: loss against k
    x: k
    y: ncp
    where: {data: made, m: 2, parts: 0 2}
    claim: the loss grows with k
    check: [{rising: "*"}]
`

func open(t *testing.T, text, table string) *experiment.Runner {
	t.Helper()
	p, err := experiment.Read(strings.NewReader(text), "plan.yaml", os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	tab, err := experiment.OpenTable(table)
	if err != nil {
		t.Fatal(err)
	}
	return &experiment.Runner{Plan: p, Dir: t.TempDir(), Table: tab}
}

// Every cell has a row; what cannot be done is a row too; parameters an algorithm does not have do
// not multiply its cells.
func TestRun(t *testing.T) {
	r := open(t, small, filepath.Join(t.TempDir(), "results.csv"))
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows := r.Table.Select(r.Plan)
	// 2 k, 2 m: aa and partition once, vpa for 2 numbers of parts; and four more
	if want := 4*(1+1+2) + 4; len(rows) != want {
		t.Fatalf("%d rows, want %d", len(rows), want)
	}
	states := map[string]int{}
	for _, row := range rows {
		states[row.Status]++
		if row.Status == experiment.StatusDone && (row.Verified != "yes" || row.Text("ncp") == "" || row.PeakMB <= 0) {
			t.Errorf("%v: %+v", row.Cell, row.Outcome)
		}
		if row.Data == "made" && row.Status == experiment.StatusDone && (row.UnderAfter != 0 || row.Text("ml2") == "" || row.Text("query_error") == "") {
			t.Errorf("%v: %+v", row.Cell, row.Outcome)
		}
	}
	if states[experiment.StatusInfeasible] != 1 || states[experiment.StatusAbsent] != 1 ||
		states[experiment.StatusFailed] != 1 {
		t.Errorf("%v", states)
	}
	charts := r.Plan.Charts(rows)
	if c := charts[0]; len(c.Lines) != 3 || c.Verdict().Compared != 3 || !strings.Contains(
		c.Subtitle(), "made for BMS-POS",
	) {
		t.Errorf("%+v", c)
	}
	dir := t.TempDir()
	if err := r.Plan.WriteFigures(&publish.Set{Force: true}, dir, rows); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<svg", "the loss grows with k", "not the paper&#39;s data", "infeasible",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "loss.svg")); err != nil {
		t.Error(err)
	}
}

// A run that is stopped goes on where it was: finished cells are not run again, and a torn last
// line is.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.csv")
	r := open(t, small, path)
	ctx, stop := context.WithCancelCause(t.Context())
	why := errors.New("told to stop")
	r.Progress = func(p experiment.Progress) {
		if p.Done == 5 {
			stop(why)
		}
	}
	if err := r.Run(ctx); !errors.Is(err, why) {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(before), "\n"); n != 6 {
		t.Fatalf("%d lines, want a header and 5 rows", n)
	}
	if err := os.WriteFile(path, append(before, "made,0,0,1,3,par"...), 0o644); err != nil {
		t.Fatal(err)
	}
	r = open(t, small, path)
	first := -1
	r.Progress = func(p experiment.Progress) {
		if first < 0 {
			first = p.Done
		}
	}
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if first != 5 || !strings.HasPrefix(string(after), string(before)) {
		t.Errorf("it began at %d of the cells; the table:\n%s", first, after)
	}
	again := open(t, small, path)
	if got, want := len(again.Table.Rows), len(r.Table.Rows); got != want {
		t.Errorf("%d rows read again, want %d", got, want)
	}
}

func TestFaultsAreToldWithTheirLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"title: x\ncolour: red\n", "[2:1]"},
		{"runs:\n  - {data: a, k: many}\n", "[2:18]"},
		{"runs: [\n", "plan.yaml: ["},
		{"data: 5\n", "[1:7] this must be a list"},
		{"data: [{name: a, shop: 3}]\n", "this must be names with values"},
		{"data: [{name: [a]}]\n", "[1:15] this must be a text"},
		{"", "the plan is empty"},
		{"runs: !x\n3\n", "perhaps a tag"}, // the YAML library panics
		{"title: x\n", "runs: there are none"},
		{"data: [{name: a, file: f, income: 3}]\nruns: [{data: b, algorithm: magic, k: 2, m: 1, measure: luck, timeout: soon}]\n", "exactly one of file"},
		{"data: [{name: a, file: f}]\nruns: [{data: b, algorithm: magic, k: 2, m: 1, measure: luck, timeout: soon}]\n", "magic"},
		{"data: [{name: a, file: f}]\nruns: [{data: b, algorithm: magic, k: 2, m: 1, measure: luck, timeout: soon}]\n", "soon"},
		{"data: [{name: a, file: f}]\nruns: [{data: a, algorithm: aa, k: 2}]\n", "m is missing"},
		{"data: [{name: a, file: f}]\nruns: [{data: a, algorithm: aa, k: 2, m: 1}]\nplots: [{name: p, x: time, y: ncp}]\n", `column "time" is not known`},
		{"data: [{name: a, file: f}]\nruns: [{data: a, algorithm: aa, k: 2, m: 1}]\nplots: [{name: p, x: k, y: ncp, check: [{less: [a], below: 3}]}]\n", "exactly one of less"},
	} {
		_, err := experiment.Read(strings.NewReader(c.text), "plan.yaml", os.LookupEnv)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want one with %q", c.text, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(small)
	f.Add("runs: [{data: a, k: [1, 2]}]")
	f.Add("runs: !x\n3\n")
	soak.Fuzz(f, func(t *testing.T, text string) {
		p, err := experiment.Read(strings.NewReader(text), "plan.yaml", os.LookupEnv)
		if err == nil && len(p.Runs) == 0 {
			t.Error("a plan without runs is accepted")
		}
	})
}

// The example of the documentation is a plan.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "compare.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "```yaml\n")
	example, _, _ := strings.Cut(after, "```")
	p, err := experiment.Read(strings.NewReader(example), "compare.md", os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Cells()) != 4+8 {
		t.Errorf("%d cells", len(p.Cells()))
	}
}

// l-diversity is of the sensitive items that the data names.
func TestDiversity(t *testing.T) {
	r := open(t, `
data:
  - {name: stays, file: stays.dat, sensitive: sensitive.txt}
  - {name: plain, file: stays.dat}
runs:
  - {data: [stays, plain], algorithm: aa, k: 2, m: 1, l: [0, 2, 4], fanout: 2}
`, filepath.Join(t.TempDir(), "results.csv"))
	for name, text := range map[string]string{
		"stays.dat": "1 2 9\n1 2\n3 4\n3 4 9\n1 3\n2 4\n", "sensitive.txt": "9\n",
	} {
		if err := os.WriteFile(filepath.Join(r.Dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		experiment.StatusDone, experiment.StatusDone, experiment.StatusInfeasible,
		experiment.StatusDone, experiment.StatusFailed, experiment.StatusFailed,
	} {
		if row := r.Table.Rows[i]; row.Status != want {
			t.Errorf("%v: %s (%s), want %s", row.Cell, row.Status, row.Message, want)
		}
	}
}

// A measure that another plan asks for is taken later, and none is lost.
func TestMeasuresAreAdded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.csv")
	for _, step := range []struct{ measure, has, hasNot string }{
		{"[]", "ncp", "ml2"},
		{"queries", "query_error", "ml2"},
		{"ml2", "query_error", "unique_after"},
		{"attack", "ml2", "error_rate"},
	} {
		r := open(t, `
data: [{name: made, shape: {transactions: 100, items: 10, longest: 5, average: 2, exponent: 1, seed: 1}}]
runs: [{data: made, algorithm: aa, k: 2, m: 2, measure: `+step.measure+`}]
`, path)
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		row := r.Table.Select(r.Plan)[0]
		if row.Text(step.has) == "" || row.Text(step.hasNot) != "" {
			t.Errorf("after measure %s: %+v", step.measure, row.Outcome)
		}
	}
}
