//go:build !windows

package main

import "syscall"

// machineErrors are what the system says where the machine refuses, and not what was asked for.
var machineErrors = []error{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EPIPE, syscall.EMFILE,
	syscall.ENFILE, syscall.ENOMEM, syscall.EFBIG,
}

// goneErrors are what the system says where nobody reads any more.
var goneErrors = []error{syscall.EPIPE}
