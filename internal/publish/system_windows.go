package publish

import (
	"io/fs"
	"os"
)

// syncDirectory does nothing: Windows cannot sync directories, and its file systems log renames.
func syncDirectory(string) error { return nil }

// lock gives the lock to nobody, so that leftovers stay: files cannot be locked here with what Go
// has.
func lock(*os.File) bool { return false }

// openQuietly opens nothing: an open file could not be renamed here.
func openQuietly(string) *os.File { return nil }

// sameGroup is for systems whose files have a group.
func sameGroup(*os.File, fs.FileInfo) bool { return true }
