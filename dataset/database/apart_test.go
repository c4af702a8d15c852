//go:build unix

package database

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/dataset/rows"
	"mingle/internal/pgtest"
)

// overwrites checks a table that is written while rows come from elsewhere, or from itself.
func overwrites(t *testing.T, to, from rows.Location, query string, want bool) {
	t.Helper()
	opts := rows.Options{Force: true, Original: &from, Query: query}
	err := Opener{}.Check(t.Context(), to, opts)
	if is := err != nil && strings.Contains(err.Error(), "would overwrite the input"); is != want ||
		!want && err != nil {
		t.Errorf("from %v by %q to %v: %v", from, query, to, err)
	}
}

// A table is not replaced by what is made from its rows, whatever it and its server are called.
func testApart(t *testing.T, s *pgtest.Server) {
	ask(t, s, "CREATE DATABASE elsewhere")
	elsewhere := strings.Replace(s.URL, "/postgres?", "/elsewhere?", 1)
	for _, path := range []string{s.URL + "#rel", s.URL + "#other", elsewhere + "#rel"} {
		err := put(t.Context(), location(t, path), dataset.FromLabels(oldSets), dataset.Options{}, "commit")
		if err != nil {
			t.Fatal(err)
		}
	}
	ask(t, s, "CREATE ROLE aside LOGIN; ALTER ROLE aside SET search_path = aside; "+
		"CREATE SCHEMA aside AUTHORIZATION aside; CREATE TABLE aside.rel (items text[]); "+
		"GRANT SELECT ON rel TO aside; ALTER TABLE aside.rel OWNER TO aside")
	to := location(t, s.URL+"#rel")
	aside := strings.Replace(s.URL, "mingle@", "aside@", 1)
	for _, c := range []struct {
		address, table, query string
		want                  bool
	}{
		{s.URL, "rel", "", true},
		{s.URL, "REL", "", true},
		{s.URL, `public."rel"`, "", true},
		{s.URL + "&connect_timeout=9", "rel", "", true},
		{strings.Replace(s.URL, "/postgres?", "/?dbname=postgres&", 1), "rel", "", true},
		{aside, "public.rel", "", true},
		{aside, "rel", "", false},
		{s.URL, "other", "", false},
		{elsewhere, "rel", "", false},
		{s.URL, "", "SELECT * FROM rel;", true},
		{s.URL, "", "SELECT items FROM other WHERE EXISTS (SELECT FROM rel)", true},
		{s.URL, "", "WITH r AS (SELECT * FROM rel) SELECT o.* FROM other o JOIN r ON true", true},
		{s.URL, "", "SELECT * FROM other -- rel", false},
		{elsewhere, "", "SELECT * FROM rel", false},
		{aside, "", "SELECT * FROM rel", false},
	} {
		from := rows.Location{Kind: rows.Postgres, Address: c.address, Table: c.table}
		overwrites(t, to, from, c.query, c.want)
	}
	overwrites(t, location(t, s.URL+"#new"), to, "", false)
	overwrites(t, to, location(t, "sqlite:"+shopFile(t)+"#t"), "", false)
}

func TestSQLiteApart(t *testing.T) {
	path := sqliteWith(t, "CREATE TABLE other (items)")
	to := location(t, "sqlite:"+path+"#rel")
	err := put(t.Context(), to, dataset.FromLabels(oldSets), dataset.Options{}, "commit")
	if err != nil {
		t.Fatal(err)
	}
	openedWith(t, path, "CREATE VIEW sees AS SELECT * FROM rel")
	hard, soft := path+"1.db", filepath.Join(t.TempDir(), "soft.db")
	if err := os.Link(path, hard); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, soft); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, table, query string
		want               bool
	}{
		{path, "rel", "", true},
		{path, "REL", "", true},
		{hard, "rel", "", true},
		{soft, "rel", "", true},
		{path, "sees", "", true},
		{path, "other", "", false},
		{shopFile(t), "t", "", false},
		{path, "", "SELECT * FROM Rel;", true},
		{soft, "", "SELECT items FROM other WHERE EXISTS (SELECT 1 FROM rel)", true},
		{path, "", "SELECT items FROM sees", true},
		{path, "", "SELECT items FROM other -- rel", false},
	} {
		overwrites(t, to, rows.Location{Kind: rows.SQLite, Address: c.path, Table: c.table},
			c.query, c.want)
	}
	alone := "sqlite:" + emptySQLite(t)
	to = location(t, alone+"#rel")
	err = put(t.Context(), to, dataset.FromLabels(oldSets), dataset.Options{}, "commit")
	if err != nil {
		t.Fatal(err)
	}
	overwrites(t, to, location(t, alone), "", true) // the only table needs no name
	overwrites(t, location(t, alone+"#new"), location(t, alone), "", false)
}
