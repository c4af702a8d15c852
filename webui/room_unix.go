//go:build !windows

package webui

import (
	"os"
	"syscall"
)

// hold locks a file until it is closed, or its process ends; the error is that another holds it.
func hold(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// mine tells whether a directory is this user's own, and no link to another.
func mine(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	return known && int(owner.Uid) == os.Getuid()
}

// abandoned tells whether nobody holds a lock; then it is held until it is released. One that is
// not there is of a room that is just being made.
func abandoned(lock string) (release func(), dead bool) {
	f, err := os.OpenFile(lock, os.O_RDWR, 0)
	if err != nil {
		return nil, false
	}
	if hold(f) != nil {
		f.Close()
		return nil, false
	}
	return func() { f.Close() }, true
}
