package spark

import (
	"strings"
	"testing"

	"mingle/cluster/engine"
)

// Lines are written as they are: no setting of Hadoop has them compressed.
func TestLinesAreNotCompressed(t *testing.T) {
	for _, job := range []engine.Job{
		{Output: "/x"}, {Output: "/x", Sorted: true}, {Output: "/x", Placed: true},
	} {
		text := statement{job: job, views: []string{"v"}, worker: "mingle", plan: "plan"}.text("row")
		if !strings.Contains(text, "USING text OPTIONS (compression 'none') SELECT") {
			t.Errorf("%+v: %s", job, text)
		}
	}
}
