package publish

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var errUnsure = errors.New("whether it was done is not known")

// What is done last, such as a commit of a database, finds all files in place. Where it fails they
// are taken back; where nobody knows whether it was done, they stay.
func TestLast(t *testing.T) {
	for _, c := range []struct {
		fails error
		want  string
	}{
		{nil, "new"},
		{errors.New("refused"), "old"},
		{errUnsure, "new"},
	} {
		path := filepath.Join(t.TempDir(), "report")
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := &Set{Force: true, Unsure: errUnsure}
		write(t, s, path, "new")
		s.Last = func() error {
			if got := content(t, path); got != "new" {
				t.Errorf("it is done when the file holds %q", got)
			}
			return c.fails
		}
		if err := s.Commit(); !errors.Is(err, c.fails) {
			t.Errorf("%v becomes %v", c.fails, err)
		}
		if got := content(t, path); got != c.want {
			t.Errorf("%v: the file holds %q, want %q", c.fails, got, c.want)
		}
	}
	alone := &Set{}
	done := false
	alone.Last = func() error {
		done = true
		return nil
	}
	if err := alone.Commit(); err != nil || !done {
		t.Errorf("without a file it is done: %v, %v", done, err)
	}
}

// What is done last may wait for others. AbortAll does not wait for it longer than it may: whether
// it was done is not known then, and the files stay, with what they replaced. Another set is taken
// back.
func TestAbortAllWhileLastWaits(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report")
	os.WriteFile(path, []byte("old"), 0o600)
	p := NewProcess()
	write(t, &Set{Process: p}, filepath.Join(dir, "other"), "1")
	s := &Set{Process: p, Force: true}
	write(t, s, path, "new")
	release := waiting(s, nil)
	defer close(release)
	begun := time.Now()
	outcome, err := p.abortAll(50 * time.Millisecond)
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if outcome != Unknown || err != nil {
		t.Errorf("outcome %v, %v", outcome, err)
	}
	files := strings.Fields(names(t, dir))
	if len(files) != 2 || content(t, path) != "new" ||
		content(t, filepath.Join(dir, files[0])) != "old" {
		t.Errorf("files: %s", files)
	}
}

// A Last that ends while AbortAll waits for it has the outcome that it came to, also without files.
func TestLastEndsWhileAbortAllWaits(t *testing.T) {
	for _, c := range []struct {
		fails error
		want  Outcome
		holds string
	}{
		{nil, InPlace, "new"},
		{errors.New("refused"), Nothing, "old"},
		{errUnsure, Unknown, "new"},
	} {
		path := filepath.Join(t.TempDir(), "report")
		os.WriteFile(path, []byte("old"), 0o600)
		p := NewProcess()
		alone := &Set{Process: p, Unsure: errUnsure}
		s := &Set{Process: p, Force: true, Unsure: errUnsure}
		write(t, s, path, "new")
		for _, release := range []chan struct{}{waiting(alone, c.fails), waiting(s, c.fails)} {
			time.AfterFunc(20*time.Millisecond, func() { close(release) })
		}
		outcome, err := p.abortAll(time.Minute)
		if outcome != c.want || !errors.Is(err, c.fails) {
			t.Errorf("%v: outcome %v, %v", c.fails, outcome, err)
		}
		if got := content(t, path); got != c.holds {
			t.Errorf("%v: the file holds %q, want %q", c.fails, got, c.holds)
		}
	}
}

// waiting commits a set whose Last has begun, and waits until it is let go.
func waiting(s *Set, fails error) (release chan struct{}) {
	begun, release := make(chan struct{}), make(chan struct{})
	s.Last = func() error {
		close(begun)
		<-release
		return fails
	}
	go s.Commit()
	<-begun
	return release
}

// Where nobody knew whether it was done, a later AbortAll does not say that nothing is in place.
func TestAbortAllAfterAnUnknownEnd(t *testing.T) {
	p := NewProcess()
	s := &Set{Process: p, Last: func() error { return errUnsure }, Unsure: errUnsure}
	if err := s.Commit(); !errors.Is(err, errUnsure) {
		t.Fatal(err)
	}
	if outcome, err := p.abortAll(0); outcome != Unknown || err != nil {
		t.Errorf("outcome %v, %v", outcome, err)
	}
}
