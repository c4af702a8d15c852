//go:build unix

package database

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mingle/dataset"
	"mingle/dataset/rows"
	"mingle/internal/pgtest"
)

var oldSets, newSets = [][]string{{"old"}}, [][]string{{"new", "sets"}, {}}

// A table takes the place of one that the program wrote, with its owner, its rights and its
// comment; rights that the schema gives to new tables it does not get.
func testReplaced(t *testing.T, s *pgtest.Server) {
	ask(t, s, `CREATE ROLE analyst; CREATE ROLE boss; CREATE ROLE stranger; CREATE SCHEMA "Open";
		GRANT CREATE ON SCHEMA "Open" TO boss`)
	to := location(t, s.URL+`#"Open".sales`)
	if err := put(t.Context(), to, dataset.FromLabels(oldSets), dataset.Options{}, "commit"); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, s, `SELECT obj_description('"Open".sales'::regclass)`); got != mark {
		t.Errorf("the comment is %q", got)
	}
	ask(t, s, `GRANT SELECT ON "Open".sales TO analyst WITH GRANT OPTION;
		ALTER TABLE "Open".sales OWNER TO boss; COMMENT ON TABLE "Open".sales IS 'Published by mingle: it''s Ann''s';
		ALTER DEFAULT PRIVILEGES IN SCHEMA "Open" GRANT SELECT ON TABLES TO stranger, PUBLIC`)
	if err := put(t.Context(), to, dataset.FromLabels(newSets), dataset.Options{}, "commit"); err != nil {
		t.Fatal(err)
	}
	got := ask(t, s, `SELECT pg_get_userbyid(relowner), obj_description(oid), relacl::text,
		(SELECT string_agg(items::text, ' ') FROM "Open".sales) FROM pg_class WHERE relname = 'sales'`)
	want := "boss|Published by mingle: it's Ann's|{boss=arwdDxt/boss,analyst=r*/boss}|{new,sets} {}"
	if got != want {
		t.Errorf("the new table is %s, want %s", got, want)
	}
	if left := ask(t, s, `SELECT count(*) FROM pg_class WHERE relname LIKE 'mingle%'`); left != "0" {
		t.Errorf("%s tables are left", left)
	}
}

// What must not be replaced, or cannot be read, is refused, and stays as it is.
func testRefused(t *testing.T, s *pgtest.Server) {
	ask(t, s, `CREATE SCHEMA r; CREATE TABLE r.theirs (a int); CREATE VIEW r.view AS SELECT 1 AS a;
		COMMENT ON VIEW r.view IS 'Published by mingle'; CREATE SCHEMA closed;
		CREATE TABLE r.rules (a int); COMMENT ON TABLE r.rules IS 'Published by mingle';
		ALTER TABLE r.rules ENABLE ROW LEVEL SECURITY;
		CREATE TABLE r.seen (a int); COMMENT ON TABLE r.seen IS 'Published by mingle';
		CREATE VIEW r.sees AS SELECT a FROM r.seen;
		CREATE TABLE r.keyed (a int primary key); COMMENT ON TABLE r.keyed IS 'Published by mingle';
		CREATE TABLE r.refers (a int REFERENCES r.keyed);
		CREATE TABLE r.ours (a int); COMMENT ON TABLE r.ours IS 'Published by mingle';
		CREATE ROLE little LOGIN; GRANT USAGE, CREATE ON SCHEMA r TO little`)
	little := strings.Replace(s.URL, "mingle@", "little@", 1)
	for _, c := range []struct {
		path  string
		force bool
		says  string
	}{
		{s.URL, true, "name the table that is written"},
		{s.URL + "#r.ours", false, "table r.ours exists already"},
		{s.URL + "#R.OURS", false, "table r.ours exists already"},
		{s.URL + `#r."OURS"`, false, ""},
		{s.URL + "#r.ours", true, ""},
		{s.URL + "#r.theirs", true, "was not written by mingle"},
		{s.URL + "#r.view", true, "was not written by mingle"},
		{s.URL + "#r.rules", true, "row level security"},
		{s.URL + "#r.seen", true, "the views r.sees read it"},
		{s.URL + "#r.keyed", true, "the tables r.refers refer to it"},
		{s.URL + "#nowhere.x", true, "there is no schema nowhere"},
		{s.URL + "#a.b.c", true, "schema.table"},
		{s.URL + "#r.", true, "is not a valid identifier"},
		{little + "#closed.x", true, "may not create tables in schema closed"},
		{little + "#r.ours", true, "belongs to mingle"},
		{little + "#r.mine", true, ""},
		{strings.Replace(s.URL, "mingle@", "nobody@", 1) + "#x", true, "role does not exist"},
		{strings.Replace(s.URL, "/postgres?", "/nosuch?", 1) + "#x", true, `database "nosuch" does not exist`},
		{"postgres://127.0.0.1:1/x#t", true, "no server answers"},
		{"postgres://mingle@/x?host=/nowhere&port=odd#t", true, "cannot be read"},
	} {
		err := Opener{}.Check(t.Context(), location(t, c.path), rows.Options{Force: c.force})
		if c.says == "" && err != nil || c.says != "" &&
			(err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v, want %q", c.path, err, c.says)
		}
		opts := rows.Options{Force: c.force}
		table, again := Opener{}.Create(t.Context(), location(t, c.path), opts)
		if (again == nil) != (err == nil) {
			t.Errorf("%s: checked %v, created %v", c.path, err, again)
		}
		if again == nil {
			table.Abort()
		}
	}
	for query, says := range map[string]string{
		"SELECT 1; DROP TABLE r.ours":                  "multiple commands",
		"DELETE FROM r.ours RETURNING a":               "read-only transaction",
		"SELECT nosuch FROM r.ours":                    `column "nosuch" does not exist at "nosuch FROM r.ours"`,
		"SELECT $1::int AS a":                          "parameters",
		"CREATE TABLE r.more ()":                       "must be a SELECT",
		"SELECT 1 AS transaction, 1/0 AS item":         "division by zero",
		"SELECT NULL::int AS transaction, 1 AS item":   "the row has no transaction",
		"SELECT 1 AS a, 2 AS a, '{}'::text[] AS items": `column "a" is there twice`,
	} {
		_, err := load(t.Context(), location(t, s.URL), query, dataset.Options{})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", query, err, says)
		}
	}
	if got := ask(t, s, "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace "+
		"WHERE nspname = 'r' AND relkind IN ('r', 'v')"); got != "8" {
		t.Errorf("there are %s tables and views now", got)
	}
}

// terminate ends all connections of the program on the side of the server.
func terminate(t *testing.T, s *pgtest.Server) {
	t.Helper()
	ask(t, s, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "+
		"WHERE application_name = 'mingle'")
}

// A connection that is lost is an error, wherever it is lost, and what was there stays.
func testLost(t *testing.T, s *pgtest.Server) {
	in, err := Opener{}.Read(t.Context(), location(t, s.URL),
		"SELECT n AS transaction, n AS item FROM generate_series(1, 100000000) n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, in, 1<<20); err != nil {
		t.Fatal(err)
	}
	terminate(t, s)
	if _, err := io.Copy(io.Discard, in); err == nil || !strings.Contains(err.Error(), "connection was lost") {
		t.Errorf("reading ends with %v", err)
	}
	in.Close()

	in, err = Opener{}.Read(t.Context(), location(t, s.URL), "SELECT n FROM generate_series(1, 100000000) n")
	if err != nil {
		t.Fatal(err)
	}
	in.Close() // long before its end, it does not wait for the rest

	to := location(t, s.URL+"#lost")
	if err := put(t.Context(), to, dataset.FromLabels(oldSets), dataset.Options{}, "commit"); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"create", "write", "finish", "back", "place", "commit"} {
		err := lose(t, s, to, at)
		if err == nil || errors.Is(err, rows.ErrUnknown) {
			t.Errorf("lost before %s: %v", at, err)
		}
		if got := ask(t, s, "SELECT string_agg(items::text, ' ') FROM lost"); got != "{old}" {
			t.Errorf("lost before %s: the table holds %s", at, got)
		}
	}
}

// lose writes a table and loses the connection before a step.
func lose(t *testing.T, s *pgtest.Server, to rows.Location, at string) error {
	table, err := Opener{}.Create(t.Context(), to, rows.Options{Force: true})
	if err != nil {
		t.Fatal(err)
	}
	defer table.Abort()
	steps := []struct {
		name string
		do   func() error
	}{
		{"create", func() error { return nil }},
		{"write", func() error {
			opts := dataset.Options{Format: dataset.Database}
			return dataset.Write(table, dataset.FromLabels(newSets), opts)
		}},
		{"finish", table.Finish},
		{"back", func() error {
			in, err := table.Back(t.Context())
			if err == nil {
				_, err = io.Copy(io.Discard, in)
				in.Close()
			}
			return err
		}},
		{"place", table.Place},
		{"commit", table.Commit},
	}
	for _, step := range steps {
		if step.name == at {
			terminate(t, s)
		}
		if err := step.do(); err != nil {
			return err
		}
	}
	return nil
}

// A process of the test that is killed: it gets the location and the step before which it kills
// itself.
const killedEnv = "MINGLE_TEST_DATABASE_KILLED"

func TestMain(m *testing.M) {
	if words := strings.SplitN(os.Getenv(killedEnv), " ", 2); len(words) == 2 {
		to, err := rows.Parse(words[1])
		if err == nil {
			err = put(context.Background(), to, killedData(to), dataset.Options{}, words[0])
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(9)
		}
		os.Exit(9) // it should have been killed
	}
	os.Exit(m.Run())
}

// killedData is what such a process writes: to SQLite so much that not all of it stays in memory
// until the end, and the file has parts of it when the process is killed.
func killedData(to rows.Location) *dataset.Dataset {
	if to.Kind == rows.SQLite {
		return manyRows(60_000)
	}
	return dataset.FromLabels(newSets)
}

// killSelf ends the process, where it is one that is to be killed.
func killSelf() {
	if os.Getenv(killedEnv) != "" {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

// The steps behind which a process is killed, in their order.
var killSteps = []string{"create", "half", "finish", "back", "place", "commit"}

// kill writes a table in a process that is killed after a step. It is killed before it can tidy up.
func kill(t *testing.T, path, step string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killedEnv+"="+step+" "+path)
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() == 9 {
		t.Fatalf("%s: it was not killed: %v %s", step, err, out)
	}
}

// After a kill the table is the old one or the new one, nothing else is left, and the next run
// works.
func testKilled(t *testing.T, s *pgtest.Server) {
	path := s.URL + "#killed"
	for _, before := range []string{"", "{old}"} {
		for _, step := range killSteps {
			ask(t, s, "DROP TABLE IF EXISTS killed")
			if before != "" {
				err := put(t.Context(), location(t, path), dataset.FromLabels(oldSets), dataset.Options{}, "commit")
				if err != nil {
					t.Fatal(err)
				}
			}
			kill(t, path, step)
			// the server notices the end of the connection by itself
			ask(t, s, "DO $$ BEGIN WHILE EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'mingle') "+
				"LOOP PERFORM pg_sleep(0.02), pg_stat_clear_snapshot(); END LOOP; END $$")
			got := ""
			if ask(t, s, "SELECT to_regclass('killed') IS NOT NULL") == "t" {
				got = ask(t, s, "SELECT string_agg(items::text, ' ') FROM killed")
			}
			want := before
			if step == "commit" {
				want = "{new,sets} {}"
			}
			if got != want {
				t.Errorf("killed after %s: the table holds %q, want %q", step, got, want)
			}
			if left := ask(t, s, `SELECT count(*) FROM pg_class WHERE relname LIKE 'mingle%'`); left != "0" {
				t.Errorf("killed after %s: %s tables are left", step, left)
			}
		}
	}
}

func TestSQLiteKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine has nothing for the race detector")
	}
	for _, before := range []string{"", `["old"]`} {
		for _, step := range killSteps {
			path := "sqlite:" + emptySQLite(t) + "#killed"
			to := location(t, path)
			if before != "" {
				err := put(t.Context(), to, dataset.FromLabels(oldSets), dataset.Options{}, "commit")
				if err != nil {
					t.Fatal(err)
				}
			}
			kill(t, path, step)
			f, err := openSQLite(t.Context(), to, readWrite)
			if err != nil {
				t.Fatal(err)
			}
			names, _, err := f.tables(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			f.end()
			there := before != "" || step == "commit"
			if fmt.Sprint(names) != map[bool]string{true: "[killed]", false: "[]"}[there] {
				t.Errorf("killed after %s: there are the tables %s", step, names)
				continue
			}
			if !there {
				continue
			}
			d, err := load(t.Context(), to, "", dataset.Options{})
			want := oldSets
			if step == "commit" {
				want = sets(killedData(to))
			}
			if err != nil || fmt.Sprint(sets(d)) != fmt.Sprint(want) {
				t.Errorf("killed after %s: the table does not hold what it should: %v", step, err)
			}
		}
	}
}

// A password comes from the opener, the environment or a password file, and no error repeats it.
func testPassword(t *testing.T, s *pgtest.Server) {
	ask(t, s, "CREATE ROLE secretive LOGIN PASSWORD 'Geh31m'; CREATE TABLE seen (items text[])")
	ask(t, s, "GRANT SELECT ON seen TO secretive")
	rules := filepath.Join(s.Dir, "data", "pg_hba.conf")
	text, err := os.ReadFile(rules)
	if err == nil {
		err = os.WriteFile(rules, append([]byte("local all secretive scram-sha-256\n"), text...), 0o600)
	}
	if err == nil {
		err = s.Reload()
	}
	if err != nil {
		t.Fatal(err)
	}
	at := location(t, strings.Replace(s.URL, "mingle@", "secretive@", 1)+"#seen")
	try := func(o Opener) error {
		in, err := o.Read(t.Context(), at, "")
		if err == nil {
			in.Close()
		}
		return err
	}
	for err = try(Opener{}); err == nil; err = try(Opener{}) {
		// until the server has read its rules
	}
	if !strings.Contains(err.Error(), "password") {
		t.Errorf("without a password: %v", err)
	}
	wrong := "Fa1sch"
	err = try(Opener{Passwords: map[string]string{at.Address: wrong}})
	if err == nil || strings.Contains(err.Error(), wrong) || !strings.Contains(err.Error(), "PGPASSWORD") {
		t.Errorf("with a wrong password: %v", err)
	}
	if err := try(Opener{Passwords: map[string]string{at.Address: "Geh31m"}}); err != nil {
		t.Errorf("with the password: %v", err)
	}
	t.Setenv("PGPASSWORD", "Geh31m")
	if err := try(Opener{}); err != nil {
		t.Errorf("with PGPASSWORD: %v", err)
	}
	os.Unsetenv("PGPASSWORD")
	file := filepath.Join(t.TempDir(), "pass")
	if err := os.WriteFile(file, []byte("*:*:*:secretive:Geh31m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PGPASSFILE", file)
	if err := try(Opener{}); err != nil {
		t.Errorf("with a password file: %v", err)
	}
}
