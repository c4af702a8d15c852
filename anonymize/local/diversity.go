package local

import (
	"cmp"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
)

// diversity is what bounds on shares need to know: the sensitive items of the merged transactions
// and, where persons are counted, whose they are.
type diversity struct {
	l         int64 // 0: shares of sensitive items are not bounded
	one       int64 // one person has at most 1/one of the lines; 0: that is not bounded
	sensitive *dataset.Dataset
	among     []int32 // by sensitive item (see anonymize.Values); nil: shares are of all lines
	marks     []int32 // the sensitive items that mark a value in a column, ascending
	lines     []int32 // by merged transaction: how many of the original it stands for
	units     []int32 // by merged transaction; -1: nobody's. nil: transactions are counted

	// working space, zero between uses
	counts []int64 // by sensitive item: lines
	heads  []int64 // by sensitive item: persons
	own    []int32 // by person: lines
	holds  []int32 // by person and sensitive item, see personItems: lines
	space  mixture

	personItems personItems // nothing where transactions are counted
}

// personItems numbers the distinct pairs of a person and a sensitive item of the person.
type personItems struct {
	from []int32 // by merged transaction: where its pairs are in of
	of   []int32 // by occurrence of a sensitive item
	all  int32   // how many there are
}

// newPersonItems numbers those of transactions, which come person by person.
func newPersonItems(sensitive *dataset.Dataset, units []int32) (p personItems) {
	items := sensitive.Dict().Len()
	number, last := make([]int32, items), make([]int32, items) // last: of whom, plus one
	p.of = make([]int32, 0, sensitive.Occurrences())
	for i, tx := range sensitive.All() {
		p.from = append(p.from, int32(len(p.of)))
		for _, x := range tx {
			if unit := units[i] + 1; last[x] != unit || unit == 0 {
				number[x], last[x] = p.all, unit
				p.all++
			}
			p.of = append(p.of, number[x])
		}
	}
	return p
}

// merge folds identical transactions; the diversity is nil where no bound on shares is asked.
func merge(in anonymize.Input) (*dataset.Merged, *diversity) {
	switch p := in.Promise; {
	case p.Persons && (p.Diverse() || p.PersonShare > 0):
		merged, sensitive := mergeOfPersons(in)
		return merged, newDiversity(in, merged, sensitive)
	case p.Persons:
		return dataset.MergeUnits(in.Data, in.Persons), nil
	case p.Diverse():
		merged, sensitive := anonymize.MergeSensitive(in)
		return merged, newDiversity(in, merged, sensitive)
	}
	return dataset.MergeBy(in.Data, in.WorkerCount()), nil
}

func newDiversity(
	in anonymize.Input, merged *dataset.Merged, sensitive *dataset.Dataset,
) *diversity {
	d := &diversity{l: int64(in.Promise.L), one: int64(in.Promise.PersonShare)}
	if d.marks = in.Marks(); d.marks != nil && in.Promise.Diverse() {
		d.among = in.Values.Among
	}
	return d.of(merged, sensitive)
}

// of is the same bounds for merged transactions.
func (d *diversity) of(merged *dataset.Merged, sensitive *dataset.Dataset) *diversity {
	out := diversity{
		l: d.l, one: d.one, sensitive: sensitive, among: d.among, marks: d.marks,
		lines: linesOf(merged), units: merged.Units,
	}
	if out.units != nil {
		out.personItems = newPersonItems(sensitive, out.units)
	}
	return out.clone()
}

// markOf is the sensitive item that marks what the share of x is taken of; -1: all lines are.
func (d *diversity) markOf(x int32) int32 {
	if d.among == nil {
		return -1
	}
	return d.among[x]
}

// hides tells whether a transaction has a sensitive item, a mark aside: one whose share is bounded.
func (d *diversity) hides(i int32) bool {
	return slices.ContainsFunc(d.sensitive.Tx(int(i)), func(x int32) bool {
		return d.markOf(x) != x
	})
}

// full tells whether a transaction has a value in every column.
func (d *diversity) full(i int32) bool {
	return d.among == nil || !slices.ContainsFunc(d.marks, func(mark int32) bool {
		return !d.has(i, mark)
	})
}

func (d *diversity) has(i, x int32) bool {
	_, has := slices.BinarySearch(d.sensitive.Tx(int(i)), x)
	return has
}

// clone is the same with working space of its own.
func (d *diversity) clone() *diversity {
	if d == nil {
		return nil
	}
	c, items := *d, d.sensitive.Dict().Len()
	c.counts, c.space = make([]int64, items), mixture{}
	if d.units != nil {
		c.heads, c.holds = make([]int64, items), make([]int32, d.personItems.all)
		c.own = make([]int32, 1+max(0, slices.Max(append([]int32{0}, d.units...))))
	}
	return &c
}

// mixture counts the sensitive items of transactions, and their persons.
type mixture struct {
	*diversity
	total   int64   // lines
	persons int64   // distinct; zero where transactions are counted
	met     []int32 // sensitive items that were counted
	whose   []int32 // persons who were counted
	held    []int32 // pairs of personItems that were counted
	worst   int     // the place in met of one that was too frequent, perhaps
}

// mixture is one of nothing. It has the working space until it ends.
func (d *diversity) mixture() *mixture {
	m := &d.space
	*m = mixture{diversity: d, met: m.met[:0], whose: m.whose[:0], held: m.held[:0]}
	return m
}

// add adds a transaction of so many lines; with a negative number it takes it out.
func (m *mixture) add(i, lines int32) {
	m.total += int64(lines)
	person := m.addPerson(i, lines)
	for n, x := range m.sensitive.Tx(int(i)) {
		if m.counts[x] == 0 {
			m.met = append(m.met, x)
		}
		m.counts[x] += int64(lines)
		if person >= 0 {
			all := &m.personItems
			m.addPersonItem(all.of[all.from[i]+int32(n)], x, lines)
		}
	}
}

// addPlain adds so many lines that have no sensitive item, and a value in every column.
func (m *mixture) addPlain(lines int64) {
	m.total += lines
	if lines == 0 || m.among == nil {
		return
	}
	for _, mark := range m.marks {
		if m.counts[mark] == 0 {
			m.met = append(m.met, mark)
		}
		m.counts[mark] += lines
	}
}

// addPerson counts the lines of the person of a transaction, and tells who that is; -1: nobody.
func (m *mixture) addPerson(i, lines int32) int32 {
	if m.units == nil || m.units[i] < 0 || lines == 0 {
		return -1
	}
	person := m.units[i]
	if m.own[person] == 0 {
		m.persons++
		m.whose = append(m.whose, person)
	}
	if m.own[person] += lines; m.own[person] == 0 {
		m.persons--
	}
	return person
}

func (m *mixture) addPersonItem(p, x, lines int32) {
	if m.holds[p] == 0 {
		m.heads[x]++
		m.held = append(m.held, p)
	}
	if m.holds[p] += lines; m.holds[p] == 0 {
		m.heads[x]--
	}
}

// support is how many transactions there are or, where persons are counted, how many of these.
func (m *mixture) support() int64 {
	if m.units != nil {
		return m.persons
	}
	return m.total
}

// fails tells whether a share is too large: of a sensitive item in the lines, or among the persons,
// or of one person in the lines.
func (m *mixture) fails() bool {
	for n := range m.met {
		if at := (m.worst + n) % len(m.met); m.spareOf(m.met[at]) < 0 {
			m.worst = at
			return true
		}
	}
	return m.one > 0 && m.spareOfOne() < 0
}

// spare is how many lines may leave before a share can be too large; negative: one is.
func (m *mixture) spare() int64 {
	spare := m.total
	for _, x := range m.met {
		if m.counts[x] > 0 {
			spare = min(spare, m.spareOf(x))
		}
	}
	if m.one > 0 {
		spare = min(spare, m.spareOfOne())
	}
	return spare
}

// spareOf is spare as far as one sensitive item goes.
func (m *mixture) spareOf(x int32) int64 {
	lines, persons, mark := m.total, m.persons, m.markOf(x)
	switch {
	case mark == x: // its share is not bounded
		return m.total
	case mark >= 0:
		lines = m.counts[mark]
	}
	if m.units == nil {
		return lines - m.l*m.counts[x]
	}
	if mark >= 0 {
		persons = m.heads[mark]
	}
	return min(lines-m.l*m.counts[x], persons-m.l*m.heads[x])
}

// spareOfOne is spare as far as shares of one person go.
func (m *mixture) spareOfOne() int64 {
	most := int32(0)
	for _, person := range m.whose {
		most = max(most, m.own[person])
	}
	return m.total - m.one*int64(most)
}

// end ends the use of the working space.
func (m *mixture) end() {
	for _, x := range m.met {
		m.counts[x] = 0
		if m.units != nil {
			m.heads[x] = 0
		}
	}
	for _, person := range m.whose {
		m.own[person] = 0
	}
	for _, b := range m.held {
		m.holds[b] = 0
	}
}

// txOf is the transaction of a row, or one that looks on.
func (st *step) txOf(n int32) int32 {
	if n < 0 {
		return ^n
	}
	return st.rows[n].tx
}

// spare is how many lines may leave the transactions of rows, or of those that look on, and so many
// lines besides that have no sensitive item and every value, before a share can be too large among
// them; negative: one is.
func (st *step) spare(rows []int32, besides int64) int64 {
	m := st.div.mixture()
	defer m.end()
	m.addPlain(besides)
	for _, n := range rows {
		i := st.txOf(n)
		m.add(i, st.lines[i])
	}
	return m.spare()
}

// removal is of a child of u from what a row publishes, at a place of the child's counter.
type removal struct {
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
		if w > 0 && st.mayLeave(counter, c, o.n) {
			st.fall = append(st.fall, o.n)
		}
	}
	if st.div == nil || total < st.k {
		return st.fall
	}
	all := st.removals(counter, c)
	n := st.fewest(counter, occs, all)
	for i := range n {
		st.fall[i] = all[i].n
	}
	return st.fall[:n]
}

// mayLeave tells whether the row at a place in the counter of child c newly publishes the child.
func (st *step) mayLeave(counter *counter, c, n int32) bool {
	if counter.list[n] < 0 {
		return false
	}
	_, is := st.newlyPublishes(&st.rows[counter.list[n]], st.nodes[c])
	return is
}

// removals are those of the rows in fall, the one that loses least first, and with it its class
// (see rollback).
func (st *step) removals(counter *counter, c int32) (all []removal) {
	sum, of := map[uint64]float64{}, map[uint64]float64{}
	for _, n := range st.fall {
		r := &st.rows[counter.list[n]]
		j, _ := st.newlyPublishes(r, st.nodes[c])
		one := removal{n, float64(st.gain(st.specialisations(r)[j])), hashOf(st.now(r))}
		sum[one.hash] += one.loss * float64(r.weight)
		of[one.hash] += float64(r.weight)
		all = append(all, one)
	}
	if st.m <= wholeClasses {
		for i, one := range all {
			all[i].loss = sum[one.hash] / of[one.hash]
		}
	}
	slices.SortStableFunc(all, func(a, b removal) int {
		return cmp.Or(cmp.Compare(a.loss, b.loss), cmp.Compare(a.hash, b.hash))
	})
	return all
}

// fewest is how many of the first removals, whole classes, leave the others with a support of k and
// no share too large: all, if need be.
func (st *step) fewest(counter *counter, occs []occurrence, all []removal) (n int) {
	m := st.div.mixture()
	defer m.end()
	for _, o := range occs {
		m.add(st.txOf(counter.list[o.n]), counter.share[o.n].weight)
	}
	whole := st.m <= wholeClasses
	for n < len(all) && (m.support() < int64(st.k) || m.fails()) {
		for same := true; same; same = whole && n < len(all) && all[n].hash == all[n-1].hash {
			at := all[n].n
			m.add(st.txOf(counter.list[at]), -counter.share[at].weight)
			n++
		}
	}
	return n
}
