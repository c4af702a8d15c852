package publish

import (
	"errors"
	"io/fs"
	"os"
)

// operations are all changes that the package makes to a file system. Tests end the process before
// one of them, or let it fail.
type operations struct{ before func(operation string) error }

var ops = operations{func(string) error { return nil }}

func (o *operations) create(name string, mode fs.FileMode) (*os.File, error) {
	if err := o.before("create"); err != nil {
		return nil, err
	}
	return os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, mode)
}

func (o *operations) sync(f *os.File) error {
	if err := o.before("sync"); err != nil {
		return err
	}
	return f.Sync()
}

func (o *operations) syncDirectory(dir string) error {
	if err := o.before("sync directory"); err != nil {
		return err
	}
	return syncDirectory(dir)
}

func (o *operations) link(from, to string) error {
	if err := o.before("link"); err != nil {
		return err
	}
	return os.Link(from, to)
}

func (o *operations) rename(from, to string) error {
	if err := o.before("rename"); err != nil {
		return err
	}
	return os.Rename(from, to)
}

func (o *operations) remove(name string) error {
	if err := o.before("remove"); err != nil {
		return err
	}
	return os.Remove(name)
}

func (o *operations) chmod(f *os.File, mode fs.FileMode) error {
	if err := o.before("chmod"); err != nil {
		return err
	}
	return f.Chmod(mode)
}

// putNew gives the file its name only where nothing has it, as far as the file system can tell.
func (o *operations) putNew(from, to string) (moved bool, err error) {
	err = o.link(from, to)
	if errors.Is(err, fs.ErrExist) {
		return false, err
	}
	if err != nil { // no hard links here
		err = o.rename(from, to)
		return err == nil, err
	}
	o.remove(from)
	return true, nil
}
