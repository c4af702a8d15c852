//go:build !windows

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shell runs a script that calls mingle, and returns its exit code and all that it said.
func shell(t *testing.T, dir, script string) (code int, said string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	hung := time.AfterFunc(60*time.Second, func() { cmd.Process.Kill() })
	cmd.Wait()
	if !hung.Stop() {
		t.Errorf("it waits forever: %s", script)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

func twoLinesIn(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "t.dat"), []byte("a b\na b\n"), 0o644)
	os.WriteFile(filepath.Join(dir, "tree.csv"), []byte("a;*\nb;*\n"), 0o644)
	return dir
}

func needDescriptors(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/dev/fd/1"); err != nil {
		t.Skip("paths do not name descriptors here")
	}
}

const anonymizeTwoLines = "mingle anonymize km t.dat -H tree.csv -k 2 -m 1 --quiet "

// The descriptors that the user opened are those that the user's names lead to, not the pipes
// between the first process and the worker.
func TestDescriptorsOfTheUser(t *testing.T) {
	needDescriptors(t)
	for _, name := range []string{
		"/dev/fd/3", "/dev/fd/4", "/dev/fd/5", "/dev/fd/6", "/proc/self/fd/3",
	} {
		if _, err := os.Stat(filepath.Dir(name)); err != nil {
			continue
		}
		n := name[len(name)-1:]
		dir := twoLinesIn(t)
		code, said := shell(t, dir, anonymizeTwoLines+"-o p.dat --audit "+name+" "+n+">aud")
		text, _ := os.ReadFile(filepath.Join(dir, "aud"))
		if code != 0 || !strings.Contains(string(text), `"custodian"`) {
			t.Errorf("%s: exit code %d: %s: the audit file holds %q", name, code, said, text)
		}
		code, said = shell(
			t, dir, anonymizeTwoLines+"-o "+name+" --output-format fimi "+n+">p | cat",
		)
		text, _ = os.ReadFile(filepath.Join(dir, "p"))
		if code != 0 || string(text) != "a b\na b\n" {
			t.Errorf("%s: exit code %d: %s: the release is %q", name, code, said, text)
		}
		code, said = shell(
			t, dir,
			"mingle verify km "+name+" --input-format fimi -H tree.csv -k 2 -m 1 "+n+"<p.dat",
		)
		if code != 0 || !strings.Contains(said, "HOLDS") {
			t.Errorf("%s: exit code %d: %s", name, code, said)
		}
	}
}

// A descriptor that the user did not open is refused, whatever the program has there.
func TestDescriptorsThatAreNotOpen(t *testing.T) {
	needDescriptors(t)
	for _, n := range []string{"3", "4", "5", "6", "7", "8", "9", "99"} {
		dir := twoLinesIn(t)
		os.Symlink("/dev/fd/"+n, filepath.Join(dir, "link"))
		for _, args := range []string{
			"--audit /dev/fd/" + n, "--report /proc/self/fd/" + n, "--audit link",
			"--report /proc/thread-self/fd/" + n,
		} {
			code, said := shell(
				t, dir, "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&-; "+anonymizeTwoLines+"-o p.dat "+args,
			)
			if code != codeInput || !strings.Contains(said, "is not open") {
				t.Errorf("%s: exit code %d: %s", args, code, said)
			}
			if hasEntry(dir, "p.dat") {
				t.Errorf("%s: something was written", args)
			}
		}
		code, said := shell(t, dir, "mingle verify km /dev/fd/"+n+" -H tree.csv -k 2 -m 1")
		if code != codeInput || !strings.Contains(said, "is not open") {
			t.Errorf("verify %s: exit code %d: %s", n, code, said)
		}
	}
}

// Names of standard output, and of a file that is it.
var namesOfStdout = []string{"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "out"}

// A file on standard output is alone there, whatever name it was given: what is told goes to
// standard error, and events are refused.
func TestNothingIsToldIntoAFileOnStandardOutput(t *testing.T) {
	needDescriptors(t)
	for _, name := range namesOfStdout {
		dir := twoLinesIn(t)
		anonymize := "mingle anonymize km t.dat -H tree.csv -k 2 -m 1 -o p.dat --force --report "
		code, said := shell(t, dir, anonymize+name+" 2>err >out")
		text, _ := os.ReadFile(filepath.Join(dir, "out"))
		told, _ := os.ReadFile(filepath.Join(dir, "err"))
		if code != 0 || !json.Valid(text) || !strings.Contains(string(told), "VERIFIED") {
			t.Errorf(
				"%s: exit code %d: %s: the report is %q, told was %q", name, code, said, text, told,
			)
		}
		code, said = shell(
			t, dir,
			"mingle hierarchy fanout t.dat --force -o "+name+" --format arx 2>err >out; cat out",
		)
		if code != 0 || said != "a;*\nb;*\n" {
			t.Errorf("fanout %s: exit code %d: %q", name, code, said)
		}
		code, _ = shell(t, dir, anonymize+name+" --json 2>err >out")
		if told, _ := os.ReadFile(
			filepath.Join(dir, "err"),
		); code != codeInput || !strings.Contains(string(told), "cannot carry both") {
			t.Errorf("%s with --json: exit code %d: %s", name, code, told)
		}
		code, _ = shell(t, dir, anonymize+name+" >out 2>&1")
		if told, _ := os.ReadFile(
			filepath.Join(dir, "out"),
		); code != codeInput || !strings.Contains(string(told), "are one file") {
			t.Errorf("%s with 2>&1: exit code %d: %s", name, code, told)
		}
		code, _ = shell(t, dir, anonymize+name+" --quiet >out 2>&1")
		if text, _ := os.ReadFile(filepath.Join(dir, "out")); code != 0 || !json.Valid(text) {
			t.Errorf("%s with --quiet: exit code %d: %s", name, code, text)
		}
	}
	for _, name := range []string{"/dev/stderr", "/dev/fd/2", "err"} {
		dir := twoLinesIn(t)
		code, _ := shell(t, dir, anonymizeTwoLines+"-o p.dat --force --audit "+name+" 2>err")
		if told, _ := os.ReadFile(
			filepath.Join(dir, "err"),
		); code != codeInput || !strings.Contains(string(told), "is standard error") {
			t.Errorf("%s: exit code %d: %s", name, code, told)
		}
	}
	for _, to := range []string{"/dev/null", "/dev/null 2>&1"} {
		dir := twoLinesIn(t)
		if code, said := shell(
			t, dir, anonymizeTwoLines+"-o /dev/null --output-format fimi >"+to,
		); code != 0 {
			t.Errorf("null device: exit code %d: %s", code, said)
		}
	}
}
