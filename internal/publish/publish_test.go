package publish

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func write(t *testing.T, s *Set, target, text string) *File {
	t.Helper()
	f, err := s.Create(target, Public)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	return f
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCommitPutsAllInPlace(t *testing.T) {
	dir := t.TempDir()
	s := &Set{}
	write(t, s, filepath.Join(dir, "a"), "1")
	write(t, s, filepath.Join(dir, "b"), "2")
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); got != "a b" {
		t.Errorf("files: %s", got)
	}
	if content(t, filepath.Join(dir, "b")) != "2" {
		t.Error("content is lost")
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	s := &Set{}
	write(t, s, filepath.Join(dir, "a"), "1")
	s.Abort()
	if got := names(t, dir); got != "" {
		t.Errorf("files: %s", got)
	}
}

func TestExistingTargetNeedsForce(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "a")
	os.WriteFile(target, []byte("old"), 0o644)
	if _, err := (&Set{}).Create(target, Public); err == nil ||
		!strings.Contains(err.Error(), "--force") {
		t.Fatalf("error: %v", err)
	}
	s := &Set{Force: true}
	write(t, s, target, "new")
	if content(t, target) != "old" {
		t.Error("the target changed before Commit")
	}
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	if content(t, target) != "new" || names(t, dir) != "a" {
		t.Errorf("%q, files: %s", content(t, target), names(t, dir))
	}
}

// A file that appears while the run is on must not be overwritten, and the others of the set must
// go again.
func TestFailedCommitTakesAllBack(t *testing.T) {
	dir := t.TempDir()
	s := &Set{}
	first, second := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, s, first, "1")
	write(t, s, second, "2")
	os.WriteFile(second, []byte("other"), 0o644)
	if err := s.Commit(); err == nil {
		t.Fatal("a file was overwritten")
	}
	if got := names(t, dir); got != "b" || content(t, second) != "other" {
		t.Errorf("files: %s", got)
	}
}

func TestFailedCommitRestoresFormerTargets(t *testing.T) {
	dir := t.TempDir()
	first, gone := filepath.Join(dir, "a"), filepath.Join(dir, "sub", "b")
	os.WriteFile(first, []byte("old"), 0o644)
	os.Mkdir(filepath.Join(dir, "sub"), 0o755)
	s := &Set{Force: true}
	write(t, s, first, "new")
	write(t, s, gone, "2")
	if err := os.RemoveAll(filepath.Join(dir, "sub")); err != nil {
		t.Skip("an open file cannot be removed here")
	}
	if err := s.Commit(); err == nil {
		t.Fatal("no error though the directory is gone")
	}
	if got := names(t, dir); got != "a" || content(t, first) != "old" {
		t.Errorf("files: %s, a holds %q", got, content(t, first))
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestFailedStreamTakesFilesBack(t *testing.T) {
	dir := t.TempDir()
	s := &Set{Out: full{}}
	write(t, s, filepath.Join(dir, "a"), "1")
	write(t, s, Stdout, "2")
	if err := s.Commit(); err == nil {
		t.Fatal("no error")
	}
	if got := names(t, dir); got != "" {
		t.Errorf("files: %s", got)
	}
}

func TestStdout(t *testing.T) {
	var out bytes.Buffer
	s := &Set{Out: &out}
	write(t, s, Stdout, "text")
	if out.Len() > 0 {
		t.Error("written before Commit")
	}
	if err := s.Commit(); err != nil || out.String() != "text" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes on Windows")
	}
	dir := t.TempDir()
	s := &Set{}
	public := write(t, s, filepath.Join(dir, "public"), "1")
	private, err := s.Create(filepath.Join(dir, "private"), Private)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*File{public, private} {
		if info, _ := f.Stat(); info.Mode().Perm() != Private {
			t.Errorf("%s is open to others before it is verified: %v", f.Target, info.Mode())
		}
	}
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	info, _ := os.Stat(filepath.Join(dir, "private"))
	if info.Mode().Perm() != Private {
		t.Errorf("private file has mode %v", info.Mode())
	}
	os.WriteFile(filepath.Join(dir, "plain"), nil, 0o666)
	plain, _ := os.Stat(filepath.Join(dir, "plain"))
	if info, _ := os.Stat(filepath.Join(dir, "public")); info.Mode() != plain.Mode() {
		t.Errorf("public file has mode %v, others here get %v", info.Mode(), plain.Mode())
	}
}

func TestSymbolicLinkIsKept(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	os.WriteFile(real, []byte("old"), 0o644)
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no symbolic links here")
	}
	s := &Set{Force: true}
	write(t, s, link, "new")
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 || content(t, real) != "new" {
		t.Error("the link was replaced by a file")
	}
}

func TestDeviceIsWrittenNotReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no device files on Windows")
	}
	s := &Set{}
	write(t, s, os.DevNull, "text")
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(os.DevNull); info.Mode().IsRegular() {
		t.Fatal("the null device was replaced by a file")
	}
}

func TestCheckSaysWhy(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	os.WriteFile(file, nil, 0o644)
	for target, want := range map[string]string{
		dir:                            "is a directory",
		filepath.Join(dir, "no", "a"):  "does not exist",
		filepath.Join(file, "a"):       "not a directory",
		file:                           "exists already",
		filepath.Join(dir, "a\x00bad"): "cannot write",
	} {
		if err := (&Set{}).Check(Target{Path: target}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", target, err, want)
		}
	}
}

// Runs last: after AbortAll no set can be used.
func TestZAbortAllRemovesEverySet(t *testing.T) {
	dir := t.TempDir()
	write(t, &Set{}, filepath.Join(dir, "a"), "1")
	write(t, &Set{}, filepath.Join(dir, "b"), "2")
	AbortAll(0)
	this.mu.Unlock()
	if got := names(t, dir); got != "" {
		t.Errorf("files: %s", got)
	}
}
