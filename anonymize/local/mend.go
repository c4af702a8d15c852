package local

import (
	"cmp"
	"context"
	"slices"
)

// complete is the best of the releases found, made to keep condition (c), too, and to bound the
// shares of sensitive items in unions. With these it ends with the context within, and with the
// release at which following orders anew has been as much work as it may be.
func (s *search) complete(ctx, within context.Context) *state {
	if s.div != nil {
		ctx = within
	}
	var best *state
	for _, t := range s.tried {
		if best != nil && (best.loss <= t.state.loss || !s.affordsAnew()) {
			break
		}
		s.completeOne(ctx, t)
		if best == nil || t.state.loss < best.loss {
			best = t.state
		}
	}
	return best
}

// completeOne completes a release, in its trial. Where mending what was followed anew loses much,
// the order is followed once more, and the better release is kept.
func (s *search) completeOne(ctx context.Context, t *trial) {
	var seen *faults
	if s.div != nil && s.div.units == nil {
		t.state, seen = s.followAnew(ctx, t)
	}
	st, loss, before := t.state, t.state.loss, t.state.restrictions
	if !s.mend(ctx, st, seen) {
		if s.div != nil {
			s.flatten(st)
		}
		return
	}
	if seen == nil || float64(st.loss) <= muchMended*float64(loss) {
		return
	}
	next := s.without(t, before, seen)
	if ctx.Err() == nil && s.mend(ctx, next, nil) && next.loss < st.loss {
		t.state = next
	}
}

const (
	// mostFollowed is how often an order is followed anew.
	mostFollowed = 4
	// muchMended is by how many times mending raises the loss if that is much.
	muchMended = 1.05
)

// followAnew follows an order again from the root, without those few transactions at the branches
// where shares in unions, or condition (c), failed, until nothing fails, it was done mostFollowed
// times, or once more would be more work than the search may be. It returns the last release, and
// its faults where they were looked for. With l-diversity this loses less than mend, most often:
// what mend takes back to a node u joins sets with u in which sensitive items are too frequent
// then, so that more goes back, up to the root. Who is barred does not depend on sensitive items
// (see mend).
//
// Where persons are counted it is not done: an order takes long then, and what is barred are lines
// of persons who are left in two ways, who need not be few.
func (s *search) followAnew(ctx context.Context, t *trial) (*state, *faults) {
	st := t.state
	for n := range mostFollowed {
		f := s.faults(ctx, st)
		if ctx.Err() != nil {
			break
		}
		if f.none() || f.tooMuch || n > 0 && !s.affordsAnew() {
			return st, &f
		}
		next := s.without(t, st.restrictions, &f)
		if ctx.Err() != nil {
			break
		}
		st = next
	}
	return st, nil
}

// without follows an order from the root, with restrictions, and without what had faults.
func (s *search) without(t *trial, r restrictions, f *faults) *state {
	next := s.atRoot()
	next.restrictions = r.clone(s.in.Tree.Nodes())
	for _, b := range f.hopeless {
		next.keepWhole(b)
	}
	for _, b := range f.bars {
		next.bars[b] = true
	}
	s.pass(s.ctx, next, "specialising anew", t.steps(s.weights))
	s.anew.work += next.work
	s.anew.orders++
	s.polish(s.ctx, next, "what was left behind")
	return next
}

// affordsAnew tells whether one more order may be followed anew for the work that this is.
func (s *search) affordsAnew() bool {
	return s.anew.orders == 0 || s.within(s.anew.work, s.anew.orders, 1)
}

// mend makes a release keep condition (c) and bound the shares of sensitive items in unions;
// it is false where the context ends before. The first faults may have been looked for.
//
// What fails is at a branch c of a node u. All that is published at or below it goes back to u, in
// all transactions, and is specialised anew, but not by those that would be left by what failed if
// they published nothing at or below c: with these, the transactions that are left are those with
// certain labels, u one of them. Whether they have a sensitive item is not asked. Where that does
// not help, c is specialised by transactions only that publish nothing at u then, and where it
// becomes a branch all the same, by nobody. That ends: each round bars somebody from a branch, or
// ends one.
func (s *search) mend(ctx context.Context, st *state, seen *faults) bool {
	tried := map[int32]int{}
	st.restrictions = st.restrictions.clone(s.in.Tree.Nodes())
	for ctx.Err() == nil {
		var f faults
		if seen != nil {
			f, seen = *seen, nil
		} else {
			f = s.faults(ctx, st)
		}
		if f.none() {
			return ctx.Err() == nil
		}
		if f.tooMuch {
			return false
		}
		m := newMending(st)
		for _, b := range f.hopeless {
			st.keepWhole(b)
			m.takeBack(b)
		}
		for n, b := range f.bars {
			st.bars[b] = true
			if n > 0 && f.bars[n-1].node == b.node {
				continue
			}
			if tried[b.node]++; tried[b.node] > mostTries {
				st.keepWhole(b.node)
			}
			m.takeBack(b.node)
		}
		m.even(ctx)
		m.specialise(ctx, s.weights)
	}
	return false
}

// flatten takes back until every transaction publishes an antichain, and all transactions of a
// person one together, of which nothing fails, and shares are in order.
func (s *search) flatten(st *state) {
	for more := true; more; {
		m := newMending(st)
		for b, is := range st.inTwoWays() {
			if is {
				m.takeBack(int32(b))
			}
		}
		more = len(m.back) > 0
		m.even(context.Background())
	}
}

// mostTries is how often transactions are barred from a branch before it is to be none.
const mostTries = 5

// mending takes branches back and specialises them anew.
type mending struct {
	*state
	was     map[bar]bool // what transactions published something at or below
	back    []int32      // what was taken back
	changed []int32      // to what
}

func newMending(s *state) *mending { return &mending{state: s, was: map[bar]bool{}} }

func (m *mending) takeBack(b int32) {
	m.note(b, b)
	m.takeBackBranch(b)
	m.back, m.changed = append(m.back, b), append(m.changed, m.tree.Parent(b))
}

// note notes what is published at or below v, which is at or below b.
func (m *mending) note(v, b int32) {
	for _, i := range m.who[v] {
		for a := v; ; a = m.tree.Parent(a) {
			if m.was[bar{i, a}] = true; a == b {
				break
			}
		}
	}
	for _, w := range m.tree.Children(v) {
		m.note(w, b)
	}
}

// specialise specialises what was taken back: first by the transactions that had it before, so that
// most is as it was, then by all.
func (m *mending) specialise(ctx context.Context, w *weights) {
	order, one := w.byGain(each, 2), newStep(m.state)
	slices.SortFunc(m.back, func(a, b int32) int { return cmp.Compare(b, a) }) // parents first
	m.back = slices.Compact(m.back)
	for _, m.had = range []map[bar]bool{m.was, nil} {
		for _, b := range m.back {
			one.refine(ctx, target{m.tree.Parent(b), b})
			for _, to := range order.stepsBelow(w, b) {
				one.refine(ctx, to)
			}
		}
	}
}

// even sees to it that sensitive items are in at most 1/l of the transactions with any set of
// labels, after transactions have taken nodes back: with each of these the transactions that
// publish it and those that published something below it are now one set, and these may have
// overlapped. Where there is too much, more is taken back.
func (m *mending) even(ctx context.Context) {
	if m.div == nil {
		return
	}
	look := m.newLabels()
	for len(m.changed) > 0 && ctx.Err() == nil {
		last := len(m.changed) - 1
		if v := m.changed[last]; look.failsWith(ctx, v) {
			m.takeBack(m.cheapest(look.set))
		} else {
			m.changed = m.changed[:last]
		}
	}
}

// newLabels looks at sets of labels alone.
func (s *state) newLabels() *unionSeeker {
	l := newUnionSeeker(&unions{
		state: s, leads: make([]bool, s.tree.Nodes()), hiding: s.hiders(),
	})
	l.labels = true
	return l
}

// failsWith tells whether a set with a node fails, which is in set then.
func (s *unionSeeker) failsWith(ctx context.Context, v int32) bool {
	return len(s.who[v]) > 0 && s.failsIn(ctx, v, s.who[v])
}

// cheapest is the node, of those of a set, or below the root if it is all, that is taken back at
// the least loss.
func (s *state) cheapest(set []int32) int32 {
	able := slices.DeleteFunc(slices.Clone(set), func(v int32) bool { return v == s.tree.Root() })
	if len(able) == 0 {
		able = slices.DeleteFunc(slices.Clone(s.tree.Children(s.tree.Root())), func(v int32) bool {
			return s.riseOf(v, v) == 0
		})
	}
	return slices.MinFunc(able, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.riseOf(a, a), s.riseOf(b, b)), cmp.Compare(a, b))
	})
}

// riseOf is by how much the loss rises if what is published at or below v goes to the parent of c.
func (s *state) riseOf(c, v int32) int64 {
	rise, to := int64(0), s.tree.Penalty(s.tree.Parent(c))
	for _, i := range s.who[v] {
		rise += int64(s.items(i, v, v)) * int64(s.lines[i]) * (to - s.tree.Penalty(v))
	}
	for _, w := range s.tree.Children(v) {
		rise += s.riseOf(c, w)
	}
	return rise
}
