package experiment_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mingle/dataset/rows"
	"mingle/experiment"
)

const onServer = `
data: [{name: shop, file: %q, table: sales.line, item_column: product, transaction_column: basket}]
runs: [{data: shop, algorithm: aa, k: [2, 3, 4], m: 1}]
`

// absentServer is one that nobody can reach.
type absentServer struct {
	rows.Opener
	asked []rows.Location
}

func (s *absentServer) Read(
	_ context.Context, from rows.Location, _ string,
) (io.ReadCloser, error) {
	s.asked = append(s.asked, from)
	return nil, errors.New("no server answers: name it with --table or --query")
}

// A server that does not answer is asked once for all cells of its data; each has a row that says
// why, in the words of plans.
func TestServerThatDoesNotAnswer(t *testing.T) {
	t.Setenv("SHOP_PASSWORD", "Geh31m")
	text := fmt.Sprintf(onServer, "postgres://night:${SHOP_PASSWORD}@db/shop")
	r := open(t, text, filepath.Join(t.TempDir(), "results.csv"))
	server := &absentServer{}
	r.Databases = server
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(r.Table.Rows) != 3 {
		t.Errorf("%d rows, want 3", len(r.Table.Rows))
	}
	for _, row := range r.Table.Rows {
		if row.Status != experiment.StatusFailed ||
			row.Message != "no server answers: name it with table or query" {
			t.Errorf("%s: %s (%s)", row.Cell, row.Status, row.Message)
		}
	}
	want := []rows.Location{
		{Kind: rows.Postgres, Address: "postgres://night@db/shop", Table: "sales.line"},
	}
	if !slices.Equal(server.asked, want) {
		t.Errorf("asked for %v, want %v", server.asked, want)
	}
	if got := r.Plan.Passwords[want[0].Address]; got != "Geh31m" || len(r.Plan.Inputs(".")) != 0 {
		t.Errorf("the password is %q, the files are %q", got, r.Plan.Inputs("."))
	}
}

// Without a driver there are no databases, and the row says so.
func TestNoDatabases(t *testing.T) {
	text := fmt.Sprintf(onServer, "postgres://db/shop")
	r := open(t, text, filepath.Join(t.TempDir(), "results.csv"))
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	row := r.Table.Rows[0]
	told := strings.Contains(row.Message, rows.ErrNone.Error())
	if row.Status != experiment.StatusFailed || !told {
		t.Errorf("%s (%s)", row.Status, row.Message)
	}
}

// A password that stands in a plan is refused wherever it stands, and no message repeats it; nor
// does the text that YAML errors show.
func TestPasswordsInPlansAreRefused(t *testing.T) {
	const runs = "\nruns: [{data: a, algorithm: aa, k: 2, m: 1}]\n"
	for text, want := range map[string]string{
		"data: [{name: a, file: 'postgres://u:Geh31m@h/d'}]" + runs:                    rows.ErrPassword.Error(),
		"data: [{name: a, file: 'postgres://u:Geh31m${X}@h/d'}]" + runs:                rows.ErrPassword.Error(),
		"data: [{name: a, file: 'postgres://h/d?password=Geh31m'}]" + runs:             rows.ErrPassword.Error(),
		"data: [{name: 'postgres://u:Geh31m@h/d', file: f}]" + runs:                    rows.ErrPassword.Error(),
		"data: [{name: a, file: f, hierarchy: 'postgres://u:Geh31m@h/d'}]" + runs:      rows.ErrPassword.Error(),
		"data: [{name: a, file: f, 'postgres://u:Geh31m@h/d': 1}]" + runs:              rows.ErrPassword.Error(),
		"data: [{name: a, file: 'postgres://u:Geh31m@h/d', colour: red}]" + runs:       "colour",
		"data:\n- name: a\n  file: >-\n    postgres://u:\n    Geh31m@h/d\nruns: [1,\n": "",
		"data: [{name: a, file: 'postgres://u:${AWS_SECRET}@h/d'}]" + runs:             "the variable AWS_SECRET is not taken",
		"data: [{name: a, file: 'postgres://u:${NOSUCH_PASSWORD}@h/d'}]" + runs:        "data a: file: the variable NOSUCH_PASSWORD is not set",
	} {
		_, err := experiment.Read(strings.NewReader(text), "plan.yaml", func(string) (string, bool) {
			return "", false
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nerror %v, want one with %q", text, err, want)
		} else if strings.Contains(err.Error(), "Geh31m") {
			t.Errorf("%s\nthe error has the password: %v", text, err)
		}
	}
}

// Fields of databases are refused where there is none, and the other way round.
func TestFieldsOfDatabases(t *testing.T) {
	for text, want := range map[string]string{
		"file: shop.db, table: a, query: SELECT 1": "both a table and a query",
		"file: shop.csv, query: SELECT 1":          "file is no database",
		"income: 30, item_column: a":               "columns are those of a file",
		"file: shop.dat, hierarchy: tree.sqlite":   "a hierarchy is not read from a database",
		"file: shop.dat, sensitive: 'sqlite:list'": "the list is not read from a database",
		"file: shop.dat, tables: a":                "unknown field",
		"file: 'sqlite:shop', table: [a]":          "[2:",
	} {
		text = "data:\n- {name: a, " + text + "}\nruns: [{data: a, algorithm: aa, k: 2, m: 1}]\n"
		_, err := experiment.Read(strings.NewReader(text), "plan.yaml", nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

// A file is in the directory of the data, or where an absolute path says; the row of one that is
// absent calls it by its name.
func TestWhereFilesAre(t *testing.T) {
	elsewhere := t.TempDir()
	there := filepath.Join(elsewhere, "baskets.dat")
	if err := os.WriteFile(there, []byte("1 2\n1 2\n1 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const plan = `
data:
  - {name: there, file: %q}
  - {name: absent, file: %q}
  - {name: bare, file: %q, hierarchy: tree.csv}
runs: [{data: [there, absent, bare], algorithm: aa, k: 2, m: 1}]
`
	text := fmt.Sprintf(plan, there, filepath.Join(elsewhere, "lost.dat"), there)
	r := open(t, text, filepath.Join(t.TempDir(), "results.csv"))
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"there":  experiment.StatusDone + ": ",
		"absent": experiment.StatusAbsent + ": the data is not at hand: no file lost.dat",
		"bare":   experiment.StatusAbsent + ": the data is not at hand: no file tree.csv",
	}
	for _, row := range r.Table.Rows {
		if got := row.Status + ": " + row.Message; got != want[row.Data] {
			t.Errorf("%s: %q, want %q", row.Data, got, want[row.Data])
		}
	}
}
