package local

import (
	"mingle/anonymize"
	"mingle/dataset"
)

// diversity is what l^m-diversity needs to know: the sensitive items of the merged transactions.
type diversity struct {
	l         int64
	sensitive *dataset.Dataset
	antichain bool    // what a transaction publishes has to be one
	counts    []int64 // working space, by sensitive item; zero between uses
}

// merge folds identical transactions; the diversity is nil where none is asked.
func merge(in anonymize.Input) (*dataset.Merged, *diversity) {
	if in.Promise.Diverse() {
		merged, sensitive := anonymize.MergeSensitive(in)
		counts := make([]int64, in.Sensitive.Dict().Len())
		return merged, &diversity{
			l: int64(in.Promise.L), sensitive: sensitive, counts: counts, antichain: true,
		}
	}
	return dataset.Merge(in.Data), nil
}

// antichains tells whether what a transaction publishes has to be an antichain.
func (d *diversity) antichains() bool { return d != nil && d.antichain }

// clone is the same with working space of its own.
func (d *diversity) clone() *diversity {
	if d == nil {
		return nil
	}
	c := *d
	c.counts = make([]int64, len(d.counts))
	return &c
}

// nesting is the same where transactions may publish a node and one below it.
func (d *diversity) nesting() *diversity {
	c := d.clone()
	c.antichain = false
	return c
}

// diverse tells whether no sensitive item is in more than 1/l of the transactions of rows, or of
// those that look on.
func (st *step) diverse(rows []int32) bool {
	total, worst, d := int64(0), int64(0), st.div
	st.txs = st.txs[:0]
	for _, n := range rows {
		i := ^n
		if n >= 0 {
			i = st.rows[n].tx
		}
		st.txs = append(st.txs, i)
		weight := int64(st.merged.Weights[i])
		total += weight
		for _, x := range d.sensitive.Tx(int(i)) {
			d.counts[x] += weight
			worst = max(worst, d.counts[x])
		}
	}
	for _, i := range st.txs {
		for _, x := range d.sensitive.Tx(int(i)) {
			d.counts[x] = 0
		}
	}
	return worst*d.l <= total
}
