//go:build !windows

package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mingle/internal/disk"
)

// on has do done before the operations of a name on files whose names end so.
func on(operation, suffix string, do func(path string) error) (stop func()) {
	return disk.Set(&disk.Watch{Before: func(name, path string) error {
		if name == operation && strings.HasSuffix(path, suffix) {
			return do(path)
		}
		return nil
	}})
}

// What goes to a stream is in the folder for temporary files meanwhile: where that is none, it is
// named, and not the stream alone.
func TestNoFolderForTemporaryFiles(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	t.Setenv("TMPDIR", none)
	_, err := (&Set{Out: &strings.Builder{}}).Create(Stdout, Public)
	want := "cannot write -: the folder for temporary files, " + none +
		", cannot be used (no such file or directory): set TMPDIR"
	if err == nil || err.Error() != want || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want %s", err, want)
	}
	for what, make := range map[string]func() error{
		"file":      func() error { _, err := disk.Temporary("", "x"); return err },
		"directory": func() error { _, err := disk.TemporaryDirectory("x"); return err },
	} {
		if err := make(); err == nil || !strings.Contains(err.Error(), "set TMPDIR") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A temporary file that another run removed before it was locked is made again.
func TestATemporaryFileThatIsRemovedIsMadeAgain(t *testing.T) {
	target := filepath.Join(t.TempDir(), "a")
	times := 0
	defer on("lock", stagedSuffix, func(path string) error {
		if times++; times < 4 {
			return os.Remove(path)
		}
		return nil
	})()
	s := &Set{}
	write(t, s, target, "1")
	if err := s.Commit(); err != nil || content(t, target) != "1" || times != 4 {
		t.Errorf("%v after %d files", err, times)
	}
}

// Where others always have the lock the run ends, and has all files closed again.
func TestTemporaryFilesThatOthersLock(t *testing.T) {
	dir := t.TempDir()
	opened, closed := 0, 0
	defer disk.Set(&disk.Watch{
		Before: func(name, path string) error {
			if name == "lock" {
				return errBusy
			}
			return nil
		},
		After: func(name, _ string) {
			switch name {
			case "create", "open":
				opened++
			case "close":
				closed++
			}
		},
	})()
	_, err := (&Set{}).Create(filepath.Join(dir, "a"), Public)
	if err == nil || !strings.Contains(err.Error(), "other runs") {
		t.Errorf("%v", err)
	}
	if opened != closed || opened < 3 {
		t.Errorf("%d files were opened, %d closed", opened, closed)
	}
}

// Another file of the same name is not the one that was opened.
func TestANameThatAnotherFileHas(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	f, err := create(name, Private)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if named, err := stillNamed(f); !named || err != nil {
		t.Error(named, err)
	}
	os.Remove(name)
	if named, err := stillNamed(f); named || err != nil {
		t.Error(named, err)
	}
	os.WriteFile(name, nil, 0o600)
	if named, err := stillNamed(f); named || err != nil {
		t.Error(named, err)
	}
}

// A probe that another run took away is no fault.
func TestAProbeThatIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	defer on("remove", stagedSuffix, os.Remove)()
	if err := probe(path); err != nil {
		t.Error(err)
	}
}

// A file system that takes letters of both cases for one: the probe has both names.
func TestNamesOfOneFileThatDifferInCase(t *testing.T) {
	dir := t.TempDir()
	defer disk.Set(&disk.Watch{After: func(name, path string) {
		upper := filepath.Join(dir, strings.ToUpper(filepath.Base(path)))
		switch name {
		case "create":
			os.Link(path, upper)
		case "remove":
			os.Remove(upper)
		}
	}})()
	lower, upper := filepath.Join(dir, "p.dat"), filepath.Join(dir, "P.DAT")
	for _, c := range []struct {
		other   string
		refused bool
	}{{upper, true}, {filepath.Join(dir, "Q.DAT"), false}} {
		err := (&Set{}).Check(Target{"output", lower}, Target{"audit", c.other})
		if (err != nil && strings.Contains(err.Error(), "name two files")) != c.refused {
			t.Errorf("%s: %v", c.other, err)
		}
	}
}

// Only names that a run gives to temporary files are leftovers.
func TestOtherFilesAreNoLeftovers(t *testing.T) {
	dir := t.TempDir()
	begin := filepath.Join(dir, prefixOf("a"))
	kept := []string{
		begin + "0123456789ab.new.txt", begin + "01234.new", begin + "0123456789abcdef.new",
		begin + "0123456789ab.old", filepath.Join(dir, prefixOf("b")+"0123456789ab.new"),
	}
	for _, path := range append(kept, begin+"0123456789ab.new") {
		os.WriteFile(path, nil, 0o600)
	}
	removeLeftovers(filepath.Join(dir, "a"), stagedSuffix)
	for _, path := range kept {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if left := len(strings.Fields(names(t, dir))); left != len(kept) {
		t.Errorf("%d files are left", left)
	}
}

// A former file comes back, also where it never lost its name; its second name goes.
func TestRestore(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		what   string
		first  string // what has its name then: "old", the same file; "new"; "" nothing
		fails  string
		fault  error
		former bool // whether its second name is left
	}{
		{"nothing fails", "new", "", nil, false},
		{"it is gone", "", "", nil, false},
		{"it kept its name", "old", "", nil, false},
		{"it kept its name, and cannot be renamed", "old", "rename", nil, false},
		{"it cannot be renamed", "new", "rename", broken, true},
		{"its second name cannot be removed", "old", "remove", broken, true},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "a")
		os.WriteFile(path, []byte("old"), 0o600)
		l, err := keep(path)
		if err != nil {
			t.Fatal(err)
		}
		switch c.first {
		case "new":
			os.WriteFile(path+"2", []byte("new"), 0o600)
			os.Rename(path+"2", path)
		case "":
			os.Remove(path)
		}
		stop := on(c.fails, "", func(string) error { return broken })
		err = l.restore(path)
		stop()
		if !errors.Is(err, c.fault) {
			t.Errorf("%s: %v", c.what, err)
		}
		if _, err := os.Stat(l.name); (err == nil) != c.former {
			t.Errorf("%s: its second name: %v", c.what, err)
		}
		if !c.former && content(t, path) != "old" {
			t.Errorf("%s: it holds %q", c.what, content(t, path))
		}
	}
}

// The lock of a file is not had where the file has no name any more, or is closed.
func TestLocksThatAreNone(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	times := 0
	stop := disk.Set(&disk.Watch{After: func(operation, path string) {
		if operation == "lock" {
			if times++; times == 1 { // whoever had it goes, and takes the file with him
				os.Remove(path)
			}
		}
	}})
	f, err := takeLock(name)
	stop()
	if err != nil || f == nil || times != 2 {
		t.Fatalf("%v after %d", err, times)
	}
	if named, err := stillNamed(f); !named {
		t.Errorf("the lock has no name: %v", err)
	}
	os.Remove(name)
	if err := releaseLock(f); err != nil { // somebody else has removed it
		t.Error(err)
	}
	if tryLock(f) == nil {
		t.Error("a closed file was locked")
	}
}

// Where the file of a lock cannot be made for want of locks, or not be locked, there is none; what
// cannot be removed then is told.
func TestAFileSystemWithoutLocks(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	for _, operation := range []string{"create", "lock"} {
		stop := on(operation, "lock", func(string) error { return syscall.ENOTSUP })
		f, err := takeLock(name)
		stop()
		if f != nil || err != nil {
			t.Errorf("%s: %v, %v", operation, f, err)
		}
	}
	broken := errors.New("broken")
	defer disk.Set(&disk.Watch{Before: func(operation, _ string) error {
		switch operation {
		case "lock":
			return syscall.ENOLCK
		case "remove":
			return broken
		}
		return nil
	}})()
	if _, err := takeLock(name); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

func TestReason(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	_, stat := os.Stat(missing)
	for _, err := range []error{stat, os.Rename(missing, missing+"2"), os.Link(missing, missing+"2")} {
		if got := Reason(err); got != error(syscall.ENOENT) {
			t.Errorf("%v becomes %v", err, got)
		}
	}
	if err := errors.New("other"); Reason(err) != err || Reason(fs.ErrNotExist) != fs.ErrNotExist {
		t.Error("another error")
	}
}
