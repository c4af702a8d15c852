package global

import (
	"context"
	"slices"

	"mingle/anonymize"
	"mingle/hierarchy"
)

// Lift lifts a cut, as aa would from there, until it keeps the promise of the input, whatever that
// asks.
func Lift(ctx context.Context, p *anonymize.Problem, from []int32) ([]int32, error) {
	s, err := stateFrom(p, from)
	if err != nil {
		return nil, err
	}
	if err := s.anonymize(ctx, p.Input, 1); err != nil {
		return nil, err
	}
	return s.cut.Map(), nil
}

// Lower takes back, from a cut that keeps k^m-anonymity, what is not needed for it. With diversity
// or negative knowledge, which may be lost on the way down, it leaves the cut as it is.
func Lower(ctx context.Context, p *anonymize.Problem, from []int32) ([]int32, error) {
	if asksBeyond(p.Promise) {
		return slices.Clone(from), nil
	}
	s, err := stateFrom(p, from)
	if err != nil {
		return nil, err
	}
	if err := s.lower(ctx, p.Input); err != nil {
		return nil, err
	}
	return s.cut.Map(), nil
}

// stateFrom starts at a cut, given the node of every leaf.
func stateFrom(p *anonymize.Problem, from []int32) (*state, error) {
	s, err := newState(p)
	if err != nil {
		return nil, err
	}
	cut, err := hierarchy.NewCut(p.Tree, slices.Compact(slices.Clone(from)))
	if err != nil {
		return nil, err
	}
	s.liftTo(cut)
	return s, nil
}
