//go:build !windows

package main

import (
	"os/signal"
	"syscall"
)

// A limit on the size of files and a reader that went away are to be errors of writing, not the end
// of the program: it has to clean up.
func init() { signal.Ignore(syscall.SIGXFSZ, syscall.SIGPIPE) }
