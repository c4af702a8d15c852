package main

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
)

// keepBest is what makes the first interrupt mean "that is good enough": the algorithm ends with
// the best it has, which is then verified and published as ever. A second interrupt ends the run.
// It is in force once a command asked for it.
type keepBest struct {
	asked  atomic.Bool
	enough context.Context
	say    context.CancelCauseFunc
}

type keepBestKey struct{}

var errEnough = errors.New("it was interrupted, and the best so far was asked for")

func newKeepBest() *keepBest {
	k := &keepBest{}
	k.enough, k.say = context.WithCancelCause(context.Background())
	return k
}

// with hands it to the commands of a run.
func (k *keepBest) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, keepBestKey{}, k)
}

// askKeepBest puts it in force and returns what ends the search; nil where nobody listens for
// interrupts.
func askKeepBest(ctx context.Context) context.Context {
	k, ok := ctx.Value(keepBestKey{}).(*keepBest)
	if !ok {
		return nil
	}
	k.asked.Store(true)
	return k.enough
}

// wait waits for the run's end, and puts its error in err; or for an interrupt that ends it, and
// says so.
func (k *keepBest) wait(
	done <-chan error, signals <-chan os.Signal, err *error,
) (interrupted bool) {
	for first := true; ; first = false {
		select {
		case *err = <-done:
			return false
		case s := <-signals:
			if s != os.Interrupt || !first || !k.asked.Load() { // kill, unlike Ctrl-C, is the end
				return true
			}
			k.say(errEnough)
		}
	}
}
