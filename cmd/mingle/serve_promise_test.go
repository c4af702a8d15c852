package main

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"mingle/webui"
)

// The page names the promise by its form: further options that say otherwise are refused, before a
// run and before a check, in every spelling.
func TestServePromise(t *testing.T) {
	v := visits(t, webui.Options{})
	_, _, at := v.post(v.base+"example", url.Values{})
	shop := strings.TrimSuffix(at, "data")
	v.waits(at, `class="sums"`)
	file := filepath.Join(t.TempDir(), "published.csv")
	writeLarge(t, file, 10)
	for _, more := range []string{"-k 2", "-k2", "-k=2", "--k 2", "--k=2", `"-k" '2'`} {
		form := url.Values{
			"do": {"run"}, "family": {"km"}, "k": {"50"}, "m": {"2"}, "algorithm": {"aa"},
			"more": {more},
		}
		status, text, _ := v.post(shop+"choose", form)
		if status != http.StatusUnprocessableEntity || !strings.Contains(text, "further options") {
			t.Errorf("%s: %d", more, status)
		}
		status, text, _ = v.uploads(shop+"verify", file)
		if status != http.StatusUnprocessableEntity || !strings.Contains(text, "further options") {
			t.Errorf("a check with %s: %d", more, status)
		}
	}
}
