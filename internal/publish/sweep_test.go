//go:build !windows

package publish

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mingle/internal/disk"
)

// swept is a set of three files and a stream in a directory.
type swept struct {
	t      *testing.T
	dir    string
	former bool
	out    bytes.Buffer
}

func (s *swept) path(name string) string { return filepath.Join(s.dir, name) }

// commit writes the set.
func (s *swept) commit() error {
	set := &Set{Force: true, Out: &s.out, Inputs: []string{s.path("input"), "", "-"}, In: os.Stdin}
	defer set.Abort()
	targets := []Target{{"release", s.path("published")}, {"audit", s.path("audit")}, {"", ""}}
	if err := set.Check(targets...); err != nil {
		return err
	}
	for _, name := range runFiles {
		f, err := set.Create(s.path(name), Private)
		if err != nil {
			return err
		}
		if _, err := f.WriteString("new " + name); err != nil {
			return err
		}
	}
	for _, stream := range []string{Stdout, os.DevNull} {
		f, err := set.Create(stream, Public)
		if err != nil {
			return err
		}
		if _, err := f.WriteString("streamed"); err != nil {
			return err
		}
	}
	return set.Commit()
}

// fresh is the directory before a commit.
func (s *swept) fresh() {
	s.dir = s.t.TempDir()
	s.out.Reset()
	os.WriteFile(s.path("input"), []byte("input"), 0o600)
	for _, name := range runFiles {
		if s.former {
			os.WriteFile(s.path(name), []byte("old "+name), 0o640)
		}
	}
	// of runs that were killed
	os.WriteFile(filepath.Join(s.dir, prefixOf("published")+"0123456789ab"+stagedSuffix), []byte("x"), 0o600)
	os.WriteFile(filepath.Join(s.dir, prefixOf("audit")+"0123456789ab"+formerSuffix), []byte("x"), 0o600)
	os.Mkdir(filepath.Join(s.dir, prefixOf("audit")+"0123456789ac"+formerSuffix), 0o700)
	os.WriteFile(filepath.Join(s.dir, prefixOf("report")+lockSuffix), nil, 0o600)
}

// check holds that every file is old or new, and all are new where there is no error.
func (s *swept) check(err error, what string) {
	s.t.Helper()
	for _, name := range runFiles {
		text, _ := os.ReadFile(s.path(name))
		switch got := string(text); {
		case got == "new "+name:
		case err == nil:
			s.t.Errorf("%s: no error, but %s holds %q", what, name, got)
		case got == "old "+name, !s.former && got == "":
		case keptFiles(s.dir, "old "+name): // and the error says where
		default:
			s.t.Errorf("%s: %s holds %q: %v", what, name, got, err)
		}
	}
}

// keptFiles is kept for directories that hold directories.
func keptFiles(dir, text string) bool {
	entries, _ := os.ReadDir(dir)
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		b, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		return string(b) == text
	})
}

// Every operation fails with every error that the package tells from others, once or from then on;
// the errors may lie, such as that a file is not there which is.
func TestEveryOperationFailsWithEveryError(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, former := range []bool{false, true} {
		for _, broken := range []error{
			syscall.EIO, syscall.EPERM, syscall.ENOENT, syscall.ENOTSUP, syscall.EINVAL,
			syscall.EEXIST, errBusy, syscall.ENOLCK,
		} {
			for _, forever := range []bool{false, true} {
				s := &swept{t: t, former: former}
				for n := 0; s.fails(n, broken, forever); n++ {
				}
			}
		}
	}
}

// fails lets the n-th operation fail, and those of its name after it where so asked; false: there
// are not so many.
func (s *swept) fails(n int, broken error, forever bool) bool {
	s.fresh()
	hit, i := "", 0
	stop := disk.Set(&disk.Watch{Before: func(name, _ string) error {
		if i++; i == n+1 {
			hit = name
		}
		if i == n+1 || forever && name == hit {
			return broken
		}
		if name == "wait" || strings.HasPrefix(name, "sync") {
			return disk.ErrSkip
		}
		return nil
	}})
	err := s.commit()
	stop()
	s.check(err, fmt.Sprintf("%s at %d fails with %v (forever: %v)", hit, n, broken, forever))
	return hit != ""
}
