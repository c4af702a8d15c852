package dataset

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"mingle/dataset/column"
)

// What a file of columns was spooled to is closed when the reading ends, and leaves nothing.
func TestSpoolIsClosed(t *testing.T) {
	var held *spool
	before := kinds
	t.Cleanup(func() { kinds = before })
	broken := errors.New("nothing of it can be read")
	kinds = append(slices.Clone(kinds), kind{
		format: "toy", open: func(in *input) (column.Source, error) {
			in.spool = &spool{}
			held = in.spool
			if err := in.spool.open(); err != nil {
				t.Fatal(err)
			}
			return nil, broken
		},
	})
	_, err := Read(t.Context(), strings.NewReader("x"), Options{Format: "toy"})
	if !errors.Is(err, broken) {
		t.Fatal(err)
	}
	if _, err := held.file.Write([]byte("x")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("the temporary file is still open: %v", err)
	}
}
