//go:build unix

package database

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mingle/dataset"
	"mingle/dataset/rows"
)

// shopFile is a file with a table of rows, and one that is nobody's business.
func shopFile(t testing.TB) string {
	t.Helper()
	return sqliteWith(t, "CREATE TABLE t (\"transaction\", item)",
		"INSERT INTO t VALUES (1, 'a'), (1, 'b'), (2, 'a')", "CREATE TABLE other (precious)",
		"CREATE VIEW v AS SELECT * FROM t",
		"CREATE VIRTUAL TABLE words USING fts5(\"transaction\", item)",
		"INSERT INTO words VALUES (1, 'a b')",
		"CREATE VIEW found AS SELECT \"transaction\", item FROM words WHERE words MATCH 'a' "+
			"ORDER BY bm25(words)",
		"CREATE VIRTUAL TABLE boxes USING rtree(id, low, high, +item)",
		"INSERT INTO boxes VALUES (1, 2, 3, 'a')",
		"CREATE VIRTUAL TABLE \"Of places\" USING rtree_i32(id, low, high)",
		"INSERT INTO \"Of places\" VALUES (1, 2, 3)",
		"CREATE TABLE my_node (\"transaction\", item)", "INSERT INTO my_node VALUES (1, 'a')")
}

// hostile are views of a file that try to do more than to read it.
var hostile = []string{
	"SELECT 1 AS \"transaction\", load_extension('evil.so') AS item",
	"SELECT 1 AS \"transaction\", hex(fts3_tokenizer('simple')) AS item",
	"SELECT 1 AS \"transaction\", user_version AS item FROM pragma_user_version",
	"SELECT 1 AS \"transaction\", * FROM pragma_journal_mode('wal')",
	"SELECT 1 AS \"transaction\", * FROM pragma_wal_checkpoint",
	"SELECT 1 AS \"transaction\", writefile('evil.db', 'x') AS item",
	"SELECT 1 AS \"transaction\", readfile('evil.db') AS item",
	"SELECT 1 AS \"transaction\", data AS item FROM sqlite_dbpage",
}

// A file of somebody else is no more trusted than a query: its views only read.
func TestSQLiteHostileViews(t *testing.T) {
	path := shopFile(t)
	for i, view := range hostile {
		openedWith(t, path, fmt.Sprintf("CREATE VIEW hostile%d AS %s", i, view))
	}
	before := around(t, path)
	for i, view := range hostile {
		at := rows.Location{Kind: rows.SQLite, Address: path, Table: fmt.Sprintf("hostile%d", i)}
		if d, err := load(t.Context(), at, "", dataset.Options{}); err == nil {
			t.Errorf("%s: %v", view, d)
		}
	}
	if !bytes.Equal(around(t, path), before) {
		t.Error("the files are not as they were")
	}
}

// The names of the tables of an R*Tree let nobody write to them, whosever they are.
func TestSQLiteTablesOfBoxes(t *testing.T) {
	path := shopFile(t)
	before := around(t, path)
	for _, table := range []string{"my_node", "boxes_node", "boxes_rowid", "boxes_parent", "boxes"} {
		for _, query := range []string{
			"DELETE FROM " + table, "DELETE FROM " + table + " RETURNING *",
			"WITH x AS (SELECT 1) DELETE FROM " + table + " RETURNING *",
			"SELECT 1); DELETE FROM " + table + "; SELECT * FROM (SELECT 1",
			"INSERT INTO " + table + " DEFAULT VALUES RETURNING *",
		} {
			_, err := load(t.Context(), location(t, path), query, dataset.Options{})
			if err == nil || !strings.Contains(err.Error(), "the query is refused") {
				t.Errorf("%s: %v", query, err)
			}
		}
		f, err := openSQLite(t.Context(), location(t, path), readOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, statement := range []string{"DELETE FROM ", "DROP TABLE "} {
			if err := f.run(t.Context(), statement+table); err == nil {
				t.Errorf("%s%s is run", statement, table)
			}
		}
		f.end()
	}
	if !bytes.Equal(around(t, path), before) {
		t.Error("the files are not as they were")
	}
}

// A query that does anything but to read is refused, and no file is another one or more.
func TestSQLiteQueryOnlyReads(t *testing.T) {
	path := shopFile(t)
	evil := filepath.Join(filepath.Dir(path), "evil.db")
	before := around(t, path)
	rest := "SELECT * FROM (SELECT \"transaction\", item FROM t"
	for _, query := range []string{
		"SELECT 1); ATTACH 'file:" + path + "?mode=rw' AS e; DROP TABLE e.other; " + rest,
		"SELECT 1); ATTACH '" + evil + "' AS e; CREATE TABLE e.pwn AS SELECT 1 AS a; " + rest,
		"SELECT 1); PRAGMA query_only = 0; DROP TABLE other; " + rest,
		"SELECT 1); CREATE TEMP TABLE x AS SELECT 1; " + rest,
		"SELECT 1); VACUUM INTO '" + evil + "'; " + rest,
		"SELECT 1 /* ) */); DROP TABLE other; -- ')\n" + rest,
		"SELECT 1; DROP TABLE other",
		"SELECT 1; SELECT * FROM t",
		"SELECT 1 AS \"transaction\", 2 AS item; -- no more",
		"; SELECT * FROM t",
		rest + "; DROP TABLE other; -- (",
		"DELETE FROM t RETURNING *",
		"WITH x AS (SELECT 1) DELETE FROM t RETURNING *",
		"DROP TABLE other",
		"ATTACH '" + evil + "' AS e",
		"VACUUM INTO '" + evil + "'",
		"PRAGMA user_version",
		"PRAGMA user_version = 7",
		"EXPLAIN SELECT * FROM t",
		"SELECT 1 AS \"transaction\", * FROM pragma_journal_mode('wal')",
		"SELECT 1 AS \"transaction\", * FROM pragma_user_version",
		"SELECT 1 AS \"transaction\", load_extension('" + evil + "') AS item",
		"SELECT 1 AS \"transaction\", hex(fts3_tokenizer('simple', x'00')) AS item",
		"SELECT * FROM t\x00; DROP TABLE other",
		"",
		"-- nothing",
		"/*",
	} {
		if query == "" {
			query = " "
		}
		d, err := load(t.Context(), location(t, path), query, dataset.Options{})
		if err == nil || !strings.Contains(err.Error(), "the query is refused") {
			t.Errorf("%q: %v, %v", query, d, err)
		}
		if strings.Contains(fmt.Sprint(err), filepath.Dir(path)+"/published") {
			t.Errorf("%q: the message has the path: %v", query, err)
		}
	}
	if !bytes.Equal(around(t, path), before) {
		t.Error("the files are not as they were")
	}
	if _, err := os.Stat(evil); err == nil {
		t.Error("a query has made a file")
	}
}

// What reads is read, whatever its comments, strings and brackets are like.
func TestSQLiteQueriesThatRead(t *testing.T) {
	path := shopFile(t)
	for _, query := range []string{
		"SELECT * FROM t",
		"SELECT * FROM v;  ",
		"SELECT * FROM words",
		"SELECT * FROM words WHERE words MATCH 'b'",
		"SELECT * FROM found",
		"SELECT id, item FROM boxes",
		"SELECT id, item FROM boxes WHERE low < 2.5 AND high > 2.5",
		"SELECT id, high FROM \"Of places\"",
		"SELECT * FROM my_node",
		"SELECT * FROM t -- all of it",
		"SELECT * FROM t -- all of it; and no more",
		"SELECT * FROM t /* ; */ WHERE item <> ';)' AND \"item\" <> ')'",
		"SELECT [transaction], item FROM (SELECT * FROM t)",
		"VALUES (1, 'a')",
		"WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 9) " +
			"SELECT i, group_concat(i) FROM n GROUP BY i",
		"SELECT 1, value FROM json_each('[1, 2]')",
	} {
		_, err := load(t.Context(), location(t, path), "WITH q(\"transaction\", item) AS ("+
			strings.TrimRight(query, "; ")+"\n) SELECT * FROM q", dataset.Options{})
		if err != nil {
			t.Errorf("%s: %v", query, err)
		}
		in, err := Opener{}.Read(t.Context(), location(t, path), query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		in.Close()
	}
}

// A query that never ends is ended from outside, before its first row and behind it.
func TestSQLiteEndlessQueries(t *testing.T) {
	path := shopFile(t)
	const n = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) "
	for _, query := range []string{
		n + "SELECT 1 AS \"transaction\", count(*) AS item FROM n",
		n + "SELECT 1 AS \"transaction\", 1 AS item FROM n",
	} {
		ctx, done := context.WithTimeout(t.Context(), 300*time.Millisecond)
		_, err := load(ctx, location(t, path), query, dataset.Options{})
		done()
		if err == nil || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// No other file is attached, and no table read by its name does more than that.
func TestSQLiteConnectionsAreConfined(t *testing.T) {
	path := sqliteWith(t, "CREATE TABLE other (precious)",
		"CREATE TABLE \"t; DROP TABLE other\" (\"transaction\", item)",
		"CREATE TABLE \"x\"\"); DROP TABLE other\" (\"transaction\", item)")
	for _, mode := range []string{readOnly, readWrite} {
		f, err := openSQLite(t.Context(), location(t, path), mode)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.run(t.Context(), "ATTACH ':memory:' AS e"); err == nil {
			t.Errorf("%s: a file is attached", mode)
		}
		if err := f.run(t.Context(), "DROP TABLE other"); mode == readOnly && err == nil {
			t.Error("a table is dropped")
		} else if mode == readWrite && err != nil {
			t.Error(err)
		}
		f.end()
		for _, table := range []string{"t; DROP TABLE other", "x\"); DROP TABLE other"} {
			l := rows.Location{Kind: rows.SQLite, Address: path, Table: table}
			if _, err := load(t.Context(), l, "", dataset.Options{}); err != nil {
				t.Errorf("%s: %v", table, err)
			}
		}
	}
}

// A path may begin with two slashes, as some programs make them.
func TestSQLitePathWithTwoSlashes(t *testing.T) {
	path := "/" + shopFile(t)
	if _, err := load(t.Context(), location(t, path+"#t"), "", dataset.Options{}); err == nil {
		t.Error("a name with a hash sign is no table's")
	}
	d, err := load(t.Context(), location(t, "sqlite:"+path+"#t"), "", dataset.Options{})
	if err != nil || d.Len() != 2 {
		t.Errorf("%v, %v", d, err)
	}
}

// Two columns that are one for SQLite are refused by their names, also in a file whose own name is
// a temporary one.
func TestSQLiteColumnsThatAreOne(t *testing.T) {
	opts := rows.Options{Unfinished: true, Name: "shown.db/t"}
	table, err := Opener{}.Create(t.Context(), location(t, "sqlite:"+emptySQLite(t)+"#t"), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Abort()
	d := dataset.FromLabels(oldSets)
	d.Columns = []dataset.Column{{Name: "sex", Values: []string{"f"}}, {Name: "Sex", Values: []string{"m"}}}
	err = dataset.Write(table, d, dataset.Options{Format: dataset.Database})
	if err == nil {
		err = table.Finish()
	}
	const says = `shown.db/t: columns "sex" and "Sex" are one for SQLite`
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("%v, want %q", err, says)
	}
}
