package global

import (
	"context"
	"slices"

	"mingle/anonymize"
	"mingle/hierarchy"
)

// Lift lifts a cut, as aa would from there, until it keeps the promise of the input, whatever that asks.
func Lift(ctx context.Context, in anonymize.Input, from []int32) ([]int32, error) {
	s, err := newState(in)
	if err != nil {
		return nil, err
	}
	cut, err := hierarchy.NewCut(in.Tree, slices.Compact(slices.Clone(from)))
	if err != nil {
		return nil, err
	}
	s.liftTo(cut)
	if err := s.anonymize(ctx, in, 1); err != nil {
		return nil, err
	}
	return s.cut.Map(), nil
}

// Lower takes back, from a cut that keeps k^m-anonymity, what is not needed for it. With diversity or negative knowledge,
// which may be lost on the way down, it leaves the cut as it is.
func Lower(ctx context.Context, in anonymize.Input, from []int32) ([]int32, error) {
	s, err := newState(in)
	if err != nil {
		return nil, err
	}
	if asksBeyond(in.Promise) {
		return slices.Clone(from), nil
	}
	cut, err := hierarchy.NewCut(in.Tree, slices.Compact(slices.Clone(from)))
	if err != nil {
		return nil, err
	}
	s.liftTo(cut)
	if err := s.lower(ctx, in); err != nil {
		return nil, err
	}
	return s.cut.Map(), nil
}
