package suppress

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/dataset"
	"mingle/internal/itemset"
	"mingle/privacy"
)

// polish makes a choice keep the whole promise and then takes back what it need not: suppressed
// units that can be published at the cut, and nodes of the cut that can give way to their children.
// It reports false where nothing keeps the promise.
func (s *search) polish(ctx context.Context, c choice) (choice, bool, error) {
	c.gone = slices.Clone(c.gone)
	for {
		p, err := anonymize.NewProblem(s.left(c.gone))
		var cut []int32
		if err == nil {
			cut, err = global.Lift(ctx, p, c.cut)
		}
		var infeasible *privacy.Infeasible
		if errors.As(err, &infeasible) {
			return c, false, nil
		}
		if err != nil {
			return c, false, err
		}
		if c.cut, err = global.Lower(ctx, p, cut); err != nil {
			return c, false, err
		}
		changed, err := s.bringBack(ctx, c)
		if err != nil || !changed {
			return c, true, err
		}
	}
}

// bringBack publishes suppressed units that can be published at the cut, the largest first; it
// tells whether there were any. It is for supports alone.
func (s *search) bringBack(ctx context.Context, c choice) (bool, error) {
	if s.in.Promise.BeyondSupports() {
		return false, nil
	}
	changed := false
	var x *itemset.Index // of what is left; nil: not made since that has changed
	left := func() *itemset.Index {
		if x == nil {
			x = s.without(c.gone)
		}
		return x
	}
	for _, unit := range s.goneUnits(c) {
		if !s.mayReturn(left, c.cut, unit) {
			continue
		}
		d, m := s.touched(c.cut, c.gone, unit)
		ok, err := allFrequent(ctx, d, s.k, m)
		if err != nil {
			return false, err
		}
		if ok {
			c.gone[unit], changed, x = false, true, nil
		}
	}
	return changed, nil
}

// goneUnits are the suppressed units, the largest first.
func (s *search) goneUnits(c choice) []int32 {
	var out []int32
	for unit, is := range c.gone {
		if is {
			out = append(out, int32(unit))
		}
	}
	slices.SortStableFunc(out, func(a, b int32) int { return cmp.Compare(s.size[b], s.size[a]) })
	return out
}

// allFrequent tells whether every set of at most m items that occurs in merged transactions, the
// empty one included, has support at least k.
func allFrequent(ctx context.Context, d *dataset.Merged, k, m int) (bool, error) {
	if ok := d.Len() == 0 || d.Counted() >= k; !ok || m <= 0 {
		return ok, context.Cause(ctx)
	}
	return itemset.AllFrequent(ctx, anonymize.Rows(d), m, k)
}
