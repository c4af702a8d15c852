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
	gone     int64    // ways
	enough   int64    // work after which no way is begun
	polish   int64    // work that is enough to polish one release
	progress sync.Mutex
}

// trial is a way that has been gone.
type trial struct {
	*way
	cost  int64
	state *state // only of the best
}

const (
	// few is how many item occurrences there are counted at least; most is the largest effort there is.
	few, most = 20_000, 1_000_000
	// manyOccurrences is from how many item occurrences on, with m above 2, one way is gone alone, then others of its kind, and what they
	// leave behind is not tried again: that gained less than 0.1 % on retail and T10I4D100K.
	manyOccurrences = 400_000
	// generation is how many ways are varied from the best at a time.
	generation = 4
	// maxGenerations and idle bound the generations, and those that gain nothing, one after the other.
	maxGenerations, idle = 400, 40
	// polished is how many of the best releases are polished, rounds how often at most.
	polished, rounds = 2, 2
)

// enough is how much work for an item occurrence is enough with an effort of 1: for the search, some four to ten ways with m up to 2 and
// two to four above, and for the polish of one release. A unit of work takes some 10 ns.
func enough(m int) (search, polish int64) {
	if m <= 2 {
		return 800, 200
	}
	return 600, 200
}

func newSearch(ctx context.Context, in anonymize.Input, effort int) *search {
	merged, div := merge(in)
	toSearch, toPolish := enough(in.Promise.M)
	per := int64(min(max(1, effort), most)) * int64(max(few, in.Data.Occurrences()))
	return &search{
		ctx: ctx, in: in, merged: merged, div: div,
		index:   newIndex(merged.Dataset, in.Tree.Leaves()),
		weights: newWeights(in.Tree, in.Data),
		rng:     rand.New(rand.NewPCG(1, 2)),
		enough:  toSearch * per,
		polish:  toPolish * per,
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
			parent := s.tried[i%min(2, len(s.tried))]
			if i == generation-1 {
				parent = s.bestOf(kind(n % int(kinds))) // the other kinds have a chance, too
			}
			ways = append(ways, parent.vary(s.rng, variations[i]))
		}
		s.try(ways...)
		vain++
		if s.tried[0].cost < before {
			vain = 0
		}
	}
	s.finish()
	return s.tried[0].state
}

// bestOf is the best way of a kind, or of all where none has been gone.
func (s *search) bestOf(k kind) *trial {
	for _, t := range s.tried {
		if t.kind == k {
			return t
		}
	}
	return s.tried[0]
}

// begin tries the ways that are not varied, those first that lose least on most data.
func (s *search) begin() {
	together := 2
	if s.large() {
		together = 1
	}
	for ways := range slices.Chunk(s.first(), together) {
		if len(s.tried) > 0 && !s.affords(int64(len(ways))) {
			return
		}
		s.try(ways...)
	}
}

// first are the ways to begin with.
func (s *search) first() []*way {
	switch {
	case s.div != nil:
		return []*way{s.way(joint, 2), s.way(joint, 0.5)}
	case s.in.Promise.M <= 2:
		return []*way{
			s.way(both, 2), s.way(each, 2), s.way(both, 0.5), s.way(both, 2).with(bold),
			s.way(both, 8), s.way(joint, 8), s.way(joint, 0.5), s.way(each, 4),
		}
	case s.large():
		return []*way{s.way(each, 2).with(careless), s.way(each, 2).with(bold)}
	default:
		return []*way{
			s.way(each, 2).with(bold), s.way(both, 2), s.way(each, 4), s.way(each, 2).with(careless),
			s.way(joint, 4), s.way(both, 4), s.way(each, 1).with(bold), s.way(each, 2),
		}
	}
}

// affords tells whether n more ways are within the work that is enough.
func (s *search) affords(n int64) bool {
	return s.ctx.Err() == nil && s.work+n*s.work/s.gone <= s.enough
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
		s.gone++
		s.tried = append(s.tried, &trial{ways[i], st.lost, st})
	}
	s.rank()
}

// rank puts the best first, and forgets the others but for the best of each kind, and all releases but those that may be polished.
func (s *search) rank() {
	slices.SortStableFunc(s.tried, func(a, b *trial) int { return cmp.Compare(a.cost, b.cost) })
	var met [kinds]bool
	n := 0
	s.tried = slices.DeleteFunc(s.tried, func(t *trial) bool {
		n++
		if n > polished {
			t.state = nil
		}
		known := met[t.kind]
		met[t.kind] = true
		return n > polished && known
	})
}

// walk goes one way.
func (s *search) walk(w *way) *state {
	st := newState(s.in, s.merged, s.div.clone(), s.index)
	st.begin(s.in.Tree.Root())
	s.pass(st, "specialising", w.taste, w.steps(s.weights))
	return st
}

// finish makes exchanges in the best releases, and tries again what they left behind.
func (s *search) finish() {
	if s.div != nil {
		return
	}
	best := s.tried[:min(polished, len(s.tried))]
	_ = par.Each(context.WithoutCancel(s.ctx), s.in.WorkerCount(), len(best), func(_ context.Context, i int) error {
		t := best[i]
		t.state.enough = t.state.work + s.polish
		for range rounds {
			before := t.cost
			t.state.exchange(s.ctx)
			s.again(t.state, t.taste)
			if t.cost = t.state.lost; before-t.cost < before/1000 {
				break
			}
		}
		return nil
	})
	s.rank()
}

// again makes passes over what was left behind.
func (s *search) again(st *state, t taste) {
	if s.large() {
		return
	}
	one := s.way(each, 2)
	s.pass(st, "further down", t, one.leaps(s.weights))
	s.pass(st, "each child alone", t, one.steps(s.weights))
	s.pass(st, "what was left behind", t, s.way(joint, 2).steps(s.weights))
}

// large data is not searched as long if m is above 2.
func (s *search) large() bool { return s.in.Promise.M > 2 && s.in.Data.Occurrences() > manyOccurrences }

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
