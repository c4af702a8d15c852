package experiment

import (
	"os"
	"path/filepath"
	"testing"
)

// The hash of data changes with all that decides what is read, made or asked, and with nothing
// else.
func TestHashOfData(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"a.dat": "1 2\n", "b.dat": "1 2\n3\n", "tree.csv": "1;x\n", "other.csv": "1;y\n",
		"list.txt": "1\n", "a.db": "rows", "b.db": "rows", "b.db-wal": "and more",
	} {
		put(name, text)
	}
	server, columns := "postgres://db/shop", Layout{Item: "item"}
	all := []Data{
		{File: "a.dat"},
		{File: "b.dat"},
		{File: "a.dat", Layout: columns},
		{File: "a.dat", Hierarchy: "tree.csv"},
		{File: "a.dat", Hierarchy: "other.csv"},
		{File: "a.dat", Hierarchy: "tree.csv", Columns: []string{"item", "group"}},
		{File: "a.dat", Hierarchy: "tree.csv", Root: "*"},
		{File: "a.dat", Sensitive: "list.txt"},
		{File: "a.dat", Hierarchy: "list.txt"},
		{File: "a.dat", Present: 2},
		{File: "a.dat", Absent: 2},
		{File: "a.db"},
		{File: "b.db"},
		{File: server},
		{File: server, Layout: Layout{Table: "line"}},
		{File: server, Layout: Layout{Query: "line"}},
		{Income: 10},
		{Income: 11},
		{Shop: &Shop{Transactions: 10}},
		{Shop: &Shop{Transactions: 10, Seed: 1}},
		{Shape: &Shape{Transactions: 10, Items: 3, Longest: 2, Average: 1}},
		{Shape: &Shape{Transactions: 10, Items: 3, Longest: 2, Average: 1, Seed: 1}},
	}
	hash := func(d Data) string {
		t.Helper()
		h, err := d.hash(t.Context(), dir)
		if err != nil || len(h) != 2*hashBytes {
			t.Errorf("%+v: %q, %v", d, h, err)
		}
		return h
	}
	seen := map[string]Data{}
	for _, d := range all {
		h := hash(d)
		if other, there := seen[h]; there {
			t.Errorf("%+v and %+v have one hash", d, other)
		}
		seen[h] = d
		d.Name, d.InsteadOf = "another", "BMS-POS"
		if hash(d) != h {
			t.Errorf("%+v: the hash depends on what the data are called", d)
		}
	}
	if hash(Data{File: filepath.Join(dir, "a.dat"), Present: 3, Absent: 4}) != hash(all[0]) {
		t.Error("the hash depends on the folder, or on what is given by default")
	}
	for _, d := range []Data{{File: "none.dat"}, {File: "."}, {File: "a.dat", Hierarchy: "none"}} {
		if h, err := d.hash(t.Context(), dir); err == nil || h != "" {
			t.Errorf("%+v: %q, and it is not there", d, h)
		}
	}
}
