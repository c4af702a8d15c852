package webui

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"mingle/pipeline"
)

// An example whose catalogue cannot be read is no example: the page says so, and nothing stays.
func TestExampleWithoutCatalogue(t *testing.T) {
	s := newServing(t, Options{
		Plan: func(ctx context.Context, args []string) (pipeline.Job, error) {
			if slices.Contains(args, "-H") && !slices.Contains(args, "tree") {
				return pipeline.Job{}, errors.New("the catalogue is broken")
			}
			return planFormats(ctx, args)
		},
	}).enter()
	answer := s.ask("POST", s.guard.base+"example", nil)
	s.work.Wait()
	if answer.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(answer.Body.String(), "the catalogue is broken") {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
	entries, err := os.ReadDir(s.files.dir)
	if err != nil || len(entries) != 1 || len(s.all()) != 0 { // the lock
		t.Errorf("%d data sets are open, and there are %v %v", len(s.all()), entries, err)
	}
}

// The example opens with its hierarchy, in which every item has its place.
func TestExample(t *testing.T) {
	s := newServing(t, Options{}).enter()
	if answer := s.ask("POST", s.guard.base+"example", nil); answer.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	s.work.Wait()
	p := s.all()[0]
	if p.data.Err != nil || p.data.sets == nil || p.tree.Check == nil ||
		len(p.tree.Check.Missing) > 0 {
		t.Errorf("%v: %+v", p.data.Err, p.tree)
	}
}

// What columns hold is kept by a form that does not show them, as that of a file that is still read
// does not, and by no other.
func TestColumnsThatAreNotShown(t *testing.T) {
	s := newServing(t, Options{}).enter()
	p := s.addFile("a.jsonl", `{"items":["a"],"who":"x","ward":"1","ill":"no"}`+"\n")
	s.work.Wait()
	names := []string{"who", "ward", "ill"}
	for _, c := range []struct {
		form url.Values
		kept bool
	}{
		{url.Values{"format": {"jsonl"}, "incomplete": {"on"}}, true},
		{url.Values{"format": {"jsonl"}, "next": {"1"}}, true},
		{url.Values{"format": {"fimi"}}, false},
		{url.Values{"format": {"jsonl"}, "name": names, "part": {"drop", "drop", "drop"}}, false},
	} {
		marked := url.Values{"format": {"jsonl"}, "name": names, "part": {"person", "keep", "sensitive"}}
		for _, form := range []url.Values{marked, c.form} {
			s.ask("POST", s.at(p, "data"), form)
			s.work.Wait()
		}
		l, _ := p.laid()
		columns := len(l.columns())
		if kept := columns == 2*len(names); kept != c.kept || !kept && columns > 0 {
			t.Errorf("%v: %+v", c.form, l)
		}
	}
}
