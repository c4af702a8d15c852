package webui

import (
	"compress/gzip"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every text of the pages is in every language, and holds the same verbs.
func TestCatalogues(t *testing.T) {
	texts := regexp.MustCompile(`\bt "((?:[^"\\]|\\.)*)"`)
	verbs := regexp.MustCompile(`%[a-z]`)
	pages, err := fs.Glob(assets, "assets/*.html")
	if err != nil || len(pages) < 10 {
		t.Fatalf("%v %v", pages, err)
	}
	for _, language := range languages[1:] {
		said, err := catalogue(language)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			source, err := assets.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range texts.FindAllStringSubmatch(string(source), -1) {
				text := m[1]
				other, there := said[text]
				switch {
				case !there:
					t.Errorf("%s, %s: %q is not said", language, page, text)
				case strings.Join(verbs.FindAllString(other, -1), "") !=
					strings.Join(verbs.FindAllString(text, -1), ""):
					t.Errorf("%s: %q has other verbs than %q", language, other, text)
				}
			}
		}
	}
}

// All that the page loads is at most 300 kB, compressed.
func TestPageIsSmall(t *testing.T) {
	var size counter
	pack := gzip.NewWriter(&size)
	err := fs.WalkDir(assets, "assets", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := assets.ReadFile(path)
		pack.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	pack.Close()
	if size > 300<<10 {
		t.Errorf("%d bytes", size)
	}
	t.Logf("%d bytes, compressed", size)
}

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// The page speaks the language that was chosen, else one that the browser asks for.
func TestLanguage(t *testing.T) {
	for accept, want := range map[string]string{
		"": "en", "de": "de", "de-AT,de;q=0.9,en;q=0.8": "de", "fr,de;q=0.5": "de", "fr": "en",
		"en-GB,de": "en", "deutsch": "en",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Language", accept)
		if got := languageOf(r); got != want {
			t.Errorf("%q: %s, not %s", accept, got, want)
		}
		r.AddCookie(&http.Cookie{Name: "mingle-language", Value: "de"})
		if got := languageOf(r); got != "de" {
			t.Errorf("%q: German was chosen, and it is %s", accept, got)
		}
	}
}

// Messages name files as the user does: where they lie in the private directory tells nothing.
func TestMessagesNameFilesAlone(t *testing.T) {
	p := newPages("/tmp/mingle-serve-1")
	lines := p.messages()["lines"].(func(error) []string)
	got := lines(errors.New("/tmp/mingle-serve-1/10/138/t.csv:3: a/b\nand /tmp/mingle-serve-1/2/x y.csv"))
	if want := []string{"t.csv:3: a/b", "and x y.csv"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
