package bag

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
)

// A read that fails once is told of, also where the text is only looked at.
func TestAReadThatFailsOnce(t *testing.T) {
	text := strings.Repeat("1,2.5\n2,7\n", 20)
	for _, whole := range []bool{false, true} {
		var failing io.Reader = io.MultiReader(
			strings.NewReader(text), &once{err: syscall.EIO}, strings.NewReader(text),
		)
		if !whole {
			failing = iotest.OneByteReader(failing)
		}
		if _, err := Read(t.Context(), failing, &Layout{}); err == nil ||
			!strings.Contains(err.Error(), syscall.EIO.Error()) {
			t.Errorf("whole %v: %v", whole, err)
		}
	}
}

// A file is not read on after the end of the context.
func TestReadIsCancellable(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	text := strings.NewReader(strings.Repeat("1,2.5\n2,7\n", 20))
	if _, err := Read(ended, text, &Layout{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

// once fails the first time it is read.
type once struct{ err error }

func (o *once) Read([]byte) (int, error) {
	err := o.err
	if o.err = io.EOF; err == io.EOF {
		return 0, io.EOF
	}
	return 0, err
}
