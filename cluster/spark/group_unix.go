//go:build !windows

package spark

import (
	"os/exec"
	"syscall"
	"time"
)

// patience is how long Spark has to remove its files when it is asked to end, before it is killed.
const patience = 10 * time.Second

// ownGroup gives a command a group of its own, which ends as a whole: a shell starts Spark. It is
// asked to end first, for Spark removes its files then; what is not gone after some time, or when
// hurry is closed, is killed. over is to be called when the command has ended: its number may be
// another group's afterwards.
func ownGroup(cmd *exec.Cmd, hurry <-chan struct{}) (over func()) {
	gone := make(chan struct{})
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		group := -cmd.Process.Pid
		go func() {
			select {
			case <-gone:
			case <-time.After(patience):
				syscall.Kill(group, syscall.SIGKILL)
			case <-hurry:
				syscall.Kill(group, syscall.SIGKILL)
			}
		}()
		return syscall.Kill(group, syscall.SIGTERM)
	}
	cmd.WaitDelay = 2 * patience
	return func() { close(gone) }
}
