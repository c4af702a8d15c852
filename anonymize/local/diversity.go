package local

import (
	"mingle/anonymize"
	"mingle/dataset"
)

// diversity is what l^m-diversity needs to know: the sensitive items of the merged transactions.
type diversity struct {
	l         int64
	sensitive *dataset.Dataset
	counts    []int64 // working space, by sensitive item; zero between uses
}

// merge makes identical transactions one with a weight; the diversity is nil where none is asked.
func merge(in anonymize.Input) (*dataset.Merged, *diversity) {
	if in.Promise.Diverse() {
		merged, sensitive := anonymize.MergeSensitive(in)
		return merged, &diversity{int64(in.Promise.L), sensitive,
			make([]int64, in.Sensitive.Dict().Len())}
	}
	return dataset.Merge(in.Data), nil
}

// clone is the same with working space of its own.
func (d *diversity) clone() *diversity {
	if d == nil {
		return nil
	}
	return &diversity{d.l, d.sensitive, make([]int64, len(d.counts))}
}

// diverse tells whether no sensitive item is in more than 1/l of some weighted transactions, which
// each hands to its argument.
func (d *diversity) diverse(each func(yield func(tx, weight int32))) bool {
	total, worst := int64(0), int64(0)
	each(func(tx, weight int32) {
		total += int64(weight)
		for _, x := range d.sensitive.Tx(int(tx)) {
			d.counts[x] += int64(weight)
			worst = max(worst, d.counts[x])
		}
	})
	each(func(tx, _ int32) {
		for _, x := range d.sensitive.Tx(int(tx)) {
			d.counts[x] = 0
		}
	})
	return worst*d.l <= total
}
