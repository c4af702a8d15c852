// Package testdata finds the public data sets that tests may use and the repository never holds.
package testdata

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"
)

// Path is the path of a file of the shared data, named relative to its root
// ("retail/retail.dat.gz"). The test is skipped where the data is absent. The root is the directory
// in the environment variable MINGLE_DATA, or else ../shared/data seen from the repository's root.
func Path(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(Root(t), filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the public data set %s is not here (set MINGLE_DATA to its directory): %v", name,
			err)
	}
	return path
}

// Root is the directory of the shared data, which may be absent.
func Root(t testing.TB) string {
	t.Helper()
	if root := os.Getenv("MINGLE_DATA"); root != "" {
		return root
	}
	return filepath.Join(repository(t), "..", "shared", "data")
}

// Rows are the rows of a CSV file of the shared data, without its header.
func Rows(t testing.TB, name string) [][]string {
	t.Helper()
	f, err := os.Open(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// repository is the directory of go.mod, found by walking up from the package under test.
func repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the package under test")
		}
		dir = parent
	}
}
