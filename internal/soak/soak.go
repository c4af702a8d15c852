// Package soak tells a test how much of an exhaustive enumeration to run: a quick share in make
// test, all of it in make soak.
package soak

import "os"

// All tells whether this is make soak: the environment variable MINGLE_SOAK is set.
func All() bool { return os.Getenv("MINGLE_SOAK") != "" }

// Share is all in make soak, and the quick share of it otherwise.
func Share(quick, all int) int {
	if All() {
		return all
	}
	return quick
}
