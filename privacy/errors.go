package privacy

import (
	"errors"
	"fmt"
)

// Why there is no release, or no verdict on one: kinds of errors, to be asked for by [errors.Is],
// whichever package met them. The types that are of a kind have the details.
var (
	// ErrInfeasible is that no release of the data keeps the promise: an *[Infeasible].
	ErrInfeasible = errors.New("no release of this data keeps the promise")
	// ErrBroken is that a release was made that does not keep the promise, and was not published.
	ErrBroken = errors.New("the release does not keep the promise")
	// ErrTooMuch is that more would have to be looked at than can be.
	ErrTooMuch = errors.New("there is too much to look at")
	// ErrMemory is that more memory would be needed than may be held.
	ErrMemory = errors.New("more memory would be needed than may be held")
	// ErrFault is a fault of the program, or of machines that worked for it, not of what it was
	// given.
	ErrFault = errors.New("a fault of the program")
)

// Infeasible reports that no release of this data keeps the promise with these parameters, and why.
type Infeasible struct{ Reason string }

func (e *Infeasible) Error() string { return e.Reason }

// Is tells that it is an [ErrInfeasible].
func (*Infeasible) Is(kind error) bool { return kind == ErrInfeasible }

// Infeasiblef makes an Infeasible error.
func Infeasiblef(format string, args ...any) error {
	return &Infeasible{fmt.Sprintf(format, args...)}
}
