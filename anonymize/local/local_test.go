package local_test

import (
	"context"
	"errors"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/local"
	"mingle/internal/brute"
	"mingle/internal/soak"
)

func TestLocal(t *testing.T) {
	conformance.Suite{
		Instances:  1000, // each is solved some twenty times
		NoNegative: true,
		New:        func() anonymize.Algorithm { return local.Algorithm{} },
	}.Run(t)
}

// However early it is told to stop, what it has by then keeps the promise.
func TestKeepBest(t *testing.T) {
	in := conformance.Medium(11)
	for steps := range 60 {
		ctx, stop := context.WithCancelCause(t.Context())
		left := steps
		in.Workers = 1
		in.Progress = func(anonymize.Progress) {
			if left--; left == 0 {
				stop(errors.New("stop"))
			}
		}
		g, err := local.Algorithm{Budget: anonymize.Budget{KeepBest: true}}.Anonymize(ctx, in)
		stop(nil)
		if err != nil {
			t.Fatalf("after %d steps: %v", steps, err)
		}
		if steps%10 == 1 && !brute.Keeps(g.Published(), nil, in.Promise) {
			t.Fatalf("after %d steps the release does not keep %v", steps, in.Promise)
		}
	}
}

// Every line that steps, exchanges and mending leave behind comes from its original, on all small
// originals.
func TestLinesComeFromOriginalsSoak(t *testing.T) {
	conformance.Worlds(t, local.Algorithm{}, false)
}

// Releases of persons are judged by enumeration, and by the verifier.
func TestPersonsSoak(t *testing.T) {
	conformance.Suite{
		New:       func() anonymize.Algorithm { return local.Algorithm{} },
		Instances: soak.Share(3_000, 20_000), Persons: true, NoNegative: true,
	}.Run(t)
}
