package pipeline

import (
	"path/filepath"
	"strings"
	"testing"

	"mingle/privacy"
)

// Lines of suppressed transactions can be left out only where transactions are suppressed, and a
// job without an output says that alone.
func TestJobsThatSayTooLittleAreRefused(t *testing.T) {
	dir := t.TempDir()
	job := Job{
		Family: KM{Hierarchy: put(t, dir, "h.csv", "a;*\nb;*\n"), Promise: privacy.KM{K: 2, M: 1}},
		Input:  put(t, dir, "in.dat", "a\na\nb\nb\n"),
	}
	if _, err := job.Run(t.Context()); err == nil || err.Error() != "no output is given" {
		t.Errorf("without an output: %v", err)
	}
	family := job.Family.(KM)
	family.Drop = true
	job.Family, job.Output = family, filepath.Join(dir, "out.dat")
	_, err := job.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no transactions are suppressed") {
		t.Errorf("lines left out without suppression: %v", err)
	}
}
