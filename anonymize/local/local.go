// Package local is local recoding by top-down specialisation with peeling: every occurrence of an item may be published at
// a level of its own, as detailed as the company it is in allows. It is not in the papers.
//
// All transactions start at the root. A step takes a node u and lets every transaction that publishes u publish the
// children of u in its place, then takes back, as in the peeling of k-cores, what makes a set of at most m published nodes
// rare. Each step ends in a release that keeps the promise (see step), so the result does, and each step only lowers the
// loss. Nodes are taken from general to special, frequent ones first. A step takes all children of a node at once, or one,
// which finds what fails only in company; a last pass tries again what was left behind, now that others stand where they
// stand. Which order loses least depends on the data: several are tried, side by side, and the best is kept.
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
	"fmt"
	"slices"
	"sync"
	"time"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/par"
	"mingle/release"
)

// Algorithm is local recoding with peeling. The zero value runs to its end.
type Algorithm struct {
	// TimeLimit, if positive, ends the work with what is reached by then: the release keeps the promise after every step.
	// It depends on the speed of the machine then.
	TimeLimit time.Duration
	// KeepBest makes the end of the context an end like that of the time limit, not an error.
	KeepBest bool
}

// errTime is why work with a time limit ended.
var errTime = errors.New("the time limit was reached")

// Name is "local".
func (Algorithm) Name() string { return "local" }

// Anonymize implements anonymize.Algorithm. Negative knowledge is refused.
func (a Algorithm) Anonymize(ctx context.Context, in anonymize.Input) (*release.Generalized, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	if in.Promise.NegativeKnowledge {
		return nil, errors.New("local does not take negative knowledge into account: choose aa, da, oa, vpa, lra or partition")
	}
	within := ctx
	if a.TimeLimit > 0 {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeoutCause(ctx, a.TimeLimit, errTime)
		defer cancel()
	}
	states := tryAll(within, in)
	if ctx.Err() != nil && !a.KeepBest {
		return nil, context.Cause(ctx)
	}
	g := slices.MinFunc(states, func(a, b *state) int { return cmp.Compare(a.cost(), b.cost()) }).release(in)
	if within.Err() != nil {
		g.Warnings = append(g.Warnings, fmt.Sprintf("The specialisation was ended early: %v.", context.Cause(within)))
	}
	return g, nil
}

// tryAll goes every way that is tried, side by side, as far as the context lasts.
func tryAll(ctx context.Context, in anonymize.Input) []*state {
	merged, div := merge(in)
	plans := plan(in, div)
	states := make([]*state, len(plans))
	x := newIndex(merged.Dataset, in.Tree.Leaves())
	var progress sync.Mutex
	// What an ended context stops is the steps, not the pieces: every way leaves a release.
	_ = par.Each(context.WithoutCancel(ctx), in.WorkerCount(), len(plans), func(_ context.Context, i int) error {
		states[i] = newState(in, merged, div.clone(), x)
		states[i].begin(in.Tree.Root())
		states[i].specialise(ctx, in, plans[i], &progress)
		return nil
	})
	return states
}

// manyOccurrences is from how many item occurrences on the quickest way is gone alone. On retail and T10I4D100K what the
// others gain is about 1 %, and each takes many seconds.
const manyOccurrences = 700_000

// plan lists the ways to be tried, each a list of passes. What is specialised first has the first say, so each way has its data
// on which it loses least.
func plan(in anonymize.Input, div *diversity) [][]pass {
	o := order(in)
	first := []pass{{"specialising", o.together}, {"each child alone", o.alone}, {"what was left behind", o.together}}
	switch {
	case div != nil:
		return [][]pass{first[:1]}
	case in.Data.Occurrences() > manyOccurrences:
		return [][]pass{{first[0], first[2]}}
	}
	return [][]pass{
		first,
		{{"children in turn", o.turns}, {"what was left behind", o.together}},
		{{"together, then in turn", o.both}, {"what was left behind", o.together}},
	}
}

// pass is a list of steps, and its name for those who watch.
type pass struct {
	name  string
	steps []target
}

// specialise makes the passes, or as much of them as the context lasts. A step that it cuts off changes nothing.
func (s *state) specialise(ctx context.Context, in anonymize.Input, passes []pass, progress *sync.Mutex) {
	memo := &memo{space: newSpace(s)}
	for _, pass := range passes {
		for i, t := range pass.steps {
			progress.Lock()
			in.Report(pass.name, int64(i), int64(len(pass.steps)))
			progress.Unlock()
			s.refine(ctx, t, memo)
			if ctx.Err() != nil {
				return
			}
		}
	}
}

// target is what a step specialises: a node, to all its children or to one (-1: all).
type target struct{ node, only int32 }

// orders are lists of steps from general to special, at each depth the most frequent first.
type orders struct {
	together []target // each node
	alone    []target // each child, whatever it is a child of
	turns    []target // the children of one node, then those of the next
	both     []target // each node, followed by its children
}

func order(in anonymize.Input) orders {
	t := in.Tree
	occurrences := belowEach(t, in.Data)
	generalFirst := func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.Depth(a), t.Depth(b)), cmp.Compare(occurrences[b], occurrences[a]), cmp.Compare(a, b))
	}
	var nodes []int32
	for u := range int32(t.Nodes()) {
		if occurrences[u] > 0 {
			nodes = append(nodes, u)
		}
	}
	slices.SortFunc(nodes, generalFirst)
	var o orders
	for _, u := range nodes {
		if up := t.Parent(u); up >= 0 {
			o.alone = append(o.alone, target{up, u})
		}
		if t.IsLeaf(u) {
			continue
		}
		o.together = append(o.together, target{u, -1})
		o.both = append(o.both, target{u, -1})
		children := slices.SortedFunc(slices.Values(t.Children(u)), generalFirst)
		for _, c := range children {
			if occurrences[c] > 0 {
				o.turns = append(o.turns, target{u, c})
				o.both = append(o.both, target{u, c})
			}
		}
	}
	return o
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
