package publish

import "syscall"

// hasList tells whether a file has an access control list. Its mode then shows what the list allows
// at most, not what its group may do.
func hasList(path string) bool {
	_, err := syscall.Getxattr(path, "system.posix_acl_access", nil)
	return err == nil
}
