// Package toy is there to be changed.
package toy

import "errors"

// Least is the lesser of two numbers.
func Least(a, b int) int {
	if a < b {
		return a
	}
	return b
}

// Halves is how often a number can be halved.
func Halves(n int) (times int) {
	for n > 1 {
		n /= 2
		times++
	}
	return times
}

// First is the first of some numbers that is even and positive.
func First(numbers []int) (int, error) {
	for i := 0; i < len(numbers); i++ {
		n := numbers[i]
		if n%2 != 0 || n <= 0 {
			continue
		}
		return n, nil
	}
	return -1, errors.New("there is none")
}

// Sign is that of a number.
func Sign(n int) string {
	switch {
	case n < 0:
		return "-"
	case n > 0:
		return "+"
	}
	return ""
}

// Untested is true.
func Untested() bool { return true }
