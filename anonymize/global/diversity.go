package global

import (
	"mingle/anonymize"
	"mingle/dataset"
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
