//go:build !windows

package publish

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"mingle/internal/soak"
)

// A process that is killed before its n-th change to the file system is this test binary, told so
// by its environment.
const killedEnv = "MINGLE_TEST_KILLED"

func TestMain(m *testing.M) {
	if text := os.Getenv(killedEnv); text != "" {
		fields := strings.Split(text, " ")
		n, _ := strconv.Atoi(fields[1])
		release(fields[0], fields[2:], n)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The files of a run in the order in which they are created.
var runFiles = []string{"published", "audit", "report"}

// release writes the files of a run, each with the text given, into a directory, and kills its own
// process before the n-th change; n below 0: never. A stream that fails makes the last text "fail".
func release(dir string, texts []string, n int) {
	onChange(func(string) error {
		if n--; n == -1 {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	})
	s := &Set{Force: true, Out: failing{}}
	for i, name := range runFiles {
		mode := Public
		if name == "audit" {
			mode = Private
		}
		f, err := s.Create(filepath.Join(dir, name), mode)
		if err != nil {
			fmt.Println(err)
			os.Exit(9)
		}
		f.WriteString(texts[i])
	}
	if texts[len(texts)-1] == "fail" {
		f, _ := s.Create(Stdout, Public)
		f.WriteString("release")
	}
	if err := s.Commit(); err != nil && texts[len(texts)-1] != "fail" {
		fmt.Println(err)
		os.Exit(9)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("nobody reads") }

// kill makes a release in a process of its own, and tells whether it was killed.
func kill(t *testing.T, dir string, n int, texts ...string) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	what := fmt.Sprintf("%s %d %s", dir, n, strings.Join(texts, " "))
	cmd.Env = append(os.Environ(), killedEnv+"="+what)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err == nil {
		return false
	}
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() {
		t.Fatalf("%d: %v: %s", n, err, &out)
	}
	return true
}

// state is what each file of a run holds; "" where it is not there.
func state(dir string) []string {
	var out []string
	for _, name := range runFiles {
		b, _ := os.ReadFile(filepath.Join(dir, name))
		out = append(out, string(b))
	}
	return out
}

// kept tells whether some file in the directory, under any name, holds a text.
func kept(t *testing.T, dir, text string) bool {
	return slices.ContainsFunc(strings.Fields(names(t, dir)), func(name string) bool {
		return content(t, filepath.Join(dir, name)) == text
	})
}

// checkKilled holds what must be true after a kill at any moment: the published file is new only
// beside a new report and a new audit file, so that a mixture is a report or an audit file that
// names another release; what it replaces is not lost while the release is old; the next run with
// these targets works and leaves nothing else.
func checkKilled(t *testing.T, dir string, n int, before, after []string) {
	t.Helper()
	got := state(dir)
	for i := range got {
		if got[i] != before[i] && got[i] != after[i] {
			t.Errorf("killed at %d: %s holds %q", n, runFiles[i], got[i])
		}
	}
	if got[0] == after[0] && !slices.Equal(got, after) {
		t.Errorf("killed at %d: a new release stands beside old files: %q", n, got)
	}
	for _, text := range before {
		if text != "" && got[0] != after[0] && !kept(t, dir, text) {
			t.Errorf("killed at %d: %q is lost: %s", n, text, names(t, dir))
		}
	}
	if kill(t, dir, -1, "p3", "a3", "r3") {
		t.Fatal("the next run was killed")
	}
	left, next := names(t, dir), state(dir)
	if left != "audit published report" || !slices.Equal(next, []string{"p3", "a3", "r3"}) {
		t.Errorf("killed at %d: the next run left %s: %q", n, left, next)
	}
}

func TestKilledAtEveryStepSoak(t *testing.T) {
	stride := soak.Share(3, 1)
	all := [][]string{
		{"p1", "a1", "r1"},
		{"", "", ""},
		{"p1", "", ""},
		{"", "a1", "r1"},
		{"p1", "a1", ""},
		{"p1", "", "r1"},
	}
	for _, before := range all[:soak.Share(1, len(all))] {
		n := 0
		for ; ; n += stride {
			dir := t.TempDir()
			for i, text := range before {
				if text != "" {
					os.WriteFile(filepath.Join(dir, runFiles[i]), []byte(text), 0o600)
				}
			}
			killed := kill(t, dir, n, "p2", "a2", "r2")
			checkKilled(t, dir, n, before, []string{"p2", "a2", "r2"})
			if !killed {
				break
			}
		}
		if n < 20 {
			t.Errorf("it was killed at %d moments only", n)
		}
	}
}

// Whenever the process is killed, what it leaves under a temporary name can be read by its owner
// only, unless it is empty. What is in place has its own mode, or still that of its owner only.
func TestKilledTemporariesAreTheOwnersOnly(t *testing.T) {
	for _, former := range []string{"", "p1"} {
		for n := 0; ; n++ {
			dir := t.TempDir()
			if former != "" {
				os.WriteFile(filepath.Join(dir, "published"), []byte(former), 0o644)
			}
			killed := kill(t, dir, n, "p2", "a2", "r2")
			for _, name := range strings.Fields(names(t, dir)) {
				info, err := os.Stat(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				mode, text := info.Mode().Perm(), content(t, filepath.Join(dir, name))
				secret := text != "" && text != former &&
					(strings.HasPrefix(name, prefix) || name == "audit")
				if secret && mode != Private || !secret && mode&^0o644 != 0 {
					t.Errorf("killed at %d: %s has mode %v and holds %q", n, name, mode, text)
				}
			}
			if !killed {
				break
			}
		}
	}
}

// A commit that is taken back because a stream fails may be killed as well.
func TestKilledWhileItIsTakenBackSoak(t *testing.T) {
	before := []string{"p1", "a1", "r1"}
	for n := 0; ; n += soak.Share(3, 1) {
		dir := t.TempDir()
		for i, text := range before {
			os.WriteFile(filepath.Join(dir, runFiles[i]), []byte(text), 0o600)
		}
		killed := kill(t, dir, n, "p2", "a2", "r2", "fail")
		if !killed && !slices.Equal(state(dir), before) {
			t.Errorf("it was not taken back: %q", state(dir))
		}
		checkKilled(t, dir, n, before, []string{"p2", "a2", "r2"})
		if !killed {
			return
		}
	}
}

// What a run that is alive has open is no leftover.
func TestFilesInUseAreNoLeftovers(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "a")
	first := &Set{Force: true}
	write(t, first, target, "1")
	second := &Set{Force: true}
	write(t, second, target, "2")
	if err := second.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := first.Commit(); err != nil {
		t.Fatalf("the other run removed its file: %v", err)
	}
	if content(t, target) != "1" || names(t, dir) != "a" {
		t.Errorf("%q, files: %s", content(t, target), names(t, dir))
	}
}

// A pipe that nobody reads does not keep the process from ending, and the other files are taken
// back.
func TestAStalledPipeDoesNotHoldAbortAll(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestAbortAllWhileAPipeStalls$", "-test.timeout=20s")
	cmd.Env = append(os.Environ(), stalledEnv+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if got := names(t, dir); got != "pipe" {
		t.Errorf("files: %s", got)
	}
}

const stalledEnv = "MINGLE_TEST_STALLED"

// Run in a process of its own: after AbortAll no set can be used.
func TestAbortAllWhileAPipeStalls(t *testing.T) {
	dir := os.Getenv(stalledEnv)
	if dir == "" {
		t.Skip("is run by another test")
	}
	s := &Set{}
	write(t, s, filepath.Join(dir, "pipe"), "release")
	write(t, s, filepath.Join(dir, "audit"), "secret")
	placed := make(chan struct{})
	onChange(func(operation string) error {
		if operation == "sync directory" { // the last step before the pipe
			close(placed)
		}
		return nil
	})
	go s.Commit()
	<-placed
	if outcome, err := AbortAll(0); outcome != Nothing || err != nil {
		t.Errorf("outcome %v, %v", outcome, err)
	}
}

// A run that was killed while it looked at a target leaves a file there. Who looks at the target
// again removes it, whether or not it writes to it in the end.
func TestLeftoversOfWhatIsOnlyLookedAtGo(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "results.csv")
	left := temporaryName(target, stagedSuffix)
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (&Set{}).Check(Target{Role: "table", Path: target}); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%v is left, %v", entries, err)
	}
}
