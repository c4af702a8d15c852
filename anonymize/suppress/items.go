package suppress

import (
	"cmp"
	"context"
	"slices"

	"mingle/anonymize"
	"mingle/release"
)

// Items suppresses whole items: no transaction publishes anything for them.
type Items struct {
	Inner anonymize.Algorithm // required: anonymizes what is left
	Max   float64             // required: the largest share of all occurrences that may be suppressed, 0 to 1
}

// Name is that of the inner algorithm with a mark.
func (a Items) Name() string { return a.Inner.Name() + ", items suppressed" }

// Anonymize implements anonymize.Algorithm.
func (a Items) Anonymize(ctx context.Context, in anonymize.Input) (*release.Generalized, error) {
	if err := checkShare("suppress items", a.Max); err != nil {
		return nil, err
	}
	g, err := a.Inner.Anonymize(ctx, in)
	if err != nil {
		return nil, err
	}
	best := newAttempt(g)
	limit := budget(in.Data, a.Max)
	if limit == 0 || best.loss == 0 {
		return g, nil
	}
	s := newSearch(in, limit)
	choices, err := s.choices(ctx)
	if err != nil {
		return nil, err
	}
	if g.IsGlobal() {
		best, err = a.global(ctx, s, best, choices)
	} else {
		best, err = a.local(ctx, s, best, choices)
	}
	if err != nil {
		return nil, err
	}
	return best.g, nil
}

// global publishes the best choice's own cut, or what the inner algorithm makes of the data without its items.
func (a Items) global(ctx context.Context, s *search, best *attempt, choices []choice) (*attempt, error) {
	if len(choices) == 0 {
		return best, nil
	}
	c := slices.MinFunc(choices, func(x, y choice) int { return cmp.Compare(s.loss(x), s.loss(y)) })
	best = better(best, newAttempt(restore(s.in, &release.Generalized{Map: c.cut}, c.gone)))
	own, err := a.attempt(ctx, s, c.gone)
	return better(best, own), err
}

// attempt lets the inner algorithm anonymize the data without some items.
func (a Items) attempt(ctx context.Context, s *search, gone []bool) (*attempt, error) {
	in := s.in
	in.Data = without(in.Data, gone)
	g, err := try(ctx, a.Inner, in)
	if err != nil || g == nil {
		return nil, err
	}
	return newAttempt(restore(s.in, g, gone)), nil
}

// local tries which items cost most as the inner algorithm publishes them: those whose average occurrence loses most,
// within the budget, half of it, and so on, and the same again from what was best so far. Items that help a cut are tried, too.
func (a Items) local(ctx context.Context, s *search, best *attempt, choices []choice) (*attempt, error) {
	tried := [][]bool{}
	consider := func(gone []bool) error {
		if !slices.Contains(gone, true) || slices.ContainsFunc(tried, func(t []bool) bool { return slices.Equal(t, gone) }) {
			return nil
		}
		tried = append(tried, gone)
		own, err := a.attempt(ctx, s, gone)
		best = better(best, own)
		return err
	}
	for _, share := range []int64{1, 2, 4, 8, 16} {
		if err := consider(s.dearItems(best.g, s.budget/share)); err != nil {
			return nil, err
		}
	}
	if len(choices) > 0 {
		c := slices.MinFunc(choices, func(x, y choice) int { return cmp.Compare(s.loss(x), s.loss(y)) })
		if err := consider(c.gone); err != nil {
			return nil, err
		}
	}
	return best, nil
}

// dearItems are items with at most so many occurrences in all, those first whose occurrences lose most on average.
func (s *search) dearItems(g *release.Generalized, limit int64) []bool {
	loss := make([]int64, s.tree.Leaves())
	for pos, leaf := range s.in.Data.Items() {
		switch u := g.Node(pos); u {
		case release.Suppressed:
			loss[leaf] += int64(s.tree.Leaves())
		default:
			loss[leaf] += s.penalty(u)
		}
	}
	var order []int32
	for leaf, n := range s.occ[:s.tree.Leaves()] {
		if n > 0 && loss[leaf] > 0 {
			order = append(order, int32(leaf))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(loss[b]*s.occ[a], loss[a]*s.occ[b]) })
	gone := make([]bool, s.tree.Leaves())
	for _, leaf := range order {
		if n := s.occ[leaf]; n <= limit {
			gone[leaf] = true
			limit -= n
		}
	}
	return gone
}
