package local

import (
	"cmp"
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
	if in.Promise.Persons {
		return dataset.MergeUnits(in.Data, in.Persons), nil
	}
	return dataset.MergeBy(in.Data, in.WorkerCount()), nil
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

// mixture counts the sensitive items of transactions.
type mixture struct {
	*diversity
	total int64
	met   []int32 // sensitive items that were counted
	worst int     // the place in met of one that was too frequent, perhaps
}

func (d *diversity) mixture() *mixture { return &mixture{diversity: d} }

// add adds a transaction of some weight; a negative one takes it out.
func (m *mixture) add(i int32, weight int32) {
	m.total += int64(weight)
	for _, x := range m.sensitive.Tx(int(i)) {
		if m.counts[x] == 0 {
			m.met = append(m.met, x)
		}
		m.counts[x] += int64(weight)
	}
}

// fails tells whether a sensitive item is in more than 1/l of the transactions.
func (m *mixture) fails() bool {
	if len(m.met) == 0 {
		return false
	}
	for n := range m.met {
		if at := (m.worst + n) % len(m.met); m.counts[m.met[at]]*m.l > m.total {
			m.worst = at
			return true
		}
	}
	return false
}

// end ends the use of the counts.
func (m *mixture) end() {
	for _, x := range m.met {
		m.counts[x] = 0
	}
}

// txOf is the transaction of a row, or one that looks on.
func (st *step) txOf(n int32) int32 {
	if n < 0 {
		return ^n
	}
	return st.rows[n].tx
}

// diverse tells whether no sensitive item is in more than 1/l of the transactions of rows, or of
// those that look on.
func (st *step) diverse(rows []int32) bool {
	m := st.div.mixture()
	defer m.end()
	for _, n := range rows {
		i := st.txOf(n)
		m.add(i, st.merged.Weights[i])
	}
	return !m.fails()
}

// leaver is a row that could give a child of u up, at a place of the child's counter.
type leaver struct {
	n    int32
	loss float64 // of one transaction; the mean of its class
	hash uint64  // of what it publishes
}

// leaving are the places, in the counter of child c, of those that give the child up because a set
// with it breaks the promise: all that newly publish it or, where shares alone are too large, the
// classes that lose least until they are not. Which class comes first does not depend on who has a
// sensitive item.
func (st *step) leaving(counter *counter, c int32, occs []occurrence) []int32 {
	st.fall = st.fall[:0]
	total := 0
	for _, o := range occs {
		w := counter.share[o.n].weight
		total += int(w)
		if w == 0 || counter.list[o.n] < 0 {
			continue
		}
		if _, is := st.newlyPublishes(&st.rows[counter.list[o.n]], st.nodes[c]); is {
			st.fall = append(st.fall, o.n)
		}
	}
	if total < st.k || st.div == nil {
		return st.fall
	}
	all := st.leavers(counter, c)
	n := st.fewest(counter, occs, all)
	for i := range n {
		st.fall[i] = all[i].n
	}
	return st.fall[:n]
}

// leavers are those in fall, the one that loses least first, and with it its class (see offer).
func (st *step) leavers(counter *counter, c int32) (all []leaver) {
	sum, of := map[uint64]float64{}, map[uint64]float64{}
	for _, n := range st.fall {
		r := &st.rows[counter.list[n]]
		j, _ := st.newlyPublishes(r, st.nodes[c])
		one := leaver{n, float64(st.gain(st.kids(r)[j])), hashOf(st.now(r))}
		sum[one.hash] += one.loss * float64(r.weight)
		of[one.hash] += float64(r.weight)
		all = append(all, one)
	}
	if st.m <= wholeClasses {
		for i, one := range all {
			all[i].loss = sum[one.hash] / of[one.hash]
		}
	}
	slices.SortStableFunc(all, func(a, b leaver) int {
		return cmp.Or(cmp.Compare(a.loss, b.loss), cmp.Compare(a.hash, b.hash))
	})
	return all
}

// fewest is how many of the first leavers, whole classes, leave the others with k transactions and
// no share too large: all, if need be.
func (st *step) fewest(counter *counter, occs []occurrence, all []leaver) (n int) {
	m := st.div.mixture()
	defer m.end()
	for _, o := range occs {
		m.add(st.txOf(counter.list[o.n]), counter.share[o.n].weight)
	}
	whole := st.m <= wholeClasses
	for n < len(all) && (m.total < int64(st.k) || m.fails()) {
		for same := true; same; same = whole && n < len(all) && all[n].hash == all[n-1].hash {
			at := all[n].n
			m.add(st.txOf(counter.list[at]), -counter.share[at].weight)
			n++
		}
	}
	return n
}
