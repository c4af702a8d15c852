package pipeline

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"mingle/dataset/rows"
)

// lossy is a database of which the connection is lost when what was written is read back: at once,
// or after half of it.
type lossy struct {
	rows.Opener
	rows.Table
	written bytes.Buffer
	later   bool
}

var errLost = errors.New("db/shop: the connection was lost")

func (l *lossy) Check(context.Context, rows.Location, rows.Options) error { return nil }

func (l *lossy) Create(context.Context, rows.Location, rows.Options) (rows.Table, error) {
	return l, nil
}

func (l *lossy) Write(p []byte) (int, error) { return l.written.Write(p) }
func (l *lossy) Finish() error               { return nil }
func (l *lossy) Abort()                      {}

func (l *lossy) Back(context.Context) (io.ReadCloser, error) {
	if !l.later {
		return nil, errLost
	}
	half := bytes.NewReader(l.written.Bytes()[:l.written.Len()/2])
	return io.NopCloser(io.MultiReader(half, gone{})), nil
}

type gone struct{}

func (gone) Read([]byte) (int, error) { return 0, errLost }

// A connection that is lost while the release is read back is no fault of the program.
func TestALostConnectionIsNoInternalFault(t *testing.T) {
	for _, later := range []bool{false, true} {
		job, _ := exampleJob(t)
		job.Output = "postgres://db/shop#sales"
		job.Databases = &lossy{later: later}
		_, err := job.Run(t.Context())
		_, internal := errors.AsType[*InternalError](err)
		if internal || !errors.Is(err, errLost) ||
			!strings.Contains(err.Error(), "read back") {
			t.Errorf("later %v: %v", later, err)
		}
	}
}
