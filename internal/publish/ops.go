package publish

import (
	"mingle/internal/disk"
)

// putNew gives the file its name only where nothing has it, as far as the file system can tell. The
// file can have its name though there is an error: it has both names then.
func putNew(from, to string) (moved bool, err error) {
	err = disk.Link(from, to)
	switch {
	case err == nil:
		return true, disk.Remove(from)
	case linkless(err):
		err = disk.Rename(from, to)
	}
	return err == nil, err
}
