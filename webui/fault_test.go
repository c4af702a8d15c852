package webui

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mingle/pipeline"
	"mingle/report"
)

// isFault tells whether an error is a fault of the program.
func isFault(err error) bool {
	return err != nil && strings.Contains(err.Error(), "internal fault")
}

// A fault of the program ends what was asked for, and not the server.
func TestFaultIsAnError(t *testing.T) {
	err := guarded(func() error {
		var none *table
		none.Lines++
		return nil
	})
	if !isFault(err) {
		t.Error(err)
	}
}

// broken is a plan with a fault in it.
func broken(context.Context, []string) (pipeline.Job, error) { panic("broken") }

// A fault in what runs in the background is the error of what was asked for: of reading a file, and
// of looking at a release.
func TestFaultInTheBackground(t *testing.T) {
	s := newServing(t, Options{Plan: broken})
	path := filepath.Join(t.TempDir(), "a.dat")
	if err := os.WriteFile(path, []byte("1 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProject(s.Server, t.TempDir(), path, guess(path))
	s.add(p)
	s.work.Wait()
	if p.data.Reading || !isFault(p.data.Err) {
		t.Errorf("reading %v: %v", p.data.Reading, p.data.Err)
	}
	job := pipeline.Job{Family: struct{ pipeline.Family }{}} // of which nothing can be asked
	r := &run{p: p, job: job, Outcome: &report.Outcome{}}
	r.files.published = "b.dat"
	r.looked(false)
	s.work.Wait()
	if !isFault(r.look.err) {
		t.Errorf("looking: %v", r.look.err)
	}
}

// A run with a fault in it fails, and those behind it in the queue are made all the same: also
// behind one that cannot be begun.
func TestFaultInARun(t *testing.T) {
	s := newServing(t, Options{})
	p := newProject(s.Server, t.TempDir(), "a.dat", layout{})
	job := pipeline.Job{Family: struct{ pipeline.Family }{}} // of which nothing can be asked
	first, second := &run{p: p, State: waiting, job: job}, &run{p: p, State: waiting, job: job}
	s.queue.add(&run{State: waiting}) // of no project
	s.queue.add(first)
	s.queue.add(second)
	s.work.Wait()
	for i, r := range []*run{first, second} {
		if r.State != failed || !isFault(r.Err) {
			t.Errorf("run %d is %s: %v", i+1, r.State, r.Err)
		}
	}
	if s.queue.busy {
		t.Error("the queue is busy")
	}
}

// With a data set all ends that works for it: reading, trying other k and m, runs.
func TestCloseEndsWork(t *testing.T) {
	began := make(chan struct{})
	s := newServing(t, Options{Plan: func(ctx context.Context, _ []string) (pipeline.Job, error) {
		close(began)
		<-ctx.Done() // or the test is ended
		return pipeline.Job{}, ctx.Err()
	}}).enter()
	p := s.addFile("a.dat", "1 2\n")
	<-began
	var stopped error
	p.runs = []*run{
		{State: waiting}, {State: working, cancel: func(err error) { stopped = err }},
	}
	p.close()
	s.work.Wait()
	if stopped != errStopped || p.runs[0].State != failed {
		t.Errorf("a run is stopped: %v; the one that waited is %s", stopped, p.runs[0].State)
	}
	if p.sets() != nil || p.data.Err != error(errNotThere) {
		t.Errorf("what was read late is taken: %v", p.data.Err)
	}
	p.tabulate(false)
	if s.work.Wait(); p.ctx.Err() == nil || p.table.Running {
		t.Error("other k and m are still tried")
	}
}

// A fault in a page is said on a page.
func TestFaultInAPage(t *testing.T) {
	s := newServing(t, Options{Plan: broken}).enter()
	answer := s.ask("POST", s.guard.base+"example", nil)
	if answer.Code != http.StatusInternalServerError ||
		!strings.Contains(answer.Body.String(), "internal fault: broken") {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}

// All that runs in the background is begun in one place, where faults are caught.
func TestBackgroundIsGuarded(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	begun := regexp.MustCompile(`(?m)^\s*go |\.Go\(`)
	var places []string
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(begun.FindAll(text, -1)); n > 0 && !strings.HasSuffix(path, "_test.go") {
			places = append(places, path)
			if n > 1 {
				t.Errorf("%s begins work in %d places", path, n)
			}
		}
	}
	if len(places) != 1 || places[0] != "server.go" {
		t.Errorf("work is begun in %q", places)
	}
}

// What is refused is said on a page that goes on: its links and its forms lead somewhere, and its
// language can be changed.
func TestRefusalsLeadOn(t *testing.T) {
	s := newServing(t, Options{}).enter()
	p := s.addFile("a.dat", "1 2\n1 3\n")
	s.work.Wait()
	gone := s.addFile("b.dat", "1\n")
	s.work.Wait()
	if err := s.forget(gone); err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`<a [^>]*href="([^#"][^"]*)"`)
	here := regexp.MustCompile(`name="here" value="([^"]*)"`)
	for at, answer := range map[string]*httptest.ResponseRecorder{
		s.at(p, "hierarchy"):      s.uploadTo("p/"+p.id+"/hierarchy", "bad.csv", "a;b;c\nx;b;d\n"),
		s.at(p, "hierarchy/tree"): s.ask("POST", s.at(p, "hierarchy/tree"), url.Values{"tree": {"{"}}),
		s.at(p, "data"):           s.ask("POST", s.at(p, "data"), url.Values{"a": {"postgres://a:b@c/d"}}),
		s.at(gone, "close"):       s.ask("POST", s.at(gone, "close"), nil),
		s.guard.base + "open":     s.ask("POST", s.guard.base+"open", nil),
		s.guard.base + "database": s.ask("POST", s.guard.base+"database", nil),
	} {
		text := answer.Body.String()
		found := here.FindStringSubmatch(text)
		if answer.Code < 400 || found == nil {
			t.Fatalf("%s: %d %s", at, answer.Code, text)
		}
		page, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		leads := append(links.FindAllStringSubmatch(text, -1), found)
		for _, link := range leads {
			to, err := page.Parse(link[1])
			if err != nil {
				t.Fatal(err)
			}
			if got := s.ask("GET", to.Path, nil); got.Code != http.StatusOK {
				t.Errorf("%s leads to %s: %d", at, to, got.Code)
			}
		}
	}
}
