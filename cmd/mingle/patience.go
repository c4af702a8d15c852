package main

import (
	"context"
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

// slowEnd is whether a command has asked for that.
type slowEnd struct{ asked atomic.Bool }

type slowEndKey struct{}

// with hands it to the commands of a run.
func (s *slowEnd) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, slowEndKey{}, s)
}

// askSlowEnd puts it in force.
func askSlowEnd(ctx context.Context) {
	if s, ok := ctx.Value(slowEndKey{}).(*slowEnd); ok {
		s.asked.Store(true)
	}
}

// patience is how long is waited.
func (s *slowEnd) patience() time.Duration {
	if s.asked.Load() {
		return patienceWithSpark
	}
	return patience
}
