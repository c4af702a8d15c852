package webui

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"mingle/pipeline"
	"mingle/privacy"
)

// Runs that are begun at the same time, as from several tabs, have a number and a directory each.
func TestRunsBegunTogether(t *testing.T) {
	entry, err := pipeline.FindAlgorithm(km, tableBy)
	if err != nil {
		t.Fatal(err)
	}
	s := newServing(t, Options{Plan: func(context.Context, []string) (pipeline.Job, error) {
		time.Sleep(time.Millisecond) // so that others begin meanwhile
		return pipeline.Job{Family: pipeline.KM{
			Promise: privacy.KM{K: 2, M: 1}, Algorithm: entry.Make(pipeline.Settings{}),
		}}, nil
	}}).enter()
	p := s.addFile("a.dat", "1 2\n")
	at := s.guard.base + "p/" + p.id
	form := url.Values{"do": {"run"}, "family": {km}, "k": {"2"}, "m": {"1"}}
	const posts = 32
	var begun sync.WaitGroup
	leads := make(chan string, posts)
	for range posts {
		begun.Go(func() { leads <- s.ask("POST", at+"/choose", form).Header().Get("Location") })
	}
	begun.Wait()
	s.work.Wait()
	close(leads)
	led := map[string]bool{}
	for to := range leads {
		led[to] = true
	}
	dirs := map[string]bool{}
	for i, r := range p.runs {
		dirs[r.dir] = true
		if r.N != i+1 || !led[fmt.Sprintf("%s/run/%d", at, i+1)] {
			t.Errorf("run %d has the number %d", i+1, r.N)
		}
	}
	if len(p.runs) != posts || len(dirs) != posts || len(led) != posts {
		t.Errorf("%d posts begin %d runs in %d directories, and lead to %d pages", posts,
			len(p.runs), len(dirs), len(led))
	}
}

// An upload that is called as the directory of a run can be run.
func TestUploadCalledAsARun(t *testing.T) {
	s := newServing(t, Options{Plan: planRuns}).enter()
	p := s.addFile("run-1", "1 2\n1 2\n")
	s.work.Wait()
	answer := s.ask("POST", s.at(p, "choose"), s.form(p, "run"))
	s.work.Wait()
	if answer.Code != http.StatusSeeOther || len(p.runs) != 1 {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	if info, err := os.Stat(p.runs[0].dir); err != nil || !info.IsDir() {
		t.Error(err)
	}
}
