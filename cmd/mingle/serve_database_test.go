package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"html"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mingle/internal/pgtest"
	"mingle/webui"
)

// visitor asks for the pages of a server without a browser.
type visitor struct {
	t          *testing.T
	client     http.Client
	root, base string // the server, and the path of all pages
}

// visits starts a server and enters it.
func visits(t *testing.T, o webui.Options) *visitor {
	t.Helper()
	server, _ := startServing(t, o)
	root, token, _ := strings.Cut(server.Address(), "/#")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{t: t, client: http.Client{Jar: jar}, root: root}
	_, v.base, _ = v.post("/enter", url.Values{"token": {token}})
	return v
}

// page is the text of a page; where it led to is the path in the end.
func (v *visitor) page(path string) string {
	v.t.Helper()
	answer, err := v.client.Get(v.root + path)
	_, text, _ := v.read(answer, err)
	return text
}

// post sends a form; path is where the answer leads.
func (v *visitor) post(to string, form url.Values) (status int, text, path string) {
	v.t.Helper()
	return v.read(v.client.PostForm(v.root+to, form))
}

func (v *visitor) read(answer *http.Response, err error) (status int, text, path string) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return answer.StatusCode, html.UnescapeString(string(all)), answer.Request.URL.Path
}

// waits asks for a page until it has one of the texts, which it returns with the page.
func (v *visitor) waits(path string, texts ...string) (text, found string) {
	v.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		text = v.page(path)
		for _, found := range texts {
			if strings.Contains(text, found) {
				return text, found
			}
		}
		if time.Now().After(deadline) {
			v.t.Fatalf("%s does not come to have any of %q:\n%s", path, texts, text)
		}
	}
}

// opens opens a database, and returns the path of its pages and the one with what was read.
func (v *visitor) opens(address, table, query string) (project, text string) {
	v.t.Helper()
	status, text, path := v.post(v.base+"database", url.Values{
		"address": {address}, "table": {table}, "query": {query},
	})
	project, is := strings.CutSuffix(path, "data")
	if status != http.StatusOK || !is {
		v.t.Fatalf("%s: %d\n%s", path, status, text)
	}
	text, _ = v.waits(path, `class="sums"`, `<div class="note bad"`)
	return project, text
}

// publishes makes a release by a tree of groups of two, and returns the path of its pages.
func (v *visitor) publishes(project string, choice url.Values) (run string) {
	v.t.Helper()
	if _, text, _ := v.post(project+"hierarchy", url.Values{"how": {"fanout"}, "fan": {"2"}}); !strings.Contains(text, "Every item of the data has its place") {
		v.t.Fatal(text)
	}
	choice.Set("do", "run")
	status, text, run := v.post(project+"choose", choice)
	if status != http.StatusOK {
		v.t.Fatal(text)
	}
	if text, found := v.waits(run, `class="verdict`, `<div class="note bad"`); found != `class="verdict` {
		v.t.Fatal(text)
	}
	return run + "/"
}

// makeShop makes a file of SQLite with a row an item, and another table with JSON arrays.
func makeShop(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err == nil {
		_, err = db.Exec(`CREATE TABLE line (basket INTEGER, product TEXT, day TEXT);
			INSERT INTO line VALUES (1,'a','x'),(1,'b','x'),(2,'a','y'),(2,'b','y'),(3,'c','x'),
				(3,'d','x'),(4,'c','y'),(4,'d','y'),(5,'a','x'),(6,'d','y');
			CREATE TABLE pay (record INTEGER, value REAL);
			INSERT INTO pay VALUES (1,10.5),(1,20),(2,10.5),(2,20),(3,30),(4,30);
			CREATE TABLE visit (who TEXT, got JSON);
			INSERT INTO visit VALUES ('p','["a","b"]'),('q','["a"]'),('r','["b"]'),('s','["c"]');
			CREATE TABLE stay (who TEXT, codes TEXT);
			INSERT INTO stay VALUES ('p','a|b'),('q','a|b|c'),('r','c|d')`)
	}
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

const shopQuery = "SELECT basket AS tid, product AS item, day FROM line ORDER BY basket"

// From a query to the release: what the page makes the command makes, and so does the release file
// that the page hands out.
func TestServeDatabase(t *testing.T) {
	dir := t.TempDir()
	makeShop(t, filepath.Join(dir, "shop.db"))
	v := visits(t, webui.Options{})
	project, text := v.opens(filepath.Join(dir, "shop.db"), "", shopQuery)
	for _, want := range []string{
		shopQuery, `<option value="transaction" selected>`, `<option value="item" selected>`,
		`<option value="database" selected>`, "<dd>6</dd>", "<td>x</td>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page of the data lacks %s:\n%s", want, text)
		}
	}
	v.post(project+"data", url.Values{
		"format": {"database"}, "query": {shopQuery}, "name": {"tid", "item", "day"},
		"part": {"transaction", "item", "keep"},
	})
	v.waits(project+"data", `class="sums"`)
	run := v.publishes(project, url.Values{"k": {"2"}, "m": {"2"}, "algorithm": {"aa"}})
	got := v.page(run + "file/published/published.csv")
	yaml := v.page(run + "file/release/release.yaml")
	tree := v.page(run + "file/hierarchy/hierarchy.csv")
	if lines, _ := v.waits(run+"look", `class="sides"`, `<div class="note bad"`); !strings.Contains(lines, ">d<") {
		t.Error(lines)
	}
	again := t.TempDir()
	for name, text := range map[string]string{"release.yaml": yaml, "hierarchy.csv": tree} {
		if err := os.WriteFile(filepath.Join(again, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	makeShop(t, filepath.Join(again, "shop.db"))
	sh(t, again, `mingle run release.yaml
		mingle anonymize km shop.db --query '`+shopQuery+`' -H hierarchy.csv -k 2 -m 2 \
			--algorithm aa --keep-columns day --output-format long -o command.csv --report r.json`)
	for _, name := range []string{"published.csv", "command.csv"} {
		want, err := os.ReadFile(filepath.Join(again, name))
		if err != nil || string(want) != got {
			t.Errorf("%s is %s\nand the page made %s (%v)", name, want, got, err)
		}
	}
	if !strings.HasPrefix(got, "transaction,item,day\n") && !strings.HasPrefix(got, "tid,item,day\n") {
		t.Errorf("the release is laid out as\n%s", got)
	}
	for _, path := range []string{"file/report/report.json", "file/preview/report.html", "sign"} {
		if text := v.page(run + path); strings.Contains(text, "SELECT") || strings.Contains(text, dir) {
			t.Errorf("%s tells of the query or of the folder", path)
		}
	}
}

// In a browser: the form and the page of the data can be used by everybody, and what columns hold
// is guessed while the page is open.
func serveDatabase(t *testing.T, browser context.Context) {
	path := filepath.Join(t.TempDir(), "shop.db")
	makeShop(t, path)
	s := serveInBrowser(t, browser, webui.Options{})
	s.says(`document.querySelector("details").open = true`)
	s.pictures("database")
	s.fills(`[name=address]`, path)
	s.follows(`form[action$="database"] button`, "understood")
	s.waits(`document.querySelector(".note.bad:not(#lost)")`)
	s.pictures("database-wrong")
	s.fills(`[name=table]`, "line")
	s.follows(`fieldset [name=again]`, "understood")
	s.waits(`document.querySelector("dl.sums") && document.querySelectorAll(".grid th").length === 3`)
	s.pictures("database-read")
	s.fills(`[name=table]`, "stay")
	s.follows(`fieldset [name=again]`, "understood")
	s.waits(`document.querySelector("dl.sums") && document.querySelector("[name=inner]").value === "|"`)
	s.follows(`button[name=next]`, "singled out")
	s.says(`history.back()`)
	s.waits(`[...document.querySelectorAll(".sets .item")].some(e => e.innerText === "d")`)
}

func init() { serveTests["database"] = serveDatabase }

// What cannot be read is said, and can be mended on the same page; columns are guessed.
func TestServeDatabaseMended(t *testing.T) {
	dir := t.TempDir()
	makeShop(t, filepath.Join(dir, "shop.db"))
	v := visits(t, webui.Options{File: filepath.Join(dir, "shop.db")})
	path := regexp.MustCompile(`[^"]*/p/[0-9a-f]+/`).FindString(v.page(v.base))
	text, _ := v.waits(path+"data", `<div class="note bad"`)
	if !strings.Contains(text, "there are line, pay, stay, visit") {
		t.Error(text)
	}
	for _, step := range []struct{ table, query, want string }{
		{"visits", "", "there is no table visits: there are line, pay, stay, visit"},
		{"line", "SELECT 1", "both a table and a query are named"},
		{"", "DELETE FROM line", "the query is refused"},
		{"", "SELECT nosuch FROM line", "no such column: nosuch"},
		{"line", "", `<option value="item" selected>`},
		{"visit", "", `<option value="set" selected>`},
	} {
		v.post(path+"data", url.Values{
			"format": {"database"}, "table": {step.table}, "query": {step.query},
		})
		v.waits(path+"data", step.want)
	}
	v.waits(path+"data", `class="sums"`)
	run := v.publishes(path, url.Values{"k": {"2"}, "m": {"1"}, "algorithm": {"aa"}})
	if got := v.page(run + "file/published/published.csv"); strings.Count(got, "\n") != 5 {
		t.Errorf("four visits and a header are published as\n%s", got)
	}
}

// uploads sends a file with a form, and returns where the answer leads.
func (v *visitor) uploads(to, path string) (status int, text, leads string) {
	v.t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		v.t.Fatal(err)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", filepath.Base(path))
	if err == nil {
		_, err = part.Write(content)
	}
	if err = errors.Join(err, form.Close()); err != nil {
		v.t.Fatal(err)
	}
	return v.read(v.client.Post(v.root+to, form.FormDataContentType(), &body))
}

// A file of SQLite that was uploaded is published by every family, and what is published can be
// verified on the page.
func TestServeDatabaseFamilies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.db")
	makeShop(t, path)
	v := visits(t, webui.Options{})
	for _, c := range []struct {
		table, published string
		choice           url.Values
	}{
		{"line", "published.csv", url.Values{"family": {"km"}, "k": {"2"}, "m": {"1"}, "algorithm": {"aa"}}},
		{"line", "published.csv", url.Values{
			"family": {"coherence"}, "k": {"2"}, "p": {"1"}, "h": {"0.9"}, "nuggets": {"1"}, "items": {"a"},
		}},
		{"pay", "published.csv", url.Values{
			"family": {"continuous"}, "k": {"2"}, "m": {"1"}, "values": {"number"}, "algorithm": {"acd"},
		}},
		{"line", "published.jsonl", url.Values{"family": {"nonreciprocal"}, "k": {"2"}, "algorithm": {"nr"}}},
	} {
		_, _, leads := v.uploads(v.base+"open", path)
		project := strings.TrimSuffix(leads, "data")
		v.waits(leads, `<div class="note bad"`)
		v.post(project+"data", url.Values{"format": {"database"}, "table": {c.table}})
		v.waits(project+"data", `class="sums"`)
		family := c.choice.Get("family")
		v.post(project+"choose", url.Values{"do": {"family"}, "family": {family}})
		run := v.publishes(project, c.choice)
		got := v.page(run + "file/published/" + c.published)
		name := filepath.Join(t.TempDir(), c.published)
		if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		v.uploads(project+"verify", name)
		text, found := v.waits(project+"verify", `class="verdict holds`, `class="verdict broken`, `<div class="note bad"`)
		if found != `class="verdict holds` {
			t.Errorf("%s:\n%s\n%s", family, got, text)
		}
		if text, found := v.waits(run+"look?view=losses", `<table`, `<div class="note bad"`); found != "<table" {
			t.Error(text)
		}
	}
}

// A password is refused wherever it is typed, and is on no page; a server that nobody reaches is
// told of.
func TestServeDatabaseSecrets(t *testing.T) {
	t.Setenv("PGPASSWORD", "Geh31m")
	v := visits(t, webui.Options{})
	for _, form := range []url.Values{
		{"address": {"postgres://me:Geh31m@127.0.0.1:1/shop"}, "table": {"x"}},
		{"address": {"postgres://127.0.0.1:1/shop?password=Geh31m"}},
		{"address": {"postgres://h/d"}, "query": {"SELECT dblink('postgres://me:Geh31m@h/d')"}},
		{"address": {"me:Geh31m@127.0.0.1/shop"}},
	} {
		status, text, _ := v.post(v.base+"database", form)
		if status != http.StatusUnprocessableEntity || strings.Contains(text, "Geh31m") {
			t.Errorf("%v: %d\n%s", form, status, text)
		}
	}
	if text := v.page(v.base); strings.Contains(text, `class="cards"`) {
		t.Errorf("something is open:\n%s", text)
	}
	project, text := v.opens("postgres://me@127.0.0.1:1/shop", "sales.line", "")
	if !strings.Contains(text, "127.0.0.1:1/shop/sales.line: no server answers (connect: connection refused)") ||
		strings.Contains(text, "Geh31m") {
		t.Error(text)
	}
	v.post(project+"choose", url.Values{"more": {"--query postgres://me:Geh31m@h/d"}})
	for _, path := range []string{v.base, project + "data", project + "choose"} {
		if text := v.page(path); strings.Contains(text, "Geh31m") || strings.Contains(text, "me@127") {
			t.Errorf("%s tells secrets:\n%s", path, text)
		}
	}
}

// The same with a server of PostgreSQL, which asks for the password.
func TestServePostgres(t *testing.T) {
	server := pgtest.Start(t)
	if _, err := ask(server.URL, `CREATE TABLE line (basket int, product text);
		INSERT INTO line SELECT i / 2, chr(97 + i % 4) FROM generate_series(0, 39) i;
		CREATE ROLE ann LOGIN PASSWORD 'Geh31m'; GRANT SELECT ON line TO ann`); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PGPASSWORD", "Geh31m")
	v := visits(t, webui.Options{})
	address := "postgres://ann@/postgres?host=" + server.Dir
	project, _ := v.opens(address, "line", "")
	run := v.publishes(project, url.Values{"k": {"2"}, "m": {"2"}, "algorithm": {"aa"}})
	if got := v.page(run + "file/published/published.csv"); strings.Count(got, "\n") != 41 {
		t.Errorf("40 rows and a header are published as\n%s", got)
	}
	yaml := v.page(run + "file/release/release.yaml")
	if !strings.Contains(yaml, address) || !strings.Contains(yaml, "table: line") {
		t.Error(yaml)
	}
	for _, path := range []string{
		"file/release/release.yaml", "file/audit/audit.json", "file/report/report.json", "sign", "look",
	} {
		if strings.Contains(v.page(run+path), "Geh31m") {
			t.Errorf("%s has the password", path)
		}
	}
}

// Rows that were changed after a run are not laid beside its lines, and the page says why. A file
// that is checked is judged by the rows as they are then.
func TestServeDatabaseChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.db")
	makeShop(t, path)
	v := visits(t, webui.Options{})
	project, _ := v.opens(path, "line", "")
	run := v.publishes(project, url.Values{"k": {"2"}, "m": {"1"}, "algorithm": {"aa"}})
	db, err := sql.Open("sqlite", path)
	if err == nil {
		_, err = db.Exec(`DELETE FROM line WHERE basket = 1`)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	const said = "the rows of the database are no longer those that this run read"
	if text, found := v.waits(run+"look", said, "audit file", `class="sides"`); found != said {
		t.Error(text)
	}
}
