package nonreciprocal

import (
	"context"

	"mingle/anonymize/order"
)

// The orders of the items that the Gray code is taken over, the first item being the most
// significant bit.
const (
	DictionaryOrder = "dictionary"
	FrequentFirst   = "frequent" // by falling support
	RareFirst       = "rare"     // by rising support
)

// sequence is a cyclic order of the records in which neighbours are alike (xue-2012 section 4.1):
// a Gray order, its segments improved unless GrayOnly. Of the three orders of the items, if none
// is asked for, it takes the one whose Gray order has the least sum of distances, the first of
// equals.
func (in Input) sequence(ctx context.Context, m *order.Distances, stats *Stats) ([]int32, error) {
	in.report("order")
	var best []int32
	for _, c := range []struct {
		name string
		rank []int32
	}{
		{DictionaryOrder, nil},
		{FrequentFirst, order.ByFrequency(in.Data, false)},
		{RareFirst, order.ByFrequency(in.Data, true)},
	} {
		if in.Items != "" && in.Items != c.name {
			continue
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		gray := order.Gray(in.Data, c.rank)
		if total := m.Total(gray); best == nil || total < stats.Gray {
			best, stats.Gray, stats.ItemOrder = gray, total, c.name
		}
	}
	stats.Tour = stats.Gray
	if in.GrayOnly {
		return best, nil
	}
	in.report("tour")
	ends := order.Segments(len(best), in.Segments, func(j int) int32 {
		return m.Between(best[j-1], best[j])
	})
	if err := order.Improve(ctx, best, ends, m, in.Workers); err != nil {
		return nil, err
	}
	stats.Tour = m.Total(best)
	return best, nil
}
