package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle/experiment"
)

// Every plan can be read, no two figures have one name, and every figure has a claim that is
// checked.
func TestPlans(t *testing.T) {
	chapters, err := options{dir: ".."}.chapters()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range chapters {
		for _, p := range c.plan.Plots {
			if seen[p.Name] {
				t.Errorf("%s: there are two figures called %s", c.name, p.Name)
			}
			seen[p.Name] = true
			if p.Claim == "" || len(p.Check) == 0 {
				t.Errorf("%s: figure %s has no claim that is checked", c.name, p.Name)
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("only %d figures", len(seen))
	}
}

// Without the data every figure is written all the same, and says that the data is absent.
func TestWithoutData(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"data.yaml", "others.csv"} {
		copyFile(t, filepath.Join("..", name), filepath.Join(dir, name))
	}
	if err := os.Mkdir(filepath.Join(dir, "plans"), 0o755); err != nil {
		t.Fatal(err)
	}
	copyFile(
		t, filepath.Join("..", "plans", "2008-fig09.yaml"),
		filepath.Join(dir, "plans", "2008-fig09.yaml"),
	)
	o := options{dir: dir, data: filepath.Join(dir, "nowhere")}
	if err := o.run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2008-fig09-time", "the data is not at hand", "not checked"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in the README", want)
		}
	}
	table, err := experiment.OpenTable(filepath.Join(dir, "results.csv"))
	if err != nil || len(table.Rows) != 9 || table.Rows[0].Status != experiment.StatusAbsent {
		t.Errorf("%v %+v", err, table.Rows)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
