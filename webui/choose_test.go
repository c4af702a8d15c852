package webui

import (
	"net/url"
	"strings"
	"testing"

	"mingle/pipeline"
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
