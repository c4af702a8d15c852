package spark

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mingle/cluster/engine"
)

// pretendHadoop is a storage whose program for Hadoop's file systems is a script.
func pretendHadoop(t *testing.T, script string) storage {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("it is a script of a shell")
	}
	home := t.TempDir()
	bin := filepath.Join(home, "bin")
	if err := os.Mkdir(bin, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"spark-class", "spark-sql"} {
		err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script), 0o777)
		if err != nil {
			t.Fatal(err)
		}
	}
	return storage{Options{Home: home}, t.TempDir()}
}

// listing is a storage that lists these lines.
func listing(t *testing.T, lines ...string) storage {
	t.Helper()
	return pretendHadoop(t, "cat <<'END'\n"+strings.Join(lines, "\n")+"\nEND\n")
}

// Every file of a folder far away is listed, or there is an error: none is left out but for what
// is hidden.
func TestFilesFarAway(t *testing.T) {
	const file, folder = "-rw-r--r--   3 ann staff  ", "drwxr-xr-x   - ann staff  "
	const when = " 2026-11-30 14:17 "
	for _, one := range []struct {
		lines      []string
		want, fail string
	}{
		{[]string{
			"Found 3 items", file + "12" + when + "hdfs://h/in/b", "WARN x: a line of a log with blanks",
			file + "5" + when + "hdfs://h/in/a", file + "7" + when + "hdfs://h/in/_SUCCESS",
		}, "[{hdfs://h/in/a 5} {hdfs://h/in/b 12}]", ""},
		{[]string{"Found 0 items", "deprecated: a message"}, "[]", ""},
		{
			[]string{"-rw-rw-rw-   1          12" + when + "s3a://h/a"}, "[{s3a://h/a 12}]", "",
		}, // without an owner
		{
			[]string{"-rw-rw-rw-+  1 ann Domain Users 2 12" + when + "hdfs://h/a"}, "[{hdfs://h/a 12}]", "",
		},
		{[]string{
			file + "4" + when + "hdfs://h/in/part-0", file + "4" + when + "hdfs://h/in/part 1.dat",
		}, "", `"hdfs://h/in/part 1.dat": paths have letters`},
		{[]string{file + "4" + when + "hdfs://h/in/part-0 "}, "", `"hdfs://h/in/part-0 ": paths have`},
		{[]string{file + "4" + when + "hdfs://h/in/part-0?x"}, "", "paths have letters"},
		{[]string{folder + "0" + when + "hdfs://h/in/more lines"}, "", "paths have letters"},
		{[]string{folder + "0" + when + "hdfs://h/in/more"}, "", "hdfs://h/in/more is a folder"},
		{[]string{file + "4" + when + "hdfs://h/in/a._COPYING_"}, "", "is being copied"},
		{[]string{file + "yesterday hdfs://h/in/a"}, "", "cannot be understood"},
		{[]string{file + "99999999999999999999" + when + "hdfs://h/a"}, "", "cannot be understood"},
		{[]string{"Found 2 items", file + "1" + when + "hdfs://h/a"}, "", "has 1 items, and says"},
	} {
		got, err := listing(t, one.lines...).Files(t.Context(), "hdfs://h/in")
		switch {
		case one.fail == "" && (err != nil || fmt.Sprint(append([]engine.File{}, got...)) != one.want):
			t.Errorf("%q: %v, %v", one.lines, got, err)
		case one.fail != "" && (err == nil || !strings.Contains(err.Error(), one.fail)):
			t.Errorf("%q: %v, %v", one.lines, got, err)
		}
	}
}

// Folders of this machine are refused for the same reasons.
func TestFilesHere(t *testing.T) {
	other := t.TempDir()
	for name, fail := range map[string]string{
		"part 1.dat": "paths have letters", "more/x": "is a folder", "more lines/x": "paths have letters",
		"_more lines/x": "", "part-1": "", "part-1._COPYING_": "is being copied",
		"_more=1": "Spark reads it", "part:1": "no : in their last part",
	} {
		dir := t.TempDir()
		for _, name := range []string{"part-0", name} {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, err := storage{}.Files(t.Context(), dir)
		if fail == "" && err != nil || fail != "" && (err == nil || !strings.Contains(err.Error(), fail)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	if err := os.Symlink(other, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	if _, err := (storage{}).Files(t.Context(), dir); err == nil ||
		!strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a link to a folder: %v", err)
	}
}

// Something is not there where that is said, and not wherever nobody can look.
func TestWhatIsFarAway(t *testing.T) {
	for _, one := range []struct {
		script       string
		there, fails bool
	}{
		{"echo drwxr-xr-x", true, false},
		{"echo \"ls: \\`hdfs://h/x': No such file or directory\" >&2; exit 1", false, false},
		{"echo 'ls: Call From a to b failed: Connection refused' >&2; exit 1", false, true},
		{"exit 1", false, true},
	} {
		there, err := pretendHadoop(t, one.script).Exists(t.Context(), "hdfs://h/x")
		if there != one.there || (err != nil) != one.fails {
			t.Errorf("%s: %v, %v", one.script, there, err)
		}
	}
}

// What lies beside a path has any name.
func TestSiblingsFarAway(t *testing.T) {
	s := listing(t, "-rw-r--r--   3 a b  1 2026-11-30 14:17 hdfs://h/out/my thesis.txt")
	got, err := s.Siblings(t.Context(), "hdfs://h/out/_SUCCESS", "")
	if err != nil || len(got) != 1 || got[0] != "hdfs://h/out/my thesis.txt" {
		t.Errorf("%q, %v", got, err)
	}
}

// A file that is named by itself is read by Spark, too, or refused.
func TestFilesNamedByThemselves(t *testing.T) {
	dir := t.TempDir()
	for name, fail := range map[string]string{
		"a.dat": "", "_a.dat": "takes it for no data", ".a.dat": "takes it for no data",
		"a._COPYING_": "is being copied",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		far := "hdfs://h/in/" + name
		s := listing(t, "-rw-r--r--   3 ann staff  4 2026-11-30 14:17 "+far)
		for _, at := range []string{path, far} {
			_, err := s.Files(t.Context(), at)
			if fail == "" && err != nil ||
				fail != "" && (err == nil || !strings.Contains(err.Error(), fail)) {
				t.Errorf("%s: %v", at, err)
			}
		}
	}
}

// A private folder is its owner's, and those above it are as usual.
func TestPrivateFolders(t *testing.T) {
	at := filepath.Join(t.TempDir(), "new", "own")
	output, err := storage{}.Private(t.Context(), "file://"+at)
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.Stat(at)
	if err != nil || runtime.GOOS != "windows" && own.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", own.Mode(), err)
	}
	if above, err := os.Stat(filepath.Dir(at)); err != nil || above.Mode().Perm() == 0o700 {
		t.Errorf("%v, %v", above.Mode(), err)
	}
	if _, err := (storage{}).Private(t.Context(), at); err == nil {
		t.Error("a folder that is there, of whomever, is taken")
	}
	to := filepath.Join(filepath.Dir(at), "out")
	if err := os.Mkdir(output, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := (storage{}).Move(t.Context(), output, to); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Dir(at)); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}
