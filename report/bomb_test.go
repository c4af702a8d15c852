package report

import (
	"io"
	"strings"
	"testing"

	"mingle/internal/memtest"
)

// TestReportBombs: a report is read up to a stated size and number of objects.
func TestReportBombs(t *testing.T) {
	for want, text := range map[string]io.Reader{
		"larger than 64 MiB": io.MultiReader(strings.NewReader(`{"schema":"`),
			strings.NewReader(strings.Repeat("x", 80<<20))),
		"more than 4194304 objects": strings.NewReader(`{"schema":"mingle.report/1","inputs":[` +
			strings.Repeat("{},", 5<<20) + "{}]}"),
	} {
		var err error
		memtest.Within(t, 512<<20, func() { _, err = Read(text) })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %.300v, want one with %q", err, want)
		}
	}
}
