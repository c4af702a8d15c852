package webui

import (
	"context"
	"errors"
	"net/http"
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
