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

// search looks for the order of steps that loses least. Each order is followed from the root,
// in a release of its own. Which are followed, and when that ends, depends on their losses and
// on counted work, not on time or workers.
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
	followed int64    // orders
	progress sync.Mutex
}

// trial is an order that has been followed.
type trial struct {
	*order
	loss  int64
	state *state // only of the best
}

const (
	// few is how many item occurrences there are counted at least; most is the largest effort
	// there is.
	few, most = 18_000, 1_000_000
	// generation is how many orders are varied from the best at a time.
	generation = 4
	// maxGenerations and idle bound the generations, and those that gain nothing, one after the
	// other.
	maxGenerations, idle = 400, 40
	// polished is how many of the best releases are polished.
	polished = 2
)

// budget is the work limits, for one item occurrence with an effort of 1. A unit of work takes some
// 10 ns.
type budget struct {
	search int64 // for all orders
	polish int64 // of one release
}

// usual is a budget with which some two to ten orders are followed.
var usual = budget{search: 800, polish: 150}

// times is that for more occurrences and more effort.
func (b budget) times(n int64) budget { return budget{n * b.search, n * b.polish} }

func newSearch(ctx context.Context, in anonymize.Input, effort int) *search {
	merged, div := merge(in)
	return newSearchOf(ctx, in, effort)(refuse(in, merged, div))
}

// newSearchOf searches with merged transactions, and with what is refused them.
func newSearchOf(
	ctx context.Context, in anonymize.Input, effort int,
) func(*dataset.Merged, *diversity, *refusals) *search {
	times := int64(min(max(1, effort), most)) * int64(max(few, in.Data.Occurrences()))
	return func(merged *dataset.Merged, div *diversity, refused *refusals) *search {
		return &search{
			ctx: ctx, in: in, merged: merged, div: div, refused: refused,
			index:   newIndex(merged.Dataset, in.Tree.Leaves()),
			weights: newWeights(in.Tree, in.Data),
			rng:     rand.New(rand.NewPCG(1, 2)),
			budget:  usual.times(times),
		}
	}
}

// run is the best release found until the context ends, the work limit is reached, or nothing
// is gained any more.
func (s *search) run() *state {
	s.begin()
	for n, vain := 0, 0; !off["vary"] && n < maxGenerations && vain < idle && s.affords(generation); n++ {
		if s.lossless() {
			break
		}
		before := s.tried[0].loss
		var orders []*order
		for i := range generation {
			parent := s.tried[i%min(2, len(s.tried))]
			if i == generation-1 {
				if !off["other-kinds"] {
					parent = s.bestOf(kind(n % int(kinds)))
				} // the other kinds have a chance, too
			}
			orders = append(orders, parent.vary(s.rng, variations[i]))
		}
		s.try(orders...)
		vain++
		if s.tried[0].loss < before {
			vain = 0
		}
	}
	s.finish()
	return s.tried[0].state
}

// lossless tells whether there is a release that loses nothing.
func (s *search) lossless() bool { return len(s.tried) > 0 && s.tried[0].loss == 0 }

// bestOf is the best order of a kind, or of all where none has been followed.
func (s *search) bestOf(k kind) *trial {
	for _, t := range s.tried {
		if t.kind == k {
			return t
		}
	}
	return s.tried[0]
}

// begin tries the orders that are not varied, those first that lose least on most data.
func (s *search) begin() {
	for orders := range slices.Chunk(keptOrders(s.first()), 2) {
		if s.lossless() || len(s.tried) > 0 && !s.affords(int64(len(orders))) {
			return
		}
		s.try(orders...)
	}
}

// first are the orders to begin with.
func (s *search) first() []*order {
	if l := s.portfolio(); l != nil {
		return l
	}
	return []*order{
		s.byGain(both, 2), s.byGain(each, 2), s.byGain(rising, 2), s.byGain(both, 0.5),
	}
}

// affords tells whether n more orders are within the work limit.
func (s *search) affords(n int64) bool {
	return s.ctx.Err() == nil && s.work+n*s.work/s.followed <= s.budget.search
}

// try follows orders side by side.
func (s *search) try(orders ...*order) {
	states := make([]*state, len(orders))
	s.eachOf(len(orders), func(i int) { states[i] = s.walk(orders[i]) })
	for i, st := range states {
		s.work += st.work
		s.followed++
		s.tried = append(s.tried, &trial{orders[i], st.loss, st})
	}
	s.rank()
}

// rank puts the best first, and forgets the others but for the best of each kind, and all
// releases but those that may be polished.
func (s *search) rank() {
	slices.SortStableFunc(s.tried, func(a, b *trial) int { return cmp.Compare(a.loss, b.loss) })
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

// walk follows one order.
func (s *search) walk(w *order) *state {
	st := newState(s.in, s.merged, s.div.clone(), s.index)
	st.refused = s.refused
	st.begin(s.in.Tree.Root())
	if s.ctx.Err() == nil { // listing the steps takes time, too
		s.pass(st, "specialising", w.policy, w.steps(s.weights))
	}
	return st
}

// finish polishes the best releases.
func (s *search) finish() {
	if s.lossless() || s.ctx.Err() != nil {
		return
	}
	best := s.tried[:min(polished, len(s.tried))]
	s.eachOf(len(best), func(i int) {
		s.polish(best[i])
		best[i].loss = best[i].state.loss
	})
	s.rank()
}

// eachOf works on n pieces side by side. What an ended context stops is the steps, not the pieces:
// every piece leaves a release.
func (s *search) eachOf(n int, work func(i int)) {
	ctx := context.WithoutCancel(s.ctx)
	_ = par.Each(ctx, s.in.WorkerCount(), n, func(_ context.Context, i int) error {
		work(i)
		return nil
	})
}

// polish makes exchanges in a release, then passes over what was left behind.
func (s *search) polish(t *trial) {
	st := t.state
	st.limit = st.work + s.budget.polish
	st.exchanges(s.ctx)
	s.pass(st, "each child alone", t.policy, s.byGain(each, 2).steps(s.weights))
}

// pass makes steps, or as many of them as the context and the work limit allow. A step that is
// cut off changes nothing.
func (s *search) pass(st *state, name string, t policy, steps []target) {
	one := newStep(st, t)
	for n, to := range steps {
		if s.ctx.Err() != nil || st.work > st.limit {
			return
		}
		s.report(name, int64(n), int64(len(steps)))
		one.refine(s.ctx, to)
	}
}

// report tells how far one of those side by side is.
func (s *search) report(name string, done, total int64) {
	s.progress.Lock()
	defer s.progress.Unlock()
	s.in.Report(name, done, total)
}
