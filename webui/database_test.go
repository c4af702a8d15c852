package webui

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/dataset/rows"
)

// What the columns of a database hold is guessed by the names that the commands know, by the only
// column of lists, by words in the names, and by what is in them.
func TestArrangeRows(t *testing.T) {
	for _, c := range []struct {
		head  [][]string
		lists []string
		want  layout
	}{
		{
			[][]string{{"day", "item", "tid"}, {"x", "a", "1"}, {"x", "b", "1"}},
			nil,
			layout{Transaction: "tid", Item: "item"},
		},
		{[][]string{{"tid", "item", "items"}, {"1", "a", "a;b"}}, nil, layout{Set: "items"}},
		{[][]string{{"who", "got"}, {"1", "a"}, {"2", "b"}}, []string{"got"}, layout{Set: "got"}},
		{
			[][]string{{"who", "got", "had"}, {"1", "a;b", ""}, {"2", "b;c", "d"}},
			[]string{"got", "had"},
			layout{Set: "got"},
		},
		{[][]string{{"who", "got"}, {"1", "a|b"}, {"2", "b|c"}}, nil, layout{Set: "got", Inner: "|"}},
		{
			[][]string{{"day", "stockcode", "invoice_no"}, {"x", "a", "1"}},
			nil,
			layout{Transaction: "invoice_no", Item: "stockcode"},
		},
		{
			[][]string{{"x", "y"}, {"1", "a"}, {"1", "b"}, {"2", "a"}},
			nil,
			layout{Transaction: "x", Item: "y"},
		},
		{[][]string{{"x", "y"}}, nil, layout{Transaction: "x", Item: "y"}}, // no rows
		{[][]string{{}}, nil, layout{}},
	} {
		got := layout{Format: "database"}
		c.want.Format = "database"
		if got.arrangeRows(c.head, c.lists); cmp.Diff(c.want, got) != "" {
			t.Errorf("%q:\n%s", c.head, cmp.Diff(c.want, got))
		}
	}
}

// What a release file calls what it reads: files by their names, servers by their addresses.
func TestOwnName(t *testing.T) {
	for path, want := range map[string]string{
		"/a/b/shop.csv": "shop.csv", "/a/-o.csv": "./-o.csv", "/a/b/shop.db": "shop.db",
		"/a/-o.db": "./-o.db", "sqlite:/a/shop.base#line": "sqlite:shop.base#line",
		"postgres://ann@db/shop":            "postgres://ann@db/shop",
		"postgres://ann@/shop?host=/run/pg": "postgres://ann@/shop?host=/run/pg",
	} {
		if got := ownName(path); got != want {
			t.Errorf("%s is called %s, want %s", path, got, want)
		}
	}
}

// A server whose program has no driver says so on the page, and forms with passwords end before
// anything is done. The foot of a page says what is connected to.
func TestNoDatabases(t *testing.T) {
	s := newServing(t, Options{}).enter()
	form := url.Values{"address": {"postgres://ann:Geh31m@db/shop"}, "table": {"line"}}
	if answer := s.ask("POST", s.guard.base+"database", form); answer.Code != 422 || len(s.all()) != 0 {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
	form.Set("address", "postgres://ann@db/shop")
	if answer := s.ask("POST", s.guard.base+"database", form); answer.Code != 303 {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	s.work.Wait()
	p := s.all()[0]
	if p.data.Err != rows.ErrNone || p.name != "db/shop" {
		t.Errorf("%s: %v", p.name, p.data.Err)
	}
	own := s.addFile("a.dat", "1 2\n")
	s.work.Wait()
	for page, want := range map[string]string{
		"":                      "that is read: db/shop.",
		"p/" + p.id + "/data":   "that is read: db/shop.",
		"p/" + own.id + "/data": "Everything stays on this computer",
	} {
		text := s.ask("GET", s.guard.base+page, nil).Body.String()
		_, foot, _ := strings.Cut(text, "<footer>")
		if !strings.Contains(foot, want) {
			t.Errorf("the foot of %q says %s", page, foot)
		}
	}
	german := s.ask("GET", s.guard.base, nil, func(r *http.Request) {
		r.Header.Set("Accept-Language", "de")
	}).Body.String()
	if !strings.Contains(german, "die gelesen wird: db/shop.") {
		t.Error(german)
	}
}
