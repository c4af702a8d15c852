package webui

import (
	"strings"
	"testing"

	"mingle/report"
)

// Statements that one tab kept are not taken away by another that does not show them.
func TestStatementsOfTwoTabs(t *testing.T) {
	r := &run{Said: report.Statements{}}
	seen := hashOf(r.Said)
	if err := r.keep(report.Statements{"owner": "the registry"}, seen); err != nil {
		t.Fatal(err)
	}
	later := report.Statements{"recipient": "a university"}
	if err := r.keep(later, seen); err != errOtherStatements {
		t.Errorf("%v, and %v is kept", err, r.Said)
	}
	if len(r.Said) != 1 || later["owner"] != "the registry" || later["recipient"] == "" {
		t.Errorf("%v is kept, and %v is shown", r.Said, later)
	}
	long := report.Statements{"recipient": strings.Repeat("x", 10_001)}
	if err := r.keep(long, seen); err != errOtherStatements || long["owner"] == "" {
		t.Errorf("what is too long hides what was kept: %v, %v", err, long["owner"])
	}
	if err := r.keep(long, hashOf(r.Said)); err == nil || len(r.Said) != 1 {
		t.Errorf("what is too long: %v, and %v is kept", err, r.Said)
	}
	if err := r.keep(later, hashOf(r.Said)); err != nil || len(r.Said) != 2 {
		t.Errorf("%v: %v", err, r.Said)
	}
}

// Columns that a kind of promise knows nothing of are said to be left out.
func TestColumnsLeftOut(t *testing.T) {
	p := &project{layout: layout{Sensitive: []string{"ward"}, Keep: []string{"sex"}}}
	for family, want := range map[string]string{
		km: "", continuous: "ward", coherence: "ward", nonreciprocal: "ward, sex",
	} {
		p.choice.Family = family
		if got := strings.Join(p.leftOut(), ", "); got != want {
			t.Errorf("%s: %q, not %q", family, got, want)
		}
	}
	if p.choice.Family, p.choice.Label = nonreciprocal, "ward"; len(p.leftOut()) != 1 {
		t.Errorf("the labels are left out: %v", p.leftOut())
	}
}
