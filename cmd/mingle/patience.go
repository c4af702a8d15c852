package main

import (
	"context"
	"os"
	"sync/atomic"
	"time"
)

// patience is how long a command may take to end after an interrupt, before it is ended; then how
// long a table that is just appearing may take, and the message about it: less than a second.
const (
	patience         = 800 * time.Millisecond
	patienceToAppear = 50 * time.Millisecond
	patienceToSay    = 100 * time.Millisecond
)

// patienceWithSpark is that of a command whose session of Spark has to remove its files, which hold
// lines of the original. A session is killed before.
const patienceWithSpark = 20 * time.Second

// slowEnd is whether a command has asked for that. hurry is closed when the user does not want to
// wait for it.
type slowEnd struct {
	asked atomic.Bool
	hurry chan struct{}
}

func newSlowEnd() *slowEnd { return &slowEnd{hurry: make(chan struct{})} }

type slowEndKey struct{}

// with hands it to the commands of a run.
func (s *slowEnd) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, slowEndKey{}, s)
}

// askSlowEnd puts it in force; hurry is closed at another Ctrl-C.
func askSlowEnd(ctx context.Context) (hurry <-chan struct{}) {
	if s, ok := ctx.Value(slowEndKey{}).(*slowEnd); ok {
		s.asked.Store(true)
		return s.hurry
	}
	return nil
}

// wait waits for the end of a run that was interrupted.
func (s *slowEnd) wait(done <-chan error, signals <-chan os.Signal) error {
	over, hurried := time.After(s.patience()), false
	for {
		select {
		case err := <-done:
			return err
		case signal := <-signals:
			if signal == os.Interrupt && !hurried { // kill may come twice, to a whole group
				close(s.hurry)
				hurried = true
			}
		case <-over:
			// it waits for input, say, or for a reader: nothing of it may stay
			return abandon()
		}
	}
}

// patience is how long is waited.
func (s *slowEnd) patience() time.Duration {
	if s.asked.Load() {
		return patienceWithSpark
	}
	return patience
}
