//go:build !windows

package publish

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mingle/internal/disk"
)

// A run waits while another has the lock of its target, and goes on when that one ends.
func TestASetWaitsForTheLockOfItsTarget(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "a")
	lock, err := takeLock(filepath.Join(dir, prefixOf(target)+lockSuffix))
	if err != nil || lock == nil {
		t.Skip("no locks here:", err)
	}
	waits := 0
	defer disk.Set(&disk.Watch{Before: func(name, _ string) error {
		if name == "wait" {
			if waits++; waits == 2 {
				releaseLock(lock)
			}
		}
		return nil
	}})()
	s := &Set{Process: NewProcess()}
	write(t, s, target, "1")
	if err := s.Commit(); err != nil || waits < 2 {
		t.Errorf("%v after %d waits", err, waits)
	}
	if got := names(t, dir); got != "a" {
		t.Errorf("files: %s", got)
	}
}

// It does not wait for ever, and a wait that fails is an error.
func TestASetDoesNotWaitForEver(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "a")
	lock, err := takeLock(filepath.Join(dir, prefixOf(target)+lockSuffix))
	if err != nil || lock == nil {
		t.Skip("no locks here:", err)
	}
	defer lock.Close()
	for _, answer := range []error{disk.ErrSkip, syscall.EINTR} {
		stop := disk.Set(&disk.Watch{Before: func(name, _ string) error {
			if name == "wait" {
				return answer
			}
			return nil
		}})
		s := &Set{}
		write(t, s, target, "1")
		err := s.Commit()
		stop()
		if answer == disk.ErrSkip && (err == nil || !strings.Contains(err.Error(), "another run")) ||
			answer != disk.ErrSkip && !errors.Is(err, answer) {
			t.Errorf("%v: %v", answer, err)
		}
		if _, err := os.Stat(target); err == nil {
			t.Error("it was put in place without the lock")
		}
	}
	if d := mostTries * pause; d > time.Minute {
		t.Errorf("it waits for %v", d)
	}
}

// An input that gets the target's name while the run is on is not replaced.
func TestAnInputThatAppearsAsTheTargetIsKept(t *testing.T) {
	dir := t.TempDir()
	input, target := filepath.Join(dir, "input"), filepath.Join(dir, "a")
	os.WriteFile(input, []byte("data"), 0o600)
	s := &Set{Force: true, Inputs: []string{input}}
	write(t, s, target, "1")
	os.Link(input, target)
	if err := s.Commit(); err == nil || content(t, input) != "data" || content(t, target) != "data" {
		t.Errorf("%v, input %q", err, content(t, input))
	}
}

// A directory that takes the target's place while the run is on stays.
func TestADirectoryThatAppearsAsTheTargetIsKept(t *testing.T) {
	target := filepath.Join(t.TempDir(), "a")
	s := &Set{Force: true}
	write(t, s, target, "1")
	os.Mkdir(target, 0o700)
	if err := s.Commit(); err == nil || !strings.Contains(err.Error(), "not a file") {
		t.Error(err)
	}
}

// A file system that gives more rights than were asked for has no modes: none is set.
func TestNoModesWhereTheFileSystemHasNone(t *testing.T) {
	target := filepath.Join(t.TempDir(), "a")
	stop := disk.Set(&disk.Watch{
		After: func(name, path string) {
			if name == "create" {
				os.Chmod(path, 0o777)
			}
		},
		Before: func(name, _ string) error {
			if name == "chmod" {
				return errors.New("no modes here")
			}
			return nil
		},
	})
	defer stop()
	s := &Set{}
	write(t, s, target, "1")
	if err := s.Commit(); err != nil {
		t.Error(err)
	}
}

func TestPathsThatLeadNowhere(t *testing.T) {
	t.Chdir(t.TempDir())
	os.Symlink("b", "a")
	os.Symlink("a", "b")
	os.WriteFile("file", nil, 0o600)
	if _, named := Descriptor("a"); named {
		t.Error("a circle of links names a descriptor")
	}
	if follow("a") == "" || follow("new") != "new" {
		t.Error(follow("a"), follow("new"))
	}
	if oneFile("file", "none") || oneFile("none", "file") || !oneFile("file", "file") {
		t.Error("one file")
	}
	if err := syncDirectory("none"); err == nil {
		t.Error("a directory that is not there was synced")
	}
	if err := (&Set{}).Check(Target{Path: "/dev/fd/987"}); err == nil {
		t.Error("a descriptor that is not open")
	}
	// the file system says that nothing is there, and then that its directory is a file
	stop := disk.Set(&disk.Watch{Before: func(name, path string) error {
		if name == "stat" && path == "file/a" {
			return syscall.ENOENT
		}
		return nil
	}})
	defer stop()
	if err := (&Set{}).Check(Target{Path: "file/a"}); err == nil ||
		!strings.Contains(err.Error(), "file is not a directory") {
		t.Error(err)
	}
}

func TestStreamsByDescriptor(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	name := "/dev/fd/" + strconv.Itoa(int(w.Fd()))
	if n, named := Descriptor(name); !named || n != int(w.Fd()) {
		t.Skip("no names of descriptors here")
	}
	if Inherited(int(w.Fd())) || Inherited(987) || !OneStream(w, w) ||
		OneStream(os.Stderr, w) || OneStream(nil, w) {
		t.Error("descriptors")
	}
	s := &Set{}
	write(t, s, name, "streamed")
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	got := make([]byte, 20)
	n, _ := r.Read(got)
	if string(got[:n]) != "streamed" {
		t.Errorf("%q", got[:n])
	}
	if _, err := duplicate(-1); err == nil {
		t.Error("a descriptor that is not open was duplicated")
	}
	if infoOf(w) != nil {
		t.Error("a closed file is described")
	}
}

// Targets without a role are outputs, for messages.
func TestOneFileTwice(t *testing.T) {
	target := filepath.Join(t.TempDir(), "a")
	s := &Set{}
	defer s.Abort()
	write(t, s, target, "1")
	if _, err := s.Create(target, Public); err == nil ||
		!strings.Contains(err.Error(), "the output and the output") {
		t.Error(err)
	}
}

// A stream's temporary file that cannot be read back is an error, and nothing is in place.
func TestAStreamThatCannotBeReadBack(t *testing.T) {
	dir := t.TempDir()
	var out strings.Builder
	s := &Set{Out: &out}
	write(t, s, filepath.Join(dir, "a"), "1")
	f := write(t, s, Stdout, "2")
	f.File.File.Close()
	if err := s.Commit(); err == nil || names(t, dir) != "" || out.Len() > 0 {
		t.Errorf("%v, files: %s, %q", err, names(t, dir), out.String())
	}
}
