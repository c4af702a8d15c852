//go:build !windows

package publish

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
)

// Descriptor is the number of the descriptor of this process that a path names, such as /dev/fd/3,
// /dev/stdout, or a link to one; false: it names none. The descriptor need not be open.
func Descriptor(path string) (n int, named bool) {
	const most = 40 // links in a row, as most systems have it
	own := regexp.MustCompile(fmt.Sprintf(`^(/dev/fd|/proc/%d(/task/[0-9]+)?/fd)$`, os.Getpid()))
	for range most {
		dir, base := filepath.Split(path)
		real, _ := filepath.EvalSymlinks(dir) // nor has a link a target where this fails
		if own.MatchString(real) {
			n, _ := strconv.Atoi(base)
			return n, strconv.Itoa(n) == base
		}
		link, err := os.Readlink(path)
		if err != nil {
			return 0, false
		}
		if path = link; !filepath.IsAbs(link) {
			path = dir + link // not cleaned: ".." goes up from where a link leads
		}
	}
	return 0, false
}

// Inherited tells whether a descriptor is open, and was so when the process started: all that the
// process opens itself is closed on exec.
func Inherited(n int) bool {
	flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(n), syscall.F_GETFD, 0)
	return errno == 0 && flags&syscall.FD_CLOEXEC == 0
}

// duplicate is another descriptor for what a descriptor leads to, so that it can be closed.
func duplicate(n int) (*os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Dup(n)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "descriptor "+strconv.Itoa(n)), nil
}
