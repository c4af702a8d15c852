package local

import "context"

// ahead is a release that is polished on a goroutine of its own while other orders are followed. It
// is a copy, which is forgotten where the other orders lose less: so what becomes of the release
// does not depend on how far that came.
type ahead struct {
	state  *state
	cancel context.CancelFunc
	done   chan struct{}
}

// polishAhead begins to polish a release.
func (s *search) polishAhead(t *trial) {
	if s.ctx.Err() != nil || t.loss == 0 {
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	t.ahead = &ahead{t.state.clone(), cancel, make(chan struct{})}
	s.ahead.Go(func() {
		defer close(t.ahead.done)
		s.polish(ctx, t.ahead.state, "")
	})
}

// wait waits until the copy is polished, and returns it.
func (a *ahead) wait() *state {
	<-a.done
	return a.state
}

// stop ends the polishing soon.
func (a *ahead) stop() {
	if a != nil {
		a.cancel()
	}
}
