//go:build !windows

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ends waits for a command, which must end soon, and returns its exit code. The limit is far above
// a second because the machine may be busy; a command that waits forever is told by it all the
// same.
func ends(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	hung := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	cmd.Wait()
	if !hung.Stop() {
		t.Errorf("it waits forever: mingle %s", strings.Join(cmd.Args[1:], " "))
	}
	return cmd.ProcessState.ExitCode()
}

// soon waits until something is so.
func soon(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it does not come to pass: %s", what)
		}
	}
}

func twoLines(t *testing.T) (dir, data, tree string) {
	t.Helper()
	inputs := t.TempDir()
	data, tree = filepath.Join(inputs, "data.dat"), filepath.Join(inputs, "tree.csv")
	os.WriteFile(data, []byte("a b\na b\n"), 0o644)
	os.WriteFile(tree, []byte("a;*\nb;*\n"), 0o644)
	return t.TempDir(), data, tree
}

func fifo(t *testing.T, path string) string {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	return path
}

// hasEntry tells whether a directory has a file that fits a pattern.
func hasEntry(dir, pattern string) bool {
	found, _ := filepath.Glob(filepath.Join(dir, pattern))
	return len(found) > 0
}

var endings = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// Nobody reads the pipe that the release goes into: every signal ends the run, and the audit file
// is taken back.
func TestSignalWhileAPipeHasNoReader(t *testing.T) {
	for _, s := range endings {
		dir, data, tree := twoLines(t)
		pipe := fifo(t, filepath.Join(t.TempDir(), "pipe"))
		cmd, errs := start(t, dir, nil, "anonymize", "km", data, "-H", tree, "-k", "2", "-m", "1",
			"-o", pipe, "--audit", "audit.json")
		soon(t, "the audit file is in place", func() bool { return hasEntry(dir, "audit.json") })
		cmd.Process.Signal(s)
		if code := ends(t, cmd); code != codeInterrupted {
			t.Errorf("%v: exit code %d: %s", s, code, errs)
		}
		empty(t, dir)
	}
}

// Standard output is a pipe that is full.
func TestSignalWhileStdoutStalls(t *testing.T) {
	dir, data, tree := twoLines(t)
	os.WriteFile(data, bytes.Repeat([]byte("a b\n"), 100_000), 0o644) // more than a pipe holds
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	path, err := exec.LookPath("mingle")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "anonymize", "km", data, "-H", tree, "-k", "2", "-m", "1",
		"-o", "-", "--audit", "audit.json", "--quiet")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, w, w // the message has no reader either
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	soon(t, "the audit file is in place", func() bool { return hasEntry(dir, "audit.json") })
	cmd.Process.Signal(syscall.SIGTERM)
	if code := ends(t, cmd); code != codeInterrupted {
		t.Errorf("exit code %d", code)
	}
	empty(t, dir)
}

// kill ends a run at once also where the first Ctrl-C asks for the best so far.
func TestKeepBestIsForCtrlC(t *testing.T) {
	dir, data, tree := twoLines(t)
	pipe := fifo(t, filepath.Join(t.TempDir(), "pipe"))
	cmd, errs := start(t, dir, nil, "anonymize", "km", data, "-H", tree, "-k", "2", "-m", "1",
		"-o", pipe, "--audit", "audit.json", "--keep-best")
	soon(t, "the audit file is in place", func() bool { return hasEntry(dir, "audit.json") })
	cmd.Process.Signal(syscall.SIGTERM)
	if code := ends(t, cmd); code != codeInterrupted {
		t.Errorf("exit code %d: %s", code, errs)
	}
	empty(t, dir)
}

// When the result cannot be shown, the files are in place all the same, and the message says so.
func TestSignalWhenAllFilesAreInPlace(t *testing.T) {
	dir, data, tree := twoLines(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	w.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
	for err == nil { // until the pipe is full
		_, err = w.Write(make([]byte, 4096))
	}
	path, err := exec.LookPath("mingle")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(
		path, "anonymize", "km", data, "-H", tree, "-k", "2", "-m", "1", "-o", "p.dat",
	)
	var errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, w, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	soon(t, "the release is in place", func() bool {
		return hasEntry(dir, "p.dat") && !hasEntry(dir, ".mingle-*")
	})
	time.Sleep(100 * time.Millisecond) // what is left is to say so
	cmd.Process.Signal(syscall.SIGTERM)
	code := ends(t, cmd)
	if code != codeInterrupted || !strings.Contains(errs.String(), "all files were in place") {
		t.Errorf("exit code %d: %s", code, &errs)
	}
	if !hasEntry(dir, "p.dat") {
		t.Error("the release is gone")
	}
}

// Nobody writes the pipe that is to be read.
func TestSignalWhileAnInputHasNoWriter(t *testing.T) {
	dir, _, tree := twoLines(t)
	pipe := fifo(t, filepath.Join(t.TempDir(), "pipe"))
	for _, args := range [][]string{
		{"anonymize", "km", pipe, "-H", tree, "-k", "2", "-m", "1", "-o", "p.dat", "--input-format", "fimi"},
		{"hierarchy", "check", pipe},
		{"report", pipe},
		{"compare", pipe, "-o", "."},
	} {
		cmd, errs := start(t, dir, nil, args...)
		time.Sleep(300 * time.Millisecond)
		cmd.Process.Signal(syscall.SIGTERM)
		code := ends(t, cmd)
		if code != codeInterrupted && (code != -1 || errs.Len() > 0) { // -1: before it listened
			t.Errorf("%v: exit code %d: %s", args, code, errs)
		}
		empty(t, dir)
	}
}

// A run that was started to ignore a signal, as nohup does, goes on.
func TestNohup(t *testing.T) {
	path, err := exec.LookPath("mingle")
	if err != nil {
		t.Fatal(err)
	}
	dir, data, tree := twoLines(t)
	pipe := fifo(t, filepath.Join(t.TempDir(), "pipe"))
	cmd := exec.Command("sh", "-c", `trap "" HUP; exec "$@"`, "sh", path,
		"anonymize", "km", data, "-H", tree, "-k", "2", "-m", "1", "-o", pipe, "--audit", "audit.json", "--quiet")
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	soon(t, "the audit file is in place", func() bool { return hasEntry(dir, "audit.json") })
	cmd.Process.Signal(syscall.SIGHUP)
	time.Sleep(50 * time.Millisecond)
	text, err := os.ReadFile(pipe)
	if code := ends(t, cmd); code != 0 || err != nil || string(text) != "a b\na b\n" {
		t.Errorf("exit code %d, %q, %v", code, text, err)
	}
}

// workerOf finds the process that does the work.
func workerOf(t *testing.T, pid int) (worker int) {
	t.Helper()
	at := "/proc/" + strconv.Itoa(pid) + "/task"
	if _, err := os.Stat(at + "/" + strconv.Itoa(pid) + "/children"); err != nil {
		t.Skip("the system does not tell which processes belong to another")
	}
	soon(t, "there is a worker", func() bool {
		lists, _ := filepath.Glob(at + "/*/children")
		for _, list := range lists {
			text, _ := os.ReadFile(list)
			for _, field := range strings.Fields(string(text)) {
				worker, _ = strconv.Atoi(field)
			}
		}
		return worker > 0
	})
	return worker
}

// What ends the work without a word, as the runtime does where a panic cannot be caught, is a fault
// of the program. The next run with the same target removes what was left.
func TestWorkThatBreaksOffIsAnInternalFault(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGABRT, syscall.SIGKILL} {
		dir := t.TempDir()
		cmd, errs := start(
			t, dir, nil, "generate", "zipf", "--transactions", "1000000000", "-o", "out.dat",
		)
		soon(t, "it writes", func() bool { return hasEntry(dir, ".mingle-*.new") })
		syscall.Kill(workerOf(t, cmd.Process.Pid), s)
		code := ends(t, cmd)
		if code != codeInternal || !strings.Contains(errs.String(), "mingle: internal fault") {
			t.Errorf("%v: exit code %d: %s", s, code, errs)
		}
		again, errs := start(
			t, dir, nil, "generate", "zipf", "--transactions", "10", "-o", "out.dat",
		)
		if code := ends(t, again); code != codeDone {
			t.Errorf("exit code %d: %s", code, errs)
		}
		if hasEntry(dir, ".mingle-*") {
			t.Error("the next run left temporary files of the one that broke off")
		}
	}
}

// The runtime ends a process for want of memory with code 2, which is bad input here.
func TestNoMemoryIsAnInternalFault(t *testing.T) {
	path, err := exec.LookPath("mingle")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command("sh", "-c", `ulimit -v 4000000 && exec "$@"`, "sh", path,
		"generate", "zipf", "--transactions", "10", "--items", "1000000000", "--memory", "1000GB", "-o", "out.dat")
	var errs bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &errs
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	code := ends(t, cmd)
	if strings.Contains(errs.String(), "ulimit") {
		t.Skip("memory cannot be bounded here")
	}
	if code != codeInternal || !strings.Contains(errs.String(), "out of memory") {
		t.Errorf("exit code %d: %s", code, &errs)
	}
}

// When the first process is killed, the other one ends and takes its files away.
func TestKilledFirstProcessLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	cmd, _ := start(
		t, dir, nil, "generate", "zipf", "--transactions", "1000000000", "-o", "out.dat",
	)
	soon(t, "it writes", func() bool { return hasEntry(dir, ".mingle-*.new") })
	workerOf(t, cmd.Process.Pid)
	cmd.Process.Kill()
	cmd.Wait()
	soon(t, "the temporary file is gone", func() bool { return !hasEntry(dir, ".mingle-*") })
	empty(t, dir)
}

// A worker that a signal ends before it listens was interrupted; one that is killed or fails was
// not.
func TestInterruptedBeforeItListens(t *testing.T) {
	for _, c := range []struct {
		signal syscall.Signal
		want   bool
	}{
		{syscall.SIGINT, true},
		{syscall.SIGTERM, true},
		{syscall.SIGHUP, true},
		{syscall.SIGKILL, false},
	} {
		cmd := exec.Command("sleep", "60")
		if err := cmd.Start(); err != nil {
			t.Skip(err)
		}
		cmd.Process.Signal(c.signal)
		cmd.Wait()
		if got := interruptedBy(cmd.ProcessState); got != c.want {
			t.Errorf("%v: %v", c.signal, got)
		}
	}
	cmd := exec.Command("false")
	if err := cmd.Run(); err == nil || interruptedBy(cmd.ProcessState) {
		t.Errorf("a worker that failed: %v", err)
	}
}
