//go:build !windows

package publish

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// syncDirectory brings a rename to the disk. Some file systems cannot sync directories; that is no
// fault.
func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// lock takes the lock of an open file, which lasts until it is closed or the process ends; it tells
// whether nobody else has it. A file system without locks gives it to nobody.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// openQuietly opens a file to lock it: no link is followed, no pipe is waited for.
func openQuietly(path string) *os.File {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	return f
}

// sameGroup gives f the group of the former file where that is allowed, and tells whether it has
// it.
func sameGroup(f *os.File, former fs.FileInfo) bool {
	then, ok := former.Sys().(*syscall.Stat_t)
	info, err := f.Stat()
	if !ok || err != nil {
		return false
	}
	now, ok := info.Sys().(*syscall.Stat_t)
	return ok && (now.Gid == then.Gid || f.Chown(-1, int(then.Gid)) == nil)
}
