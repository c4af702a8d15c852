//go:build !windows

package publish

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
)

// A descriptor has several names: those of the system, and links to them.
func TestDescriptorsByName(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	t.Chdir(t.TempDir())
	fd := int(w.Fd())
	dev := "/dev/fd/" + strconv.Itoa(fd)
	if _, err := os.Stat(dev); err != nil {
		t.Skip("no names of descriptors here")
	}
	os.Symlink(dev, "link")
	os.Mkdir("sub", 0o700)
	os.Symlink("../link", "sub/relative")
	os.Symlink("link", "again")
	os.WriteFile("7", nil, 0o600)
	named := []string{dev, "/dev/../dev/fd/" + strconv.Itoa(fd), "link", "sub/relative", "again"}
	if runtime.GOOS == "linux" {
		named = append(named, fmt.Sprintf("/proc/self/fd/%d", fd),
			fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd),
			fmt.Sprintf("/proc/self/task/%d/fd/%d", os.Getpid(), fd))
	}
	for _, name := range named {
		if n, is := Descriptor(name); !is || n != fd {
			t.Errorf("%s: %d, %v; want %d", name, n, is, fd)
		}
	}
	for _, name := range []string{
		"7", "none", "none/7", "/dev/fd/0" + strconv.Itoa(fd), "/dev/fd/x", "/dev/null",
		"/proc/1/fd/7", filepath.Join(t.TempDir(), "7"),
	} {
		if _, is := Descriptor(name); is {
			t.Errorf("%s names a descriptor", name)
		}
	}
}

// What a process opens is not inherited; what another opened for it is. A duplicate leads to the
// same, and is not passed on either.
func TestDuplicatesAreNotInherited(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	given, err := syscall.Dup(int(w.Fd())) // open after exec, like one of a shell
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(given)
	if !Inherited(given) || Inherited(int(w.Fd())) || Inherited(1<<20) {
		t.Error(Inherited(given), Inherited(int(w.Fd())), Inherited(1<<20))
	}
	f, err := duplicate(given)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if Inherited(int(f.Fd())) || !OneStream(f, w) {
		t.Error("a duplicate is passed on, or leads elsewhere")
	}
	if !syscall.ForkLock.TryLock() {
		t.Fatal("no process can be started any more")
	}
	syscall.ForkLock.Unlock()
}

// A descriptor that leads to a file goes on where it is: the file is neither replaced nor written
// from its beginning.
func TestAFileByItsDescriptorGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString("before ")
	name := "/dev/fd/" + strconv.Itoa(int(f.Fd()))
	if _, err := os.Stat(name); err != nil {
		t.Skip("no names of descriptors here")
	}
	s := &Set{}
	write(t, s, name, "after")
	if err := s.Commit(); err != nil || content(t, path) != "before after" {
		t.Errorf("%v, %q", err, content(t, path))
	}
}

// One that is closed before the end is an error, and nothing is in place.
func TestADescriptorThatIsClosedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	given, err := syscall.Dup(1)
	if err != nil {
		t.Fatal(err)
	}
	name := "/dev/fd/" + strconv.Itoa(given)
	if _, err := os.Stat(name); err != nil {
		t.Skip("no names of descriptors here")
	}
	s := &Set{}
	f := write(t, s, name, "lost")
	write(t, s, filepath.Join(dir, "a"), "1")
	f.place.device = "/dev/fd/" + strconv.Itoa(1<<20) // as if it were closed: its number is not reused
	syscall.Close(given)
	if err := s.Commit(); err == nil || names(t, dir) != "" {
		t.Errorf("%v, files: %s", err, names(t, dir))
	}
}

func TestStreams(t *testing.T) {
	t.Chdir(t.TempDir())
	open := func(name string) *os.File {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	a, again, b, null := open("a"), open("a"), open("b"), open(os.DevNull)
	for _, c := range []struct {
		path   string
		stream any
		want   bool
	}{
		{"a", a, true},
		{"b", a, false},
		{"none", a, false},
		{"a", nil, false},
		{"a", (*os.File)(nil), false},
		{os.DevNull, null, false},
		{"a", 7, false},
	} {
		if got := IsStream(c.path, c.stream); got != c.want {
			t.Errorf("%s is the stream %v: %v", c.path, c.stream, got)
		}
	}
	if !OneStream(a, again) || OneStream(a, b) || OneStream(nil, nil) || OneStream(null, null) ||
		OneStream(a, nil) || OneStream(nil, a) {
		t.Error("streams that are one")
	}
}
