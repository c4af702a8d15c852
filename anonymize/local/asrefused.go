package local

import (
	"context"
	"slices"
)

// asRefused is the release in which every item is published as it is, but for what is refused, if
// that keeps the promise; else nil, or where the context ends.
//
// Where shares are bounded the search may pass it by: a release that keeps the promise may come
// from others, with fewer labels opened, that do not. So it is looked at before. Then every
// original that is compatible with a release may have led to it (docs/algorithms/local.md has the
// theorem).
func (s *search) asRefused(ctx context.Context) *state {
	st := s.onlyRefused()
	if st.someRare() || !s.isReached(ctx, st) {
		return nil
	}
	look := st.newLabels()
	for v := range int32(s.in.Tree.Nodes()) {
		if look.failsWith(ctx, v) {
			return nil
		}
	}
	if f := s.faults(ctx, st); !f.none() || ctx.Err() != nil {
		return nil
	}
	return st
}

// onlyRefused is that release, whether it keeps the promise or not.
func (s *search) onlyRefused() *state {
	st, set := newState(s.in, s.merged, s.div.clone(), s.index), []int32(nil)
	for i := range int32(s.merged.Len()) {
		set = set[:0]
		for j, x := range s.merged.Tx(int(i)) {
			v := st.aboveRefused(s.refused, i, x)
			st.at[int(st.txs[i].from)+j] = st.depthOf(v)
			st.loss += st.tree.Penalty(v) * int64(st.lines[i])
			set = append(set, v)
		}
		slices.Sort(set)
		set = slices.Compact(set)
		st.publish(i, set)
		for _, v := range set {
			st.who[v] = append(st.who[v], i)
		}
	}
	return st
}

// aboveRefused is the lowest node at or above an item of transaction i such that neither it nor
// any node above it is refused.
func (s *state) aboveRefused(r *refusals, i, item int32) int32 {
	lowest := item
	if !r.some(i) {
		return lowest
	}
	for v := item; v != s.tree.Root(); v = s.tree.Parent(v) {
		if r.is(i, v) {
			lowest = s.tree.Parent(v)
		}
	}
	return lowest
}

// isReached tells whether an order of steps ends in a release if no shares are bounded. Where every
// set of at most m labels has its support each order does, for nothing goes back but what is
// refused.
func (s *search) isReached(ctx context.Context, st *state) bool {
	at := newState(s.in, s.merged, nil, s.index)
	at.refused = s.refused
	at.begin(s.in.Tree.Root())
	s.pass(ctx, at, "looking at the original", s.byGain(each, 2).steps(s.weights))
	return slices.Equal(at.at, st.at)
}

// someRare tells whether a set of labels was found in fewer than k lines. It is looked for where
// it is likely, for about as much work as to read the data: almost always something is rare, and
// is found at once. That nothing is found says little.
func (s *state) someRare() bool {
	for _, txs := range s.who {
		if len(txs) > 0 && s.linesWith(txs) < s.k {
			return true
		}
	}
	var set []int32
	left := len(s.pub)
	for i := 0; i < len(s.txs) && left > 0; i++ {
		set = append(set[:0], s.published(int32(i))...)
		slices.SortFunc(set, func(a, b int32) int { return len(s.who[a]) - len(s.who[b]) })
		if len(set) > s.m {
			set = set[:s.m]
		}
		if len(set) == 0 {
			continue
		}
		both := s.who[set[0]]
		left -= len(both) + len(s.published(int32(i)))
		for _, v := range set[1:] {
			left -= len(s.who[v])
			both = common(both, s.who[v], nil)
		}
		if s.linesWith(both) < s.k {
			return true
		}
	}
	return false
}

// linesWith is how many lines some transactions stand for; k, if they are as many.
func (s *state) linesWith(txs []int32) (lines int) {
	for _, i := range txs {
		if lines += int(s.lines[i]); lines >= s.k {
			return s.k
		}
	}
	return lines
}
