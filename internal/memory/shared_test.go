package memory

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"
)

// filled is so many MB that are really held.
func filled(mb int) []byte {
	block := make([]byte, mb<<20)
	for i := 0; i < len(block); i += 1 << 10 {
		block[i] = 1
	}
	return block
}

// exceeded tells whether too much is held was why something ended.
func exceeded(err error) bool {
	var why *Exceeded
	return errors.As(err, &why)
}

// newShared is a bound that the program is never ended for.
func newShared(t *testing.T, mb int64) *Shared {
	return NewShared(mb<<20, func(e *Exceeded) { t.Errorf("the program would end: %v", e) })
}

// What was opened does not count against a run, which may hold the bound beside it.
func TestSharedRunIsMeasuredByWhatItAdds(t *testing.T) {
	s := newShared(t, 200)
	_, work := s.Open(t.Context())
	left := filled(120)
	work.End(func(err error) { t.Errorf("what was opened is given up: %v", err) })
	if s.end != nil || len(s.works) > 0 {
		t.Error("what was left is looked at for ever")
	}
	ctx, run := s.Run(t.Context())
	more := filled(120)
	time.Sleep(20 * look)
	if ctx.Err() != nil {
		t.Errorf("120 MB beside 120: %v", context.Cause(ctx))
	}
	much := filled(80)
	<-ctx.Done() // or the test is ended
	if !exceeded(context.Cause(ctx)) {
		t.Error(context.Cause(ctx))
	}
	runtime.KeepAlive([][]byte{left, more, much})
	run.End(nil)
}

// What is opened is refused where it does not fit beside what is open, which stays.
func TestSharedRefusesWhatIsOpenedLast(t *testing.T) {
	s := newShared(t, 200)
	_, work := s.Open(t.Context())
	left := filled(100)
	work.End(func(err error) { t.Errorf("what was opened first is given up: %v", err) })
	ctx, work := s.Open(t.Context())
	more := filled(100)
	<-ctx.Done()
	if !exceeded(context.Cause(ctx)) {
		t.Error(context.Cause(ctx))
	}
	runtime.KeepAlive(more)
	more = nil
	work.End(nil)
	runtime.KeepAlive(left)
}

// A run is the last to be refused: what is opened beside it goes first, also where it has ended.
func TestSharedRunIsTheLast(t *testing.T) {
	s := newShared(t, 200)
	ctx, run := s.Run(t.Context())
	held := filled(100)
	beside, work := s.Open(t.Context())
	left := map[string][]byte{"": filled(120)}
	given := make(chan error, 1)
	work.End(func(err error) {
		delete(left, "")
		given <- err
	})
	select {
	case err := <-given:
		t.Fatalf("it fits beside the run: %v", err)
	case <-time.After(20 * look):
	}
	_, work = s.Open(t.Context())
	more := filled(135)
	if err := <-given; !exceeded(err) || ctx.Err() != nil {
		t.Errorf("given up: %v; the run: %v", err, context.Cause(ctx))
	}
	runtime.KeepAlive([][]byte{held, more})
	held, more = nil, nil
	work.End(nil)
	run.End(nil)
	if beside.Err() == nil || s.end != nil {
		t.Error("it is not at its end")
	}
}

// What was opened beside a run is given up after it, where it is more than may stay.
func TestSharedGivesUpAfterTheRun(t *testing.T) {
	s := newShared(t, 100)
	_, run := s.Run(t.Context())
	var given error
	_, work := s.Open(t.Context())
	left := map[string][]byte{"": filled(110)}
	work.End(func(err error) {
		delete(left, "")
		given = err
	})
	if given != nil {
		t.Error("it is given up beside the run, where it fits")
	}
	if run.End(nil); !exceeded(given) {
		t.Errorf("%d MB stay: %v", len(left[""])>>20, given)
	}
}

// What goes on though it was refused ends the program, at twice the bound.
func TestSharedOverrun(t *testing.T) {
	overrun := make(chan *Exceeded, 1)
	s := NewShared(0, func(e *Exceeded) { overrun <- e })
	_, work := s.Open(t.Context())
	kept := filled(2 * Least >> 20)
	if e := <-overrun; e.Bound != 2*Least {
		t.Error(e)
	}
	runtime.KeepAlive(kept)
	kept = nil
	work.End(nil)
}

// What ends just as it is refused left nothing that could be given up.
func TestSharedRefusesWhatEnds(t *testing.T) {
	s := newShared(t, 2000)
	_, work := s.Open(t.Context())
	end := s.choose(true)
	work.End(nil)
	end()
	if again := s.choose(true); again != nil {
		t.Error("what is over is refused")
	}
}

// What was refused and has succeeded meanwhile is given up at once, and no run in its place.
func TestSharedGivesUpWhatWasRefused(t *testing.T) {
	s := newShared(t, 2000)
	ctx, run := s.Run(t.Context())
	_, work := s.Open(t.Context())
	s.choose(true)()
	var given error
	work.End(func(err error) { given = err })
	if !exceeded(given) || len(s.works) != 1 || ctx.Err() != nil {
		t.Errorf("given up: %v; of 1 work there are %d; the run: %v",
			given, len(s.works), context.Cause(ctx))
	}
	run.End(nil)
}

// What nothing uses any more is forgotten beside a run, also where that was so before its end.
func TestSharedForgets(t *testing.T) {
	s := newShared(t, 2000)
	_, run := s.Run(t.Context())
	before, closed := context.WithCancel(t.Context())
	_, early := s.Open(before)
	_, late := s.Open(before)
	kept, end := context.WithCancel(t.Context())
	_, other := s.Open(kept)
	giveUp := func(err error) { t.Errorf("given up: %v", err) }
	early.End(giveUp)
	other.End(giveUp)
	closed()
	late.End(giveUp)
	works := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.works)
	}
	for works() > 2 { // or the test is ended
		time.Sleep(look)
	}
	if !slices.Contains(s.works, run) || !slices.Contains(s.works, other) {
		t.Error("another is forgotten")
	}
	run.End(nil)
	if end(); len(s.works) > 0 || other.stay() {
		t.Error("what fits is still waited for")
	}
}

// Two that end at once leave the limit of the runtime as it was.
func TestSharedLeavesTheLimit(t *testing.T) {
	s := newShared(t, 2000)
	before := debug.SetMemoryLimit(-1)
	_, work := s.Open(t.Context())
	work.End(nil)
	s.afterAll() // that of the other one
	if after := debug.SetMemoryLimit(before); after != before {
		t.Errorf("%d, and %d before", after, before)
	}
}
