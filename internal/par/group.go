package par

import (
	"sync"
	"sync/atomic"
)

// Group is a number of goroutines somebody waits for. It is a sync.WaitGroup whose Wait panics with
// what one of them panicked with: a panic on a goroutine that nobody waits for would end the
// program at once, with nothing put in order.
type Group struct {
	wg    sync.WaitGroup
	first atomic.Pointer[fault]
}

// fault is what a goroutine panicked with.
type fault struct{ value any }

// Go runs f on a goroutine of its own.
func (g *Group) Go(f func()) { g.wg.Go(func() { g.Try(f) }) }

// Try runs f on this goroutine, and keeps its panic for Wait; it tells whether f returned. It is
// for goroutines with something to hand over whatever happens.
func (g *Group) Try(f func()) (returned bool) {
	defer func() {
		if p := recover(); p != nil {
			g.first.CompareAndSwap(nil, &fault{p})
		}
	}()
	f()
	return true
}

// Wait waits for all goroutines.
func (g *Group) Wait() {
	g.wg.Wait()
	if f := g.first.Load(); f != nil {
		panic(f.value)
	}
}
