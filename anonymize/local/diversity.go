package local

import (
	"cmp"
	"math/bits"
	"slices"

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
		return merged, &diversity{
			l: int64(in.Promise.L), sensitive: sensitive, counts: counts,
		}
	}
	return dataset.Merge(in.Data), nil
}

// clone is the same with working space of its own.
func (d *diversity) clone() *diversity {
	if d == nil {
		return nil
	}
	c := *d
	c.counts = make([]int64, len(d.counts))
	return &c
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

// leaving are the places, in the counter of child c, of those that give the child up because a set
// with it breaks the promise: all that newly publish it or, where shares alone are too large, the
// classes that lose least until they are not. Which class comes first does not depend on who has a
// sensitive item.
func (st *step) leaving(counter *counter, c int32, occs []occurrence) []int32 {
	st.fall = st.fall[:0]
	total := int64(0)
	for _, o := range occs {
		w := counter.share[o.n].weight
		total += int64(w)
		if w == 0 || counter.list[o.n] < 0 {
			continue
		}
		if _, is := st.newlyPublishes(&st.rows[counter.list[o.n]], st.nodes[c]); is {
			st.fall = append(st.fall, o.n)
		}
	}
	if st.div == nil || total < int64(st.k) {
		return st.fall
	}
	return st.fall[:st.firstLeaving(counter, c, occs, total)]
}

func (st *step) firstLeaving(counter *counter, c int32, occs []occurrence, total int64) int {
	type leaver struct {
		n    int32
		gain float64
		hash uint64
	}
	var all []leaver
	for _, n := range st.fall {
		r := &st.rows[counter.list[n]]
		j, _ := st.newlyPublishes(r, st.nodes[c])
		h := uint64(0)
		for _, y := range counter.flat[counter.begins(n):counter.end[n]] {
			hi, lo := bits.Mul64(h^uint64(counter.nodes[y]+2), 0x9e3779b97f4a7c15)
			h = hi ^ lo + 0x2545f4914f6cdd1d
		}
		all = append(all, leaver{n, float64(st.gain(st.kids(r)[j])), h})
	}
	slices.SortStableFunc(all, func(a, b leaver) int {
		return cmp.Or(cmp.Compare(a.gain, b.gain), cmp.Compare(a.hash, b.hash))
	})
	d := st.div
	tx := func(n int32) int32 {
		if id := counter.list[n]; id < 0 {
			return ^id
		} else {
			return st.rows[id].tx
		}
	}
	for _, o := range occs {
		if counter.share[o.n].weight > 0 {
			for _, x := range d.sensitive.Tx(int(tx(o.n))) {
				d.counts[x] += int64(counter.share[o.n].weight)
			}
		}
	}
	fails := func() bool {
		for _, c := range d.counts {
			if c*d.l > total {
				return true
			}
		}
		return false
	}
	n := 0
	for n < len(all) && (total < int64(st.k) || fails()) {
		for first := true; first || n < len(all) && st.m <= wholeClasses && all[n].hash == all[n-1].hash && all[n].gain == all[n-1].gain; n++ {
			first = false
			total -= int64(counter.share[all[n].n].weight)
			for _, x := range d.sensitive.Tx(int(tx(all[n].n))) {
				d.counts[x] -= int64(counter.share[all[n].n].weight)
			}
		}
	}
	clear(d.counts)
	for i := range all {
		st.fall[i] = all[i].n
	}
	return n
}
