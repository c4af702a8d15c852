package suppress

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"mingle/anonymize/km"
	"mingle/dataset"
	"mingle/internal/count"
	"mingle/privacy"
)

// polish makes a choice keep the whole promise and then takes back what it need not: suppressed items that can be
// published at the cut, and nodes of the cut that can give way to their children. It reports false where nothing keeps the promise.
func (s *search) polish(ctx context.Context, c choice) (choice, bool, error) {
	c.gone = slices.Clone(c.gone)
	for {
		in := s.in
		in.Data = without(s.in.Data, c.gone)
		cut, err := km.Lift(ctx, in, c.cut)
		var infeasible *privacy.Infeasible
		if errors.As(err, &infeasible) {
			return c, false, nil
		}
		if err != nil {
			return c, false, err
		}
		if c.cut, err = km.Lower(ctx, in, cut); err != nil {
			return c, false, err
		}
		changed, err := s.bringBack(ctx, c)
		if err != nil || !changed {
			return c, true, err
		}
	}
}

// without is the data without suppressed items.
func without(d *dataset.Dataset, gone []bool) *dataset.Dataset {
	to := make([]int32, len(gone))
	for leaf, is := range gone {
		to[leaf] = int32(leaf)
		if is {
			to[leaf] = -1
		}
	}
	return d.Recode(d.Dict(), to)
}

// bringBack publishes suppressed items that can be published at the cut, those with most occurrences first; it tells
// whether there were any. It is for supports alone.
func (s *search) bringBack(ctx context.Context, c choice) (bool, error) {
	if plain := s.plain(); !plain {
		return false, nil
	}
	changed := false
	for _, leaf := range s.goneItems(c) {
		c.gone[leaf] = false
		ok, err := s.frequentAt(ctx, c, c.cut[leaf])
		if err != nil {
			return false, err
		}
		c.gone[leaf] = !ok
		changed = changed || ok
	}
	return changed, nil
}

// plain tells whether nothing but supports is promised.
func (s *search) plain() bool { return !s.in.Promise.Diverse() && !s.in.Promise.NegativeKnowledge }

// goneItems are the suppressed items, those with most occurrences first.
func (s *search) goneItems(c choice) []int32 {
	var out []int32
	for leaf, is := range c.gone {
		if is {
			out = append(out, int32(leaf))
		}
	}
	slices.SortStableFunc(out, func(a, b int32) int { return cmp.Compare(s.occ[b], s.occ[a]) })
	return out
}

// frequentAt tells whether all sets with node u of the cut are frequent.
func (s *search) frequentAt(ctx context.Context, c choice, u int32) (bool, error) {
	b := dataset.NewBuilder(s.tree.Dict())
	var weights, tx []int32
	total := 0
	for _, i := range s.index.Tids(u) {
		tx = tx[:0]
		has := false
		for _, leaf := range s.merged.Tx(int(i)) {
			if v := c.cut[leaf]; !c.gone[leaf] {
				if v == u {
					has = true
				} else {
					tx = append(tx, v)
				}
			}
		}
		if has {
			b.Add(tx)
			weights = append(weights, s.merged.Weights[i])
			total += int(s.merged.Weights[i])
		}
	}
	if 0 < total && total < s.k {
		return false, nil
	}
	if s.m == 1 {
		return true, nil
	}
	return s.allFrequent(ctx, b.Build(), weights)
}

// allFrequent tells whether every set of less than m items that occurs in weighted transactions is frequent.
func (s *search) allFrequent(ctx context.Context, d *dataset.Dataset, weights []int32) (bool, error) {
	ok := true
	err := count.Sets(ctx, d, s.m-1, func(_, txs []int32) count.Next {
		total := 0
		for _, i := range txs {
			total += int(weights[i])
		}
		if total >= s.k {
			return count.Descend
		}
		ok = false
		return count.Stop
	})
	return ok, err
}
