// Package soak tells a test how much of an exhaustive enumeration to run: a quick share in make
// test, all of it in make soak.
package soak

import (
	"iter"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
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

// limitEach is how long the rounds of one test may take in a soak; 0: without end.
func limitEach() time.Duration {
	if each, err := time.ParseDuration(os.Getenv("MINGLE_SOAK_EACH")); err == nil {
		return each
	}
	return 30 * time.Second
}

// Rounds are the numbers from 0 to n-1, for a test that makes an input in each. A soak ends them
// after 30 seconds, or what the environment variable MINGLE_SOAK_EACH says, as 10m, with 0s for
// never, and says how many there were: so a soak takes as long on a slow machine as on a fast one.
// At least one round is made.
func Rounds(t testing.TB, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		t.Helper()
		limit, start := limitEach(), time.Now()
		for i := range n {
			if i > 0 && All() && limit > 0 && time.Since(start) > limit {
				t.Logf("%d of %d rounds in %v", i, n, limit)
				return
			}
			if !yield(i) {
				return
			}
		}
	}
}
