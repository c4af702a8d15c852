package pipeline

import (
	"context"
	"fmt"
	"time"

	"mingle/anonymize"
	"mingle/release"
)

// inTime ends an algorithm that has no release before its end when a time is over. It is not for
// those that end with the best so far (see anonymize.Budget).
type inTime struct {
	anonymize.Algorithm
	limit time.Duration
}

// Anonymize implements anonymize.Algorithm.
func (a inTime) Anonymize(
	ctx context.Context, in anonymize.Input,
) (*release.Generalized, error) {
	within, cancel := anonymize.Limited(ctx, a.limit)
	defer cancel()
	g, err := a.Algorithm.Anonymize(within, in)
	if err != nil && ctx.Err() == nil && within.Err() != nil {
		return nil, fmt.Errorf("%w: %s had no release after %v. Give more by --time-limit, or choose "+
			"%s, which publish the best they have by then", anonymize.ErrTooLate, a.Name(), a.limit,
			choices(in.Promise, func(t anonymize.Traits) bool { return t.KeepsBest }))
	}
	return g, err
}

// Traits implements anonymize.Algorithm: its forms end in time, too.
func (a inTime) Traits() anonymize.Traits {
	t := a.Algorithm.Traits()
	if parted := t.InParts; parted != nil {
		t.InParts = func(parts int) anonymize.Algorithm { return inTime{parted(parts), a.limit} }
	}
	if form := t.Lean; form != nil {
		t.Lean = func(in anonymize.Input) (lean anonymize.Algorithm, least int64) {
			if lean, least = form(in); lean != nil {
				lean = inTime{lean, a.limit}
			}
			return lean, least
		}
	}
	return t
}
