//go:build !linux

package publish

// hasList tells whether a file has an access control list, which is known on Linux only.
func hasList(string) bool { return false }
