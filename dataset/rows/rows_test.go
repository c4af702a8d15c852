package rows

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"mingle/dataset/column"
	"mingle/internal/limits"
	"mingle/internal/soak"
)

// read reads a whole stream: by column, its texts; a list is in brackets, NULL is none.
func read(in io.Reader) (fields []column.Field, texts []string, err error) {
	s, err := Open(in, nil)
	if err != nil {
		return nil, nil, err
	}
	fields = s.Fields()
	var chosen []int
	for i, f := range fields {
		if f.Unusable == "" {
			chosen = append(chosen, i)
		}
	}
	if err := s.Choose(chosen); err != nil {
		return nil, nil, err
	}
	var b column.Batch
	for {
		if err := s.Next(&b); err != nil {
			if err == io.EOF {
				err = nil
			}
			return fields, texts, err
		}
		for i := range b.Cells {
			c := &b.Cells[i]
			from := uint32(0)
			for row := range b.Rows {
				if !fields[chosen[i]].List {
					texts = append(texts, string(c.Text(row)))
					continue
				}
				var list []string
				for _, code := range c.Codes[from:c.Ends[row]] {
					if code != column.Null {
						list = append(list, string(c.Words.At(int(code))))
					}
				}
				from = c.Ends[row]
				texts = append(texts, "["+strings.Join(list, ",")+"]")
			}
		}
	}
}

// sample is a stream of a text and a list, three rows.
func sample() []byte {
	b := AppendStart(HeaderOf([]Column{{"id", Text, "text"}, {"set", JSON, "json"}}))
	for _, row := range []string{`["a", 1]`, `[]`, `["é\n", null]`} {
		b = AppendValue(AppendNull(AppendRow(b, 2)), row)
	}
	return AppendEnd(b)
}

// The head of a stream needs no more of it than the rows that it shows.
func TestHead(t *testing.T) {
	columns := []Column{
		{"id", Text, "text"}, {"where", 600, "point"}, {"set", JSON, "json"}, {"n", 23, "integer"},
	}
	b := AppendStart(HeaderOf(columns))
	for i, set := range []string{`["a", 1]`, `[]`, `["b", null, "c"]`} {
		b = AppendValue(AppendNull(AppendRow(b, 4)), "x")
		b = AppendValue(AppendValue(b, set), []byte{0, 0, 0, byte(i)})
	}
	b = append(b, "the connection is lost here"...)
	records, lists, err := Head(bytes.NewReader(b), 2)
	want := [][]string{{"id", "where", "set", "n"}, {"", "", "a;1", "0"}, {"", "", "", "1"}}
	if err != nil || !slices.EqualFunc(records, want, slices.Equal) ||
		!slices.Equal(lists, []string{"set"}) {
		t.Errorf("%q, %q: %v", records, lists, err)
	}
	records, _, _ = Head(bytes.NewReader(b), 3)
	if !slices.Equal(records[3], []string{"", "", "b;;c", "2"}) {
		t.Errorf("%q", records)
	}
	long := AppendRow(AppendStart(HeaderOf(columns[:1])), 1)
	long = AppendEnd(AppendValue(long, strings.Repeat("é", 1e6)))
	records, _, err = Head(bytes.NewReader(long), 9)
	cell := records[1][0]
	if err != nil || len(records) != 2 || len(cell) > column.CellText || !utf8.ValidString(cell) {
		t.Errorf("%d records: %v", len(records), err)
	}
	empty := AppendEnd(AppendStart(HeaderOf(columns)))
	if records, _, err = Head(bytes.NewReader(empty), 9); err != nil || len(records) != 1 {
		t.Errorf("%q: %v", records, err)
	}
	if _, _, err = Head(strings.NewReader("no rows"), 9); err == nil {
		t.Error("what is no stream has a head")
	}
}

func TestAStreamIsReadToItsEnd(t *testing.T) {
	_, texts, err := read(bytes.NewReader(sample()))
	if want := []string{"", "", "", "[a,1]", "[]", "[é\n]"}; err != nil || !slices.Equal(texts, want) {
		t.Fatalf("%q: %v", texts, err)
	}
	all := sample()
	for n := range all {
		if _, _, err := read(bytes.NewReader(all[:n])); err == nil {
			t.Errorf("cut off after %d of %d bytes, it is read without an error", n, len(all))
		}
	}
	if _, _, err := read(bytes.NewReader(append(all, 0))); err == nil {
		t.Error("something behind the last row is no error")
	}
}

// A stream is read in pieces of any size, and a header taken off in any.
func TestPieces(t *testing.T) {
	all := sample()
	for size := 1; size < len(all); size += 7 {
		var h Header
		var rest []byte
		for piece := range slices.Chunk(all, size) {
			more, _, err := h.Take(piece)
			if err != nil {
				t.Fatal(err)
			}
			rest = append(rest, more...)
		}
		if len(h.Columns) != 2 || !bytes.HasPrefix(rest, []byte(signature)) ||
			!bytes.HasSuffix(all, rest) {
			t.Fatalf("pieces of %d: %v", size, h.Columns)
		}
		var got [][][]byte
		err := Tuples(bytes.NewReader(rest), func(values [][]byte) error {
			got = append(got, slices.Clone(values))
			return nil
		})
		if err != nil || len(got) != 3 || got[0][0] != nil || string(got[1][1]) != "[]" {
			t.Fatalf("%q: %v", got, err)
		}
	}
}

func TestLocations(t *testing.T) {
	for _, c := range []struct {
		path, address, table, shown string
		kind                        Kind
	}{
		{"postgres://u@h:5433/shop#public.sales", "postgres://u@h:5433/shop", "public.sales", "h:5433/shop/public.sales", Postgres},
		{"postgresql:///shop?host=/run/pg", "postgresql:///shop?host=/run/pg", "", "shop", Postgres},
		{"postgres://?service=night", "postgres://?service=night", "", "night", Postgres},
		{"postgres:///?host=db.example.org", "postgres:///?host=db.example.org", "", "db.example.org", Postgres},
		{`postgres://h/d#a.%22B%20c%22`, "postgres://h/d", `a."B c"`, `h/d/a."B c"`, Postgres},
		{"sqlite:dir/a.db#t", "dir/a.db", "t", "a.db/t", SQLite},
		{"dir/a.sqlite3", "dir/a.sqlite3", "", "a.sqlite3", SQLite},
		{"sqlite:x", "x", "", "x", SQLite},
	} {
		l, err := Parse(c.path)
		if err != nil || l != (Location{c.kind, c.address, c.table}) {
			t.Errorf("%s: %+v, %v", c.path, l, err)
		}
		if got := Shown(c.path); got != c.shown {
			t.Errorf("%s is shown as %s", c.path, got)
		}
		if again, err := Parse(l.String()); again != l || err != nil {
			t.Errorf("%s becomes %s, which is %+v", c.path, l, again)
		}
	}
	for path, want := range map[string]string{
		"sqlite:a.db#t": "sqlite:d/a.db#t", "a.db": "d/a.db", "sqlite:/x/a.db#t": "sqlite:/x/a.db#t",
		"postgres://h/d#t": "postgres://h/d#t",
	} {
		if got := Within("d", path); got != want {
			t.Errorf("%s within d is %s, want %s", path, got, want)
		}
	}
	for _, path := range []string{"a.csv", "-", "db", "a.db.gz", "http://h/d"} {
		if Is(path) {
			t.Errorf("%s is taken for a database", path)
		}
	}
}

// What an address does not say comes from the environment, as the connection does.
func TestTheEnvironmentNamesTheDatabase(t *testing.T) {
	shown := func(want map[string]string) {
		t.Helper()
		for path, want := range want {
			if got := Shown(path); got != want {
				t.Errorf("%s is shown as %s, want %s", path, got, want)
			}
		}
	}
	t.Setenv("PGHOST", "db.example.org")
	t.Setenv("PGPORT", "5433")
	t.Setenv("PGDATABASE", "shop")
	t.Setenv("PGUSER", "ann")
	shown(map[string]string{
		"postgres://#t": "db.example.org:5433/shop/t", "postgres://ann@/d#t": "db.example.org:5433/d/t",
		"postgres://ann@h:1/d": "h:1/d", "postgres://ann@[::1]:1/d": "[::1]:1/d",
		"postgres:///d?host=/run/pg": "d", "postgres://?host=h&port=7&dbname=e": "h:7/e",
	})
	t.Setenv("PGHOST", "/run/pg")
	shown(map[string]string{"postgres://#t": "shop/t"})
	t.Setenv("PGSERVICE", "night")
	shown(map[string]string{"postgres://#t": "night/t", "postgres://h/d#t": "h/d/t"})
}

// Only of a set it is said that its items may stand in rows of their own.
func TestTheAdviceForALongValueIsOneThatHelps(t *testing.T) {
	for kind, has := range map[Type]bool{Text: false, JSON: true, TextArray: true} {
		all := AppendRow(AppendStart(HeaderOf([]Column{{Name: "a", Type: kind}})), 1)
		all = binary.BigEndian.AppendUint32(all, limits.MaxLine+1)
		_, _, err := read(bytes.NewReader(all))
		if err == nil || strings.Contains(err.Error(), "with an item a row") != has {
			t.Errorf("%d: %v", kind, err)
		}
	}
}

// Databases that are not read are no files that are missing.
func TestOtherDatabasesAreNamed(t *testing.T) {
	for _, path := range []string{"mysql://ann@h/db", "duckdb:x", "mssql+pyodbc://h/d", "jdbc:mysql://h/d"} {
		_, err := Parse(path)
		if !Is(path) || err == nil || !strings.Contains(err.Error(), "PostgreSQL") ||
			!strings.Contains(err.Error(), "SQLite") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if l, err := Parse("sqlite:duckdb:x"); err != nil || l.String() != "sqlite:duckdb:x#" {
		t.Errorf("%v %v", l, err)
	}
}

// An address with a password is refused, in any form, and no error repeats it.
func TestPasswordsAreRefused(t *testing.T) {
	for _, path := range []string{
		"postgres://u:Geh31m@h/d", "postgres://u:Geh31m/x@h/d", "postgres://u:Geh31m#x@h/d",
		"postgres://u:Geh31m?x@h/d", "POSTGRES://u:Geh31m@h/d", "postgres://h/d?password=Geh31m",
		"postgres://h/d?Password=Geh31m", "postgres://h/d?pass%77ord=Geh31m",
		"postgres://h/d?sslpassword=Geh31m", "postgres://:Geh31m@h/d", "postgres://u:Ge@h31m@h/d",
		"postgresql://u:Geh31m%ZZ@h/d", "postgres:/u:Geh31m@h/d", "postgres:///u:Geh31m@h/d",
		"postgres:u:Geh31m@h/d", "postgresql+psycopg2://u:Geh31m@h/d", "postgre://u:Geh31m@h/d",
		"postgres:/h/d?password=Geh31m", "jdbc:postgresql://h/d?user=u&password=Geh31m",
		"host=h password=Geh31m", "password=Geh31m dbname=d", "user = u password = Geh31m",
		"postgresql+asyncpg://h/d?password=Geh31m.db", "dbname=d sslpassword='Geh31m'",
		"postgres://h/d?%ZZ&pass%57ord=Geh31m", "postgres://h/d?x=postgres://h/d?password=Geh31m",
		"http://u%40x:Geh31m@h/d", "http://u:100%Geh31m@h/d", "HOST=h PASSWORD=Geh31m",
		"password='Geh31m x' port=5", "host='a b' sslmode=require password = Geh31m",
		"user='u\\'s' password=Geh31m", "host= password=Geh31m", "password=Geh31m\nhost=h",
	} {
		if !Is(path) {
			t.Errorf("%s is taken for a file", path)
		}
		_, err := Parse(path)
		if err == nil || strings.Contains(err.Error(), "Geh31m") {
			t.Errorf("%s: %v", path, err)
		}
		if strings.Contains(Shown(path), "Geh31m") {
			t.Errorf("%s is shown as %s", path, Shown(path))
		}
		if !HasPassword("--output=" + path) {
			t.Errorf("%s is not seen in an argument", path)
		}
	}
	for _, text := range []string{
		"--query=SELECT item FROM t WHERE host=1 AND password = 'x'", "user=5/a.csv", "postgres.csv",
		"SELECT 'mail: a@b', x FROM postgres", "http://h:8080/a@b", "C:/data/a@b.csv", "sqlite:/a:b@c.db",
		"SELECT *\nFROM t WHERE\npassword = 1", "postgres:5432", "postgres://user@host/database",
		"http://shop.example:80?mail=a@b.de", "http://shop.example:80#a@b.de",
		"SELECT * FROM t WHERE url LIKE 'http://%:%@%'", "SELECT * FROM t WHERE url LIKE 'http://a:%@%'",
		"SELECT x::password = 'a'", "SELECT x=password = 'y'", "x LIKE '%=password=%'",
		"--null=password=1", "password=list.csv", "--query=SELECT x::password = 'a' AND host = 'h'",
		"host=1 AND password = 'x'",
	} {
		if HasPassword(text) {
			t.Errorf("%s: a password is seen", text)
		}
	}
	for _, path := range []string{"postgres:/u@h/d", "postgresql+psycopg2://u@h/d"} {
		if _, err := Parse(path); !Is(path) || err == nil {
			t.Errorf("%s is taken for a file", path)
		}
	}
	for path, want := range map[string][2]string{
		"postgres://u:p@h/d":        {"postgres://u@h/d", "p"},
		"postgres://u:${P}@h/d#t":   {"postgres://u@h/d#t", "${P}"},
		"postgres://u@h:5432/d":     {"postgres://u@h:5432/d", ""},
		"postgres://u:a/b#c@h/d":    {"postgres://u@h/d", "a/b#c"},
		"shop.csv":                  {"shop.csv", ""},
		"postgres://h:5432/d?x=a:b": {"postgres://h:5432/d?x=a:b", ""},
	} {
		without, password, err := cutPassword(path)
		if err != nil || without != want[0] || password != want[1] {
			t.Errorf("%s: %s, %s, %v", path, without, password, err)
		}
	}
}

// What is no address is a file, whatever words its name has.
func TestFilesCalledPassword(t *testing.T) {
	for _, path := range []string{"password=list.csv", "dir/host=a/password=b.csv"} {
		if Is(path) {
			t.Errorf("%s is taken for a database", path)
		}
	}
}

func BenchmarkHasPassword(b *testing.B) {
	text := strings.Repeat("bread,milk 2,https,Host name: x=5;", 9<<20/34)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if HasPassword(text) {
			b.Fatal("a password is seen")
		}
	}
}

func TestSameForSQLite(t *testing.T) {
	for _, c := range []struct{ names, a, b string }{
		{"sex,town", "", ""}, {"sex,town,SEX", "sex", "SEX"}, {"é,É,ss,ß", "", ""}, {"a,a", "", ""},
	} {
		a, b, same := SameForSQLite(strings.Split(c.names, ","))
		if same != (c.b != "") || same && (a != c.a || b != c.b) {
			t.Errorf("%s: %q, %q, %v", c.names, a, b, same)
		}
	}
}

// A JSON array is taken as encoding/json takes it.
func checkJSON(t *testing.T, text []byte) {
	var got []string
	err := jsonArray(text, func(element []byte, null bool) error {
		got = append(got, map[bool]string{true: "NULL", false: "=" + string(element)}[null])
		return nil
	})
	var list []any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if !json.Valid(text) || d.Decode(&list) != nil {
		if err == nil {
			t.Fatalf("%s is no array, and is read as %q", text, got)
		}
		return
	}
	var want []string
	for _, v := range list {
		switch v := v.(type) {
		case nil:
			want = append(want, "NULL")
		case string:
			want = append(want, "="+v)
		case json.Number:
			want = append(want, "="+string(v))
		default:
			if err == nil {
				t.Fatalf("%s has more than texts and numbers, and is read as %q", text, got)
			}
			return
		}
	}
	if err == nil && !slices.Equal(got, want) && utf8.Valid(text) {
		t.Fatalf("%s is read as %q, want %q", text, got, want)
	}
}

func FuzzJSONArray(f *testing.F) {
	for _, text := range []string{
		`["a", 1, null, -2.5e3, "q\"\\\u00e9"]`, `[]`, ` [ "x" ] `, `null`, `[[1]]`, `{"a":1}`, `["`,
		`[true]`, `"\ud800"`, `[1,2`, `["]"]`,
	} {
		f.Add([]byte(text))
	}
	soak.Fuzz(f, func(t *testing.T, text []byte) { checkJSON(t, text) })
}

// What is read of a stream is bounded by its size, and lists come back as they were written.
func FuzzStream(f *testing.F) {
	f.Add(sample())
	f.Add(AppendEnd(AppendStart(HeaderOf(nil))))
	for t := range scalars {
		b := AppendStart(HeaderOf([]Column{{"a", t, "x"}}))
		for _, n := range []int{1, 2, 4, 8, 16} {
			b = AppendValue(AppendRow(b, 1), make([]byte, n))
		}
		f.Add(AppendEnd(b))
	}
	for t := range elements {
		b := AppendStart(HeaderOf([]Column{{"a", t, "x"}}))
		f.Add(AppendEnd(AppendValue(AppendRow(b, 1), "\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x17"+
			"\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x04\x00\x00\x00\x07")))
	}
	soak.Fuzz(f, func(t *testing.T, text []byte) {
		fields, texts, err := read(bytes.NewReader(text))
		total := 0
		for _, s := range texts {
			total += len(s)
		}
		if total > 200*len(text) {
			t.Fatalf("%d bytes make %d", len(text), total)
		}
		if err == nil && len(fields) == 0 && len(texts) > 0 {
			t.Fatal("values without columns")
		}
		var h Header
		if rest, whole, err := h.Take(text); err == nil && whole {
			Tuples(bytes.NewReader(rest), func([][]byte) error { return nil })
		}
	})
}

// No word is shown with its password, or taken for another one when it is read again.
func FuzzLocation(f *testing.F) {
	for _, path := range []string{
		"postgres://u:p@h/d?x=y#s.t", "sqlite:a.db#t", "a.db", "postgres://[::1]:5/d", "postgres://%",
		"sqlite:postgres:/u:p@h#t", "sqlite:password=x", "postgres:/u@h/d",
		"postgres://\xff\xff\xff\xff\xff\xffPostgres://h",
	} {
		f.Add(path)
	}
	soak.Fuzz(f, func(t *testing.T, path string) {
		l, err := Parse(path)
		if err != nil {
			return
		}
		if isServer(path) && HasPassword(path) {
			t.Fatalf("%q has a password and is taken", path)
		}
		if again, err := Parse(l.String()); err != nil || again != l {
			t.Fatalf("%q is %+v, which becomes %q: %+v, %v", path, l, l.String(), again, err)
		}
		Shown(path)
	})
}

// Whole numbers keep their words from batch to batch, and more of them than are kept at once are
// read as well.
func TestManyNumbers(t *testing.T) {
	b := AppendStart(HeaderOf([]Column{{"n", 23, "integer"}}))
	var want []string
	for i := range 60_000 {
		n := uint32(i % 25_000 * 65536)
		b = AppendValue(AppendRow(b, 1), binary.BigEndian.AppendUint32(nil, n))
		want = append(want, strconv.Itoa(int(int32(n))))
	}
	_, texts, err := read(bytes.NewReader(AppendEnd(b)))
	if err != nil || !slices.Equal(texts, want) {
		t.Errorf("they are read in another way: %v", err)
	}
}
