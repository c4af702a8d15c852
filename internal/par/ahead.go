package par

import (
	"context"
	"sync/atomic"
)

// Ahead calls f for every i below n, on at most workers goroutines, and use, on this one, with all
// that f emits: with that of a smaller i first, and with that of one i in the order in which it was
// emitted. So what use does depends neither on timing nor on the workers. Few pieces are begun
// ahead of the one in use, and of each little is kept: f waits in emit. With one worker nothing is
// kept, and everything is done on this goroutine.
//
// It ends at the first error of use, and returns it, or the cause of ctx's end; f is to look at its
// context. Working space is that of [EachIn]. A panic of f is one of Ahead.
func Ahead[S, T any](
	ctx context.Context, workers, n int, space func(w int) S,
	f func(ctx context.Context, own S, i int, emit func(T)), use func(i int, t T) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if workers = min(workers, n); workers <= 1 {
		inTurn(ctx, cancel, n, space, f, use)
		return context.Cause(ctx)
	}
	pieces := make([]chan T, n)
	for i := range pieces {
		pieces[i] = make(chan T, keptAhead)
	}
	begun := make(chan struct{}, 2*workers) // pieces that are not used up
	var next atomic.Int64
	var group Group
	for w := range workers {
		group.Go(func() {
			var own S
			finished := group.Try(func() { own = space(w) })
			for finished && ctx.Err() == nil {
				select { // before a number is taken: so the one in use is always begun
				case begun <- struct{}{}:
				case <-ctx.Done():
					return
				}
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				finished = group.Try(func() {
					f(ctx, own, i, func(t T) {
						select {
						case pieces[i] <- t:
						case <-ctx.Done():
						}
					})
				})
				close(pieces[i])
			}
			if !finished {
				cancel(nil)
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		if err := drain(ctx, pieces[i], func(t T) error { return use(i, t) }); err != nil {
			cancel(err)
		}
		if ctx.Err() == nil {
			<-begun
		}
	}
	cause := context.Cause(ctx)
	cancel(nil) // those that wait to begin
	group.Wait()
	return cause
}

// keptAhead is how much of a piece is kept until it is used.
const keptAhead = 4

// drain uses all of a piece.
func drain[T any](ctx context.Context, piece <-chan T, use func(T) error) error {
	for {
		select {
		case t, more := <-piece:
			if !more {
				return nil
			}
			if err := use(t); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// inTurn is Ahead on this goroutine.
func inTurn[S, T any](
	ctx context.Context, cancel context.CancelCauseFunc, n int, space func(w int) S,
	f func(ctx context.Context, own S, i int, emit func(T)), use func(i int, t T) error,
) {
	if n == 0 {
		return
	}
	own := space(0)
	for i := 0; i < n && ctx.Err() == nil; i++ {
		f(ctx, own, i, func(t T) {
			if ctx.Err() != nil {
				return
			}
			if err := use(i, t); err != nil {
				cancel(err)
			}
		})
	}
}
