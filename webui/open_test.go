package webui

import (
	"context"
	"errors"
	"fmt"
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

// Another encoding that is chosen in the same form as the columns leaves what was said of those
// whose names stay. Where a name does not stay, the page is shown again, and nothing is gone on
// without it.
func TestColumnsInAnotherEncoding(t *testing.T) {
	text := "visit,Ware,person,Stra\xdfe\n1,K\xe4se,p,x\n1,\xd6l,p,x\n2,K\xe4se,q,y\n3,\xd6l,p,x\n"
	for _, c := range []struct {
		name          string
		parts         []string // of visit, Ware, person and the street
		person, where string
		sensitive     string
	}{
		{"all stay", []string{"transaction", "item", "person", "drop"}, "person", "risk", "[]"},
		{
			"one is another",
			[]string{"transaction", "item", "person", "sensitive"},
			"person",
			"data", "[]",
		},
		{"the person is another", []string{"transaction", "item", "keep", "person"}, "", "data", "[]"},
		{"a sensitive one", []string{"transaction", "item", "sensitive", "drop"}, "", "risk", "[person]"},
		{"the items are guessed", []string{"transaction", "drop", "person", "item"}, "person", "data", "[]"},
	} {
		s := newServing(t, Options{}).enter()
		p := s.addFile("visits.csv", text)
		s.work.Wait()
		answer := s.ask("POST", s.at(p, "data"), url.Values{
			"format": {"long"}, "encoding": {"windows-1252"}, "next": {"1"},
			"name": {"visit", "Ware", "person", "Stra\ufffde"}, "part": c.parts,
		})
		s.work.Wait()
		l, _ := p.laid()
		if l.Transaction != "visit" || l.Item != "Ware" || l.Person != c.person ||
			fmt.Sprint(l.Sensitive) != c.sensitive {
			t.Errorf("%s: %+v", c.name, l)
		}
		if to := answer.Header().Get("Location"); !strings.HasSuffix(to, "/"+c.where) {
			t.Errorf("%s: it leads to %s", c.name, to)
		}
	}
}

// A file of columns without names is read: its columns are called by their places.
func TestColumnsWithoutNames(t *testing.T) {
	s := newServing(t, Options{}).enter()
	p := s.addFile("visits.csv", "1,flu,ann\n1,cough,ann\n2,flu,bob\n3,flu,ann\n")
	s.work.Wait()
	form := url.Values{"format": {"long"}, "header": {"no"}}
	s.ask("POST", s.at(p, "data"), form)
	s.work.Wait()
	l, head := p.laid()
	if p.data.Err != nil || p.data.sets.Len() != 3 || l.Transaction != "1" || l.Item != "2" {
		t.Fatalf("%v: %+v", p.data.Err, l)
	}
	if got := fmt.Sprint(head[:2]); got != "[[1 2 3] [1 flu ann]]" {
		t.Errorf("it shows %s", got)
	}
	form["name"], form["part"] = head[0], []string{"transaction", "item", "person"}
	s.ask("POST", s.at(p, "data"), form)
	s.work.Wait()
	if l, _ = p.laid(); p.data.Err != nil || l.Person != "3" {
		t.Errorf("%v: %+v", p.data.Err, l)
	}
	// what names the columns after all does not have those any more
	form["header"] = []string{""}
	s.ask("POST", s.at(p, "data"), form)
	s.work.Wait()
	if l, head = p.laid(); l.Person != "" || head[0][1] != "flu" {
		t.Errorf("%v: %+v", head[0], l)
	}
}

// Two columns that are marked as one part are refused, and shown as they were marked: the last one
// must not be taken without a word, with the persons of the first joined.
func TestColumnsMarkedTwice(t *testing.T) {
	s := newServing(t, Options{}).enter()
	p := s.addFile("stays.csv", "patient,code,date\n1,a,x\n1,b,y\n2,a,x\n")
	s.work.Wait()
	before, _ := p.laid()
	for _, part := range []string{"transaction", "item", "person"} {
		answer := s.ask("POST", s.at(p, "data"), url.Values{
			"format": {"long"}, "next": {"1"}, "name": {"patient", "code", "date"},
			"part": {part, "keep", part},
		})
		text := answer.Body.String()
		if answer.Code != http.StatusUnprocessableEntity ||
			!strings.Contains(text, "columns patient, date are all marked as "+part) ||
			strings.Count(text, `<option value="`+part+`" selected>`) != 2 ||
			!strings.Contains(text, `<option value="keep" selected>`) {
			t.Errorf("%s: %d %s", part, answer.Code, text)
		}
	}
	if l, _ := p.laid(); !l.equal(before) {
		t.Errorf("%+v in place of %+v", l, before)
	}
}
