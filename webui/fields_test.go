package webui

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// A field of a flag is called as its page calls it, in every language.
func TestFieldsOfFlags(t *testing.T) {
	for _, language := range languages[1:] {
		said, err := catalogue(language)
		if err != nil {
			t.Fatal(err)
		}
		for flag, name := range formFields {
			if said[name] == "" {
				t.Errorf("%s: %s is %q, which no page says", language, flag, name)
			}
		}
	}
	err := errors.New("name it with --item-column, --memory, or --drop and --item-column")
	if got := fmt.Sprint(fieldsIn(err)); got !=
		"[{--item-column "+ofColumns+"} {--drop "+further+"}]" {
		t.Error(got)
	}
}

// A refusal that names a flag says which field of the page that is, in its language.
func TestRefusalNamesFields(t *testing.T) {
	s := newServing(t, Options{}).enter()
	p := s.addFile("visits.csv", "visit,code,ward\n1,a,x\n")
	s.ask("POST", s.at(p, "data"), url.Values{"format": {"long"}, "again": {"1"}})
	s.work.Wait()
	answer := s.ask("GET", s.at(p, "data"), nil, func(r *http.Request) {
		r.Header.Set("Accept-Language", "de")
	})
	if !strings.Contains(answer.Body.String(),
		`Auf diesen Seiten: <code>--transaction-column</code> ist „Was die Spalten enthalten“`) {
		t.Errorf("%v\n%s", p.data.Err, answer.Body)
	}
}
