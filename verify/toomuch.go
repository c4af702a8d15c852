package verify

import (
	"fmt"

	"mingle/privacy"
)

// TooMuch says that a release cannot be judged, as there is too much to look at. It does not say
// that the promise is broken.
type TooMuch struct{ Reason string }

func (e *TooMuch) Error() string { return e.Reason }

// Is tells that it is a [privacy.ErrTooMuch].
func (*TooMuch) Is(kind error) bool { return kind == privacy.ErrTooMuch }

func tooMuch(format string, args ...any) error { return &TooMuch{fmt.Sprintf(format, args...)} }
