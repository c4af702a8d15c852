package verify

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"mingle/internal/par"
)

// crew runs numbered tasks on several goroutines and tells how far it has come.
type crew struct {
	workers  int
	progress func(stage string, done, total int64)
}

func newCrew(in KMInput) *crew {
	c := &crew{workers: in.Workers, progress: in.Progress}
	if c.workers <= 0 {
		c.workers = runtime.GOMAXPROCS(0)
	}
	return c
}

// run calls task(worker, i) for every i below n, each i once, and returns ctx's cause when it ends early.
func (c *crew) run(ctx context.Context, stage string, n int, task func(worker, i int)) error {
	var next, done atomic.Int64
	var mu sync.Mutex
	var group par.Group
	step := max(1, int64(n)/100)
	for worker := range c.workers {
		group.Go(func() {
			for ctx.Err() == nil {
				i := next.Add(1) - 1
				if i >= int64(n) {
					return
				}
				task(worker, int(i))
				if d := done.Add(1); c.progress != nil && (d%step == 0 || d == int64(n)) {
					mu.Lock()
					c.progress(stage, d, int64(n))
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
