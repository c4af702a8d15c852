package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// fates tries all mutants of the package in testdata and gives what became of each, by name.
func fates(t *testing.T, o options) (map[string]string, bool) {
	t.Helper()
	o.pkg, o.workers, o.to = "./testdata/toy", 2, filepath.Join(t.TempDir(), "results.json")
	ok, err := o.run()
	if err != nil {
		t.Fatal(err)
	}
	results, err := readResults(o.to)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for name, r := range results {
		out[name] = r.Fate
	}
	return out, ok
}

// What a test notices is killed, what none notices survives, and what none reaches is said so.
func TestFatesOfMutants(t *testing.T) {
	got, ok := fates(t, options{})
	if ok {
		t.Error("no mutant survives")
	}
	for name := range got {
		if len(name) > 96 {
			t.Errorf("%s is too long for a page", name)
		}
	}
	for name, want := range map[string]fate{
		"toy.go Least: true: a < b":                           killed,
		"toy.go Least: false: a < b":                          killed,
		"toy.go Least: boundary: a < b":                       survived, // either is the lesser
		"toy.go Least: returned: a":                           killed,
		"toy.go Least: returned: b":                           killed,
		"toy.go Halves: false: n > 1":                         killed,
		"toy.go Halves: removed: n /= 2":                      timedOut,
		"toy.go Halves: arithmetic: n /= 2":                   killed,
		"toy.go Halves: removed: times++":                     killed,
		"toy.go Halves: ++ --: times++":                       killed,
		"toy.go First: ++ --: i++":                            killed,
		"toy.go First: && ||: n%2 != 0 || n <= 0":             killed,
		"toy.go First: false: n%2 != 0":                       killed,
		"toy.go First: arithmetic: n%2":                       killed,
		"toy.go First: boundary: n <= 0":                      survived, // no test has a 0
		"toy.go First: break continue: continue":              killed,
		"toy.go First: returned: n":                           killed,
		"toy.go First: returned: -1":                          survived, // nobody looks
		`toy.go First: returned: errors.New("there is…`:       "",       // it is spelled as far as there is room
		`toy.go First: returned: errors.New("there is none")`: killed,
		"toy.go Sign: true: n < 0":                            killed,
		"toy.go Sign: boundary: n > 0":                        killed,
		"toy.go Untested: returned: true":                     unreached,
	} {
		if fate(got[name]) != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
}

// Named mutants are not run, and mutants of no program are told of.
func TestNamedMutants(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	text := "Either is the lesser.\n\n    toy.go Least: boundary: a < b\n    toy.go Most: true: a\n"
	if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, _ := fates(t, options{known: page, only: "toy.go Least"})
	if got["toy.go Least: boundary: a < b"] != "known" {
		t.Errorf("%v", got)
	}
	known, err := readKnown(page)
	if err != nil || !slices.Equal(stale(known, []result{{Name: "toy.go Least: boundary: a < b"}}),
		[]string{"toy.go Most: true: a"}) {
		t.Errorf("%v, %v", known, err)
	}
}
