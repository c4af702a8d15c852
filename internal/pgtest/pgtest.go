// Package pgtest runs a private PostgreSQL server for a test.
package pgtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Server is a server that ends with its test.
type Server struct {
	// URL is the address of its database; its user may do everything.
	URL string
	// Dir is the folder of its socket; the rules of who may log in are in data/pg_hba.conf.
	Dir string
	cmd *exec.Cmd
}

// Start starts a server of tools/postgres.sh. The test is skipped where there is none.
func Start(t testing.TB) *Server {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("tools/postgres.sh is a POSIX shell script")
	}
	script := script(t)
	if _, err := exec.Command("sh", script, "find").Output(); err != nil {
		t.Skip("there is no PostgreSQL server here: tools/postgres.sh installs one")
	}
	dir, err := os.MkdirTemp("/tmp", "mingle-pg-") // the name of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &Server{URL: "postgres://mingle@/postgres?host=" + dir, Dir: dir}
	var log strings.Builder
	s.cmd = exec.Command("sh", script, "run", dir)
	s.cmd.Stdout, s.cmd.Stderr = &log, &log
	s.cmd.WaitDelay = time.Second
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	t.Cleanup(func() {
		s.cmd.Process.Signal(syscall.SIGQUIT) // at once: nothing is kept
		<-ended
	})
	socket := filepath.Join(dir, ".s.PGSQL.5432")
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if answers(socket) {
			return s
		}
		select {
		case err := <-ended:
			ended <- err
			t.Skipf("the server does not start here: %v\n%s", err, &log)
		default:
		}
		if time.Now().After(deadline) {
			t.Skipf("the server did not start in time\n%s", &log)
		}
	}
}

// Reload lets the server read its configuration again.
func (s *Server) Reload() error { return s.cmd.Process.Signal(syscall.SIGHUP) }

// script is tools/postgres.sh.
func script(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		path := filepath.Join(dir, "tools", "postgres.sh")
		if _, err := os.Stat(path); err == nil {
			return path
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("tools/postgres.sh is not found")
	return ""
}
