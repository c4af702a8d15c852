//go:build unix

package database

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"mingle/dataset"
	"mingle/dataset/rows"
	"mingle/internal/pgtest"
)

// traps are functions and operators that fit what the program's statements call better than the
// catalogue's own do. Each tells that it was run.
const traps = `
	CREATE FUNCTION public.quote_ident(name) RETURNS text LANGUAGE plpgsql AS
		$$ BEGIN RAISE 'a trap'; END $$;
	CREATE FUNCTION public.obj_description(oid, text) RETURNS text LANGUAGE plpgsql AS
		$$ BEGIN RAISE 'a trap'; END $$;
	CREATE FUNCTION public.parse_ident(text) RETURNS text[] LANGUAGE plpgsql AS
		$$ BEGIN RAISE 'a trap'; END $$;
	CREATE FUNCTION public.is_same(oid, regclass) RETURNS boolean LANGUAGE plpgsql AS
		$$ BEGIN RAISE 'a trap'; END $$;
	CREATE OPERATOR public.= (LEFTARG = oid, RIGHTARG = regclass, FUNCTION = public.is_same);
	CREATE OPERATOR public.<> (LEFTARG = oid, RIGHTARG = regclass, FUNCTION = public.is_same);
	CREATE DOMAIN public.oid AS pg_catalog.oid CHECK (VALUE IS NULL);
	CREATE DOMAIN public.text AS pg_catalog.text CHECK (VALUE IS NULL)`

// Whoever may create functions, operators and types on the search path gets none of them run, also
// where the catalogue is behind it. What the user wrote is looked up along that path.
func testTraps(t *testing.T, s *pgtest.Server) {
	ask(t, s, "CREATE DATABASE trapped")
	ask(t, s, "CREATE ROLE keen LOGIN; CREATE ROLE reads")
	trapped := &pgtest.Server{URL: strings.Replace(s.URL, "/postgres?", "/trapped?", 1)}
	ask(t, trapped, `CREATE SCHEMA keen AUTHORIZATION keen; GRANT CREATE ON SCHEMA public TO keen;
		CREATE FUNCTION keen.twice(integer) RETURNS integer LANGUAGE sql AS 'SELECT 2 * $1'`)
	ask(t, trapped, traps)
	for _, path := range []string{"keen, public", "keen, public, pg_catalog"} {
		ask(t, s, "ALTER ROLE keen SET search_path = "+path)
		to := location(t, strings.Replace(trapped.URL, "mingle@", "keen@", 1)+"#baskets")
		for _, d := range [][][]string{oldSets, newSets} {
			err := put(t.Context(), to, dataset.FromLabels(d), dataset.Options{}, "commit")
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			ask(t, trapped, "GRANT SELECT ON keen.baskets TO reads")
			err = Opener{}.Check(t.Context(), to, rows.Options{Force: true})
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			for query, from := range map[string]string{
				"": "baskets", "SELECT * FROM baskets WHERE twice(1) = 2": "",
			} {
				at := to
				at.Table = from
				back, err := load(t.Context(), at, query, dataset.Options{})
				if err != nil || fmt.Sprint(sets(back)) != fmt.Sprint(d) {
					t.Errorf("%s: %q: %v", path, query, err)
				}
			}
		}
	}
}

// replaceWhile writes a table that mingle wrote before, while somebody else holds it with some
// statements, which are committed when the program waits for the table.
func replaceWhile(t *testing.T, s *pgtest.Server, to rows.Location, statements string) error {
	t.Helper()
	err := put(t.Context(), to, dataset.FromLabels(oldSets), dataset.Options{}, "commit")
	if err != nil {
		t.Fatal(err)
	}
	other, err := pgconn.Connect(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(context.Background())
	if _, err := other.Exec(t.Context(), "BEGIN; "+statements).ReadAll(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- put(t.Context(), to, dataset.FromLabels(newSets), dataset.Options{}, "commit")
	}()
	for ask(t, s, "SELECT count(*) FROM pg_locks WHERE NOT granted") == "0" {
		time.Sleep(10 * time.Millisecond)
	}
	if _, err := other.Exec(t.Context(), "COMMIT").ReadAll(); err != nil {
		t.Fatal(err)
	}
	return <-ended
}

// What others do to a table while the program waits for it is seen: it drops no table that it did
// not write.
func testWaited(t *testing.T, s *pgtest.Server) {
	const precious = "CREATE TABLE w.rel (precious text); INSERT INTO w.rel VALUES ('all')"
	for _, c := range []struct{ name, statements, says, look, want string }{
		{
			"another table", "ALTER TABLE w.rel RENAME TO rel_old; " + precious,
			"was not written by mingle", "SELECT precious FROM w.rel", "all",
		},
		{
			"dropped and made", "DROP TABLE w.rel; " + precious,
			"was not written by mingle", "SELECT precious FROM w.rel", "all",
		},
		{
			"another schema", "LOCK TABLE w.rel; ALTER SCHEMA w RENAME TO w_old; CREATE SCHEMA w; " +
				precious, "was not written by mingle", "SELECT precious FROM w.rel", "all",
		},
		{
			"row level security", "ALTER TABLE w.rel ENABLE ROW LEVEL SECURITY",
			"row level security", "SELECT items FROM w.rel", "{old}",
		},
		{
			"the comment", "LOCK TABLE w.rel; COMMENT ON TABLE w.rel IS 'mine'",
			"was not written by mingle", "SELECT items FROM w.rel", "{old}",
		},
		{
			"nothing", "LOCK TABLE w.rel", "",
			"SELECT string_agg(items::text, ' ') FROM w.rel", "{new,sets} {}",
		},
		{
			"another one of its own", "ALTER TABLE w.rel RENAME TO rel_old; " +
				"CREATE TABLE w.rel (a text); COMMENT ON TABLE w.rel IS 'Published by mingle'", "",
			"SELECT string_agg(items::text, ' ') FROM w.rel", "{new,sets} {}",
		},
	} {
		ask(t, s, "DROP SCHEMA IF EXISTS w, w_old CASCADE; CREATE SCHEMA w")
		err := replaceWhile(t, s, location(t, s.URL+"#w.rel"), c.statements)
		if c.says == "" && err != nil || c.says != "" &&
			(err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
		if got := ask(t, s, c.look); got != c.want {
			t.Errorf("%s: the table holds %q, want %q", c.name, got, c.want)
		}
	}
}

// The comment of the former table is a text, also where the server lets a backslash quote a quote.
func testBackslash(t *testing.T, s *pgtest.Server) {
	ask(t, s, `CREATE ROLE older LOGIN; ALTER ROLE older SET standard_conforming_strings = off;
		ALTER ROLE older SET backslash_quote = on; ALTER ROLE older SET escape_string_warning = off;
		CREATE SCHEMA b AUTHORIZATION older`)
	to := location(t, strings.Replace(s.URL, "mingle@", "older@", 1)+"#b.rel")
	const comment = `Published by mingle \'; CREATE TABLE b.pwn (); --`
	for range 2 {
		err := put(t.Context(), to, dataset.FromLabels(newSets), dataset.Options{}, "commit")
		if err != nil {
			t.Fatal(err)
		}
		ask(t, s, "COMMENT ON TABLE b.rel IS '"+strings.ReplaceAll(comment, "'", "''")+"'")
	}
	err := put(t.Context(), to, dataset.FromLabels(newSets), dataset.Options{}, "commit")
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(t, s, "SELECT obj_description('b.rel'::regclass)"); got != comment {
		t.Errorf("the comment is %s", got)
	}
	if got := ask(t, s, "SELECT to_regclass('b.pwn')"); got != "" {
		t.Error("the comment was run")
	}
	// a query says what it says where the user sends it
	d, err := load(t.Context(), location(t, to.Address),
		`SELECT 1 AS transaction, 'a\\b' AS item`, dataset.Options{})
	if err != nil || fmt.Sprint(sets(d)) != `[[a\b]]` {
		t.Errorf("a query with a backslash: %v", err)
	}
	for _, setting := range []string{"on", "off"} {
		got := ask(t, s, "SET standard_conforming_strings = "+setting+"; SELECT "+literal(`a\'b\\''`))
		if got != `a\'b\\''` {
			t.Errorf("%s: it is %s", setting, got)
		}
	}
}

// What others have run when tables are made and dropped finds its names where the user's are, also
// what is put off until the COMMIT.
func testEventTriggers(t *testing.T, s *pgtest.Server) {
	ask(t, s, "CREATE DATABASE watched")
	watched := &pgtest.Server{URL: strings.Replace(s.URL, "/postgres?", "/watched?", 1)}
	ask(t, watched, `CREATE TABLE ddl_log (tag text); CREATE TABLE ends (tag text);
		CREATE FUNCTION logged() RETURNS event_trigger LANGUAGE plpgsql AS
			$$ BEGIN INSERT INTO ddl_log VALUES (tg_tag); END $$;
		CREATE FUNCTION ended() RETURNS trigger LANGUAGE plpgsql AS
			$$ BEGIN INSERT INTO ends VALUES (NEW.tag); RETURN NULL; END $$;
		CREATE CONSTRAINT TRIGGER late AFTER INSERT ON ddl_log DEFERRABLE INITIALLY DEFERRED
			FOR EACH ROW EXECUTE FUNCTION ended();
		CREATE EVENT TRIGGER started ON ddl_command_start EXECUTE FUNCTION logged();
		CREATE EVENT TRIGGER done ON ddl_command_end EXECUTE FUNCTION logged();
		CREATE EVENT TRIGGER gone ON sql_drop EXECUTE FUNCTION logged()`)
	for _, d := range [][][]string{oldSets, newSets} {
		err := put(t.Context(), location(t, watched.URL+"#rel"), dataset.FromLabels(d),
			dataset.Options{}, "commit")
		if err != nil {
			t.Fatal(err)
		}
	}
	got := ask(t, watched, "SELECT string_agg(DISTINCT tag, ', ' ORDER BY tag) FROM ends")
	if want := "ALTER TABLE, COMMENT, CREATE TABLE, DROP TABLE"; got != want {
		t.Errorf("%s were seen, want %s", got, want)
	}
}

// Who owns a table replaces it, also where nobody may write to it. What it is locked with locks it.
func testOwners(t *testing.T, s *pgtest.Server) {
	ask(t, s, "CREATE ROLE careful LOGIN; CREATE SCHEMA careful AUTHORIZATION careful")
	to := location(t, strings.Replace(s.URL, "mingle@", "careful@", 1)+"#careful.rel")
	for _, d := range [][][]string{oldSets, newSets} {
		err := put(t.Context(), to, dataset.FromLabels(d), dataset.Options{}, "commit")
		if err != nil {
			t.Fatal(err)
		}
		ask(t, s, "REVOKE ALL ON careful.rel FROM careful; GRANT SELECT ON careful.rel TO careful")
	}
	got := ask(t, s, "ALTER TABLE ONLY careful.rel SET WITHOUT OIDS; SELECT string_agg(mode, ' ') "+
		"FROM pg_locks WHERE relation = 'careful.rel'::regclass")
	if !strings.Contains(got, "AccessExclusiveLock") {
		t.Errorf("it is locked by %s", got)
	}
	if got := ask(t, s, "SELECT string_agg(items::text, ' ') FROM careful.rel"); got != "{new,sets} {}" {
		t.Errorf("the table holds %s", got)
	}
}
