package memory

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// Shared bounds what a program holds that goes on when one piece of its work is refused, as a
// server does. What is opened may hold the bound, with all that earlier work left; a run may hold
// the bound beside that. So twice the bound is the most, but for a moment: a table that grows is
// three times as large until it has, and who made it hears only then that it was refused.
//
// Nobody can tell which work holds how much. Where it is too much, what began last is refused
// first, and a run last of all: what is opened beside a run is not to end it.
type Shared struct {
	bound   int64
	idle    int64 // what the program holds without any work
	overrun func(*Exceeded)

	// checking is held, before mu, from when what is held is looked at until something is refused
	// for it: what one refuses, another one does not count any more.
	checking sync.Mutex

	// mu guards what follows, what changes of each work, and the limit of the runtime. Nothing is
	// refused or given up under it; what is to be is marked or taken out under it.
	mu sync.Mutex
	// works are those under way, and those that ended beside them: what these left is known to fit
	// only when nothing else is under way. In the order in which they began.
	works []*Work
	run   *Work  // nil: none is under way
	base  int64  // what other work had left when the run began
	end   func() // ends the watch; nil: nothing is under way, and there are no works
}

// Work is something that takes memory.
type Work struct {
	s      *Shared
	within context.Context // of what it leaves
	cancel context.CancelCauseFunc

	// guarded by s.mu
	ended   bool
	refused time.Time         // while it was under way
	giveUp  func(error)       // what it left
	stay    func() (was bool) // what it left is no longer forgotten with its context
}

// endurance is how long twice the bound may be held, before the program is ended.
const endurance = 5 * time.Second

// NewShared bounds what a program holds. If more than twice the bound is held for five seconds,
// or three times the bound at once, overrun is called, which should end the program.
func NewShared(bound int64, overrun func(*Exceeded)) *Shared {
	debug.FreeOSMemory()
	return &Shared{bound: max(bound, Least), idle: Held(), overrun: overrun}
}

// Open begins work that may leave something. Its context ends with an *Exceeded as its cause when
// too much is held. The work must be ended. What it leaves is forgotten when ctx ends: nothing else
// may use it then.
func (s *Shared) Open(ctx context.Context) (context.Context, *Work) { return s.begin(ctx, false) }

// Run begins a run. There is one at a time.
func (s *Shared) Run(ctx context.Context) (context.Context, *Work) { return s.begin(ctx, true) }

func (s *Shared) begin(ctx context.Context, run bool) (context.Context, *Work) {
	w := &Work{s: s, within: ctx}
	ctx, w.cancel = context.WithCancelCause(ctx)
	base := int64(0)
	if run {
		debug.FreeOSMemory() // what ran before left garbage
		base = min(max(0, Held()-s.idle), near(s.bound)-s.idle)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.works = append(s.works, w); run {
		s.run, s.base = w, base
	}
	if s.end == nil {
		s.end = s.watch()
	}
	s.limit()
	return ctx, w
}

// last is what may be held just before a bound is come to: the rest may be written until the next
// look.
func last(bound int64) int64 { return bound - ofProgram - bound/64 }

// near is what may be held before something is done about it.
func near(bound int64) int64 { return last(bound) - bound/32 }

// most is what may be held now. The lock is held.
func (s *Shared) most() int64 {
	switch {
	case s.run == nil:
		return near(s.bound)
	case len(s.works) > 1: // what is opened beside the run is still unknown
		return 2*near(s.bound) - s.idle
	default:
		return near(s.bound) + s.base
	}
}

// limit lets the runtime collect garbage before too much is held. The lock is held.
func (s *Shared) limit() { debug.SetMemoryLimit(s.most() - s.bound/32) }

// watch looks at what is held until end is called.
func (s *Shared) watch() (end func()) {
	before := debug.SetMemoryLimit(-1)
	done, kept := make(chan struct{}), make(chan struct{})
	var over time.Time // since when twice the bound is held; zero: it is not
	go every(look, done, func() (goOn bool) {
		held := Held()
		switch {
		case held <= last(2*s.bound):
			over = time.Time{}
		case over.IsZero():
			over = time.Now()
		}
		if held > last(3*s.bound) || !over.IsZero() && time.Since(over) > endurance {
			s.overrun(&Exceeded{2 * s.bound})
			return false
		}
		if s.tooMuch() && s.checking.TryLock() {
			go s.check()
		}
		return true
	})
	go func() {
		defer close(kept)
		keepGarbage(Some, done)
	}()
	return func() {
		close(done)
		<-kept
		debug.SetMemoryLimit(before)
	}
}

// check refuses something if too much is held, and what nothing uses was given back before. At
// twice the bound there is no time for that. It unlocks checking.
func (s *Shared) check() {
	defer s.checking.Unlock()
	if Held() > last(2*s.bound) && s.refuseOne(true) {
		return
	}
	if debug.FreeOSMemory(); s.tooMuch() {
		s.refuseOne(false)
	}
}

// tooMuch tells whether more is held than may be.
func (s *Shared) tooMuch() bool {
	held := Held()
	s.mu.Lock()
	defer s.mu.Unlock()
	return held > s.most()
}

// refuseOne refuses a work, if there is one to refuse.
func (s *Shared) refuseOne(hurry bool) (refused bool) {
	end := s.choose(hurry)
	if end != nil {
		end()
	}
	return end != nil
}

// choose refuses a work that is to go; end ends it, or gives up what it left, without the lock.
// nil: there is none, or what was refused last is given time to end. In a hurry it is not, unless
// only the run is left.
func (s *Shared) choose(hurry bool) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var latest time.Time
	for _, w := range slices.Backward(s.works) {
		switch {
		case w == s.run:
		case !w.refused.IsZero():
			if w.refused.After(latest) {
				latest = w.refused
			}
		case hurry || time.Since(latest) > patience:
			return s.refuse(w)
		default:
			return nil
		}
	}
	if s.run != nil && s.run.refused.IsZero() && time.Since(latest) > patience {
		return s.refuse(s.run)
	}
	return nil
}

// refuse marks a work under way as refused, or takes out one that ended. The lock is held.
func (s *Shared) refuse(w *Work) (end func()) {
	why := &Exceeded{s.bound}
	if w.ended {
		s.remove(w)
		return func() { w.giveUp(why) }
	}
	w.refused = time.Now()
	debug.SetMemoryLimit(last(2 * s.bound)) // it is to end soon, not to collect garbage
	return func() { w.cancel(why) }
}

// remove takes a work out. The lock is held.
func (s *Shared) remove(w *Work) {
	if w.stay != nil {
		w.stay()
	}
	s.works = slices.DeleteFunc(s.works, func(v *Work) bool { return v == w })
}

// End ends the work. giveUp gives up what it leaves, if that turns out to be too much: by the time
// End returns, or later, in a goroutine where nobody catches a fault. It is told why. nil: nothing
// is left.
func (w *Work) End(giveUp func(error)) {
	refused := w.leave(giveUp)
	if w.cancel(nil); refused {
		giveUp(&Exceeded{w.s.bound})
	}
	w.s.afterAll()
}

// leave notes what the work leaves, and tells whether that was refused before. Then it is not to
// stay, even if there is room now: who heard of it may have left something out.
func (w *Work) leave(giveUp func(error)) (refused bool) {
	s := w.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.ended = true; s.run == w {
		s.run = nil
	}
	if giveUp == nil || !w.refused.IsZero() {
		s.remove(w)
		return giveUp != nil
	}
	w.giveUp, w.stay = giveUp, context.AfterFunc(w.within, w.forget)
	return false
}

// forget takes out what the work left, which nothing uses any more.
func (w *Work) forget() {
	s := w.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.works, w) { // else it was given up, or fits
		s.remove(w)
		s.limit()
	}
}

// afterAll gives up, when nothing is under way any more, what was left and does not fit.
func (s *Shared) afterAll() {
	s.checking.Lock()
	defer s.checking.Unlock()
	for giveUp := s.surplus(); giveUp != nil; giveUp = s.surplus() {
		giveUp()
	}
}

// surplus takes out something that was left and does not fit, to be given up without the lock; nil:
// there is nothing, or other work is under way.
func (s *Shared) surplus() (giveUp func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end == nil { // two ended at once, and the other one was here
		return nil
	}
	s.limit()
	if slices.ContainsFunc(s.works, func(w *Work) bool { return !w.ended }) {
		return nil
	}
	if n := len(s.works); n > 0 && Held() > near(s.bound) {
		if debug.FreeOSMemory(); Held() > near(s.bound) {
			return s.refuse(s.works[n-1])
		}
	}
	for _, w := range slices.Clone(s.works) {
		s.remove(w)
	}
	s.end()
	s.end = nil
	return nil
}
