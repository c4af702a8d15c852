//go:build !windows

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle/experiment"
)

// A run of compare into a directory that another run writes to is refused before any work.
func TestCompareBesideAnotherRun(t *testing.T) {
	t.Chdir(t.TempDir())
	plan := "data: [{name: d, income: 40}]\nruns: [{data: d, algorithm: acd, k: 2, m: 1}]\n"
	if err := os.WriteFile("plan.yaml", []byte(plan), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("out", 0o700); err != nil {
		t.Fatal(err)
	}
	results := filepath.Join("out", "results.csv")
	release, err := experiment.HoldTable(results)
	if err != nil {
		t.Fatal(err)
	}
	compare := func() (code int, said string) {
		var errs bytes.Buffer
		args := []string{"compare", "plan.yaml", "-o", "out", "--quiet"}
		code = program(args, nil, &bytes.Buffer{}, &errs)
		return code, errs.String()
	}
	if again, err := experiment.HoldTable(results); err == nil {
		again()
		t.Skip("no locks here")
	}
	code, said := compare()
	if _, err := os.Stat(results); code != codeInput || err == nil ||
		!strings.Contains(said, "another run is writing it") {
		t.Errorf("exit code %d: %s; the table: %v", code, said, err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if code, said := compare(); code != 0 {
		t.Errorf("exit code %d: %s", code, said)
	}
	names, err := filepath.Glob(filepath.Join("out", ".*"))
	if err != nil || len(names) != 0 {
		t.Errorf("left: %v %v", names, err)
	}
}
