//go:build unix

package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
)

// serverProcess is a server in a process of its own, so that it can be killed.
type serverProcess struct {
	cmd     *exec.Cmd
	address string
}

func startServer(t *testing.T, rooms string) *serverProcess {
	t.Helper()
	cmd := exec.Command("mingle", "serve", "--json")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with the process that it starts
	cmd.Env = append(os.Environ(), "TMPDIR="+rooms)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &serverProcess{cmd: cmd}
	t.Cleanup(s.kill)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		at := regexp.MustCompile(`http://[^"]+`).FindString(lines.Text())
		if at != "" {
			s.address = at
			return s
		}
	}
	t.Fatal("the server shows no address", lines.Err())
	return nil
}

// kill ends all of it at once.
func (s *serverProcess) kill() {
	syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	s.cmd.Wait()
}

func init() { serveTests["killed"] = serveKilled }

// A server that is killed while somebody works: the page says that it is gone, the next server
// removes what the dead one was given, and whoever is told its address can go on there.
func serveKilled(t *testing.T, browser context.Context) {
	rooms := t.TempDir()
	left := func() int {
		found, err := filepath.Glob(filepath.Join(rooms, "mingle-serve-*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	first := startServer(t, rooms)
	s := &served{openedPage: s0(t, browser), t: t}
	s.do(t, chromedp.Navigate(first.address))
	s.follows(`form[action$="example"] button`, "understood")
	s.waits(`!document.querySelector("[aria-busy]")`)
	const typed = `document.querySelector("[data-keep]").dispatchEvent(new Event("input", {bubbles: true}))`
	s.says(typed)
	first.kill()
	s.waits(`!document.getElementById("lost").hidden`)
	s.says(`document.querySelector("[data-keep]").requestSubmit()`)
	const asks = `!dispatchEvent(new Event("beforeunload", {cancelable: true}))`
	if s.says(asks) != "true" {
		t.Error("a form that was held back forgets that it has what is not kept")
	}
	s.says(`document.querySelector("[data-keep]").dispatchEvent(new Event("submit"))`) // it may go now
	if s.says(asks) != "false" {
		t.Error("a form that was sent is asked for")
	}
	if left() != 1 {
		t.Fatalf("%d rooms are left", left())
	}
	second := startServer(t, rooms)
	if left() != 1 {
		t.Errorf("%d rooms are there, want that of the new server alone", left())
	}
	s.do(t, chromedp.Navigate("about:blank"), chromedp.Navigate(second.address))
	s.follows(`form[action$="example"] button`, "understood")
}
