package publish

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The file system may fail from any moment on, so that taking back fails too. What was there before
// is not lost then: each former file is where it was, or under a name that the error tells.
func TestNothingIsLostWhenTakingBackFails(t *testing.T) {
	defer func() { ops.before = func(string) error { return nil } }()
	broken := errors.New("input/output error")
	for _, failing := range [][]string{
		{"rename"},
		{"rename", "link"},
		{"rename", "link", "remove"},
	} {
		for n := 0; ; n++ {
			left := n
			ops.before = func(operation string) error {
				if slices.Contains(failing, operation) {
					if left--; left < 0 {
						return broken
					}
				}
				return nil
			}
			if checkNothingLost(t, n) {
				break
			}
		}
	}
}

// checkNothingLost tells whether the files are in place.
func checkNothingLost(t *testing.T, n int) bool {
	t.Helper()
	dir := t.TempDir()
	targets := []string{"release", "audit", "report"}
	s := &Set{Force: true}
	for _, name := range targets {
		os.WriteFile(filepath.Join(dir, name), []byte("old "+name), 0o600)
		f, err := s.Create(filepath.Join(dir, name), Public)
		if err != nil {
			s.Abort()
			return false // not even a probe could be taken away
		}
		f.WriteString("new " + name)
	}
	err := s.Commit()
	if err == nil {
		return true
	}
	for _, name := range targets {
		path := filepath.Join(dir, name)
		if content(t, path) == "old "+name {
			continue
		}
		kept := slices.IndexFunc(strings.Fields(names(t, dir)), func(other string) bool {
			return content(t, filepath.Join(dir, other)) == "old "+name
		})
		if kept < 0 {
			t.Errorf("failing from %d on: the former %s is lost: %s", n, name, names(t, dir))
		} else if other := strings.Fields(names(t, dir))[kept]; !strings.Contains(err.Error(),
			other) {
			t.Errorf("failing from %d on: the error does not name %s: %v", n, other, err)
		}
	}
	return false
}
