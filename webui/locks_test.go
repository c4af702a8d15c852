package webui

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every lock is released by a defer that stands behind it: a fault keeps none.
func TestLocksEndWithTheirFunctions(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	lock := regexp.MustCompile(`^\s*(\S+)\.(R?)Lock\(\)$`)
	seen := 0
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := append(strings.Split(string(text), "\n"), "")
		for i, line := range lines[:len(lines)-1] {
			m := lock.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			seen++
			if want := "defer " + m[1] + "." + m[2] + "Unlock()"; strings.TrimSpace(lines[i+1]) != want {
				t.Errorf("%s:%d: %s is not followed by %q", path, i+1, strings.TrimSpace(line), want)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d locks were found", seen)
	}
}

// Whatever format a file is said to have, the page says what was read or what is wrong, and the
// page to begin with goes on.
func TestRaggedInEveryFormat(t *testing.T) {
	s := newServing(t, Options{}).enter()
	p := s.addFile("a.csv", "butter,milk,bread\nbutter\nmilk,eggs\n")
	at := s.guard.base + "p/" + p.id + "/data"
	for _, format := range formats() {
		answer := s.ask("POST", at, url.Values{"format": {string(format)}})
		if answer.Code != http.StatusSeeOther {
			t.Errorf("%s: %d %s", format, answer.Code, answer.Body)
		}
		s.work.Wait()
		text := s.ask("GET", at, nil).Body.String()
		if read, refused := strings.Contains(text, `class="sums"`),
			strings.Contains(text, "It cannot be read like this"); read == refused {
			t.Errorf("%s: read %v, refused %v", format, read, refused)
		}
	}
	if answer := s.ask("GET", s.guard.base, nil); answer.Code != http.StatusOK {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}

// A fault of the program while a project is locked releases it.
func TestFaultReleasesTheProject(t *testing.T) {
	p := &project{news: newNews()}
	err := guarded(func() error {
		p.change(func() { panic("broken") })
		return nil
	})
	if err == nil || !p.mu.TryLock() {
		t.Errorf("after %v the project is locked", err)
	}
}
