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
	work     int64    // of all
	progress sync.Mutex
}

// trial is a way that has been gone.
type trial struct {
	*way
	cost  int64
	state *state // only of finalists
}

const (
	// enoughWork ends the search: about as many times a count is raised, some seconds on one processor.

	// manyOccurrences is from how many item occurrences on the first way is gone alone before others are thought of and what it
	// leaves behind is not tried again, unless m is at most 2: that gained less than 0.1 % on retail and T10I4D100K, m=3.
	manyOccurrences = 400_000
	// generation is how many ways are varied from the best at a time.
	generation = 4
	// maxGenerations and idle bound the generations, and those that gain nothing, one after the other.
	maxGenerations, idle = 400, 80
	// polished is how many of the finalists, the best way of each kind, are polished, rounds how often at most; enoughPolish
	// ends that for one of them.
	polished, rounds, enoughPolish = 2, 2, 250_000_000
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
		ends := s.finalists()
		var ways []*way
		for i := range generation {
			parent := s.tried[i%min(2, len(s.tried))]
			if i == generation-1 {
				parent = ends[n%len(ends)] // the other kinds have a chance, too
			}
			ways = append(ways, parent.vary(s.rng, variations[i]))
		}
		s.try(ways...)
		vain++
		if s.tried[0].cost < before {
			vain = 0
		}
	}
	s.polish()
	return s.tried[0].state
}

// begin tries the ways that are not varied, those first that lose least on most data.
func (s *search) begin() {
	if s.div != nil {
		s.try(s.way(joint, 2), s.way(joint, 0.5))
		return
	}
	first := []*way{
		s.way(each, 2).with(careless), s.way(both, 2), s.way(both, 2).with(bold), s.way(joint, 8), s.way(each, 4), s.way(both, 0.5),
		s.way(joint, 0.5), s.way(both, 8), s.way(each, 2), s.way(each, 1).with(bold),
	}
	if s.large() && s.in.Promise.M > 2 {
		first = []*way{first[0], s.way(each, 2).with(bold)}
	}
	for two := range slices.Chunk(first, 2) {
		if len(s.tried) > 0 && !s.affords(int64(len(two))) {
			return
		}
		s.try(two...)
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
		s.work += st.work
		s.tried = append(s.tried, &trial{ways[i], st.lost, st})
	}
	s.rank()
}

// rank puts the best first, and keeps the releases of the best of each kind only.
func (s *search) rank() {
	slices.SortStableFunc(s.tried, func(a, b *trial) int { return cmp.Compare(a.cost, b.cost) })
	var met [both + 1]bool
	for n, t := range s.tried {
		if met[t.kind] || s.large() && n > 0 {
			t.state = nil
		}
		met[t.kind] = true
	}
}

// finalists are the ways whose releases are kept.
func (s *search) finalists() []*trial {
	return slices.DeleteFunc(slices.Clone(s.tried), func(t *trial) bool { return t.state == nil })
}

// walk goes one way.
func (s *search) walk(w *way) *state {
	st := newState(s.in, s.merged, s.div.clone(), s.index)
	st.begin(s.in.Tree.Root())
	s.pass(st, "specialising", w.taste, w.steps(s.weights))
	return st
}

// polish makes exchanges in the releases of the finalists, and tries again what they left behind; on large data less of it.
func (s *search) polish() {
	if s.div != nil {
		return
	}
	ends := s.finalists()
	ends = ends[:min(polished, len(ends))]
	_ = par.Each(context.WithoutCancel(s.ctx), s.in.WorkerCount(), len(ends), func(_ context.Context, i int) error {
		t := ends[i]
		t.state.enough = t.state.work + enoughPolish
		for range rounds {
			before := t.cost
			t.state.exchange(s.ctx)
			again := s.finish(t.state)
			if t.cost = t.state.lost; !again || before-t.cost < before/1000 {
				break
			}
		}
		return nil
	})
	s.rank()
}

// finish makes further passes, and tells whether another round may be worth it.
func (s *search) finish(st *state) bool {
	switch {
	case !s.large():
		one := s.way(each, 2)
		s.pass(st, "what was left behind", careful, s.way(joint, 2).steps(s.weights))
		s.pass(st, "each child alone", careful, one.steps(s.weights))
		s.pass(st, "further down", careful, one.leaps(s.weights))
	case s.in.Promise.M <= 2:
		s.pass(st, "what was left behind", careful, s.way(joint, 2).steps(s.weights))
		st.exchange(s.ctx)
	}
	return !s.large()
}

// large data is not searched as long.
func (s *search) large() bool { return s.in.Data.Occurrences() > manyOccurrences }

// pass makes steps, or as many of them as the context and the work that is enough allow. A step that is cut off changes nothing.
func (s *search) pass(st *state, name string, t taste, steps []target) {
	one := newStep(st, t)
	for i, to := range steps {
		if s.ctx.Err() != nil || st.work > st.enough {
			return
		}
		s.progress.Lock()
		s.in.Report(name, int64(i), int64(len(steps)))
		s.progress.Unlock()
		one.refine(s.ctx, to)
	}
}

var enoughWork int64 = 1_000_000_000
