//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// memoryGroup is a group of processes that may hold so many bytes; the test is skipped where none
// can be made.
func memoryGroup(t *testing.T, bytes int) (procs string) {
	t.Helper()
	for _, g := range []struct{ below, limit string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"/sys/fs/cgroup", "memory.max"},
	} {
		dir := filepath.Join(g.below, fmt.Sprintf("mingle-test-%d-%d", os.Getpid(), bytes))
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { os.Remove(dir) })
		if os.WriteFile(filepath.Join(dir, g.limit), []byte(strconv.Itoa(bytes)), 0o644) == nil {
			return filepath.Join(dir, "cgroup.procs")
		}
	}
	t.Skip("no group of processes with a bound on memory can be made here")
	return ""
}

// Whatever the machine lets a run have: it makes the whole release, or changes nothing and says so,
// also when the kernel kills it because memory is short.
func TestShortOfMemoryInAGroup(t *testing.T) {
	inputs := t.TempDir()
	data, tree := filepath.Join(inputs, "data.dat"), filepath.Join(inputs, "tree.csv")
	for _, args := range []string{
		"generate zipf --transactions 60000 --items 2000 --length 10 -o " + data,
		"hierarchy fanout " + data + " -o " + tree,
	} {
		if code, said := ran(args); code != 0 {
			t.Fatal(said)
		}
	}
	mingle, err := exec.LookPath("mingle")
	if err != nil {
		t.Fatal(err)
	}
	for _, megabytes := range []int{16, 40, 96} {
		procs := memoryGroup(t, megabytes<<20)
		dir := t.TempDir()
		for _, name := range []string{"out.dat", "audit.json"} {
			os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o600)
		}
		args := fmt.Sprintf("anonymize km %s -H %s -k 5 -m 2 --algorithm aa -o out.dat --audit audit.json "+
			"--force --quiet", data, tree)
		cmd := exec.Command("sh", "-c", "echo $$ >"+procs+" && exec "+mingle+" "+args)
		cmd.Dir = dir
		said, err := cmd.CombinedOutput()
		for _, name := range []string{"out.dat", "audit.json"} {
			text, _ := os.ReadFile(filepath.Join(dir, name))
			if old := string(text) == "old"; old != (err != nil) {
				t.Errorf("%d MB: %v, but %s is old: %v\n%s", megabytes, err, name, old, said)
			}
		}
		t.Logf("%d MB: %v %s", megabytes, err, said)
		cmd = exec.Command("sh", "-c", mingle+" "+args)
		cmd.Dir = dir
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("the next run: %v\n%s", err, said)
		}
		if hasEntry(dir, ".mingle-*") {
			t.Errorf("%d MB: something is left after the next run", megabytes)
		}
	}
}
