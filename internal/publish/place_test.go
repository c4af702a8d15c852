package publish

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Each pair of names is one file, though the names differ. In each case the set is refused, and
// what was there stays.
func TestTwoNamesOfOneFileAreRefused(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		if err != nil {
			t.Skip("no links here")
		}
	}
	at := func(parts ...string) string { return strings.Join(append([]string{dir}, parts...), "/") }
	for _, d := range []string{"real", "other"} {
		must(os.Mkdir(at(d), 0o755))
	}
	must(os.Symlink(at("real"), at("linked")))
	must(os.Symlink("../real/absent", at("other", "dangling")))
	must(os.WriteFile(at("real", "old"), []byte("old"), 0o644))
	must(os.Link(at("real", "old"), at("other", "hard")))
	must(os.Symlink("../real/old", at("other", "soft")))
	for _, pair := range [][2]string{
		{at("new"), at(".", "new")},
		{at("new"), at("real", "..", "new")},
		{at("real", "new"), at("linked", "new")},
		{at("real", "old"), at("linked", "old")},
		{at("real", "absent"), at("other", "dangling")},
		{at("real", "old"), at("other", "hard")},
		{at("real", "old"), at("other", "soft")},
		{at("linked", "old"), at("other", "soft")},
		{Stdout, Stdout},
	} {
		s := &Set{Force: true, Out: io.Discard}
		err := s.Check(Target{"output", pair[0]}, Target{"audit", pair[1]})
		if err == nil || !strings.Contains(err.Error(),
			"the output and the audit would both be written to") {
			t.Errorf("%s and %s: %v", pair[0], pair[1], err)
		}
		if _, err := s.Create(pair[0], Public); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Create(pair[1], Private); err == nil {
			t.Errorf("%s and %s: both were created", pair[0], pair[1])
		}
		s.Abort()
		if got := content(t, at("real", "old")); got != "old" {
			t.Fatalf("the file that was there holds %q", got)
		}
	}
	s := &Set{Force: true}
	err := s.Check(Target{"output", at("real", "new")}, Target{"audit", at("other", "new")})
	if err != nil {
		t.Errorf("one name in two directories: %v", err)
	}
}

// Where the file system does not tell letters apart, neither do targets; where it does, both are
// written.
func TestNamesThatDifferInCase(t *testing.T) {
	dir := t.TempDir()
	lower, upper := filepath.Join(dir, "p.dat"), filepath.Join(dir, "P.DAT")
	os.WriteFile(lower, nil, 0o600)
	_, err := os.Stat(upper)
	folds := err == nil
	os.Remove(lower)
	err = (&Set{}).Check(Target{"output", lower}, Target{"audit", upper})
	if (err != nil) != folds {
		t.Errorf("the directory folds case: %v; error: %v", folds, err)
	}
}

// What no rule about names finds is found when the second file would replace the first.
func TestOneFileIsFoundWhenItIsPutInPlace(t *testing.T) {
	dir := t.TempDir()
	s := &Set{Force: true}
	first := write(t, s, filepath.Join(dir, "a"), "1")
	write(t, s, filepath.Join(dir, "b"), "2")
	first.place.path = filepath.Join(dir, "b") // as if the file system took a and b for one name
	if err := s.Commit(); err == nil || !strings.Contains(err.Error(), "same file") {
		t.Errorf("error: %v", err)
	}
	if got := names(t, dir); got != "" {
		t.Errorf("files: %s", got)
	}
}

func TestInputIsNeverReplaced(t *testing.T) {
	dir := t.TempDir()
	input, hard := filepath.Join(dir, "input"), filepath.Join(dir, "hard")
	os.WriteFile(input, []byte("original"), 0o644)
	if err := os.Link(input, hard); err != nil {
		t.Skip("no hard links here")
	}
	open, err := os.OpenFile(input, os.O_APPEND|os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	for _, c := range []struct {
		set    Set
		target string
	}{
		{Set{Inputs: []string{"", input}}, input},
		{Set{Inputs: []string{input}}, dir + "/./input"},
		{Set{Inputs: []string{input}}, hard},
		{Set{Inputs: []string{"-"}, In: open}, input},
		{Set{Inputs: []string{input}, Out: open}, Stdout},
	} {
		c.set.Force = true
		err := c.set.Check(Target{"output", c.target})
		if err == nil || !strings.Contains(err.Error(), "overwrite the input") {
			t.Errorf("%s: %v", c.target, err)
		}
	}
}

// Standard output that was sent into a file is that file.
func TestStdoutIsAFileToo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := &Set{Force: true, Out: f}
	if err := s.Check(Target{"output", Stdout}, Target{"audit", path}); err == nil {
		t.Error("the audit file would replace the release")
	}
}

// Where standard output is closed, the runtime opens the null device for reading and writing:
// whatever is sent there is lost. Whoever sends it there himself opens it for writing only.
func TestClosedStdoutIsRefused(t *testing.T) {
	for flag, refused := range map[int]bool{os.O_RDWR: true, os.O_WRONLY: false} {
		f, err := os.OpenFile(os.DevNull, flag, 0)
		if err != nil || runtime.GOOS == "windows" {
			t.Skip("no null device here")
		}
		defer f.Close()
		s := &Set{Out: f}
		err = s.Check(Target{"output", Stdout})
		if refused != (err != nil && strings.Contains(err.Error(), "it is closed")) {
			t.Errorf("flag %d: %v", flag, err)
		}
	}
}

// A name may be as long as the file system allows.
func TestLongestName(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []int{240, 255} {
		path := filepath.Join(dir, strings.Repeat("x", n))
		for _, force := range []bool{false, true} {
			s := &Set{Force: force}
			write(t, s, path, "text")
			if err := s.Commit(); err != nil {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
	}
}

func TestForceKeepsTheNarrowerMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes on Windows")
	}
	path := filepath.Join(t.TempDir(), "a")
	for _, c := range []struct{ former, asked, want os.FileMode }{
		{0o600, Public, 0o600},
		{0o640, Public, 0o640},
		{0o644, Private, 0o600},
		{0o666, Public, 0o666},
		{0o400, Public, 0o400},
		{0o755, Public, 0o644},
	} {
		os.Remove(path)
		os.WriteFile(path, nil, 0o600)
		if err := os.Chmod(path, c.former); err != nil {
			t.Fatal(err)
		}
		s := &Set{Force: true}
		f, err := s.Create(path, c.asked)
		if err != nil {
			t.Fatal(err)
		}
		want := c.want & f.mode // less the umask
		if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
		if info, _ := os.Stat(path); info.Mode().Perm() != want {
			t.Errorf("%v, asked for %v: %v, want %v", c.former, c.asked, info.Mode(), want)
		}
	}
}
