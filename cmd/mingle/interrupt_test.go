//go:build !windows

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// start runs mingle in a process of its own, to send it signals. TestMain puts it on the path.
func start(t *testing.T, dir string, stdin *os.File, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	path, err := exec.LookPath("mingle")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	var errs bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stderr = dir, stdin, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, &errs
}

// interrupted sends Ctrl-C after a while, and checks that the command ends with its code. It is false when the command
// came to its end before.
func interrupted(t *testing.T, cmd *exec.Cmd, errs *bytes.Buffer, after time.Duration) bool {
	t.Helper()
	time.Sleep(after)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	defer hung.Stop()
	err := cmd.Wait()
	if err == nil {
		return false
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != codeInterrupted {
		t.Errorf("after %v: %v, want exit code %d; it said %q", after, err, codeInterrupted, errs)
	}
	if exit != nil && exit.Sys().(syscall.WaitStatus).Signaled() {
		t.Error("it was killed by the signal: nobody cleaned up")
	}
	return true
}

func empty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("%s was left behind", e.Name())
	}
}

// A run that writes without end.
func TestInterruptWhileWriting(t *testing.T) {
	for _, name := range []string{"out.dat", "out.dat.gz", "out.jsonl"} {
		dir := t.TempDir()
		cmd, errs := start(t, dir, nil, "generate", "zipf", "--transactions", "1000000000", "-o", name)
		interrupted(t, cmd, errs, 300*time.Millisecond)
		empty(t, dir)
	}
}

// A run that waits for input which does not come cannot look at the signal.
func TestInterruptWhileWaitingForInput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	dir := t.TempDir()
	cmd, errs := start(t, dir, r, "inspect", "-", "--input-format", "fimi")
	interrupted(t, cmd, errs, 300*time.Millisecond)
}

// A release interrupted at moments that spread over the whole run.
func TestInterruptAnonymize(t *testing.T) {
	inputs, dir := t.TempDir(), t.TempDir()
	data, tree := filepath.Join(inputs, "data.dat"), filepath.Join(inputs, "tree.csv")
	for _, args := range [][]string{
		{"generate", "zipf", "--transactions", "60000", "--items", "3000", "--length", "12", "-o", data, "--quiet"},
		{"hierarchy", "fanout", data, "-o", tree, "--quiet"},
	} {
		var out bytes.Buffer
		if code := program(args, nil, &out, &out); code != 0 {
			t.Fatal(out.String())
		}
	}
	for wait := 20 * time.Millisecond; wait < 2*time.Second; wait *= 3 {
		cmd, errs := start(t, dir, nil, "anonymize", "km", data, "-H", tree, "-k", "5", "-m", "4",
			"-o", "out.dat", "--report", "report.json", "--audit", "audit.json")
		if !interrupted(t, cmd, errs, wait) {
			break
		}
		empty(t, dir)
	}
}

// When the reader of standard output goes away, the other files of the run are taken back.
func TestReaderGoesAway(t *testing.T) {
	inputs, dir := t.TempDir(), t.TempDir()
	data, tree := filepath.Join(inputs, "data.dat"), filepath.Join(inputs, "tree.csv")
	os.WriteFile(data, []byte("a b\na b\n"), 0o644)
	os.WriteFile(tree, []byte("a;*\nb;*\n"), 0o644)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	path, err := exec.LookPath("mingle")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "anonymize", "km", data, "-H", tree, "-k", "2", "-m", "1", "-o", "-", "--report", "report.json", "--quiet")
	var errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, w, &errs
	cmd.Run()
	w.Close()
	if cmd.ProcessState.ExitCode() != codeInput || !bytes.Contains(errs.Bytes(), []byte("standard output: broken pipe")) {
		t.Errorf("exit code %d: %s", cmd.ProcessState.ExitCode(), &errs)
	}
	empty(t, dir)
}

// What the program did not expect of itself ends in a short message.
func TestPanicIsAShortMessage(t *testing.T) {
	err := panicked("index out of range", []byte("goroutine 1 [running]:"))
	if exitCode(err) != codeInternal || bytes.Contains([]byte(err.Error()), []byte("goroutine")) {
		t.Errorf("%d %v", exitCode(err), err)
	}
	t.Setenv("MINGLE_STACK", "1")
	if err := panicked("x", []byte("goroutine 1")); !bytes.Contains([]byte(err.Error()), []byte("goroutine")) {
		t.Error("the stack was asked for")
	}
}
