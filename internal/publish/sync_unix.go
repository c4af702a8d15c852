//go:build !windows

package publish

import (
	"errors"
	"os"
	"syscall"
)

// syncDirectory brings a rename to the disk. Some file systems cannot sync directories; that is no fault.
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
