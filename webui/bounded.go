package webui

import (
	"context"
	"errors"
	"fmt"

	"mingle/internal/memory"
	"mingle/privacy"
)

// bounded is work in the background that may take much memory.
type bounded struct {
	do     func(ctx context.Context) error
	ended  func(error) // is told what it ended with
	giveUp func(error) // gives up what it left, if that is too much; nil: it leaves nothing
}

// within does work in the background within the bound on memory. What it leaves counts until ctx
// ends.
func (s *Server) within(ctx context.Context, b bounded) {
	var work *memory.Work
	s.background(func(context.Context) error {
		ctx, work = s.memory.Open(ctx)
		return tooMuch(ctx, b.do(ctx))
	}, func(err error) {
		if b.ended(err); err != nil || b.giveUp == nil {
			work.End(nil)
			return
		}
		work.End(b.guardedGiveUp)
	})
}

// guardedGiveUp is giveUp where nobody else catches a fault: that becomes what the work ended with.
func (b bounded) guardedGiveUp(why error) {
	err := guarded(func() error {
		b.giveUp(why)
		return nil
	})
	if err != nil {
		b.ended(err)
	}
}

// held answers within the bound on memory.
func held(h handler) handler {
	return func(a *asked) error {
		ctx, work := a.s.memory.Open(a.Context())
		defer work.End(nil)
		a.Request = a.WithContext(ctx)
		return tooMuch(ctx, h(a))
	}
}

// tooMuch is err, or that it came about because too much was held.
func tooMuch(ctx context.Context, err error) error {
	if why := context.Cause(ctx); err != nil && refused(why) {
		return advised(why)
	}
	return err
}

// advised says what to do about it.
func advised(why error) error {
	return fmt.Errorf("%w. What is open counts, too: close what is not needed, or start "+
		"mingle serve with more --memory, if the machine has it", why)
}

// runTooMuch is tooMuch for a run, which what is open does not count against.
func runTooMuch(ctx context.Context, err error) error {
	if why := context.Cause(ctx); err != nil && refused(why) {
		return fmt.Errorf("%w. Start mingle serve with more --memory, if the machine has it, or ask "+
			"for less: fewer or shorter lines, or another algorithm", why)
	}
	return err
}

// refused tells whether too much was held is why something ended.
func refused(err error) bool { return errors.Is(err, privacy.ErrMemory) }

// overrun ends the program, and leaves nothing in the private directory.
func (s *Server) overrun(why *memory.Exceeded) {
	if s.Overrun != nil {
		s.Overrun(why, func() error { return vacate(s.files.dir) })
	}
}
