package local

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/par"
)

// search looks for the order of steps that loses least. Each way is gone from the root, in a release of its own. Which are
// gone, and when that ends, depends on their losses and on counted work, not on time or workers.
type search struct {
	ctx    context.Context
	in     anonymize.Input
	merged *dataset.Merged
	div    *diversity
	index  *index
	*weights

	rng      *rand.Rand
	tried    []*trial // the best first; ties as they were tried
	best     *state   // of the first
	work     int64    // of all
	progress sync.Mutex
}

// trial is a way that has been gone.
type trial struct {
	*way
	cost int64
}

const (
	// enoughWork ends the search: about as many times a count is raised, some seconds on one processor.
	enoughWork = 2_000_000_000
	// manyOccurrences is from how many item occurrences on the first way is gone alone before others are thought of (unless m
	// is at most 2), and what it leaves behind is not tried again: that gained less than 0.1 % on retail and T10I4D100K, m=3.
	manyOccurrences = 400_000
	// generation is how many ways are varied from the best at a time.
	generation = 4
	// maxGenerations and idle bound the generations, and those that gain nothing, one after the other.
	maxGenerations, idle = 12, 4
)

func newSearch(ctx context.Context, in anonymize.Input) *search {
	merged, div := merge(in)
	return &search{
		ctx: ctx, in: in, merged: merged, div: div,
		index:   newIndex(merged.Dataset, in.Tree.Leaves()),
		weights: newWeights(in.Tree, in.Data),
		rng:     rand.New(rand.NewPCG(1, 2)),
	}
}

// run is the best release found until the context ends, the work is enough, or nothing is gained any more.
func (s *search) run() *state {
	s.begin()
	for n, vain := 0, 0; n < maxGenerations && vain < idle && s.affords(generation); n++ {
		before := s.tried[0].cost
		if before == 0 {
			break
		}
		var ways []*way
		for i := range generation {
			parent := s.tried[0]
			if n < generation && i%2 == 1 && len(s.tried) > 1 {
				parent = s.tried[1] // at first the second best has its chance, too
			}
			ways = append(ways, parent.vary(s.rng, factors[i/2]))
		}
		s.try(ways...)
		vain++
		if s.tried[0].cost < before {
			vain = 0
		}
	}
	return s.best
}

// begin tries the ways that are not varied.
func (s *search) begin() {
	if s.div != nil {
		s.try(s.way(joint, true), s.way(joint, false))
		return
	}
	first := []*way{s.way(each, true), s.way(joint, true), s.way(both, true), s.way(joint, false)}
	if s.in.Data.Occurrences() > manyOccurrences && s.in.Promise.M > 2 {
		s.try(first[0]) // on retail and T10I4D100K it lost least of the four or five compared
		first = first[1:]
	} else {
		s.try(first[:2]...)
		first = first[2:]
	}
	if s.affords(int64(len(first))) {
		s.try(first...)
	}
}

// affords tells whether n more ways are within the work that is enough.
func (s *search) affords(n int64) bool {
	return s.ctx.Err() == nil && s.work+n*s.work/int64(len(s.tried)) <= enoughWork
}

// try goes ways side by side.
func (s *search) try(ways ...*way) {
	states := make([]*state, len(ways))
	// What an ended context stops is the steps, not the pieces: every way leaves a release.
	_ = par.Each(context.WithoutCancel(s.ctx), s.in.WorkerCount(), len(ways), func(_ context.Context, i int) error {
		states[i] = s.walk(ways[i])
		return nil
	})
	for i, st := range states {
		t := &trial{ways[i], st.cost()}
		s.work += st.work
		if len(s.tried) == 0 || t.cost < s.tried[0].cost {
			s.best = st
		}
		s.tried = append(s.tried, t)
	}
	slices.SortStableFunc(s.tried, func(a, b *trial) int { return cmp.Compare(a.cost, b.cost) })
}

// walk goes one way: a pass in its order, then, unless the data is large, the passes that try again what was left behind.
func (s *search) walk(w *way) *state {
	st := newState(s.in, s.merged, s.div.clone(), s.index)
	st.begin(s.in.Tree.Root())
	m := &memo{space: newSpace(st)}
	s.pass(st, m, "specialising", w)
	if s.div != nil || s.in.Data.Occurrences() > manyOccurrences {
		return st
	}
	if w.kind == joint {
		s.pass(st, m, "each child alone", s.way(each, true))
	}
	s.pass(st, m, "what was left behind", s.way(joint, true))
	return st
}

// pass makes the steps of a way, or as many of them as the context lasts. A step that it cuts off changes nothing.
func (s *search) pass(st *state, m *memo, name string, w *way) {
	steps := w.steps(s.weights)
	for i, t := range steps {
		if s.ctx.Err() != nil {
			return
		}
		s.progress.Lock()
		s.in.Report(name, int64(i), int64(len(steps)))
		s.progress.Unlock()
		st.refine(s.ctx, t, m)
	}
}
