// Package local is local recoding by top-down specialisation with peeling: every occurrence of an item may be published at
// a level of its own, as detailed as the company it is in allows. It is not in the papers.
//
// All transactions start at the root. A step takes a node u and lets every transaction that publishes u publish the
// children of u in its place, then takes back, as in the peeling of k-cores, what makes a set of at most m published nodes
// rare. Each step ends in a release that keeps the promise (see step), so the result does, and each step only lowers the
// loss. Nodes are taken from general to special, frequent ones first: what is specialised first has the first say. A
// first pass tries all children of a node at once; a second tries each alone, which finds what failed only in company; a
// third tries again what was left behind, now that others stand where they stand.
//
// With l^m-diversity a transaction takes all its items at u down to the children or none, so that what it publishes is an
// antichain: see docs/algorithms/local.md for why.
//
// Time: for every node and every transaction that publishes it, the sets of at most m-1 other nodes of what it publishes are counted a
// few times. Memory: 4 bytes an occurrence and a node above it, and the working space of the largest step: some tens of bytes
// for each node published by the transactions that publish u.
package local

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/release"
)

// Algorithm is local recoding with peeling.
type Algorithm struct{}

// Name is "local".
func (Algorithm) Name() string { return "local" }

// Anonymize implements anonymize.Algorithm. Negative knowledge is refused.
func (Algorithm) Anonymize(ctx context.Context, in anonymize.Input) (*release.Generalized, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	if in.Promise.NegativeKnowledge {
		return nil, errors.New("local does not take negative knowledge into account: choose aa, da, oa, vpa, lra or partition")
	}
	s := newState(in)
	s.begin(in.Tree.Root())
	if err := s.specialise(ctx, in); err != nil {
		return nil, err
	}
	return s.release(in), nil
}

// specialise makes the passes.
func (s *state) specialise(ctx context.Context, in anonymize.Input) error {
	together, alone := order(in)
	passes := []struct {
		name  string
		steps []target
	}{{"specialising", together}, {"each child alone", alone}, {"what was left behind", together}}
	if s.div != nil {
		passes = passes[:1]
	}
	memo := newCounter(s)
	for _, pass := range passes {
		for i, t := range pass.steps {
			in.Report(pass.name, int64(i), int64(len(pass.steps)))
			s.refine(ctx, t, memo)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

// target is what a step specialises: a node, to all its children or to one (-1: all).
type target struct{ node, only int32 }

// order lists the steps from general to special, at each depth the most frequent first.
func order(in anonymize.Input) (together, alone []target) {
	t := in.Tree
	occurrences := belowEach(t, in.Data)
	for c := range t.Root() {
		if occurrences[c] > 0 {
			alone = append(alone, target{t.Parent(c), c})
		}
	}
	for u := int32(t.Leaves()); int(u) < t.Nodes(); u++ {
		if occurrences[u] > 0 {
			together = append(together, target{u, -1})
		}
	}
	sortBy := func(list []target, of func(target) int32) {
		slices.SortStableFunc(list, func(a, b target) int {
			return cmp.Or(cmp.Compare(t.Depth(of(a)), t.Depth(of(b))), cmp.Compare(occurrences[of(b)], occurrences[of(a)]))
		})
	}
	sortBy(together, func(t target) int32 { return t.node })
	sortBy(alone, func(t target) int32 { return t.only })
	return together, alone
}

// belowEach counts the item occurrences below every node.
func belowEach(t *hierarchy.Tree, d *dataset.Dataset) []int {
	out := make([]int, t.Nodes())
	copy(out, d.Supports())
	for u := range t.Root() {
		out[t.Parent(u)] += out[u]
	}
	return out
}
