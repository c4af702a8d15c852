//go:build !windows

package publish

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mingle/internal/disk"
)

// Without links a file is renamed; where the run then fails, it goes again.
func TestAFileThatWasRenamedIsTakenBack(t *testing.T) {
	dir := t.TempDir()
	broken := errors.New("broken")
	defer disk.Set(&disk.Watch{Before: func(name, _ string) error {
		switch name {
		case "link":
			return syscall.EPERM
		case "sync directory":
			return broken
		}
		return nil
	}})()
	s := &Set{}
	write(t, s, filepath.Join(dir, "a"), "1")
	if err := s.Commit(); !errors.Is(err, broken) || names(t, dir) != "" {
		t.Errorf("%v, files: %s", err, names(t, dir))
	}
}

// What cannot be taken away again is told, and the last step is not taken where a stream fails.
func TestWhatCannotBeTakenBackIsTold(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "a")
	defer on("remove", "/a", func(string) error { return syscall.EIO })()
	s := &Set{Out: full{}, Last: func() error {
		t.Error("the last step is taken")
		return nil
	}}
	write(t, s, target, "1")
	write(t, s, Stdout, "2")
	err := s.Commit()
	if err == nil || !strings.Contains(err.Error(), target+" could not be taken away again") {
		t.Error(err)
	}
}

// AbortAll takes the sets of its process back, tells whether one is in place for good, and what it
// could not take back.
func TestAbortAllTakesBackItsOwnSets(t *testing.T) {
	dir := t.TempDir()
	p, other := NewProcess(), NewProcess()
	write(t, &Set{Process: p}, filepath.Join(dir, "a"), "1")
	rest := &Set{Process: other}
	write(t, rest, filepath.Join(dir, "b"), "2")
	if outcome, err := p.abortAll(0); outcome != Nothing || err != nil {
		t.Errorf("outcome %v, %v", outcome, err)
	}
	if err := rest.Commit(); err != nil || names(t, dir) != "b" {
		t.Errorf("%v, files: %s", err, names(t, dir))
	}
	if outcome, err := other.abortAll(0); outcome != InPlace || err != nil {
		t.Errorf("outcome %v, %v", outcome, err)
	}
	p = NewProcess()
	moved := &Set{Process: p}
	f := write(t, moved, filepath.Join(dir, "c"), "3")
	if err := moved.move(f); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	defer on("remove", "/c", func(string) error { return broken })()
	if _, err := p.abortAll(0); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// Another group gets nothing that not everybody had, where the group cannot be kept or is not
// known.
func TestAGroupThatCannotBeKept(t *testing.T) {
	for _, operation := range []string{"chown", "stat"} {
		path := filepath.Join(t.TempDir(), "a")
		os.WriteFile(path, nil, 0o640)
		if err := os.Chown(path, -1, 12345); err != nil {
			t.Skip("only root may give files to any group")
		}
		s := &Set{Force: true}
		f := write(t, s, path, "text")
		there, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		stop := on(operation, stagedSuffix, func(string) error { return syscall.EPERM })
		err = s.replace(f, there)
		stop()
		if err != nil || f.mode != 0o600 {
			t.Errorf("without %s: mode %v, %v", operation, f.mode, err)
		}
		s.Abort()
	}
}

// A run waits long enough for another to end.
func TestASetWaitsWhileAnotherEnds(t *testing.T) {
	target := filepath.Join(t.TempDir(), "a")
	lock, err := takeLock(filepath.Join(filepath.Dir(target), prefixOf(target)+lockSuffix))
	if err != nil || lock == nil {
		t.Skip("no locks here:", err)
	}
	go func() {
		time.Sleep(10 * pause)
		releaseLock(lock)
	}()
	s := &Set{}
	write(t, s, target, "1")
	if err := s.Commit(); err != nil {
		t.Error(err)
	}
}

// The roles of targets are those of all checks, for messages.
func TestRolesOfTargets(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	s := &Set{}
	defer s.Abort()
	for _, target := range []Target{{"release", first}, {"report", second}} {
		if err := s.Check(target); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range [][2]string{
		{first, "the release and the release"}, {second, "the report and the report"},
	} {
		write(t, s, c[0], "1")
		if _, err := s.Create(c[0], Public); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Error(err)
		}
	}
	if err := s.Check(Target{}, Target{"audit", filepath.Join(dir, "none", "c")}); err == nil {
		t.Error("what comes after a target that is not wanted is not checked")
	}
}

// A target stays one place when a file appears under its name, or goes, and an input that
// is not there is no fault.
func TestATargetThatAppearsIsOnePlace(t *testing.T) {
	target := filepath.Join(t.TempDir(), "a")
	s := &Set{Force: true, Inputs: []string{target + ".none"}}
	defer s.Abort()
	write(t, s, target, "1")
	os.WriteFile(target, []byte("of another"), 0o600)
	again := func(target string) {
		_, err := s.Create(target, Public)
		if err == nil || !strings.Contains(err.Error(), "name two files") {
			t.Error(err)
		}
	}
	again(target)
	other := target + "2"
	os.WriteFile(other, []byte("of another"), 0o600)
	write(t, s, other, "1")
	os.Remove(other)
	again(other)
}

// The end of links, which need not exist, with all directories on the way.
func TestFollow(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	os.Mkdir(at("real"), 0o700)
	os.WriteFile(at("real", "file"), nil, 0o600)
	for link, to := range map[string]string{
		"dir": at("real"), "absolute": at("real", "new"), "relative": "dir/new", "twice": "absolute",
		"real/up": "../dir/../real/new", "file": "real/file",
	} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Skip("no links here")
		}
	}
	for path, want := range map[string]string{
		"dir/new": "real/new", "absolute": "real/new", "relative": "real/new", "twice": "real/new",
		"dir/up": "real/new", "file": "real/file", "dir/file": "real/file", "none/new": "none/new",
	} {
		if got := follow(at(path)); got != at(want) {
			t.Errorf("%s leads to %s, want %s", path, got, at(want))
		}
	}
}

// A file as standard output is written where it is, under its own name too; one that is open for
// reading is not closed.
func TestAFileAsStandardOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	out, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for _, target := range []string{Stdout, path} {
		s := &Set{Out: out}
		if err := s.Check(Target{"output", target}); err != nil {
			t.Error(err)
			continue
		}
		write(t, s, target, "text ")
		if err := s.Commit(); err != nil {
			t.Error(err)
		}
	}
	if got := content(t, path); got != "text text " {
		t.Errorf("it holds %q", got)
	}
}
