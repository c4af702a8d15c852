//go:build unix

package database

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"pgregory.net/rapid"

	"mingle/dataset"
	"mingle/dataset/rows"
	"mingle/internal/pgtest"
	"mingle/internal/soak"
)

// TestPostgresSoak is all that needs a server.
func TestPostgresSoak(t *testing.T) {
	s := pgtest.Start(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *pgtest.Server)
	}{
		{"types", testTypes},
		{"round trip", testPostgresRoundTrip},
		{"million", testMillion},
		{"replaced", testReplaced},
		{"refused", testRefused},
		{"lost", testLost},
		{"killed", testKilled},
		{"password", testPassword},
		{"traps", testTraps},
		{"waited", testWaited},
		{"backslash", testBackslash},
		{"event triggers", testEventTriggers},
		{"rights of owners", testOwners},
		{"apart", testApart},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, s) })
	}
}

// ask runs statements, and returns the rows of the last one, a line each.
func ask(t testing.TB, s *pgtest.Server, sql string) string {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	results, err := conn.Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var lines []string
	for _, row := range results[len(results)-1].Rows {
		lines = append(lines, string(bytes.Join(row, []byte("|"))))
	}
	return strings.Join(lines, "\n")
}

func location(t testing.TB, path string) rows.Location {
	t.Helper()
	l, err := rows.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// load reads a location or a query.
func load(ctx context.Context, l rows.Location, query string, opts dataset.Options) (
	*dataset.Dataset, error,
) {
	in, err := Opener{}.Read(ctx, l, query)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	opts.Format, opts.Name = dataset.Database, "db"
	return dataset.Read(ctx, in, opts)
}

// put writes a table up to the step named, and no further; "commit" is all of it.
func put(
	ctx context.Context, to rows.Location, d *dataset.Dataset, opts dataset.Options, until string,
) error {
	table, err := Opener{}.Create(ctx, to, rows.Options{Force: true})
	if err != nil {
		return err
	}
	defer func() {
		killSelf()
		table.Abort()
	}()
	opts.Format = dataset.Database
	if until == "create" {
		return nil
	}
	if until == "half" {
		var all bytes.Buffer
		err := dataset.Write(&all, d, opts)
		if err == nil {
			_, err = table.Write(all.Bytes()[:all.Len()-8])
		}
		killSelf()
		return err
	}
	if err := dataset.Write(table, d, opts); err != nil {
		return err
	}
	if err := table.Finish(); err != nil || until == "finish" {
		return err
	}
	in, err := table.Back(ctx)
	if err != nil {
		return err
	}
	back, err := dataset.Read(ctx, in, opts)
	if err = errors.Join(err, in.Close()); err != nil || until == "back" {
		return err
	}
	if got, want := sets(back), sets(d); !slices.EqualFunc(got, want, slices.Equal) {
		return fmt.Errorf("read back %q, written %q", got, want)
	}
	if err := table.Place(); err != nil || until == "place" {
		return err
	}
	return table.Commit()
}

// sets are the labels of all transactions, each set in order.
func sets(d *dataset.Dataset) [][]string {
	var out [][]string
	for i := range d.Len() {
		set := d.Labels(i)
		slices.Sort(set)
		out = append(out, set)
	}
	return out
}

// Every type that occurs has the text that other formats have for the value.
func testTypes(t *testing.T, s *pgtest.Server) {
	ask(t, s, `CREATE TYPE mood AS ENUM ('sad', 'ok "so"'); CREATE DOMAIN code AS varchar(9)`)
	for _, c := range []struct{ sql, want string }{
		{"7::smallint", "7"},
		{"(-2147483648)::integer", "-2147483648"},
		{"9223372036854775807::bigint", "9223372036854775807"},
		{"12.50::numeric", "12.50"},
		{"(-0.001)::numeric", "-0.001"},
		{"120000::numeric", "120000"},
		{"10000.00010000::numeric", "10000.00010000"},
		{"0::numeric", "0"},
		{"0.5::real", "0.5"},
		{"7.0::double precision", "7"},
		{"true", "true"},
		{"'a''b\"c, {é} 😀'::text", `a'b"c, {é} 😀`},
		{"'x'::varchar(5)", "x"},
		{"'x'::char(5)", "x"},
		{"'n'::name", "n"},
		{"'D50'::code", "D50"},
		{"'ok \"so\"'::mood", `ok "so"`},
		{"date '2010-03-05'", "2010-03-05"},
		{"date 'infinity'", "infinity"},
		{"date '0044-03-15 BC'", "-0043-03-15"},
		{"timestamp '2010-03-05 10:31:59.25'", "2010-03-05T10:31:59.25"},
		{"timestamptz '1969-12-31 23:59:59+00'", "1969-12-31T23:59:59Z"},
		{"time '10:31:59'", "10:31:59"},
		{"uuid 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		{"4000000000::oid", "4000000000"},
	} {
		d, err := load(t.Context(), location(t, s.URL),
			"SELECT 1 AS transaction, "+c.sql+" AS item UNION ALL SELECT 2, NULL -- all", dataset.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if got := fmt.Sprint(sets(d)); got != "[["+c.want+"] []]" {
			t.Errorf("%s is read as %s, want %q and an empty one", c.sql, got, c.want)
		}
		if strings.Contains(c.sql, "'D50'") { // a list of a domain's values is one of its own type
			continue
		}
		d, err = load(t.Context(), location(t, s.URL), "SELECT ARRAY[NULL, "+c.sql+"] AS items "+
			"UNION ALL SELECT NULL", dataset.Options{})
		if err != nil {
			t.Errorf("list of %s: %v", c.sql, err)
		} else if got := fmt.Sprint(sets(d)); got != "[["+c.want+"] []]" {
			t.Errorf("a list of %s is read as %s", c.sql, got)
		}
	}
	for _, c := range []struct{ sql, want string }{
		{`'["a", "q\"\u00e9", 7, -1.5e3, null]'::json`, `[[-1.5e3 7 a q"é]]`},
		{`'["a", 7, "a,b", "😀"]'::jsonb`, `[[7 a a,b 😀]]`},
		{`'null'::json`, `[[]]`},
		{`'[]'::jsonb`, `[[]]`},
		{`'{}'::text[]`, `[[]]`},
		{`'{3,1,2}'::int[]`, `[[1 2 3]]`},
		{`'a;b'::text`, `[[a b]]`},
	} {
		d, err := load(t.Context(), location(t, s.URL), "SELECT "+c.sql+" AS items", dataset.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
		} else if got := fmt.Sprint(sets(d)); got != c.want {
			t.Errorf("%s is read as %s, want %s", c.sql, got, c.want)
		}
	}
	for _, c := range []struct{ sql, says string }{
		{`'{"a": 1}'::json`, "row 1: column \"items\": a value is no JSON array"},
		{`'[["a"]]'::jsonb`, "no JSON array of texts and numbers"},
		{`'{{1,2},{3,4}}'::int[]`, "several dimensions"},
		{`'1.1.1.1'::inet`, "values of type inet; cast them in --query, as in items::text"},
		{`'\x00'::bytea`, "type bytea"},
		{`'{1.1.1.1}'::inet[]`, "type inet[]"},
	} {
		_, err := load(t.Context(), location(t, s.URL), "SELECT "+c.sql+" AS items", dataset.Options{})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.sql, err, c.says)
		}
	}
}

func drawDataset(t *rapid.T) *dataset.Dataset {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "B", "7", "\"", "'", "\\", "{", "}", "[", "]", ",", "NULL", "\n", "\t", "é", "😀", " ",
		}), 1, 4).Draw(t, "label"), "")
	})
	var all [][]string
	for range rapid.IntRange(0, 8).Draw(t, "transactions") {
		all = append(all, rapid.SliceOfN(text, 0, 5).Draw(t, "set"))
	}
	d := dataset.FromLabels(all)
	for _, name := range rapid.SampledFrom([][]string{nil, {"sex", `t"ag`}}).Draw(t, "columns") {
		c := dataset.Column{Name: name}
		for range d.Len() {
			c.Values = append(c.Values, rapid.OneOf(text, rapid.Just("")).Draw(t, name))
		}
		d.Columns = append(d.Columns, c)
	}
	return d
}

// roundTrip writes any data to a table and reads it from there: as it was written, in its order.
func roundTrip(t *testing.T, to rows.Location, checks int) {
	done := 0
	rapid.Check(t, func(rt *rapid.T) {
		if done++; done > checks {
			return
		}
		d := drawDataset(rt)
		opts := dataset.Options{}
		if rapid.Bool().Draw(rt, "long") {
			opts.TransactionColumn, opts.ItemColumn = "t", "i"
			for _, c := range d.Columns {
				opts.Keep = append(opts.Keep, c.Name)
			}
		}
		if err := put(t.Context(), to, d, opts, "commit"); err != nil {
			rt.Fatal(err)
		}
		back, err := load(t.Context(), to, "", opts)
		if err != nil {
			rt.Fatal(err)
		}
		if got, want := sets(back), sets(d); !slices.EqualFunc(got, want, slices.Equal) {
			rt.Fatalf("read %q, written %q", got, want)
		}
		for _, c := range d.Columns {
			if got, _ := back.Column(c.Name); d.Len() > 0 && !slices.Equal(got.Values, c.Values) {
				rt.Fatalf("column %s: read %q, written %q", c.Name, got.Values, c.Values)
			}
		}
	})
}

func testPostgresRoundTrip(t *testing.T, s *pgtest.Server) {
	roundTrip(t, location(t, s.URL+`#public."Round trip"`), soak.Share(20, 100))
}

func TestSQLiteRoundTrip(t *testing.T) {
	roundTrip(t, location(t, "sqlite:"+emptySQLite(t)+"#Round trip"), soak.Share(30, 100))
}

// emptySQLite is a file without tables.
func emptySQLite(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a b%&?.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// manyRows are generated sets.
func manyRows(n int) *dataset.Dataset {
	rng := rand.New(rand.NewPCG(1, 2))
	var all [][]string
	for left := n; left > 0; {
		set := make([]string, min(left, 1+rng.IntN(8)))
		for i := range set {
			set[i] = fmt.Sprintf("item %d", rng.IntN(3000)+i*3000)
		}
		left -= len(set)
		all = append(all, set)
	}
	return dataset.FromLabels(all)
}

// A million rows (in make soak; else fewer) go there and back, as rows and as lists.
func testMillion(t *testing.T, s *pgtest.Server) {
	d := manyRows(soak.Share(50_000, 1_000_000))
	for _, opts := range []dataset.Options{{}, {TransactionColumn: "t", ItemColumn: "i"}} {
		if err := put(t.Context(), location(t, s.URL+"#many"), d, opts, "commit"); err != nil {
			t.Fatal(err)
		}
		back, err := load(t.Context(), location(t, s.URL+"#many"), "", opts)
		if err != nil || !slices.EqualFunc(sets(back), sets(d), slices.Equal) {
			t.Fatalf("it is not read as it was written: %v", err)
		}
	}
}

func TestSQLiteMillionSoak(t *testing.T) {
	d := manyRows(soak.Share(20_000, 1_000_000))
	to := location(t, "sqlite:"+emptySQLite(t)+"#many")
	for _, opts := range []dataset.Options{{}, {TransactionColumn: "t", ItemColumn: "i"}} {
		if err := put(t.Context(), to, d, opts, "commit"); err != nil {
			t.Fatal(err)
		}
		back, err := load(t.Context(), to, "", opts)
		if err != nil || !slices.EqualFunc(sets(back), sets(d), slices.Equal) {
			t.Fatalf("it is not read as it was written: %v", err)
		}
	}
}
