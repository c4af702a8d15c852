package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// The nightly job of examples/nightly: a day that is published, and days that are stopped, after
// which all is as it was.
func TestNightly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the job is a POSIX shell script")
	}
	examples := filepath.Join("..", "..", "examples")
	dir, baskets := t.TempDir(), t.TempDir()
	for _, name := range []string{"nightly.sh", "extract.sh", "release.yaml"} {
		copyFile(t, filepath.Join(examples, "nightly", name), filepath.Join(dir, name))
	}
	copyFile(t, filepath.Join(examples, "shop", "catalogue.csv"), filepath.Join(dir, "catalogue.csv"))
	day, err := os.ReadFile(filepath.Join(examples, "shop", "baskets.csv"))
	if err != nil {
		t.Fatal(err)
	}
	short := bytes.Join(bytes.SplitAfterN(day, []byte("\n"), 501)[:500], nil)
	for name, text := range map[string][]byte{
		"2026-11-21": day, "2026-11-22": short, "2026-11-23": append([]byte("unheard of\n"), day...),
	} {
		if err := os.WriteFile(filepath.Join(baskets, name+".csv"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	night := func(day string) (code int, said string) {
		cmd := exec.Command("sh", filepath.Join(dir, "nightly.sh"), day)
		cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "BASKETS="+baskets)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), string(out)
	}
	if code, said := night("2026-11-21"); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	before := treeOf(t, dir)
	for _, want := range []string{
		"public/2026-11-21/page.html 644", "public/2026-11-21/published.csv 644",
		"public/2026-11-21/report.json 644", "secret/2026-11-21.json 600",
	} {
		if !strings.Contains(before, want+" ") {
			t.Errorf("%s is not there:\n%s", want, before)
		}
	}
	for name, want := range map[string]os.FileMode{
		"public": 0o755, "public/2026-11-21": 0o755, "secret": 0o700,
	} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has not the mode %o: %v %v", name, want, info, err)
		}
	}
	if strings.Contains(before, "work") {
		t.Errorf("the extract is left:\n%s", before)
	}
	for _, stopped := range []struct {
		day  string
		code int
		says string
	}{
		{"2026-11-21", 2, "2026-11-21 is published already"},
		{"2026-11-22", 3, "transactions is 500, which is <1000"},
		{"2026-11-23", 2, "unheard of"},
		{"2026-11-24", 1, "2026-11-24.csv"},
		{"../x", 2, "is no day"},
	} {
		code, said := night(stopped.day)
		if code != stopped.code || !strings.Contains(said, stopped.says) {
			t.Errorf("%s: exit code %d, want %d: %s", stopped.day, code, stopped.code, said)
		}
		if after := treeOf(t, dir); after != before {
			t.Errorf("%s changed what is there:\n%s\nbefore:\n%s", stopped.day, after, before)
		}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// treeOf lists the files below a directory, with their modes and hashes.
func treeOf(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		lines = append(lines, fmt.Sprintf("%s %o %x", rel, info.Mode().Perm(), sha256.Sum256(text)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
