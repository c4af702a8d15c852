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
	// manyOccurrences is from how many item occurrences on, with m above 2, one order is
	// followed alone, with more effort others of its kind, and what they leave behind is not
	// tried again: that gained less than 0.1 % on retail and T10I4D100K.
	manyOccurrences = 400_000
	// generation is how many orders are varied from the best at a time.
	generation = 4
	// maxGenerations and idle bound the generations, and those that gain nothing, one after the
	// other.
	maxGenerations, idle = 400, 40
	// polished is how many of the best releases are polished, rounds how often at most.
	polished, rounds = 2, 2
)

// budget is the work limits. A unit of work takes some 10 ns.
type budget struct {
	search int64 // for all orders
	polish int64 // of one release
	repair int64 // of one release, then
}

// budgetOf is that for one item occurrence with an effort of 1: with m up to 2 some four to ten
// orders are followed, above it two to four.
func budgetOf(in anonymize.Input) budget {
	switch {
	case in.Promise.M <= 2:
		return budget{search: 750, polish: 150, repair: 50}
	case large(in):
		return budget{search: 500, polish: 200}
	default:
		return budget{search: 650, polish: 200, repair: 175}
	}
}

// large data is not searched as much if m is above 2.
func large(in anonymize.Input) bool {
	return !off["large"] && in.Promise.M > 2 && in.Data.Occurrences() > manyOccurrences
}

// times is that for more occurrences and more effort.
func (b budget) times(n int64) budget { return budget{n * b.search, n * b.polish, n * b.repair} }

func newSearch(ctx context.Context, in anonymize.Input, effort int) *search {
	merged, div := merge(in)
	return newSearchOf(ctx, in, effort)(refuse(in, merged, div))
}

// newSearchOf searches with merged transactions, and with what is refused them.
func newSearchOf(
	ctx context.Context, in anonymize.Input, effort int,
) func(*dataset.Merged, *diversity, *refusals) *search {
	budgetOf := func(in anonymize.Input) budget {
		b := budgetOf(in)
		if off["more"] {
			b.search += b.polish + b.repair - 75
			b.polish = 75
		}
		return b
	}
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
	together := 2
	if large(s.in) {
		together = 1
	}
	for orders := range slices.Chunk(keptOrders(s.first()), together) {
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
	switch {
	case s.in.Promise.M <= 2:
		return []*order{
			s.byGain(both, 2), s.byGain(each, 2), s.byGain(both, 0.5),
			s.byGain(both, 2).with(manyNewSets),
			s.byGain(both, 8), s.byGain(joint, 8), s.byGain(joint, 0.5), s.byGain(each, 4),
		}
	case large(s.in):
		return []*order{s.byGain(each, 2).with(leastPenalty), s.byGain(each, 2).with(manyNewSets)}
	case s.in.Promise.M > 3:
		return []*order{
			s.byGain(each, 2), s.byGain(falling, 2).with(manyNewSets),
			s.byGain(both, 2), s.byGain(rising, 2), s.byGain(each, 4), s.byGain(falling, 4),
			s.byGain(each, 2).with(leastPenalty), s.byGain(both, 4),
		}
	default:
		return []*order{
			s.byGain(both, 2), s.byGain(rising, 2), s.byGain(each, 2).with(manyNewSets),
			s.byGain(falling, 4), s.byGain(each, 4), s.byGain(joint, 4),
			s.byGain(rising, 2).with(leastPenalty), s.byGain(both, 4),
		}
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

// finish polishes the best releases, then destroys and repairs parts of the best.
func (s *search) finish() {
	if s.lossless() || s.ctx.Err() != nil {
		return
	}
	few := polished
	if off["polish-second"] {
		few = 1
	}
	best := s.tried[:min(few, len(s.tried))]
	dbg("search", s)
	s.sideBySide(best, s.polish)
	dbg("polish", s)
	if off["repair"] || large(s.in) || s.ctx.Err() != nil {
		return
	}
	if off["repair-second"] {
		best = s.tried[:1]
	}
	if len(best) > 1 {
		best[1].state = best[0].state.clone()
	}
	s.sideBySide(best, s.improve)
	dbg("repair", s)
}

// sideBySide changes the releases of some trials.
func (s *search) sideBySide(of []*trial, change func(t *trial, n int)) {
	s.eachOf(len(of), func(i int) {
		change(of[i], i)
		of[i].loss = of[i].state.loss
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

// polish makes exchanges in a release, and tries again what was left behind.
func (s *search) polish(t *trial, _ int) {
	st := t.state
	st.limit = st.work + s.budget.polish
	exchanges := st.exchanges(s.ctx)
	for range rounds {
		before := st.loss
		exchanges.make()
		if s.ctx.Err() != nil {
			return
		}
		exchanges.leave()
		s.again(st, t.policy)
		if off["rounds"] || little(before, st.loss) || st.work > st.limit {
			return
		}
	}
}

// little tells whether so little is gained that the same is not worth a further try.
func little(before, after int64) bool { return before-after < before/1000 }

// again makes passes over what was left behind.
func (s *search) again(st *state, t policy) {
	if large(s.in) {
		return
	}
	one := s.byGain(each, 2)
	leaps, n := one.leaps(s.weights)
	if !off["leaps"] {
		s.passOver(st, "further down", t, leaps, n)
	}
	if s.ctx.Err() != nil {
		return
	}
	before := st.loss
	if off["each-alone"] {
		if !off["left-behind"] {
			s.pass(st, "what was left behind", t, s.byGain(joint, 2).steps(s.weights))
		}
		return
	}
	s.pass(st, "each child alone", t, one.steps(s.weights))
	if !off["left-behind"] && !little(before, st.loss) && s.ctx.Err() == nil {
		s.pass(st, "what was left behind", t, s.byGain(joint, 2).steps(s.weights))
	}
}

// pass makes steps, or as many of them as the context and the work limit allow. A step that is
// cut off changes nothing.
func (s *search) pass(st *state, name string, t policy, steps []target) {
	s.passOver(st, name, t, slices.Values(steps), len(steps))
}

// passOver is pass over n steps that are not listed.
func (s *search) passOver(st *state, name string, t policy, steps iter.Seq[target], n int) {
	one, made := newStep(st, t), int64(0)
	for to := range steps {
		if s.ctx.Err() != nil || st.work > st.limit {
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
