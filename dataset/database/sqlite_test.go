//go:build unix

package database

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/dataset/rows"
)

// sqliteWith is a file of SQLite in a directory of its own, after some statements.
func sqliteWith(t testing.TB, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "published.db")
	openedWith(t, path, statements...).Close()
	return path
}

// openedWith is a connection of somebody else to a file, after some statements.
func openedWith(t testing.TB, path string, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return db
}

// around are the bytes of all files in the directory of a file, one after the other.
func around(t testing.TB, path string) []byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

// setsOf are n sets of two items whose labels begin with a word.
func setsOf(word string, n int) *dataset.Dataset {
	var all [][]string
	for i := range n {
		all = append(all, []string{fmt.Sprint(word, " ", i), fmt.Sprint(word, " of all")})
	}
	return dataset.FromLabels(all)
}

// Of a release that is replaced nothing is left: not in the file, and in no file beside it. Other
// tables stay.
func TestSQLiteLeavesNothingOfFormerRows(t *testing.T) {
	for _, c := range []struct {
		name   string
		before []string
		opened bool // somebody else has the file open meanwhile
	}{
		{"its own", nil, false},
		{"with others", []string{"CREATE TABLE shop AS SELECT 'Berlin' AS town"}, false},
		{"auto_vacuum", []string{"PRAGMA auto_vacuum = FULL", "CREATE TABLE shop (town)"}, false},
		{"opened", []string{"CREATE TABLE shop AS SELECT 'Berlin' AS town"}, true},
		{"wal", []string{"PRAGMA journal_mode = WAL", "CREATE TABLE shop (town)"}, false},
		{"wal, opened", []string{"PRAGMA journal_mode = WAL", "CREATE TABLE shop (town)"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := sqliteWith(t, c.before...)
			if c.before == nil {
				path = emptySQLite(t)
			}
			if c.opened {
				openedWith(t, path, "SELECT count(*) FROM shop")
			}
			to := location(t, "sqlite:"+path+"#t")
			for _, d := range []*dataset.Dataset{setsOf("former", 5000), setsOf("later", 40)} {
				if err := put(t.Context(), to, d, dataset.Options{}, "commit"); err != nil {
					t.Fatal(err)
				}
			}
			all := around(t, path)
			if n := bytes.Count(all, []byte("former")); n > 0 {
				t.Errorf("the files have the former rows %d times", n)
			}
			if bytes.Contains(all, []byte("mingle_")) {
				t.Error("the files have another name of the table")
			}
			if !bytes.Contains(all, []byte("later of all")) {
				t.Error("the files do not have the rows")
			}
			if c.before != nil {
				openedWith(t, path, "SELECT count(town) FROM shop")
			}
		})
	}
}

// What has not been judged is not in the file, nor in one beside it: others may read these. Others
// may go on to write meanwhile, and what they wrote stays.
func TestSQLiteRowsWaitOutsideTheFile(t *testing.T) {
	for _, until := range []string{"create", "half", "finish", "back", "place"} {
		path := sqliteWith(t, "CREATE TABLE shop AS SELECT 'Berlin' AS town")
		before := around(t, path)
		to := location(t, "sqlite:"+path+"#t")
		if err := put(t.Context(), to, setsOf("refused", 5000), dataset.Options{}, until); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(around(t, path), before) {
			t.Errorf("%s: the files are not as they were", until)
		}
	}

	path := sqliteWith(t, "CREATE TABLE shop AS SELECT 'Berlin' AS town")
	table := written(t, location(t, "sqlite:"+path+"#t"), setsOf("unseen", 50_000))
	defer table.Abort()
	if all := around(t, path); bytes.Contains(all, []byte("unseen")) {
		t.Error("the files have rows that were not judged")
	}
	onlyTheOwners(t, "unseen of all")
	openedWith(t, path, "INSERT INTO shop VALUES ('Paris')")
	for _, step := range []func() error{table.Place, table.Commit} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if all := around(t, path); !bytes.Contains(all, []byte("unseen")) ||
		!bytes.Contains(all, []byte("Paris")) {
		t.Error("the file does not have what was written to it")
	}
}

// written is a table with all its rows, not yet placed.
func written(t *testing.T, to rows.Location, d *dataset.Dataset) rows.Table {
	t.Helper()
	table, err := Opener{}.Create(t.Context(), to, rows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = dataset.Write(table, d, dataset.Options{Format: dataset.Database})
	if err == nil {
		err = table.Finish()
	}
	if err != nil {
		table.Abort()
		t.Fatal(err)
	}
	return table
}

// onlyTheOwners finds the rows in a file that this process has open, where the system shows these:
// it has no name, and nobody else may read it.
func onlyTheOwners(t *testing.T, row string) {
	t.Helper()
	const open = "/proc/self/fd"
	entries, err := os.ReadDir(open)
	if err != nil {
		return
	}
	found := false
	for _, e := range entries {
		name := filepath.Join(open, e.Name())
		target, _ := os.Readlink(name)
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if all, _ := os.ReadFile(name); !bytes.Contains(all, []byte(row)) {
			continue
		}
		found = true
		if info.Mode().Perm() != 0o600 || !strings.HasSuffix(target, " (deleted)") {
			t.Errorf("%s has the rows: %v", target, info.Mode())
		}
	}
	if !found {
		t.Error("no file has the rows")
	}
}

// The same rows in a new file are the same bytes.
func TestSQLiteSameBytes(t *testing.T) {
	var files [2][]byte
	for i := range files {
		path := emptySQLite(t)
		to := location(t, "sqlite:"+path+"#t")
		table, err := Opener{}.Create(t.Context(), to, rows.Options{Unfinished: true})
		if err != nil {
			t.Fatal(err)
		}
		opts := dataset.Options{Format: dataset.Database}
		if err := dataset.Write(table, setsOf("item", 3000), opts); err != nil {
			t.Fatal(err)
		}
		for _, step := range []func() error{table.Finish, table.Place, table.Commit} {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		files[i] = around(t, path)
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("two files differ")
	}
	if bytes.Contains(files[0], []byte("mingle_")) {
		t.Error("the file has another name of the table")
	}
}

// That a table is there already can be asked for as of files.
func TestSQLiteTableThatIsThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a%d.db")
	if err := os.Rename(sqliteWith(t, "CREATE TABLE release (a)"), path); err != nil {
		t.Fatal(err)
	}
	at := location(t, "sqlite:"+path+"#release")
	err := (Opener{}).Check(t.Context(), at, rows.Options{})
	if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "a%d.db") {
		t.Error(err)
	}
}
