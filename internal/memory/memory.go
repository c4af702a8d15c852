// Package memory looks at what the program holds, and ends a run that holds more than it may.
//
// What can be foretold is refused before the work, where it is known what to do instead. This is
// for the rest: a shape of data that nobody thought of ends in an error, not in a machine that
// swaps.
package memory

import (
	"context"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"mingle/privacy"
)

// Default is the bound on what a command holds where none is given, in bytes.
const Default = 2 << 30

// Least is the smallest bound that is held to: the program itself takes some tens of MB.
const Least = 64 << 20

// ofProgram is what the system counts of the program that the runtime does not: code, read-only
// data.
const ofProgram = 10 << 20

// Exceeded is the error of a run that would hold more than it may.
type Exceeded struct{ Bound int64 }

func (e *Exceeded) Error() string {
	return fmt.Sprintf("more than %s of memory would be needed: nothing was written", Size(e.Bound))
}

// Is tells that it is a [privacy.ErrMemory].
func (*Exceeded) Is(kind error) bool { return kind == privacy.ErrMemory }

// Short is the error of a step that was not begun, as it would need more than it may hold.
type Short struct {
	What         string
	Least, Bound int64 // bytes
}

func (e *Short) Error() string {
	return fmt.Sprintf("%s would need about %s of memory, and %s may be held: nothing was done",
		e.What, Size(e.Least), Size(e.Bound))
}

// Is tells that it is a [privacy.ErrMemory].
func (*Short) Is(kind error) bool { return kind == privacy.ErrMemory }

// Size is a number of bytes in words.
func Size(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GB", n>>30)
	case n >= 1<<30:
		return fmt.Sprintf("%.3g GB", float64(n)/(1<<30))
	default:
		return fmt.Sprintf("%d MB", max(1, n>>20))
	}
}

// Held is what the program holds from the system, in bytes.
func Held() int64 {
	sample := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64() - sample[1].Value.Uint64())
}

// look is how often what is held is looked at: in between some tens of MB can be written.
const look = 5 * time.Millisecond

// patience is how long a run may take to end by itself.
const patience = time.Second

// Guard is ctx, ended with an *Exceeded as its cause when the program comes near the bound (at
// least Least) with what it uses; garbage is collected before. If the run does not end within a
// second, or comes to the bound itself, overrun is called, which should end the program. garbage is
// how much of it may pile up where little lives: Some, or Little. Stop ends the guard.
func Guard(
	ctx context.Context, bound, garbage int64, overrun func(*Exceeded),
) (guarded context.Context, stop func()) {
	bound = max(bound, Least)
	near := near(bound)
	g := &guard{near: near, last: last(bound), why: &Exceeded{bound}, overrun: overrun}
	guarded, g.cancel = context.WithCancelCause(ctx)
	before := debug.SetMemoryLimit(near - bound/32)
	if Held() > near { // what ran before left garbage
		debug.FreeOSMemory()
	}
	done, kept := make(chan struct{}), make(chan struct{})
	go g.watch(done)
	go func() {
		defer close(kept)
		keepGarbage(garbage, done)
	}()
	return guarded, func() {
		close(done)
		<-kept
		g.cancel(nil)
		debug.SetMemoryLimit(before)
	}
}

type guard struct {
	near, last int64
	why        *Exceeded
	cancel     context.CancelCauseFunc
	overrun    func(*Exceeded)
	collecting atomic.Bool
	// when the run was told to end, by a clock that nobody sets; nil: it was not
	ended atomic.Pointer[time.Time]
}

func (g *guard) watch(done <-chan struct{}) {
	every(look, done, func() (goOn bool) {
		held, ended := Held(), g.ended.Load()
		if held > g.near && ended == nil && g.collecting.CompareAndSwap(false, true) {
			go g.collect()
		}
		if held > g.last || ended != nil && time.Since(*ended) > patience {
			g.overrun(g.why)
			return false
		}
		return true
	})
}

// every calls do time and again, until it is false or done is closed.
func every(t time.Duration, done <-chan struct{}, do func() (goOn bool)) {
	tick := time.NewTicker(t)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			if !do() {
				return
			}
		}
	}
}

// collect gives back what nothing uses, and ends the run if the rest is still too much.
func (g *guard) collect() {
	debug.FreeOSMemory()
	if Held() > g.near {
		now := time.Now()
		g.ended.Store(&now)
		g.cancel(g.why)
	}
	g.collecting.Store(false)
}
