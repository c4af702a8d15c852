package local

import (
	"context"
	"math"
	"slices"
	"sync"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/par"
)

// This file looks for the release that loses least. A few specialisation orders are tried from the
// root; then copies of the best release are improved side by side by large neighbourhood search
// (lns.go), and from time to time all go on from the best of them.
//
// What is tried depends on losses and counted work, never on time or the number of workers.

// search is one run.
type search struct {
	ctx     context.Context
	in      anonymize.Input
	effort  int64
	least   int64 // work of a chain
	merged  *dataset.Merged
	refused *refusals
	rule    rule
	index   *index
	weights *weights

	work     int64 // of all specialisation orders
	progress sync.Mutex
}

const (
	// mostEffort is the largest effort there is.
	mostEffort = 1_000_000
	// chains is how many copies are improved side by side, epochs how often the best is copied.
	chains, epochs = 2, 4
	// leastWork is the least work of a chain, in units of 10 ns: a tenth of a second.
	leastWork = 10_000_000
)

func newSearch(ctx context.Context, in anonymize.Input, effort int) *search {
	merged, div := merge(in)
	return newSearchOf(ctx, in, effort)(refuse(in, merged, div))
}

// newSearchOf searches with merged transactions, and with what is refused them.
func newSearchOf(
	ctx context.Context, in anonymize.Input, effort int,
) func(*dataset.Merged, *diversity, *refusals) *search {
	return func(merged *dataset.Merged, div *diversity, refused *refusals) *search {
		return &search{
			ctx: ctx, in: in, effort: int64(min(max(1, effort), mostEffort)),
			merged: merged, refused: refused,
			rule:    rule{in.Promise.K, in.MostAtOnce(), div},
			index:   newIndex(merged.Dataset, in.Tree.Leaves()),
			weights: newWeights(in.Tree, in.Data),
		}
	}
}

// run is the best release that is found until the context ends, the work is done, or nothing is
// gained any more.
func (s *search) run() *recoding {
	best := s.construct(s.portfolio())
	if s.rule.div == nil && best.loss > 0 && s.ctx.Err() == nil {
		best = s.improve(best)
	}
	return best
}

// portfolio are the orders that are tried. With diversity a transaction takes all its items at a
// node down or none.
func (s *search) portfolio() (out []*order) {
	kinds := []turns{allThenEach, eachByItself}
	if s.rule.div != nil {
		kinds = []turns{allChildren}
	}
	for _, t := range kinds {
		out = append(out, s.weights.order(t))
	}
	return out
}

// construct is the best release that a pass from the root makes with one of some orders.
func (s *search) construct(orders []*order) (best *recoding) {
	for some := range slices.Chunk(orders, chains) {
		made := make([]*recoding, len(some))
		work := make([]int64, len(some))
		s.sideBySide(len(some), func(i int) { made[i], work[i] = s.pass(some[i]) })
		for i, r := range made {
			s.work += work[i]
			if best == nil || r.loss < best.loss {
				best = r
			}
		}
	}
	return best
}

// sideBySide does n things. What an ended context stops is the steps, not the things: all leave a
// release.
func (s *search) sideBySide(n int, do func(i int)) {
	_ = par.Each(context.WithoutCancel(s.ctx), s.in.WorkerCount(), n,
		func(_ context.Context, i int) error {
			do(i)
			return nil
		})
}

// pass specialises in one order, from the root on.
func (s *search) pass(o *order) (*recoding, int64) {
	r, m := newRecoding(s.in.Tree, s.merged, s.refused), &meter{ctx: s.ctx, limit: math.MaxInt64}
	s.specialise(s.step(r, m), "specialising", o)
	return r, m.work
}

// specialise makes the steps of an order, as long as the meter allows.
func (s *search) specialise(st *step, stage string, o *order) {
	if st.meter.spent() { // listing the steps takes time, too
		return
	}
	steps := o.steps(s.weights)
	for n, to := range steps {
		if st.meter.spent() {
			return
		}
		s.report(stage, int64(n), int64(len(steps)))
		st.specialise(to)
	}
}

func (s *search) step(r *recoding, m *meter) *step {
	rule := s.rule
	rule.div = rule.div.clone()
	return newStep(r, rule, s.index, m)
}

// improve is the best release that the chains come to. Each does as much work as all orders took,
// times the effort, but leastWork at least. In each epoch a chain first makes another pass over
// what was left behind, which may have found company since, then destroys and repairs; all but the
// first make swaps before that. Then all go on from the best.
func (s *search) improve(best *recoding) *recoding {
	limit := max(s.effort*max(s.work, leastWork), s.least) / epochs
	again := s.weights.order(eachByItself)
	for e := range epochs {
		all := [chains]*recoding{best}
		for i := 1; i < chains; i++ {
			all[i] = best.clone()
		}
		s.sideBySide(chains, func(i int) {
			m := &meter{ctx: s.ctx, limit: math.MaxInt64}
			st := s.step(all[i], m)
			s.specialise(st, "what was left behind", again)
			m.limit = limit
			stream := uint64(chains*e + i)
			if i > 0 {
				swap(all[i], s.rule, m, stream)
			}
			newNeighbourhood(st, s.weights, stream).improve(func() {
				s.report("destroy and repair", int64(e)*limit+m.work, int64(epochs)*limit)
			})
		})
		for _, r := range all {
			if r.loss < best.loss {
				best = r
			}
		}
		if best.loss == 0 || s.ctx.Err() != nil {
			break
		}
	}
	return best
}

// report tells how far one of those side by side is.
func (s *search) report(name string, done, total int64) {
	s.progress.Lock()
	defer s.progress.Unlock()
	s.in.Report(name, done, total)
}
