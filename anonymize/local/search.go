package local

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

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
	other   *alternative // nil: there is none
	*weights

	rng      *rand.Rand
	tried    []*trial // the best, best first; ties as they were tried
	work     int64    // of all
	followed int64    // orders
	anew     struct{ work, orders int64 }
	ahead    par.Group
	progress sync.Mutex
}

// trial is an order that has been followed.
type trial struct {
	*order
	loss  int64
	work  int64
	state *state
	ahead *ahead // nil: it is polished when its turn comes
}

const (
	// few is how many item occurrences are counted beside those that there are, so that small data
	// is searched longer.
	few = 36_000
	// together is how many orders are followed side by side; as many of the best are varied next,
	// and perhaps polished in the end.
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
// 10 to 20 ns, whatever m is.
type budget struct {
	search int64 // for all orders
	polish int64 // of one release
}

// usual is a budget with which some two to ten orders are followed.
var usual = budget{search: 400, polish: 600}

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
	times := int64(effort) * int64(few+in.Data.Occurrences())
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
	return s.ctx.Err() == nil && s.within(s.work, s.followed, n)
}

// within tells whether n more orders are, after so many that took so much work.
func (s *search) within(work, followed int64, n int) bool {
	return work+int64(n)*work/followed <= s.budget.search
}

// try follows orders side by side. A release that is there before the others is polished meanwhile
// if these seem to be the last orders and sets of three matter: with pairs polishing takes little.
func (s *search) try(orders ...*order) {
	trials := make([]*trial, len(orders))
	var done atomic.Int64
	s.eachOf(len(orders), func(i int) {
		st := s.walk(orders[i])
		t := &trial{order: orders[i], loss: st.loss, work: st.work, state: st}
		trials[i] = t
		n := int64(len(orders))
		others := done.Add(1) < n && s.in.WorkerCount() > 1
		if others && st.m > 2 && !s.within(s.work+n*t.work, s.followed+n, together) {
			s.polishAhead(t)
		}
	})
	for _, t := range trials {
		s.work += t.work
		s.followed++
		s.tried = append(s.tried, t)
	}
	s.rank()
}

// rank puts the best first, and forgets all others but those that may be polished.
func (s *search) rank() {
	slices.SortStableFunc(s.tried, func(a, b *trial) int { return cmp.Compare(a.loss, b.loss) })
	for _, t := range s.tried[min(together, len(s.tried)):] {
		t.ahead.stop()
	}
	s.tried = s.tried[:min(together, len(s.tried))]
}

// walk follows one order.
func (s *search) walk(w *order) *state {
	st := s.atRoot()
	if s.ctx.Err() == nil { // listing the steps takes time, too
		s.pass(s.ctx, st, "specialising", w.steps(s.weights))
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

// finish polishes the best release, and others that would be better if they gained by it twice what
// the best did.
func (s *search) finish() {
	defer s.ahead.Wait()
	defer func() {
		for _, t := range s.tried {
			t.ahead.stop()
		}
	}()
	if s.lossless() || s.ctx.Err() != nil || s.outdone(1) {
		return
	}
	gained, best := int64(0), s.tried[0]
	for n, t := range s.tried {
		if n > 0 && t.loss-2*gained >= best.loss {
			break
		}
		if t.ahead == nil {
			s.polish(s.ctx, t.state, "what was left behind")
		} else {
			t.state = t.ahead.wait()
		}
		if n == 0 {
			gained = t.loss - t.state.loss
		}
		t.loss = t.state.loss
	}
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
func (s *search) polish(ctx context.Context, st *state, name string) {
	st.limit = st.work + s.budget.polish
	if s.plan.exchanges {
		stage := "exchanges"
		if name == "" {
			stage = ""
		}
		st.exchanges(ctx, func(done, total int64) { s.report(stage, done, total) })
	}
	if s.plan.again {
		s.pass(ctx, st, name, s.byGain(each, 2).steps(s.weights))
	}
}

// firstSteps are those after which the working space of steps is made anew, and again after twice,
// four times as many: the first ones have most rows.
const firstSteps = 8

// pass makes steps, or as many of them as the context and the work limit allow. A step that is
// cut off changes nothing. A name is what is told of the progress; "": nothing is.
func (s *search) pass(ctx context.Context, st *state, name string, steps []target) {
	one := newStep(st)
	for n, to := range steps {
		if ctx.Err() != nil || st.work > st.limit {
			return
		}
		s.report(name, int64(n), int64(len(steps)))
		if n >= firstSteps && n&(n-1) == 0 {
			one = newStep(st)
		}
		one.refine(ctx, to)
	}
}

// report tells how far one of those side by side is.
func (s *search) report(name string, done, total int64) {
	if name == "" {
		return
	}
	s.progress.Lock()
	defer s.progress.Unlock()
	s.in.Report(name, done, total)
}
