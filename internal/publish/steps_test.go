//go:build !windows

package publish

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mingle/internal/disk"
)

// Each operation of a commit fails once: testdata/steps.txt tells, in order, what it is done to,
// what the error says (-: none), and what the directory holds then. MINGLE_STEPS=1 writes the file
// anew.
func TestWhatComesOfEachStepThatFails(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	defer syscall.Umask(syscall.Umask(0o022))
	var got strings.Builder
	for _, former := range []bool{false, true} {
		fmt.Fprintf(&got, "# former files: %v\n", former)
		s := &swept{t: t, former: former}
		for n := 0; s.step(n, &got); n++ {
		}
	}
	const page = "testdata/steps.txt"
	if os.Getenv("MINGLE_STEPS") != "" {
		os.WriteFile(page, []byte(got.String()), 0o644)
	}
	want := strings.Split(content(t, page), "\n")
	for i, line := range strings.Split(got.String(), "\n") {
		if i >= len(want) || line != want[i] {
			t.Fatalf("%s:%d: now\n%s\n%v", page, i+1, line, want[min(i, len(want)-1)])
		}
	}
}

// step lets the n-th operation fail and tells what comes of it; false: there are not so many.
func (s *swept) step(n int, out *strings.Builder) bool {
	s.fresh()
	hit, i := "", 0
	stop := disk.Set(&disk.Watch{Before: func(name, path string) error {
		if i++; i == n+1 {
			hit = name + " " + path
			return syscall.EIO
		}
		if name == "wait" || strings.HasPrefix(name, "sync") {
			return disk.ErrSkip
		}
		return nil
	}})
	err := s.commit()
	stop()
	said := "-"
	if err != nil {
		said = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	fmt.Fprintf(out, "%s\n    %s\n    %s\n", s.plain(hit), s.plain(said), s.holds())
	return hit != ""
}

// holds tells what is where: old, new, or another text, and in standard output.
func (s *swept) holds() string {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		if e.Name() == "input" || e.IsDir() { // they are as they were
			continue
		}
		text, _ := os.ReadFile(s.path(e.Name()))
		info, _ := e.Info()
		kind, _, _ := strings.Cut(string(text), " ")
		all = append(all, s.plain(fmt.Sprintf("%s(%s %o)", e.Name(), kind, info.Mode().Perm())))
	}
	slices.Sort(all)
	if tmp, _ := os.ReadDir(os.TempDir()); len(tmp) > 0 {
		all = append(all, fmt.Sprintf("%d staged", len(tmp)))
		for _, e := range tmp {
			os.Remove(filepath.Join(os.TempDir(), e.Name()))
		}
	}
	return strings.Join(append(all, s.out.String()), " ")
}

var temporary = regexp.MustCompile(`\.mingle-([0-9a-f]{16})-([0-9a-f]{12})?`)

// plain has the names of temporary files without chance, and none of the directory.
func (s *swept) plain(text string) string {
	text = strings.NewReplacer(s.dir+"/", "", s.dir, "DIR", os.TempDir()+"/", "tmp/",
		os.TempDir(), "tmp").Replace(text)
	return temporary.ReplaceAllStringFunc(text, func(name string) string {
		for _, target := range append(runFiles, "mingle-output") {
			if strings.HasPrefix(name, prefixOf(target)) {
				return "~" + target
			}
		}
		return name
	})
}

// Errors that say that a file system cannot do something are no faults: it is done in another way,
// or left out. Others are.
func TestWhatAFileSystemCannotDo(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, c := range []struct {
		operation string
		cannot    []error
		fault     error // nil: no error of the operation is one
	}{
		{"link", []error{syscall.EPERM, syscall.ENOTSUP, syscall.EMLINK, syscall.ENOSYS}, syscall.EIO},
		{"sync directory", []error{syscall.EINVAL, syscall.ENOTSUP}, syscall.EROFS},
		{"open", []error{syscall.EACCES}, syscall.EIO}, // of a directory, to sync it
		{"lock", []error{syscall.ENOLCK, syscall.ENOTSUP, syscall.ENOSYS}, nil},
		{"list", []error{syscall.EACCES, syscall.EIO}, nil},
	} {
		for _, former := range []bool{false, true} {
			for _, err := range c.cannot {
				if got := always(t, former, c.operation, err); got != nil {
					t.Errorf("%s: %v: %v", c.operation, err, got)
				}
			}
			if c.fault == nil {
				continue
			}
			if got := always(t, former, c.operation, c.fault); !errors.Is(got, c.fault) {
				t.Errorf("%s: %v: %v", c.operation, c.fault, got)
			}
		}
	}
}

// always commits a set of which every operation of a name fails, but on devices.
func always(t *testing.T, former bool, operation string, broken error) error {
	s := &swept{t: t, former: former}
	s.fresh()
	defer disk.Set(&disk.Watch{Before: func(name, path string) error {
		if name == operation && strings.HasPrefix(path, s.dir) {
			return broken
		}
		if name == "wait" {
			return disk.ErrSkip
		}
		return nil
	}})()
	err := s.commit()
	s.check(err, fmt.Sprintf("%s always fails with %v", operation, broken))
	return err
}
