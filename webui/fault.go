package webui

import (
	"fmt"
	"net/http"
	"runtime/debug"
)

// guarded makes a fault of the program the error of what was asked for: the server goes on, with
// all that else is open.
func guarded(f func() error) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("internal fault: %v. Nothing was published\n%s", broken, debug.Stack())
			err = &fault{http.StatusInternalServerError, err}
		}
	}()
	return f()
}
