package anonymize

import (
	"context"
	"errors"
	"time"
)

// Budget is how long an algorithm that soon has some release searches for a better one. The bound
// on its memory is the input's (see [Input.Memory]), for algorithms without a search have one, too.
type Budget struct {
	// Effort multiplies the counted work of a search that has no end of its own: with 1 the time of
	// a few passes over the data. 0 means 1, and more than a million that. The result depends on
	// nothing else than the input.
	Effort int
	// TimeLimit, if positive, ends the search. The result depends on the speed of the machine then.
	TimeLimit time.Duration
	// KeepBest makes the end of the context an end like that of the time limit, not an error.
	KeepBest bool
}

// mostEffort keeps counted work within its numbers, whatever is asked for.
const mostEffort = 1_000_000

// Times is what the effort multiplies work by: at least 1, and a million at most.
func (b Budget) Times() int { return min(max(1, b.Effort), mostEffort) }

// ErrTooLate is the error of an algorithm that had no release in time.
var ErrTooLate = errors.New("too late")

// errTime is why a search with a time limit ended.
var errTime = errors.New("the time limit was reached")

// Within is ctx, ended by the time limit too.
func (b Budget) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	return Limited(ctx, b.TimeLimit)
}

// Limited ends a context after a time, if that is positive.
func Limited(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, errTime)
}

// Fault is the error of a search that met an error; nil if it may end with the best so far. The
// context is what it was called with.
func (b Budget) Fault(ctx context.Context, met error) error {
	switch {
	case met != nil && ctx.Err() != nil && !b.KeepBest:
		return context.Cause(ctx) // also when the time limit was reached first
	case ctx.Err() != nil || errors.Is(met, errTime):
		return nil
	default:
		return met
	}
}
