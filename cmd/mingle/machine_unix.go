//go:build !windows

package main

import "syscall"

// machineErrors are what the system says where the machine refuses, and not what was asked for.
var machineErrors = []error{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EPIPE, syscall.EROFS, syscall.EMFILE,
	syscall.ENFILE, syscall.ENOMEM, syscall.EFBIG,
}
