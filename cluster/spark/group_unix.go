//go:build !windows

package spark

import (
	"os/exec"
	"syscall"
	"time"
)

// ownGroup gives a command a group of its own, which ends as a whole: a shell starts Spark.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
}
