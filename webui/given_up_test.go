package webui

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"mingle/internal/memory"
	"mingle/pipeline"
	"mingle/privacy"
	"mingle/report"
)

// besideARun is a server that holds little, beside a run that ends.
func besideARun(t *testing.T) (s *serving, end func()) {
	s = newServing(t, Options{
		Memory: 1, // the least that is held to
		Overrun: func(why *memory.Exceeded, _ func() error) {
			t.Errorf("the server would end: %v", why)
		},
	}).enter()
	_, run := s.memory.Run(t.Context())
	return s, func() { run.End(nil) }
}

// full ends a run while so much is held that nothing that was opened beside it can stay.
func full(end func()) {
	much := make([]byte, memory.Least)
	for i := 0; i < len(much); i += 1 << 10 {
		much[i] = 1
	}
	end()
	runtime.KeepAlive(much)
}

// release is a run of a data set that is over, and published it as it is.
func (s *serving) release(p *project) *run {
	s.t.Helper()
	r := &run{
		p: p, N: 1, choice: firstChoice(), State: done, Outcome: &report.Outcome{},
		job:   pipeline.Job{Family: pipeline.KM{Promise: privacy.KM{K: 2, M: 1}}},
		files: made{published: filepath.Join(p.dir, p.name)},
	}
	p.change(func() { p.runs = append(p.runs, r) })
	return r
}

// looks begins to look at a release, and waits until both files are read.
func (s *serving) looks(r *run) {
	s.t.Helper()
	r.looked(true)
	if s.work.Wait(); r.look.err != nil || r.look.sides == nil {
		s.t.Fatalf("looking: %v", r.look.err)
	}
}

// What was opened and looked at beside a run is given up after it if it does not fit. What was
// looked at is read again when somebody asks for it, and not for a page that is open.
func TestWhatWasOpenedBesideARunIsGivenUp(t *testing.T) {
	s, end := besideARun(t)
	p := s.addFile("a.dat", "1 2\n1 2\n")
	s.work.Wait()
	r := s.release(p)
	s.looks(r)
	if full(end); !refused(p.data.Err) || p.sets() != nil {
		t.Errorf("the data set: %v", p.data.Err)
	}
	if !refused(r.look.err) || r.look.sides != nil || r.look.items != nil {
		t.Errorf("what was looked at: %v", r.look.err)
	}
	runtime.GC()
	at := s.guard.base + "p/" + p.id + "/run/1/look?view=losses"
	s.ask("GET", at, nil, func(r *http.Request) { r.Header.Set("Mingle-Live", "1") })
	if s.work.Wait(); !refused(r.look.err) {
		t.Errorf("a page that is open asks for it again: %v", r.look.err)
	}
	s.ask("GET", at, nil)
	if s.work.Wait(); r.look.err != nil || r.look.sides == nil {
		t.Errorf("it is not read again: %v", r.look.err)
	}
	r.look = look{begun: true, err: errOtherRows}
	s.ask("GET", at, nil)
	if s.work.Wait(); r.look.err != errOtherRows {
		t.Errorf("what is wrong for another reason is read again: %v", r.look.err)
	}
}

// A fault while something is given up is what its work ended with.
func TestFaultInGivingUp(t *testing.T) {
	s, end := besideARun(t)
	var last error
	s.within(s.ctx, bounded{
		do:     func(context.Context) error { return nil },
		ended:  func(err error) { last = err },
		giveUp: func(error) { panic("broken") },
	})
	s.work.Wait()
	if full(end); !isFault(last) {
		t.Error(last)
	}
}

// What is closed beside a run is freed: what was read and looked at even while a page of it is
// open, and then all of it.
func TestClosedIsFreed(t *testing.T) {
	s, end := besideARun(t)
	defer end()
	freed := make(chan string, 3)
	free := func(what string) { freed <- what }
	open := func() *project {
		p := s.addFile("a.dat", "1 2\n1 2\n")
		s.work.Wait()
		r := s.release(p)
		s.looks(r)
		runtime.AddCleanup(p.data.sets, free, "the data")
		runtime.AddCleanup(r.look.sides, free, "what was looked at")
		runtime.AddCleanup(p, free, "the data set")
		return p
	}
	wait := func(n int) {
		var seen []string
		for limit := time.Now().Add(time.Minute); len(seen) < n; {
			runtime.GC()
			select {
			case what := <-freed:
				seen = append(seen, what)
			case <-time.After(10 * time.Millisecond):
			}
			if time.Now().After(limit) {
				t.Fatalf("only %q are freed", seen)
			}
		}
	}
	page := open()
	if err := s.forget(page); err != nil {
		t.Fatal(err)
	}
	wait(2)
	runtime.KeepAlive(page)
	page = nil
	wait(1)
}

// A page that reads or makes a hierarchy does it within the bound.
func TestHierarchiesAreHeld(t *testing.T) {
	s, end := besideARun(t)
	p := s.addFile("a.dat", "1 2\n")
	s.work.Wait()
	path := filepath.Join(p.dir, "tree.csv")
	var lines strings.Builder
	for i := range 500_000 {
		fmt.Fprintf(&lines, "i%d;all\n", i)
	}
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	lines.Reset()
	p.change(func() { p.tree = tree{Path: path} })
	full(func() {
		end()
		for _, page := range []string{"tree.json", "file/arx"} {
			answer := s.ask("GET", s.guard.base+"p/"+p.id+"/hierarchy/"+page, nil)
			if text := answer.Body.String(); answer.Code != http.StatusUnprocessableEntity ||
				!strings.Contains(text, "--memory") {
				t.Errorf("%s: %d %.200s", page, answer.Code, text)
			}
		}
	})
	text, err := os.ReadFile("routes.go")
	for _, h := range []string{"makeHierarchy", "treeJSON", "saveTree", "downloadTree"} {
		if !strings.Contains(string(text), "held("+h+"),") {
			t.Errorf("%s is not held: %v", h, err)
		}
	}
}
