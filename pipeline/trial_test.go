package pipeline

import (
	"context"
	"errors"
	"testing"

	"mingle/anonymize/continuous"
	"mingle/dataset/bag"
	"mingle/hierarchy"
	"mingle/privacy"
)

// The building of ranges ends with the trial that they are for.
func TestTrialEndsWhileRangesAreBuilt(t *testing.T) {
	data, err := bag.FromFields(bag.Numbers(), [][]string{{"1", "2"}, {"3", "700"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped")
	cancel(stop)
	task := Continuous{
		Promise: privacy.Continuous{K: 2, M: 1}, Algorithm: continuous.AA,
		Ranges: hierarchy.RangeOptions{Width: "1", Fanout: 2},
	}.begin(&env{files: &Files{}})
	if err := use(ctx, task, Source{Bags: data}); !errors.Is(err, stop) {
		t.Error(err)
	}
}
