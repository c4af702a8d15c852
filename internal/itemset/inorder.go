package itemset

import (
	"context"
	"sync/atomic"

	"mingle/internal/par"
)

// A task hands on its finds in chunks. What a task may have found and not handed on is bounded: 4
// MB, for the tasks under way, which are as many as workers.
const (
	chunkInts     = 1 << 14
	chunksWaiting = 64
)

// output is where one task puts what it finds.
type output struct {
	stop  *atomic.Bool
	quit  <-chan struct{}
	ch    chan []int32
	chunk []int32 // support, size, items; again and again
}

// stopped tells whether the task should end early.
func (o *output) stopped() bool { return o.stop.Load() }

// emit puts a set of item ids, ascending, with its support.
func (o *output) emit(items []int32, support int32) {
	if len(o.chunk)+len(items)+2 > chunkInts {
		o.flush()
	}
	o.chunk = append(o.chunk, support, int32(len(items)))
	o.chunk = append(o.chunk, items...)
}

func (o *output) flush() {
	if len(o.chunk) == 0 {
		return
	}
	select {
	case o.ch <- o.chunk:
	case <-o.quit:
	}
	o.chunk = make([]int32, 0, chunkInts)
}

// inOrder runs work for every task below tasks, each once, on several goroutines that take the
// tasks in order. What they emit is visited on the calling goroutine, task by task. A worker that
// is ahead waits when its buffer is full.
func inOrder(ctx context.Context, workers, tasks int, work func(worker, task int, out *output),
	visit Visit,
) error {
	var stop atomic.Bool
	quit := make(chan struct{})
	outs := make([]*output, tasks)
	for i := range outs {
		outs[i] = &output{stop: &stop, quit: quit, ch: make(chan []int32, chunksWaiting)}
	}
	release := context.AfterFunc(ctx, func() { stop.Store(true) })
	var next atomic.Int64
	var group par.Group
	for worker := range max(1, min(workers, tasks)) {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= tasks {
					return
				}
				if !stop.Load() && !group.Try(func() {
					work(worker, i, outs[i])
					outs[i].flush()
				}) {
					stop.Store(true)
				}
				close(outs[i].ch) // whatever happened: drain waits for it
			}
		})
	}
	err := drain(ctx, outs, visit)
	stop.Store(true)
	close(quit)
	group.Wait()
	if release() || ctx.Err() == nil {
		return err
	}
	return context.Cause(ctx)
}

// drain visits what the tasks emit, in order, until all have ended or one visit fails.
func drain(ctx context.Context, outs []*output, visit Visit) error {
	for i, out := range outs {
		for open := true; open; {
			var chunk []int32
			select {
			case chunk, open = <-out.ch:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			for at := 0; at < len(chunk); {
				size := int(chunk[at+1])
				if err := visit(chunk[at+2:at+2+size:at+2+size], int(chunk[at])); err != nil {
					return err
				}
				at += 2 + size
			}
		}
		outs[i] = nil
	}
	return nil
}
