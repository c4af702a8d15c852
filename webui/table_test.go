package webui

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/pipeline"
	"mingle/privacy"
)

// A sample has all lines of each person that is in it, and its lines stay those of their persons.
func TestSampleOfPersons(t *testing.T) {
	var lines [][]string
	var persons []string
	for i := range 3 * sampleLines {
		person := fmt.Sprint("p", i%1500)
		if i%7 == 0 {
			person = "" // of nobody known
		}
		lines = append(lines, []string{fmt.Sprint("i", i), "of " + person})
		persons = append(persons, person)
	}
	d := dataset.FromLabels(lines)
	some, whose := sample(d, persons)
	if some.Len() < sampleLines || some.Len() > sampleLines+10 || len(whose) != some.Len() {
		t.Fatalf("%d lines of %d, %d persons", some.Len(), d.Len(), len(whose))
	}
	count := func(all []string) map[string]int {
		out := map[string]int{}
		for _, person := range all {
			out[person]++
		}
		return out
	}
	before, after := count(persons), count(whose)
	for person, n := range after {
		if person != "" && n != before[person] {
			t.Errorf("%s has %d of %d lines", person, n, before[person])
		}
	}
	for i, person := range whose {
		if !slices.Contains(some.Labels(i), "of "+person) {
			t.Fatalf("line %d (%v) is said to be of %q", i, some.Labels(i), person)
		}
	}
}

// What the table tries counts persons where they are named: three lines of one count once.
func TestTableOfPersons(t *testing.T) {
	tree, err := hierarchy.Fanout([]string{"a", "b", "c", "d"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := pipeline.FindAlgorithm("km", tableBy)
	if err != nil {
		t.Fatal(err)
	}
	d := dataset.FromLabels([][]string{{"a"}, {"a"}, {"a"}, {"b"}, {"c"}, {"d"}, {"b"}, {"c"}})
	source, err := sourceOf(d, tree, nil)
	if err != nil {
		t.Fatal(err)
	}
	loss := func(persons []string, column string) float64 {
		source.Persons = persons
		c := try(t.Context(), pipeline.Trial{
			Family: pipeline.KM{
				Promise: privacy.KM{K: 2, M: 1}, Algorithm: entry.Make(pipeline.Settings{}),
				PersonColumn: column,
			},
			Source: source, Seed: &[32]byte{},
		}, 2, 1)
		if c.Failed != "" {
			t.Fatal(c.Failed)
		}
		return c.Loss
	}
	each := []string{"1", "2", "3", "4", "5", "6", "7", "8"}
	one := []string{"1", "1", "1", "4", "5", "6", "7", "8"}
	if own, shared := loss(each, "p"), loss(one, "p"); shared <= own {
		t.Errorf("lines of one person lose %v, of several %v", shared, own)
	}
}

// Why the table of other k and m is not filled is said on the page, and nothing waits for it.
func TestTableSaysWhatIsWrong(t *testing.T) {
	s := newServing(t, Options{}).enter()
	p := s.addFile("a.dat", "1 2\n1 3\n")
	s.work.Wait()
	at := s.guard.base + "p/" + p.id + "/choose"
	for _, c := range []struct{ name, tree, want string }{
		{"no hierarchy", "", errNoTree.Error()},
		{"an item without a place", "1;low;all\n2;low;all\n", "item &#34;3&#34;"},
	} {
		if c.tree != "" {
			path := filepath.Join(p.dir, "tree.csv")
			if err := os.WriteFile(path, []byte(c.tree), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := p.useTree(t.Context(), path, "file", "", nil); err != nil {
				t.Fatal(err)
			}
		}
		form := url.Values{"do": {"estimate"}, "family": {km}, "k": {"2"}, "m": {"1"}}
		if answer := s.ask("POST", at, form); answer.Code != http.StatusSeeOther {
			t.Fatalf("%s: %d %s", c.name, answer.Code, answer.Body)
		}
		s.work.Wait()
		_, section, _ := strings.Cut(s.ask("GET", at, nil).Body.String(), `<section id="table"`)
		_, said, _ := strings.Cut(section, `role="alert"><p lang="en">`)
		said, _, _ = strings.Cut(said, "</div>")
		if !strings.Contains(said, c.want) || strings.Contains(section, "…") {
			t.Errorf("%s: %s", c.name, section)
		}
	}
	if err := p.fill(t.Context(), filling{}); err != errUnread {
		t.Errorf("without data: %v", err)
	}
}

// The table is of the data, the hierarchy, the persons and the sensitive items that are chosen.
// What was filled by others is gone, and what fills it ends.
func TestTableOfWhatIsChosen(t *testing.T) {
	for what, change := range map[string]func(*serving, *project){
		"the hierarchy": func(s *serving, p *project) {
			s.ask("POST", s.at(p, "hierarchy"), url.Values{"how": {"fanout"}, "fan": {"3"}})
		},
		"the person": func(s *serving, p *project) { s.part(p, "drop") },
		"the way of reading": func(s *serving, p *project) {
			s.ask("POST", s.at(p, "data"), url.Values{
				"format": {"long"}, "incomplete": {"on"}, "name": {"tid", "item", "person"},
				"part": {"transaction", "item", "person"},
			})
		},
		"what is sensitive": func(s *serving, p *project) {
			form := s.form(p, "")
			form.Set("items", "a")
			form.Set("l", "2")
			s.ask("POST", s.at(p, "choose"), form)
		},
	} {
		s := newServing(t, Options{}).enter()
		p := s.addVisits("person")
		s.ask("POST", s.at(p, "choose"), s.form(p, "estimate"))
		s.work.Wait()
		if len(p.table.Cells) == 0 {
			t.Fatal("the table is empty")
		}
		stopped := false
		stale := filling{round: p.table.round}
		p.table.stop = func() { stopped = true }
		change(s, p)
		s.work.Wait()
		p.filled(stale, func(*table) { t.Errorf("%s: what was filled before is taken", what) })
		text := s.ask("GET", s.at(p, "choose"), nil).Body.String()
		if !stopped || len(p.table.Cells) > 0 || strings.Contains(text, `class="estimates"`) {
			t.Errorf("%s is changed, and the table is %+v", what, p.table)
		}
	}
}

// When all of the data are counted the table says so, and does not offer it again.
func TestTableOfAllOfTheData(t *testing.T) {
	s := newServing(t, Options{}).enter()
	p := s.addFile("a.dat", strings.Repeat("1 2\n1\n", sampleLines))
	s.work.Wait()
	s.ask("POST", s.at(p, "hierarchy"), url.Values{"how": {"fanout"}, "fan": {"2"}})
	for _, c := range []struct {
		do      string
		sampled bool
	}{{"estimate", true}, {"count", false}, {"estimate", true}} {
		s.ask("POST", s.at(p, "choose"), s.form(p, c.do))
		s.work.Wait()
		text := s.ask("GET", s.at(p, "choose"), nil).Body.String()
		says := strings.Contains(text, "Estimated on a sample of 2,000 of 4,000")
		offers := strings.Contains(text, `value="count"`)
		if says != c.sampled || offers != c.sampled || strings.Contains(text, `title="of all`) == c.sampled {
			t.Errorf("%s: a sample is said %v, all are offered %v", c.do, says, offers)
		}
	}
}

// Persons are pointed out and counted in the table whatever the format of a file with a row an
// item.
func TestTableOfPersonsInColumns(t *testing.T) {
	d, err := dataset.Read(t.Context(), strings.NewReader(visitsOf), dataset.Options{
		Format: dataset.Long, LabelColumns: []string{"person"},
	})
	var text strings.Builder
	if err == nil {
		err = dataset.Write(&text, d, dataset.Options{
			Format: dataset.Parquet, TransactionColumn: "tid", ItemColumn: "item",
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	s := newServing(t, Options{}).enter()
	p := s.addFile("visits.parquet", text.String())
	s.work.Wait()
	if len(p.data.Persons) != 1 || p.data.Persons[0].Name != "person" {
		t.Errorf("persons: %+v", p.data.Persons)
	}
	s.ask("POST", s.at(p, "data"), url.Values{
		"format": {"parquet"}, "name": {"tid", "item", "person"},
		"part": {"transaction", "item", "person"},
	})
	s.work.Wait()
	s.ask("POST", s.at(p, "hierarchy"), url.Values{"how": {"fanout"}, "fan": {"2"}})
	s.ask("POST", s.at(p, "choose"), s.form(p, "estimate"))
	s.work.Wait()
	if p.table.Persons != "person" || p.table.Err != nil {
		t.Errorf("persons of column %q are counted: %v", p.table.Persons, p.table.Err)
	}
}

// Where the persons that are to be counted are not known, the table is not filled as if there were
// none.
func TestTableWithoutItsPersons(t *testing.T) {
	s := newServing(t, Options{}).enter()
	p := s.addVisits("person")
	p.change(func() { p.data.Columns = nil })
	s.ask("POST", s.at(p, "choose"), s.form(p, "estimate"))
	s.work.Wait()
	if p.table.Err == nil || len(p.table.Cells) > 0 {
		t.Errorf("%v: %+v", p.table.Err, p.table.Cells)
	}
}

// The caption of the table names what its shares are of.
func TestTableNamesWhatItCounts(t *testing.T) {
	s := newServing(t, Options{}).enter()
	for part, want := range map[string][2]string{
		"person": {"share of persons whom", "Anteil der Personen"},
		"drop":   {"share of transactions that", "Anteil der Transaktionen"},
	} {
		p := s.addVisits(part)
		s.ask("POST", s.at(p, "choose"), s.form(p, "estimate"))
		s.work.Wait()
		for i, language := range []string{"en", "de"} {
			text := s.ask("GET", s.at(p, "choose"), nil, func(r *http.Request) {
				r.Header.Set("Accept-Language", language)
			}).Body.String()
			_, caption, _ := strings.Cut(text, "<caption>")
			if caption, _, _ = strings.Cut(caption, "</caption>"); !strings.Contains(caption, want[i]) {
				t.Errorf("%s is said of a column of %s", caption, part)
			}
		}
	}
}
