package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle/internal/memtest"
)

// TestPlanBombs: short plans that ask for a great deal are refused with little memory. Each took
// from 0.6 to 6 GB.
func TestPlanBombs(t *testing.T) {
	aliases := "title: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'h'; c++ {
		aliases += fmt.Sprintf(
			"%c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n", c, c, c-1, c-1, c-1, c-1, c-1,
			c-1, c-1, c-1,
		)
	}
	values := "[" + strings.TrimSuffix(strings.Repeat("2,", 100), ",") + "]"
	grid := "data:\n  - {name: d, income: 10}\nruns:\n  - {data: d, algorithm: acd, k: " + values + ", m: " + values + ", first: " + values + ", d: " + values + "}\n"
	made := "data:\n  - {name: d, shape: {transactions: 4000000000000, items: 10, longest: 3, average: 2}}\nruns:\n  - {data: d, algorithm: aa, k: 2, m: 2}\n"
	for name, c := range map[string]struct{ text, want string }{
		"aliases":     {aliases, "an alias (*name) stands within"},
		"brackets":    {"title: " + strings.Repeat("[", 20000), "nested more than 16"},
		"braces":      {strings.Repeat("{a: ", 20000), "nested more than 16"},
		"lists":       {strings.Repeat("- ", 20000) + "a", "nested more than 16"},
		"keys":        {strings.Repeat("? ", 20000) + "a", "nested more than 16"},
		"colons":      {strings.Repeat("a: ", 20000), "nested more than 16"},
		"grid":        {grid, "more than 100000 combinations"},
		"made data":   {made, "transactions (4000000000000) must be"},
		"long":        {"title: " + strings.Repeat("a", 1<<20), "larger than 256 KiB"},
		"self":        {"title: &a [*a]", "an alias (*name) stands within"},
		"many":        {"title: &a x\nruns: [" + strings.Repeat("*a, ", 1000) + "x]", "more than 64 aliases"},
		"copies made": {strings.Replace(strings.Replace(made, "4000000000000", "100000000", 1), "k: 2,", "k: 2, copies: 1000,", 1), "transactions (100000000) must be"},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			memtest.Within(t, 256<<20, func() { _, err = Read(strings.NewReader(c.text), "p.yaml", os.LookupEnv) })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// TestOwnPlans: the plans of the project are within the bounds.
func TestOwnPlans(t *testing.T) {
	paths, err := filepath.Glob("../bench/plans/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := checkedText(f); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
