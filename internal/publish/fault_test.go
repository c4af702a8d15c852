package publish

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mingle/internal/disk"
)

// The file system may fail from any moment on, so that taking back fails too. What was there before
// is not lost then: each former file is where it was, or under a name that the error tells.
func TestNothingIsLostWhenTakingBackFails(t *testing.T) {
	broken := errors.New("input/output error")
	for _, failing := range [][]string{
		{"rename"},
		{"rename", "link"},
		{"rename", "link", "remove"},
	} {
		for n := 0; ; n++ {
			left := n
			stop := onChange(func(operation string) error {
				if slices.Contains(failing, operation) {
					if left--; left < 0 {
						return broken
					}
				}
				return nil
			})
			whole := checkNothingLost(t, n)
			stop()
			if whole {
				break
			}
		}
	}
}

// changes are the operations that change what others see, or that hold before others do.
var changes = []string{
	"create", "sync", "sync directory", "link", "rename", "remove", "chmod",
}

// onChange has before told of the operations that change a file system.
func onChange(before func(operation string) error) (stop func()) {
	return disk.Set(&disk.Watch{Before: func(name, _ string) error {
		if !slices.Contains(changes, name) {
			return nil
		}
		return before(name)
	}})
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
	if !slices.ContainsFunc(targets, func(name string) bool {
		return content(t, filepath.Join(dir, name)) != "new "+name
	}) {
		return false // all are in place for good: what was there before could not be taken away
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
