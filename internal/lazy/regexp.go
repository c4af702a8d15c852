// Package lazy makes at its first use what takes time to make, so that a command that does not need
// it starts without.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp compiles an expression when it is first asked for. It panics then if there is a fault in
// it.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
