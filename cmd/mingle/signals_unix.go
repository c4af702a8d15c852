//go:build !windows

package main

import (
	"os/signal"
	"syscall"
)

// A limit on the size of files is to be an error of writing, not the end of the program.
func init() { signal.Ignore(syscall.SIGXFSZ) }
