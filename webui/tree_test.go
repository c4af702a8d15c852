package webui

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mingle/dataset"
)

// A hierarchy that is taken while data are read is compared with these, whichever of the two ends
// first.
func TestTreeTakenWhileDataAreRead(t *testing.T) {
	s := newServing(t, Options{})
	var text strings.Builder
	var line []string
	for i := range 200 {
		line = append(line, fmt.Sprint("i", i))
		fmt.Fprintf(&text, "i%d;all\n", i)
	}
	path := filepath.Join(t.TempDir(), "tree.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	before := dataset.FromLabels(slices.Repeat([][]string{line}, 10_000)) // compared for a while
	after := dataset.FromLabels([][]string{{"nowhere"}})
	take := func() (*project, <-chan error) {
		p := newProject(s.Server, t.TempDir(), "a.dat", layout{})
		p.data.sets = before
		ended := make(chan error, 1)
		go func() { ended <- p.useTree(t.Context(), path, "file", "", nil) }()
		return p, ended
	}
	began := time.Now()
	if _, ended := take(); <-ended != nil {
		t.Fatal("the hierarchy cannot be read")
	}
	long := time.Since(began)
	for turn := range 30 {
		p, ended := take()
		time.Sleep(rand.N(long))
		p.change(func() { p.data.sets = after })
		p.checkTree(t.Context())
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if missing := p.tree.Missing(); len(missing) != 1 || missing[0].Label != "nowhere" {
			t.Fatalf("turn %d: the items without a place are %v", turn, missing)
		}
	}
}

// A hierarchy that cannot be read again for other data is said to be so, and not to be right.
func TestTreeThatIsGone(t *testing.T) {
	s := newServing(t, Options{}).enter()
	p := s.addFile("a.dat", "1 2\n")
	s.work.Wait()
	path := filepath.Join(p.dir, "tree.csv")
	if err := os.WriteFile(path, []byte("1;all\n2;all\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.useTree(t.Context(), path, "file", "", nil); err != nil {
		t.Fatal(err)
	}
	at := s.guard.base + "p/" + p.id + "/hierarchy"
	for _, gone := range []bool{false, true} {
		if gone {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		p.read()
		s.work.Wait()
		answer := s.ask("GET", at, nil)
		text := answer.Body.String()
		if answer.Code != http.StatusOK || strings.Contains(text, `<div class="note bad"`) != gone ||
			strings.Contains(text, "has its place") == gone {
			t.Errorf("gone %v: %d %s", gone, answer.Code, text)
		}
	}
}
