package publish

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// What is done last, such as a commit of a database, finds all files in place. Where it fails they
// are taken back; where nobody knows whether it was done, they stay.
func TestLast(t *testing.T) {
	for _, c := range []struct {
		fails error
		want  string
	}{
		{nil, "new"},
		{errors.New("refused"), "old"},
		{ErrUnknown, "new"},
	} {
		path := filepath.Join(t.TempDir(), "report")
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := &Set{Force: true}
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
