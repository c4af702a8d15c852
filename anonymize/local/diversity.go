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
		merged, sensitive := anonymize.MergeSensitive(in)
		counts := make([]int64, in.Sensitive.Dict().Len())
		return merged, &diversity{int64(in.Promise.L), sensitive, counts}
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

// diverse tells whether no sensitive item is in more than 1/l of the transactions of rows.
func (d *diversity) diverse(st *step, rows []int32) bool {
	total, worst := int64(0), int64(0)
	for _, n := range rows {
		r := &st.rows[n]
		total += int64(r.weight)
		for _, x := range d.sensitive.Tx(int(r.tx)) {
			d.counts[x] += int64(r.weight)
			worst = max(worst, d.counts[x])
		}
	}
	for _, n := range rows {
		for _, x := range d.sensitive.Tx(int(st.rows[n].tx)) {
			d.counts[x] = 0
		}
	}
	return worst*d.l <= total
}
