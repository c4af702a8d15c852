package webui

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"mingle/pipeline"
	"mingle/privacy"
)

// visitsOf is a file whose persons have several transactions.
const visitsOf = "tid,item,person\n1,a,x\n1,b,x\n2,a,x\n3,a,y\n3,b,y\n4,b,y\n"

// addVisits opens it, with what its third column holds, and a hierarchy.
func (s *serving) addVisits(part string) *project {
	s.t.Helper()
	p := s.addFile("visits.csv", visitsOf)
	s.work.Wait()
	s.part(p, part)
	s.ask("POST", s.at(p, "hierarchy"), url.Values{"how": {"fanout"}, "fan": {"2"}})
	if _, t, _ := p.chosen(); t.Path == "" {
		s.t.Fatal("there is no hierarchy")
	}
	return p
}

// part says what the third column of visitsOf holds.
func (s *serving) part(p *project, part string) {
	s.t.Helper()
	s.ask("POST", s.at(p, "data"), url.Values{
		"format": {"long"}, "name": {"tid", "item", "person"},
		"part": {"transaction", "item", part},
	})
	s.work.Wait()
}

// at is the path of a page of a project.
func (s *serving) at(p *project, page string) string {
	return s.guard.base + "p/" + p.id + "/" + page
}

// The page says that persons are counted where they are, and that they are not where they are not.
func TestPersonsAreCountedAsThePageSays(t *testing.T) {
	s := newServing(t, Options{}).enter()
	p := s.addVisits("person")
	for _, family := range pipeline.Families() {
		s.ask("POST", s.at(p, "choose"), url.Values{"do": {"family"}, "family": {family}})
		text := s.ask("GET", s.at(p, "choose"), nil).Body.String()
		l, tree, c := p.chosen()
		args, err := p.args(l, tree, c, made{})
		if err != nil {
			t.Fatal(err)
		}
		counted := strings.Contains(strings.Join(args, " "), "--person-column person")
		if got := strings.Contains(text, "Persons are counted, by column person."); got != counted {
			t.Errorf("%s: the page says that persons are counted: %v", family, got)
		}
		if got := strings.Contains(text, "does not count persons"); got == counted {
			t.Errorf("%s: the page says that persons are not counted: %v", family, got)
		}
	}
}

// planRuns is planFormats with a promise that runs can be made by: k of 2, m of 1.
func planRuns(ctx context.Context, args []string) (pipeline.Job, error) {
	job, err := planFormats(ctx, args)
	if err != nil {
		return job, err
	}
	entry, err := pipeline.FindAlgorithm(km, tableBy)
	if err != nil {
		return job, err
	}
	family := job.Family.(pipeline.KM)
	family.Promise = privacy.KM{K: 2, M: 1}
	family.Algorithm = entry.Make(pipeline.Settings{})
	job.Family = family
	return job, nil
}

// form is what a browser sends of the page of the choice, with the button that is pressed.
func (s *serving) form(p *project, do string) url.Values {
	s.t.Helper()
	text := s.ask("GET", s.at(p, "choose"), nil).Body.String()
	_, seen, is := strings.Cut(text, `name="seen" value="`)
	seen, _, _ = strings.Cut(seen, `"`)
	if !is || seen == "" {
		s.t.Fatal(text)
	}
	return url.Values{"do": {do}, "seen": {seen}, "family": {km}, "k": {"2"}, "m": {"1"}}
}

// Nothing is made by a form whose page showed other data: the page is shown again, and says so.
func TestFormOfOtherData(t *testing.T) {
	changes := map[string]func(*serving, *project){
		"nothing":    func(*serving, *project) {},
		"the person": func(s *serving, p *project) { s.part(p, "drop") },
		"the hierarchy": func(s *serving, p *project) {
			s.ask("POST", s.at(p, "hierarchy"), url.Values{"how": {"fanout"}, "fan": {"3"}})
		},
		"the way of reading": func(s *serving, p *project) {
			s.ask("POST", s.at(p, "data"), url.Values{
				"format": {"long"}, "incomplete": {"on"}, "name": {"tid", "item", "person"},
				"part": {"transaction", "item", "person"},
			})
			s.work.Wait()
		},
	}
	for what, change := range changes {
		for _, do := range []string{"run", "estimate"} {
			s := newServing(t, Options{Plan: planRuns}).enter()
			p := s.addVisits("person")
			form := s.form(p, do)
			change(s, p)
			answer := s.ask("POST", s.at(p, "choose"), form)
			s.work.Wait()
			made := len(p.runs) + len(p.table.Ks)
			refused := answer.Code == http.StatusUnprocessableEntity &&
				strings.Contains(answer.Body.String(), errOtherData.Error())
			if changed := what != "nothing"; refused != changed || (made == 0) != changed {
				t.Errorf("%s is changed, %s: %d, %d made", what, do, answer.Code, made)
			}
			if form = s.form(p, do); refused { // which was seen now
				again := s.ask("POST", s.at(p, "choose"), form)
				if s.work.Wait(); again.Code != http.StatusSeeOther {
					t.Errorf("%s was changed, %s: %d %s", what, do, again.Code, again.Body)
				}
			}
		}
	}
}

// Another kind of promise is shown with its own numbers before anything is made of it.
func TestKindThatWasNotShown(t *testing.T) {
	s := newServing(t, Options{Plan: planRuns}).enter()
	p := s.addVisits("drop")
	form := s.form(p, "run")
	form.Set("family", coherence)
	answer := s.ask("POST", s.at(p, "choose"), form)
	s.work.Wait()
	text := answer.Body.String()
	if len(p.runs) > 0 || answer.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(text, errOtherKind.Error()) || !strings.Contains(text, `name="nuggets"`) {
		t.Errorf("%d, %d runs: %s", answer.Code, len(p.runs), text)
	}
}

// A sensitive column is not left aside: without l no release is made, and the command has it.
func TestSensitiveColumnNeedsL(t *testing.T) {
	s := newServing(t, Options{Plan: planRuns}).enter()
	p := s.addVisits("sensitive")
	l, tree, c := p.chosen()
	args, err := p.args(l, tree, c, made{})
	if err != nil || !strings.Contains(strings.Join(args, " "), "--sensitive-column person") {
		t.Errorf("%q %v", args, err)
	}
	answer := s.ask("POST", s.at(p, "choose"), s.form(p, "run"))
	s.work.Wait()
	if len(p.runs) > 0 || answer.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(answer.Body.String(), "columns need l") {
		t.Errorf("%d, %d runs: %s", answer.Code, len(p.runs), answer.Body)
	}
}

// A published file is judged by a promise, and not by the algorithm that a run would take.
func TestPromiseIsOfNoAlgorithm(t *testing.T) {
	s := newServing(t, Options{Plan: planRuns}).enter()
	p := s.addVisits("drop")
	for _, family := range pipeline.Families() {
		s.ask("POST", s.at(p, "choose"), url.Values{"do": {"family"}, "family": {family}})
		_, _, c := p.chosen()
		text := s.ask("GET", s.at(p, "verify"), nil).Body.String()
		if !strings.Contains(text, "by the promise that is chosen: "+c.promise()+".") ||
			strings.Contains(text, c.promise()+", "+c.Algorithm) {
			t.Errorf("%s: %s", family, text)
		}
	}
}
