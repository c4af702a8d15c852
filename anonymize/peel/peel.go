// Package peel is local recoding for promises of persons, who may have several transactions. It is
// not in the papers; docs/algorithms/peel.md has the argument.
//
// All lines start at the cut that aa finds. A step takes a node u and lets every line that
// publishes it publish the children of u that its items are below in its place; then lines go back
// to u, as in the peeling of k-cores, until every set of at most m published nodes is in lines of k
// persons again:
//
//   - a set with a child of u breaks the promise: the lines that newly publish it go back;
//   - a set with u does, because others gave u up: those of them that have the rest of it go back.
//
// With all lines back the promise holds as before, so the rounds end. Where l is asked, a set that
// hides a sensitive item too little breaks the promise, too, and all lines of a person go back
// together (see unequal). A line takes all its items at
// a node down or none, so that no node of it is above another: then what the published nodes show
// is all there is to be asked (see verify). Nodes are taken from the top down, in several passes.
//
// Time: a step counts the sets of at most m-1 other nodes of the lines that publish u or a child of
// it, once a round; the rounds of a pass are some for each level of the tree. Memory: 16 bytes an
// occurrence, and the lines of the largest step.
package peel

import (
	"context"
	"slices"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/privacy"
	"mingle/release"
)

// Algorithm is peel. It has no parameters.
type Algorithm struct{}

// Name is "peel".
func (Algorithm) Name() string { return "peel" }

// Traits implements anonymize.Algorithm.
func (Algorithm) Traits() anonymize.Traits {
	n := anonymize.Need{Each: 120}
	return anonymize.Traits{
		Persons: true, Need: n.Always, Refuses: func(p privacy.KM) string {
			if p.Persons {
				return ""
			}
			return "is for promises of persons alone (--person-column)"
		},
	}
}

// passes is how often all nodes are taken at most: what one step takes back another may allow. They
// end where one gains less than the gain-th part of the loss.
const passes, gain = 6, 50

// Anonymize implements anonymize.Algorithm.
func (a Algorithm) Anonymize(
	ctx context.Context, in anonymize.Input,
) (*release.Generalized, error) {
	return anonymize.Solve(ctx, in, a)
}

// Solve implements anonymize.Solver.
func (Algorithm) Solve(ctx context.Context, p *anonymize.Problem) (*release.Generalized, error) {
	from, err := p.Solve(ctx, global.AA{})
	if err != nil {
		return nil, err
	}
	s := newState(p, from.Map)
	order := s.topDown()
	for pass := range passes {
		before := s.lost
		for n, u := range order {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			p.Report("specialising", int64(pass*len(order)+n), int64(passes*len(order)))
			s.specialise(ctx, u)
		}
		if before-s.lost < before/gain || s.lost == 0 {
			break
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return s.release(p.Input), nil
}

// topDown are the inner nodes, those of more leaves first.
func (s *state) topDown() []int32 {
	var out []int32
	for u := int32(s.tree.Nodes()) - 1; u >= 0; u-- {
		if !s.tree.IsLeaf(u) {
			out = append(out, u)
		}
	}
	slices.SortStableFunc(out, func(a, b int32) int {
		return s.tree.LeafCount(b) - s.tree.LeafCount(a)
	})
	return out
}
