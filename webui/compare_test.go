package webui

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"mingle/pipeline"
	"mingle/report"
)

// Runs are compared by what is lost: never by what is kept, whichever figure comes first. Each
// measure has a chart of its own, where several runs have it.
func TestCompare(t *testing.T) {
	s := newServing(t, Options{}).enter()
	p := s.addFile("a.dat", "1 2\n")
	s.work.Wait()
	coherent := []report.Loss{{Name: "nuggets kept", Value: 1}, {Name: "occurrences", Value: 0.25}}
	for i, c := range []struct {
		family string
		losses []report.Loss
	}{
		{km, []report.Loss{{Name: "NCP", Value: 0.5}}},
		{coherence, coherent},
		{nonreciprocal, []report.Loss{{Name: "uncertain", Value: 3}}},
		{coherence, coherent},
	} {
		p.runs = append(p.runs, &run{
			p: p, N: i + 1, choice: choice{Family: c.family}, State: done, Ended: time.Now(),
			Outcome: &report.Outcome{
				Report: &report.Report{}, Custodian: &report.Custodian{Losses: c.losses},
			},
		})
	}
	page := s.ask("GET", s.guard.base+"p/"+p.id+"/compare", nil).Body.String()
	for _, want := range []string{"NCP 50", "occurrences 25", "(coherence, occurrences)"} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is not there:\n%s", want, page)
		}
	}
	for _, not := range []string{"nuggets", "uncertain", "(km, NCP)"} {
		if strings.Contains(page, not) {
			t.Errorf("%s is there", not)
		}
	}
	charts := regexp.MustCompile(`(?s)<figure.*?</figure>`).FindAllString(page, -1)
	if len(charts) != 1 || strings.Contains(charts[0], "run 1") || !strings.Contains(charts[0], "run 4") {
		t.Errorf("%d charts: %s", len(charts), charts)
	}
}

// Each family has a loss that its releases are compared by.
func TestEachFamilyHasALoss(t *testing.T) {
	var all []report.Loss
	for _, name := range []string{"NCP", "error rate", "occurrences"} {
		all = append(all, report.Loss{Name: name})
	}
	o := &report.Outcome{Custodian: &report.Custodian{Losses: all}}
	for _, family := range pipeline.Families() {
		if lossOfRun(family, o).Name == "" {
			t.Errorf("%s has none", family)
		}
	}
}

// How long a run took is written as the language writes numbers.
func TestTimesInTheLanguage(t *testing.T) {
	s := newServing(t, Options{}).enter()
	p := s.addFile("a.dat", "1 2\n")
	s.work.Wait()
	r := s.release(p)
	r.Outcome.Report, r.Outcome.Custodian = &report.Report{}, &report.Custodian{}
	r.Ended = r.Began.Add(2700 * time.Millisecond)
	for language, want := range map[string]string{"en": "2.7s", "de": "2,7s"} {
		text := s.ask("GET", s.at(p, "compare"), nil, func(r *http.Request) {
			r.Header.Set("Accept-Language", language)
		}).Body.String()
		if !strings.Contains(text, want) {
			t.Errorf("%s is not there:\n%s", want, text)
		}
	}
}
