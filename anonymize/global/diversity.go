package global

import (
	"mingle/anonymize"
	"mingle/dataset"
)

// l^m-diversity: terrovitis-2011, section 5.2.
//
// Lifting never lowers a support but may raise the share of a sensitive item, so one pass over the
// sets at the cut is not enough: passes are repeated until one finds nothing. Each repair lifts the
// cut, so they end; the root satisfies the ratio whenever the data does, which
// anonymize.Input.Check has made sure of.
type diversity struct {
	l         int
	sensitive *dataset.Dataset // of the merged transactions
	counts    []int            // working space, by sensitive item
}

// mergeInput is the merged transactions; the diversity is nil where none is asked.
func mergeInput(p *anonymize.Problem) (*dataset.Merged, *diversity) {
	if p.Promise.Persons {
		return mergePersons(p)
	}
	if p.Promise.Diverse() {
		told := p.Told()
		return told.Merged, &diversity{
			p.Promise.L, told.Sensitive,
			make([]int, p.Sensitive.Dict().Len()),
		}
	}
	need := 4*p.Data.Occurrences() + 12*p.Data.Len()
	if p.Memory > 0 && int64(need) > p.Memory/4 {
		return dataset.Unmerged(p.Data), nil // no room for a copy
	}
	return p.Merged(), nil
}

// diverse tells whether no sensitive item is in more than 1/l of the transactions, which are merged
// ones of the given weights, or 1 each.
func (d *diversity) diverse(txs []int32, weights []int32) bool {
	weight := func(i int32) int {
		if weights == nil {
			return 1
		}
		return int(weights[i])
	}
	total, any := 0, 0
	for _, i := range txs {
		total += weight(i)
		if len(d.sensitive.Tx(int(i))) > 0 {
			any += weight(i)
		}
	}
	if any*d.l <= total {
		return true
	}
	worst := 0
	for _, i := range txs {
		for _, s := range d.sensitive.Tx(int(i)) {
			d.counts[s] += weight(i)
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
