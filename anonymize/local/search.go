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
	plan    plan
	budget  budget
	*weights

	rng      *rand.Rand
	tried    []*trial // the best, best first; ties as they were tried
	work     int64    // of all
	followed int64    // orders
	progress sync.Mutex
}

// trial is an order that has been followed.
type trial struct {
	*order
	loss  int64
	state *state
}

const (
	// few is how many item occurrences there are counted at least; most is the largest effort
	// there is.
	few, most = 18_000, 1_000_000
	// together is how many orders are followed side by side; as many of the best are varied next,
	// and polished in the end.
	together = 2
	// idle bounds how often, one after the other, variations gain nothing.
	idle = 80
)

// plan is what a search consists of. The ablation leaves parts of it out.
type plan struct {
	portfolio []opening // the orders that are not varied
	varied    int       // how many variations there are at most
	exchanges bool      // are made in the end
	again     bool      // what was left behind is tried again then
}

// opening is an order by gain (see byGain).
type opening struct {
	kind  kind
	power float64
}

// whole is the usual plan. Of all kinds, and powers of 1/2, 2, 4 and 8, its portfolio is, one after
// the other, what together with those before it loses least on the half of a collection of
// generated data sets that is for development (see docs/algorithms/local.md).
var whole = plan{
	portfolio: []opening{{each, 4}, {both, 8}, {falling, 2}, {each, 2}},
	varied:    1600, exchanges: true, again: true,
}

// budget is the work limits, for one item occurrence with an effort of 1. A unit of work takes some
// 10 ns.
type budget struct {
	search int64 // for all orders
	polish int64 // of one release
}

// usual is a budget with which some two to ten orders are followed.
var usual = budget{search: 800, polish: 600}

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
			plan:    whole, budget: usual.times(times),
		}
	}
}

// run finds the best releases until the context ends, the work limit is reached, or nothing
// is gained any more.
func (s *search) run() {
	var portfolio []*order
	for _, o := range s.plan.portfolio {
		portfolio = append(portfolio, s.byGain(o.kind, o.power))
	}
	for orders := range slices.Chunk(portfolio, together) {
		if len(s.tried) == 0 || !s.lossless() && s.affords(len(orders)) {
			s.try(orders...)
		}
	}
	varied := 0
	for vain := 0; varied < s.plan.varied && vain < idle && s.affords(together); vain++ {
		if s.lossless() {
			break
		}
		before := s.tried[0].loss
		var orders []*order
		for _, t := range s.tried {
			orders = append(orders, t.vary(s.rng, variations[varied%len(variations)]))
			varied++
		}
		if s.try(orders...); s.tried[0].loss < before {
			vain = 0
		}
	}
	s.finish()
}

// lossless tells whether there is a release that loses nothing.
func (s *search) lossless() bool { return s.tried[0].loss == 0 }

// affords tells whether n more orders are within the work limit.
func (s *search) affords(n int) bool {
	return s.ctx.Err() == nil && s.work+int64(n)*s.work/s.followed <= s.budget.search
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

// rank puts the best first, and forgets all others but those that may be polished.
func (s *search) rank() {
	slices.SortStableFunc(s.tried, func(a, b *trial) int { return cmp.Compare(a.loss, b.loss) })
	s.tried = s.tried[:min(together, len(s.tried))]
}

// walk follows one order.
func (s *search) walk(w *order) *state {
	st := s.atRoot()
	if s.ctx.Err() == nil { // listing the steps takes time, too
		s.pass(st, "specialising", w.steps(s.weights))
	}
	return st
}

// atRoot is the release in which all is published as the root.
func (s *search) atRoot() *state {
	st := newState(s.in, s.merged, s.div.clone(), s.index)
	st.refused = s.refused
	st.begin(s.in.Tree.Root())
	return st
}

// finish polishes the best releases.
func (s *search) finish() {
	if s.lossless() || s.ctx.Err() != nil {
		return
	}
	s.eachOf(len(s.tried), func(i int) {
		s.polish(s.tried[i].state)
		s.tried[i].loss = s.tried[i].state.loss
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
func (s *search) polish(st *state) {
	st.limit = st.work + s.budget.polish
	if s.plan.exchanges {
		st.exchanges(s.ctx)
	}
	if s.plan.again {
		s.pass(st, "what was left behind", s.byGain(each, 2).steps(s.weights))
	}
}

// pass makes steps, or as many of them as the context and the work limit allow. A step that is
// cut off changes nothing.
func (s *search) pass(st *state, name string, steps []target) {
	one := newStep(st)
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
