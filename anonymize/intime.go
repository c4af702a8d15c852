package anonymize

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mingle/privacy"
	"mingle/release"
)

// InTime ends an algorithm that has no release before its end when a time is over. It is not for
// those that end with the best so far (see [Budget]).
type InTime struct {
	Algorithm
	TimeLimit time.Duration // required
}

// ErrTooLate is the error of an algorithm that had no release in time.
var ErrTooLate = errors.New("too late")

// Anonymize implements Algorithm.
func (a InTime) Anonymize(ctx context.Context, in Input) (*release.Generalized, error) {
	if a.Algorithm == nil {
		return nil, errors.New("it is not said what is to end in time: Algorithm is required")
	}
	within, cancel := Limited(ctx, a.TimeLimit)
	defer cancel()
	g, err := a.Algorithm.Anonymize(within, in)
	if err != nil && ctx.Err() == nil && within.Err() != nil {
		return nil, fmt.Errorf("%w: %s had no release after %v. Give more by --time-limit, or choose "+
			"local, exact or auto, which publish the best they have by then", ErrTooLate, a.Name(),
			a.TimeLimit)
	}
	return g, err
}

// WorksOnPacked implements PackedCapable.
func (a InTime) WorksOnPacked() bool { return worksOnPacked(a.Algorithm) }

// AgainstAlgorithm implements Symmetric.
func (a InTime) AgainstAlgorithm() bool {
	s, is := a.Algorithm.(Symmetric)
	return is && s.AgainstAlgorithm()
}

// KeepsOfPersons implements OfPersons.
func (a InTime) KeepsOfPersons(p privacy.KM) error { return KeepsOfPersons(a.Algorithm, p) }

// Need implements Forecaster.
func (a InTime) Need(in Input) (all, alone Need) {
	if f, known := a.Algorithm.(Forecaster); known {
		return f.Need(in)
	}
	return Need{}, Need{}
}

// Randomized implements Randomized.
func (a InTime) Randomized() bool { return IsRandomized(a.Algorithm) }

// worksOnPacked tells whether an algorithm keeps to a bound on memory by itself.
func worksOnPacked(a Algorithm) bool {
	f, is := a.(PackedCapable)
	return is && f.WorksOnPacked()
}
