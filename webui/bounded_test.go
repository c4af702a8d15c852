package webui

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mingle/internal/memory"
)

// What is read and is too much is refused, with what to do, and given up. So is a hierarchy.
func TestReadingIsBounded(t *testing.T) {
	s := newServing(t, Options{
		Memory: 1, // the least that is held to
		Overrun: func(why *memory.Exceeded, _ func() error) {
			t.Errorf("the server would end: %v", why)
		},
	}).enter()
	var lines strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&lines, "i%d\n", i)
	}
	p := s.addFile("large.dat", lines.String())
	s.work.Wait()
	var much *memory.Exceeded
	if !errors.As(p.data.Err, &much) || p.data.Reading || p.sets() != nil {
		t.Errorf("reading %v: %v", p.data.Reading, p.data.Err)
	}
	page := s.ask("GET", s.guard.base+"p/"+p.id+"/data", nil).Body.String()
	if !strings.Contains(page, "--memory") {
		t.Error(page)
	}
	path := p.dir + "/tree.csv"
	tree := strings.ReplaceAll(lines.String(), "\n", ";all\n")
	if err := os.WriteFile(path, []byte(tree), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.useTree(t.Context(), path, "file", "", nil); !errors.As(err, &much) {
		t.Errorf("the hierarchy: %v", err)
	}
	small := s.addFile("small.dat", "1 2\n")
	if s.work.Wait(); small.data.Err != nil {
		t.Error(small.data.Err)
	}
}

// What was read beside a run is given up if it is too much without it.
func TestWhatWasReadIsGivenUp(t *testing.T) {
	s := newServing(t, Options{}).enter()
	p := s.addFile("a.dat", "1 2\n")
	s.work.Wait()
	r := round{p: p, n: p.round}
	why := &memory.Exceeded{Bound: 1}
	if r.refuse(why); p.sets() != nil || p.data.Err != error(why) {
		t.Errorf("%v", p.data.Err)
	}
	if again := p.lay(relaid{layout: p.layout}); !again {
		t.Error("it cannot be read again")
	}
}

// Before the program ends the private directory is emptied.
func TestOverrunEmpties(t *testing.T) {
	ended := make(chan error, 1)
	s := newServing(t, Options{Overrun: func(_ *memory.Exceeded, empty func() error) {
		ended <- empty()
	}}).enter()
	s.addFile("a.dat", "1 2\n")
	s.work.Wait()
	s.overrun(&memory.Exceeded{Bound: 1})
	select {
	case err := <-ended:
		if _, gone := os.Stat(s.files.dir); err != nil || !os.IsNotExist(gone) {
			t.Errorf("%v, %v", err, gone)
		}
	case <-time.After(time.Minute):
		t.Error("nobody was told")
	}
}
