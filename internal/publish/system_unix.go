//go:build !windows

package publish

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"mingle/internal/disk"
)

// linkless tells whether a link failed because the file system has no hard links, or not of such a
// file.
func linkless(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EPERM) ||
		errors.Is(err, syscall.EMLINK)
}

// syncDirectory brings a rename to the disk. Some file systems cannot sync directories; that is no
// fault.
func syncDirectory(dir string) error {
	d, err := disk.Open(dir)
	if errors.Is(err, fs.ErrPermission) { // one may write into what one may not list
		return nil
	}
	if err != nil {
		return err
	}
	err = disk.Do("sync directory", dir, d.File.Sync)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// ended ends the writing of a file. It stays open until it is in place: an open file is locked,
// and so not taken for a leftover.
func ended(*disk.File) error { return nil }

// chmod gives a file its mode.
func chmod(f *disk.File, mode fs.FileMode) error { return f.Chmod(mode) }

// nullInstead tells whether the null device may stand where a standard stream was closed.
const nullInstead = true

// lock takes the lock of an open file, which lasts until it is closed or the process ends; it tells
// whether nobody else has it. A file system without locks gives it to nobody.
func lock(f *disk.File) bool { return tryLock(f) == nil }

// tryLock is lock with the reason why there is no lock: errBusy where somebody has it.
func tryLock(f *disk.File) error {
	return disk.Do("lock", f.Name(), func() error {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return errBusy
		}
		return err
	})
}

// lockless tells whether a lock failed because the file system has none.
func lockless(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK)
}

// openLock opens the file of a lock, and makes it where it is not there. It is empty, and whoever
// may write in its directory may lock it.
func openLock(path string) (*disk.File, error) {
	return disk.OpenFile(path, os.O_RDONLY|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o644)
}

// openQuietly opens a file to lock it: no link is followed, no pipe is waited for.
func openQuietly(path string) *disk.File {
	f, _ := disk.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	return f
}

// sameGroup gives f the group of the former file where that is allowed, and tells whether it has
// it.
func sameGroup(f *disk.File, former fs.FileInfo) bool {
	then, ok := former.Sys().(*syscall.Stat_t)
	info, err := f.Stat()
	if !ok || err != nil {
		return false
	}
	now, ok := info.Sys().(*syscall.Stat_t)
	return ok && (now.Gid == then.Gid || f.Chown(-1, int(then.Gid)) == nil)
}
