//go:build unix

package dataset

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The header of a pipe would be gone for who reads it then; looking at it would wait for a writer
// that has written already.
func TestFormatOfAPipeIsAsked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.csv")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no named pipe here: ", err)
	}
	_, _, err := FormatOf(path)
	if err == nil || !strings.Contains(err.Error(), "read only once") {
		t.Errorf("the format of a pipe: %v", err)
	}
	if f := (Options{Format: Fimi}).Beside(path); f != Basket {
		t.Errorf("a pipe beside fimi is read as %s", f)
	}
}
