// Package par runs independent pieces of work on a bounded number of goroutines.
package par

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
)

// most is how many goroutines there are at most: each has working space.
const most = 1024

// CheckWorkers refuses a number of workers that cannot be meant; 0 takes the default.
func CheckWorkers(asked int) error {
	if asked < 0 {
		return fmt.Errorf("the number of workers (%d) must not be negative", asked)
	}
	return nil
}

// Workers is how many goroutines are meant: as many as are asked for, up to 1024, or one a
// processor where that is 0 or less.
func Workers(asked int) int {
	if asked > 0 {
		return min(asked, most)
	}
	return runtime.GOMAXPROCS(0)
}

// Each calls f(ctx, i) for every i below n, on at most workers goroutines, and waits for all that
// were started. It returns the error of the smallest i that failed, so the result does not depend
// on timing; after a failure no further piece is started. Results belong into slots of their own,
// by i. A panic of f is one of Each.
func Each(ctx context.Context, workers, n int, f func(ctx context.Context, i int) error) error {
	return EachIn(ctx, workers, n, func(int) struct{} { return struct{}{} },
		func(ctx context.Context, _ struct{}, i int) error { return f(ctx, i) })
}

// EachIn is Each with working space: that of goroutine w, from 0 on, is made by space before its
// first piece.
func EachIn[S any](
	ctx context.Context, workers, n int, space func(w int) S,
	f func(ctx context.Context, own S, i int) error,
) error {
	workers = max(1, min(workers, n))
	errs := make([]error, n)
	var next atomic.Int64
	var failed atomic.Bool
	var group Group
	for w := range workers {
		group.Go(func() {
			var own S
			has := false
			for !failed.Load() && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				piece := func() {
					if !has {
						own, has = space(w), true
					}
					errs[i] = f(ctx, own, i)
				}
				if !group.Try(piece) || errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}
