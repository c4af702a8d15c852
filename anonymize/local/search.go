package local

import (
	"cmp"
	"context"
	"iter"
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
	ctx     context.Context
	in      anonymize.Input
	merged  *dataset.Merged
	div     *diversity
	index   *index
	refused *refusals
	budget  budget
	*weights

	rng      *rand.Rand
	tried    []*trial // the best first; ties as they were tried
	work     int64    // of all
	gone     int64    // ways
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
	few, most = 18_000, 1_000_000
	// manyOccurrences is from how many item occurrences on, with m above 2, one way is gone alone, with more effort others of its kind, and
	// what they leave behind is not tried again: that gained less than 0.1 % on retail and T10I4D100K.
	manyOccurrences = 400_000
	// generation is how many ways are varied from the best at a time.
	generation = 4
	// maxGenerations and idle bound the generations, and those that gain nothing, one after the other.
	maxGenerations, idle = 400, 40
	// polished is how many of the best releases are polished, rounds how often at most.
	polished, rounds = 2, 2
)

// budget is how much work is enough. A unit of work takes some 10 ns.
type budget struct {
	search int64 // for all ways
	polish int64 // of one release
	renew  int64 // of one release, then
}

// budgetOf is what is enough for one item occurrence with an effort of 1: with m up to 2 some four to ten ways are gone, above it two to four.
func budgetOf(in anonymize.Input) budget {
	switch {
	case in.Promise.M <= 2:
		return budget{search: 750, polish: 150, renew: 50}
	case large(in):
		return budget{search: 500, polish: 200}
	default:
		return budget{search: 650, polish: 200, renew: 175}
	}
}

// large data is not searched as much if m is above 2.
func large(in anonymize.Input) bool {
	return in.Promise.M > 2 && in.Data.Occurrences() > manyOccurrences
}

// times is that for more occurrences and more effort.
func (b budget) times(n int64) budget { return budget{n * b.search, n * b.polish, n * b.renew} }

func newSearch(ctx context.Context, in anonymize.Input, effort int) *search {
	merged, div := merge(in)
	return newSearchOf(ctx, in, effort)(refuse(in, merged, div))
}

// newSearchOf searches with merged transactions, and with what is refused them.
func newSearchOf(ctx context.Context, in anonymize.Input, effort int) func(*dataset.Merged, *diversity, *refusals) *search {
	times := int64(min(max(1, effort), most)) * int64(max(few, in.Data.Occurrences()))
	return func(merged *dataset.Merged, div *diversity, refused *refusals) *search {
		return &search{
			ctx: ctx, in: in, merged: merged, div: div, refused: refused,
			index:   newIndex(merged.Dataset, in.Tree.Leaves()),
			weights: newWeights(in.Tree, in.Data),
			rng:     rand.New(rand.NewPCG(1, 2)),
			budget:  budgetOf(in).times(times),
		}
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
	if large(s.in) {
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
	case large(s.in):
		return []*way{s.way(each, 2).with(careless), s.way(each, 2).with(bold)}
	case s.in.Promise.M > 3:
		return []*way{
			s.way(each, 2), s.way(falling, 2).with(bold), s.way(both, 2), s.way(rising, 2),
			s.way(each, 4), s.way(falling, 4), s.way(each, 2).with(careless), s.way(both, 4),
		}
	default:
		return []*way{
			s.way(both, 2), s.way(rising, 2), s.way(each, 2).with(bold), s.way(falling, 4),
			s.way(each, 4), s.way(joint, 4), s.way(rising, 2).with(careless), s.way(both, 4),
		}
	}
}

// affords tells whether n more ways are within the work that is enough.
func (s *search) affords(n int64) bool {
	return s.ctx.Err() == nil && s.work+n*s.work/s.gone <= s.budget.search
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
	st.refused = s.refused
	st.begin(s.in.Tree.Root())
	if s.ctx.Err() == nil { // listing the steps takes time, too
		s.pass(st, "specialising", w.taste, w.steps(s.weights))
	}
	return st
}

// finish polishes the best releases, then renews parts of the best.
func (s *search) finish() {
	if s.div != nil || s.ctx.Err() != nil {
		return
	}
	best := s.tried[:min(polished, len(s.tried))]
	s.sideBySide(best, s.polish)
	if large(s.in) || s.ctx.Err() != nil {
		return
	}
	if len(best) > 1 {
		best[1].state = best[0].state.clone()
	}
	s.sideBySide(best, s.renew)
}

// sideBySide changes the releases of some trials.
func (s *search) sideBySide(of []*trial, change func(t *trial, n int)) {
	_ = par.Each(context.WithoutCancel(s.ctx), s.in.WorkerCount(), len(of), func(_ context.Context, i int) error {
		change(of[i], i)
		of[i].cost = of[i].state.lost
		return nil
	})
	s.rank()
}

// polish makes exchanges in a release, and tries again what was left behind.
func (s *search) polish(t *trial, _ int) {
	st := t.state
	st.enough = st.work + s.budget.polish
	for range rounds {
		before := st.lost
		st.exchange(s.ctx)
		if s.ctx.Err() != nil {
			return
		}
		s.again(st, t.taste)
		if little(before, st.lost) || st.work > st.enough {
			return
		}
	}
}

// little tells whether so little is gained that the same is not worth a further try.
func little(before, after int64) bool { return before-after < before/1000 }

// again makes passes over what was left behind.
func (s *search) again(st *state, t taste) {
	if large(s.in) {
		return
	}
	one := s.way(each, 2)
	leaps, n := one.leaps(s.weights)
	s.passOver(st, "further down", t, leaps, n)
	if s.ctx.Err() != nil {
		return
	}
	before := st.lost
	s.pass(st, "each child alone", t, one.steps(s.weights))
	if !little(before, st.lost) && s.ctx.Err() == nil {
		s.pass(st, "what was left behind", t, s.way(joint, 2).steps(s.weights))
	}
}

// pass makes steps, or as many of them as the context and the work that is enough allow. A step that is cut off changes nothing.
func (s *search) pass(st *state, name string, t taste, steps []target) {
	s.passOver(st, name, t, slices.Values(steps), len(steps))
}

// passOver is pass over n steps that are not listed.
func (s *search) passOver(st *state, name string, t taste, steps iter.Seq[target], n int) {
	one, made := newStep(st, t), int64(0)
	for to := range steps {
		if s.ctx.Err() != nil || st.work > st.enough {
			return
		}
		s.report(name, made, int64(n))
		one.refine(s.ctx, to)
		made++
	}
}

// report tells how far one of those side by side is.
func (s *search) report(name string, done, total int64) {
	s.progress.Lock()
	defer s.progress.Unlock()
	s.in.Report(name, done, total)
}
