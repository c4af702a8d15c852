//go:build !windows

package main

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mingle/dataset/rows"
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

// interrupt runs mingle, sends it Ctrl-C after a while, and checks that it ends with its code. It
// is false when the command came to its end before. On a busy machine the signal may arrive before
// the program has begun to listen: then it is killed, and the run is made again with a longer wait.
func interrupt(t *testing.T, dir string, stdin *os.File, after time.Duration, args ...string) bool {
	t.Helper()
	for range 5 {
		cmd, errs := start(t, dir, stdin, args...)
		time.Sleep(after)
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		hung := time.AfterFunc(60*time.Second, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		hung.Stop()
		if err == nil {
			return false
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() && errs.Len() == 0 {
			after *= 3
			continue
		}
		if exit == nil || exit.ExitCode() != codeInterrupted {
			t.Errorf(
				"after %v: %v, want exit code %d; it said %q", after, err, codeInterrupted, errs,
			)
		}
		return true
	}
	t.Error("it was killed by the signal each time: nobody cleans up")
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
		interrupt(
			t, dir, nil, 300*time.Millisecond, "generate", "zipf", "--transactions", "1000000000",
			"-o", name,
		)
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
	interrupt(t, dir, r, 300*time.Millisecond, "inspect", "-", "--input-format", "fimi")
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
		if !interrupt(t, dir, nil, wait, "anonymize", "km", data, "-H", tree, "-k", "5", "-m", "4",
			"-o", "out.dat", "--report", "report.json", "--audit", "audit.json") {
			break
		}
		empty(t, dir)
	}
}

// A table that is to appear waits for who reads its file, longer than a second. The run ends even
// so, and does not say that nothing was written.
func TestInterruptWhileATableAppears(t *testing.T) {
	dir := t.TempDir()
	inside := func(name string) string { return filepath.Join(dir, name) }
	os.WriteFile(inside("data.csv"), []byte("a,b\na,b\n"), 0o600)
	os.WriteFile(inside("tree.csv"), []byte("a,*\nb,*\n"), 0o600)
	db, err := sql.Open("sqlite", inside("shop.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE other (a); INSERT INTO other VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	reader, err := db.Query("SELECT a FROM other")
	if err != nil || !reader.Next() {
		t.Fatal(err)
	}
	defer reader.Close()
	cmd, errs := start(t, dir, nil, "anonymize", "km", "data.csv", "--input-format", "basket",
		"-H", "tree.csv", "-k", "2", "-m", "1", "-o", "shop.db", "--output-table", "published",
		"--report", "report.json")
	for range 300 {
		if _, err := os.Stat(inside("report.json")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	begun := time.Now()
	cmd.Process.Signal(os.Interrupt)
	err = cmd.Wait()
	took := time.Since(begun)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != codeInterrupted || took > 5*time.Second {
		t.Errorf("%v, after %v", err, took)
	}
	if said := errs.String(); !strings.Contains(said, "whether it did is not known") {
		t.Errorf("it said %q", said)
	}
	if _, err := os.Stat(inside("report.json")); err != nil {
		t.Error(err)
	}
	reader.Close()
	var tables int
	err = db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name = 'published'").Scan(&tables)
	if err != nil || tables != 0 {
		t.Errorf("%d tables, %v", tables, err)
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
	cmd := exec.Command(
		path, "anonymize", "km", data, "-H", tree, "-k", "2", "-m", "1", "-o", "-", "--report",
		"report.json", "--quiet",
	)
	var errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, w, &errs
	cmd.Run()
	w.Close()
	if cmd.ProcessState.ExitCode() != codeInternal || !bytes.Contains(
		errs.Bytes(), []byte("standard output: broken pipe"),
	) {
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
	if err := panicked("x", []byte("goroutine 1")); !bytes.Contains(
		[]byte(err.Error()), []byte("goroutine"),
	) {
		t.Error("the stack was asked for")
	}
}

// Where it is not known whether a table appeared, the exit code is not one that promises that
// nothing was written.
func TestUnknownEndIsNotAFaultOfTheInput(t *testing.T) {
	err := fmt.Errorf("connection lost: %w", rows.ErrUnknown)
	if code := exitCode(err); code != codeInternal {
		t.Errorf("exit code %d", code)
	}
}

// Spark gets the time to remove what it wrote, which is the original, and the folder of the session
// goes with it.
func TestInterruptedSparkEnds(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, "left")
	cmd, errs, temporary := startSpark(t, dir, fmt.Sprintf(
		"trap 'sleep 1.2; rm %[1]s; exit' TERM\necho x >%[1]s", left))
	awaitFile(left)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != codeInterrupted {
		t.Errorf("%v: %s", err, errs)
	}
	if _, err := os.Lstat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Spark's file is still there: %v", err)
	}
	empty(t, temporary)
}

// Another Ctrl-C does not wait for Spark, and the folder of the session goes all the same.
func TestInterruptedTwiceSparkIsKilled(t *testing.T) {
	dir := t.TempDir()
	begun, asked, late := filepath.Join(dir, "1"), filepath.Join(dir, "2"), filepath.Join(dir, "3")
	cmd, errs, temporary := startSpark(t, dir, fmt.Sprintf(
		"trap 'echo x >%s; sleep 5; echo x >%s; exit' TERM\necho x >%s", asked, late, begun))
	for _, at := range []string{begun, asked} {
		awaitFile(at)
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != codeInterrupted {
		t.Errorf("%v: %s", err, errs)
	}
	if _, err := os.Lstat(late); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it was waited for: %v", err)
	}
	empty(t, temporary)
}

// awaitFile waits until a file is there, or long enough.
func awaitFile(path string) {
	for range 600 {
		if _, err := os.Lstat(path); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// startSpark starts a release with a spark-sql that begins with lines of a shell and never answers.
func startSpark(
	t *testing.T, dir, lines string,
) (cmd *exec.Cmd, errs *bytes.Buffer, temporary string) {
	t.Helper()
	home, temporary := t.TempDir(), t.TempDir()
	script := "#!/bin/sh\n" + lines + "\nwhile true; do sleep 0.1; done\n"
	if err := os.Mkdir(filepath.Join(home, "bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	err := os.WriteFile(filepath.Join(home, "bin", "spark-sql"), []byte(script), 0o777)
	for name, text := range map[string]string{"in.dat": "a b\na b\n", "h.csv": "a;*\nb;*\n"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temporary)
	cmd, errs = start(t, dir, nil, "spark", "anonymize", "km", "in.dat", "-H", "h.csv", "-k", "2",
		"-m", "2", "--spark-home", home, "--master", "local", "-o", "out")
	return cmd, errs, temporary
}
