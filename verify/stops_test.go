package verify

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ending is a context that ends when it has been asked a number of times whether it has.
type ending struct {
	context.Context
	end  context.CancelCauseFunc
	left atomic.Int64
	why  error
}

func endingAfter(parent context.Context, asked int64) *ending {
	e := &ending{why: errors.New("enough")}
	e.Context, e.end = context.WithCancelCause(parent)
	e.left.Store(asked)
	return e
}

func (e *ending) Err() error {
	if e.left.Add(-1) < 0 {
		e.end(e.why)
	}
	return e.Context.Err()
}

// A check that is ended at any moment says so and nothing else, or has found all there is: never a
// part. All examples are ended whenever they ask.
func TestFindingsAreWholeOrNone(t *testing.T) {
	for family, find := range finders {
		for _, e := range readExamples(t, filepath.Join("testdata", "findings", family+".txt")) {
			whole, err := find(t.Context(), t, e)
			if err != nil {
				continue
			}
			ended := 0
			for asked := int64(0); ; asked++ {
				ctx := endingAfter(t.Context(), asked)
				f, err := find(ctx, t, e)
				if err == nil && !cmp.Equal(f, whole) || err != nil && f != nil ||
					err != nil && !errors.Is(err, ctx.why) {
					t.Fatalf("%s, asked %d times: %v\n%s", e.name, asked, err,
						cmp.Diff(spelled(whole, nil), spelled(f, err)))
				}
				if err != nil {
					ended++
				}
				if ctx.left.Load() >= 0 {
					break // it was never asked again
				}
			}
			if ended == 0 && family != "nonreciprocal" && len(e.parts["published"]) > 0 {
				t.Errorf("%s: it never asks", e.name)
			}
		}
	}
}

// The pool runs each task once, by as many workers as it is asked for at most, tells how far it is
// at least once and at the end, and stops where the context ends.
func TestPool(t *testing.T) {
	for _, workers := range []int{-1, 0, 1, 3} {
		for _, n := range []int{0, 1, 99, 250} {
			var told []string
			runs := make([]atomic.Int32, n)
			p := newPool(workers, func(stage string, done, total int64) {
				told = append(told, fmt.Sprintf("%s %d %d", stage, done, total))
			})
			if p.workers < 1 || workers > 0 && p.workers != workers {
				t.Errorf("%d workers for %d", p.workers, workers)
			}
			err := p.run(t.Context(), "work", n, func(worker, i int) {
				if worker < 0 || worker >= p.workers {
					t.Errorf("worker %d of %d", worker, p.workers)
				}
				runs[i].Add(1)
			})
			for i := range runs {
				if runs[i].Load() != 1 {
					t.Errorf("task %d of %d ran %d times", i, n, runs[i].Load())
				}
			}
			if err != nil {
				t.Error(err)
			}
			if n == 0 && told != nil || n > 0 && !slices.Contains(told, fmt.Sprintf("work %d %d", n, n)) {
				t.Errorf("%d tasks: told %q", n, told)
			}
			if n == 250 && len(told) != 125 { // each second one
				t.Errorf("told %d times", len(told))
			}
		}
	}
	ctx := endingAfter(t.Context(), 3)
	ran := 0
	err := newPool(1, nil).run(ctx, "work", 100, func(int, int) { ran++ })
	if !errors.Is(err, ctx.why) || ran != 3 {
		t.Errorf("%v after %d tasks", err, ran)
	}
}
