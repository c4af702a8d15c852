package publish

import (
	"errors"
	"io/fs"

	"mingle/internal/disk"
)

// linkless takes every failure to link, but that the name is taken, for a sign that there are no
// hard links: file systems differ in what they say here.
func linkless(err error) bool { return !errors.Is(err, fs.ErrExist) }

// syncDirectory does nothing: Windows cannot sync directories, and its file systems log renames.
func syncDirectory(string) error { return nil }

// ended closes a file: an open one could not be renamed.
func ended(f *disk.File) error { return f.Close() }

// chmod does nothing: there are no modes.
func chmod(*disk.File, fs.FileMode) error { return nil }

const nullInstead = false

func lockless(err error) bool { return errors.Is(err, errors.ErrUnsupported) }

// lock gives the lock to nobody, so that leftovers stay: files cannot be locked here with what Go
// has.
func lock(*disk.File) bool { return false }

func tryLock(*disk.File) error { return errors.ErrUnsupported }

// openLock opens nothing: there are no locks.
func openLock(string) (*disk.File, error) { return nil, errors.ErrUnsupported }

// openQuietly opens nothing: an open file could not be renamed here.
func openQuietly(string) *disk.File { return nil }

// sameGroup is for systems whose files have a group.
func sameGroup(*disk.File, fs.FileInfo) bool { return true }
