package main

import "syscall"

// machineErrors are what the system says where the machine refuses, and not what was asked for.
var machineErrors = []error{
	syscall.Errno(4),    // ERROR_TOO_MANY_OPEN_FILES
	syscall.Errno(8),    // ERROR_NOT_ENOUGH_MEMORY
	syscall.Errno(23),   // ERROR_CRC
	syscall.Errno(29),   // ERROR_WRITE_FAULT
	syscall.Errno(30),   // ERROR_READ_FAULT
	syscall.Errno(39),   // ERROR_HANDLE_DISK_FULL
	syscall.Errno(109),  // ERROR_BROKEN_PIPE
	syscall.Errno(112),  // ERROR_DISK_FULL
	syscall.Errno(232),  // ERROR_NO_DATA: nobody reads the pipe
	syscall.Errno(1117), // ERROR_IO_DEVICE
}

// goneErrors are what the system says where nobody reads any more.
var goneErrors = []error{syscall.Errno(109), syscall.Errno(232)}
