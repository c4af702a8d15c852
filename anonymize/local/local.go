// Package local is local recoding by top-down specialisation with peeling: every occurrence of an item may be published at
// a level of its own.
package local

import (
	"cmp"
	"context"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/release"
)

// Algorithm is local recoding with peeling.
type Algorithm struct{}

// Name is "local".
func (Algorithm) Name() string { return "local" }

type diversity struct{}

// Anonymize implements anonymize.Algorithm.
func (Algorithm) Anonymize(ctx context.Context, in anonymize.Input) (*release.Generalized, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	s := newState(in, dataset.Merge(in.Data), nil)
	s.begin(slices.Repeat([]int32{in.Tree.Root()}, in.Tree.Leaves()))
	memo := newCounter(s)
	order := make([]int32, 0, in.Tree.Nodes())
	for u := int32(in.Tree.Leaves()); int(u) < in.Tree.Nodes(); u++ {
		order = append(order, u)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(in.Tree.Depth(a), in.Tree.Depth(b)) })
	for pass := 0; pass < Passes; pass++ {
		gain := int64(0)
		for i, u := range order {
			in.Report("specialising", int64(i), int64(len(order)))
			gain += s.refine(ctx, u, memo)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
		}
		if gain == 0 {
			break
		}
	}
	return s.release(in), nil
}

var Passes = 1
