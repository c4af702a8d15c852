package verify

import (
	"context"
	"sync"
	"sync/atomic"

	"mingle/internal/par"
)

// pool runs numbered tasks on several goroutines and tells how far it has come.
type pool struct {
	workers  int
	progress func(stage string, done, total int64) // nil: nobody listens
}

// newPool is one of so many goroutines; 0: one a processor.
func newPool(workers int, progress func(stage string, done, total int64)) *pool {
	return &pool{par.Workers(workers), progress}
}

// run calls task(worker, i) for every i below n, each i once, and returns ctx's cause when it ends
// early.
func (p *pool) run(ctx context.Context, stage string, n int, task func(worker, i int)) error {
	var next atomic.Int64
	var mu sync.Mutex
	done := int64(0)
	step := max(1, int64(n)/100)
	tell := func() {
		mu.Lock()
		defer mu.Unlock() // whatever a listener does, nobody waits for it
		if done++; done%step == 0 || done == int64(n) {
			p.progress(stage, done, int64(n)) // in the lock: it never goes back
		}
	}
	var group par.Group
	for worker := range p.workers {
		group.Go(func() {
			for ctx.Err() == nil {
				i := next.Add(1) - 1
				if i >= int64(n) {
					return
				}
				task(worker, int(i))
				if p.progress != nil {
					tell()
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
