//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak is how many bytes a process, or one that it started, held at most.
func peak(s *os.ProcessState) float64 {
	usage, ok := s.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin":
		return float64(usage.Maxrss)
	}
	return float64(usage.Maxrss) * 1024
}
