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

// merge folds identical transactions; the diversity is nil where none is asked.
func merge(in anonymize.Input) (*dataset.Merged, *diversity) {
	if in.Promise.Diverse() {
		return mergeSensitive(in)
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

// mergeSensitive folds transactions that agree in items and sensitive items. The merged data has the items alone, so
// its transactions need not be distinct.
func mergeSensitive(in anonymize.Input) (*dataset.Merged, *diversity) {
	leaves := int32(in.Tree.Leaves())
	all := int(leaves) + in.Sensitive.Dict().Len()
	both := dataset.NewBuilder(dataset.Unnamed(all))
	var tx []int32
	for i := range in.Data.Len() {
		tx = append(tx[:0], in.Data.Tx(i)...)
		for _, s := range in.Sensitive.Tx(i) {
			tx = append(tx, leaves+s)
		}
		both.Add(tx)
	}
	merged := dataset.Merge(both.Build())
	items, sensitive := make([]int32, all), make([]int32, all)
	for i := range items {
		items[i], sensitive[i] = int32(i), -1
		if int32(i) >= leaves {
			items[i], sensitive[i] = -1, int32(i)-leaves
		}
	}
	div := &diversity{
		l:         int64(in.Promise.L),
		sensitive: merged.Dataset.Recode(in.Sensitive.Dict(), sensitive),
		counts:    make([]int64, in.Sensitive.Dict().Len()),
	}
	merged.Dataset = merged.Dataset.Recode(in.Data.Dict(), items)
	return merged, div
}

// diverse tells whether no sensitive item is in more than 1/l of the elements' members.
func (d *diversity) diverse(s *state, elements []*element) bool {
	total, worst := int64(0), int64(0)
	for _, e := range elements {
		total += e.weight
		for _, i := range e.members {
			for _, x := range d.sensitive.Tx(int(i)) {
				d.counts[x] += int64(s.merged.Weights[i])
				worst = max(worst, d.counts[x])
			}
		}
	}
	for _, e := range elements {
		for _, i := range e.members {
			for _, x := range d.sensitive.Tx(int(i)) {
				d.counts[x] = 0
			}
		}
	}
	return worst*d.l <= total
}
