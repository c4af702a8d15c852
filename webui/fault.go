package webui

import (
	"fmt"
	"runtime/debug"
)

// guarded makes a fault of the program the error of what was asked for: the server goes on, with
// all that else is open.
func guarded(f func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("internal fault: %v. Nothing was published\n%s", fault, debug.Stack())
		}
	}()
	return f()
}
