package km

import (
	"context"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/count"
)

// l^m-diversity: terrovitis-2011, section 5.2.
//
// Lifting never lowers a support but may raise the share of a sensitive item, so one pass over the sets at the cut is
// not enough: passes are repeated until one finds nothing. Each repair lifts the cut, so they end; the root satisfies the ratio
// whenever the data does, which anonymize.Input.Check has made sure of.
type diversity struct {
	l         int
	sensitive *dataset.Dataset // of the merged transactions
	counts    []int            // working space, by sensitive item
}

// mergeInput folds identical transactions; the diversity is nil where none is asked.
func mergeInput(in anonymize.Input) (*dataset.Merged, *diversity) {
	if in.Promise.Diverse() {
		merged, sensitive := anonymize.MergeSensitive(in)
		return merged, &diversity{in.Promise.L, sensitive, make([]int, in.Sensitive.Dict().Len())}
	}
	if need := 4*in.Data.Occurrences() + 12*in.Data.Len(); in.Memory > 0 && int64(need) > in.Memory/4 {
		return dataset.Unmerged(in.Data), nil // no room for a copy
	}
	return dataset.Merge(in.Data), nil
}

// diverse tells whether no sensitive item is in more than 1/l of the transactions, which are merged ones of the given
// weights.
func (d *diversity) diverse(txs []int32, weights []int32) bool {
	total, any := 0, 0
	for _, i := range txs {
		total += int(weights[i])
		if len(d.sensitive.Tx(int(i))) > 0 {
			any += int(weights[i])
		}
	}
	if any*d.l <= total {
		return true
	}
	worst := 0
	for _, i := range txs {
		for _, s := range d.sensitive.Tx(int(i)) {
			d.counts[s] += int(weights[i])
			worst = max(worst, d.counts[s])
		}
	}
	for _, i := range txs {
		for _, s := range d.sensitive.Tx(int(i)) {
			d.counts[s] = 0
		}
	}
	return worst*d.l <= total
}

// diversify repairs the sets at the cut, of at most m nodes, that are not diverse, and tells whether there were any.
func (s *state) diversify(ctx context.Context, in anonymize.Input) (changed bool, err error) {
	d, weights := s.diversity, s.merged.Weights
	frequentAndDiverse := func(l *lifting) bool {
		var txs []int32
		total := 0
		s.index.Each(l.set, func(i int32) bool {
			txs = append(txs, i)
			total += int(weights[i])
			return true
		})
		return total >= in.Promise.K && d.diverse(txs, weights)
	}
	at := s.merged.Dataset.Recode(in.Tree.Dict(), s.cut.Map())
	err = count.Sets(ctx, at, in.Promise.M, func(set, txs []int32) count.Next {
		if s.anyDead(set) {
			return count.Skip
		}
		if d.diverse(txs, weights) {
			return count.Descend
		}
		s.commit(s.repair(set, frequentAndDiverse), set, func(int32) {})
		changed = true
		return count.Skip
	})
	return changed, err
}
