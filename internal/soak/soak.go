// Package soak tells a test how much of an exhaustive enumeration to run: a quick share in make
// test, all of it in make soak.
package soak

import (
	"math/rand/v2"
	"os"
	"strconv"
)

// All tells whether this is make soak: the environment variable MINGLE_SOAK is set.
func All() bool { return os.Getenv("MINGLE_SOAK") != "" }

// Share is all in make soak, and the quick share of it otherwise.
func Share(quick, all int) int {
	if All() {
		return all
	}
	return quick
}

// Turn is the number that MINGLE_SOAK is, or 0. A test whose whole enumeration would take longer
// than a soak may takes every n-th case from there on, so that n soaks with the numbers 1 to n take
// all.
func Turn() int {
	n, _ := strconv.Atoi(os.Getenv("MINGLE_SOAK"))
	return max(n, 0)
}

// Rand is the random numbers of a test that makes its inputs by them: the same in each run with the
// same Turn, others in another, so that n soaks with the numbers 1 to n try n times as many.
func Rand(seed, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, stream+uint64(Turn())<<32))
}
