//go:build unix

package main

import (
	"runtime"
	"syscall"
)

// peak is the largest memory the process has had, in MB.
func peak() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" { // there it is bytes
		return int64(u.Maxrss) >> 20
	}
	return int64(u.Maxrss) >> 10
}
