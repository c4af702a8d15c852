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

	checking sync.Mutex // held by who collects garbage, before mu

	mu sync.Mutex
	// works are those under way, and those that ended beside them: what these left is known to fit
	// only when nothing else is under way. In the order in which they began.
	works []*Work
	run   *Work // nil: none is under way
	base  int64 // what other work had left when the run began
	end   func()
}

// Work is something that takes memory.
type Work struct {
	s       *Shared
	cancel  context.CancelCauseFunc
	ended   bool
	refused time.Time
	giveUp  func(error) // what it left
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
// too much is held. The work must be ended.
func (s *Shared) Open(ctx context.Context) (context.Context, *Work) { return s.begin(ctx, false) }

// Run begins a run. There is one at a time.
func (s *Shared) Run(ctx context.Context) (context.Context, *Work) { return s.begin(ctx, true) }

func (s *Shared) begin(ctx context.Context, run bool) (context.Context, *Work) {
	w := &Work{s: s}
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
	debug.SetMemoryLimit(s.most() - s.bound/32)
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
	hurry := Held() > last(2*s.bound)
	w := s.choose(hurry)
	if !hurry || w == nil {
		if debug.FreeOSMemory(); !s.tooMuch() {
			return
		}
		w = s.choose(false)
	}
	if w != nil {
		s.refuse(w)
	}
}

// tooMuch tells whether more is held than may be.
func (s *Shared) tooMuch() bool {
	held := Held()
	s.mu.Lock()
	defer s.mu.Unlock()
	return held > s.most()
}

// choose is the work to refuse; nil: none, or what was refused last is given time to end. In a
// hurry it is not, unless only the run is left.
func (s *Shared) choose(hurry bool) *Work {
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
			return w
		default:
			return nil
		}
	}
	if s.run != nil && s.run.refused.IsZero() && time.Since(latest) > patience {
		return s.run
	}
	return nil
}

// refuse ends work, or gives up what it left. The lock is not held.
func (s *Shared) refuse(w *Work) {
	why := &Exceeded{s.bound}
	s.mu.Lock()
	w.refused = time.Now()
	debug.SetMemoryLimit(last(2 * s.bound)) // it is to end soon, not to collect garbage
	ended := w.ended
	if ended {
		s.remove(w)
	}
	s.mu.Unlock()
	if ended {
		w.giveUp(why)
	} else {
		w.cancel(why)
	}
}

func (s *Shared) remove(w *Work) {
	s.works = slices.DeleteFunc(s.works, func(v *Work) bool { return v == w })
}

// End ends the work. giveUp gives up what it leaves, if that turns out to be too much; it is told
// why. nil: nothing is left.
func (w *Work) End(giveUp func(error)) {
	s := w.s
	s.mu.Lock()
	w.ended, w.giveUp = true, giveUp
	if s.run == w {
		s.run = nil
	}
	if giveUp == nil {
		s.remove(w)
	}
	s.mu.Unlock()
	w.cancel(nil)
	s.afterAll()
}

// afterAll gives up, when nothing is under way any more, what was left and does not fit.
func (s *Shared) afterAll() {
	s.checking.Lock()
	defer s.checking.Unlock()
	for {
		w := s.surplus()
		if w == nil {
			return
		}
		s.refuse(w)
	}
}

// surplus is what is to be given up of what was left; nil: nothing, or other work is under way.
func (s *Shared) surplus() *Work {
	s.mu.Lock()
	defer s.mu.Unlock()
	debug.SetMemoryLimit(s.most() - s.bound/32)
	if slices.ContainsFunc(s.works, func(w *Work) bool { return !w.ended }) {
		return nil
	}
	if n := len(s.works); n > 0 && Held() > near(s.bound) {
		if debug.FreeOSMemory(); Held() > near(s.bound) {
			return s.works[n-1]
		}
	}
	s.works = nil
	if s.end != nil {
		s.end()
		s.end = nil
	}
	return nil
}
