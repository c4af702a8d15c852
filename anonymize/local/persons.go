package local

import (
	"cmp"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
)

// Where the unit of the promise is a person, the support of a set is the number of distinct persons
// with a transaction that publishes it (see dataset.MergeUnits and docs/persons.md). It grows with
// the transactions that publish the set, as the number of transactions does, and that is all that
// "every step keeps the promise" in docs/algorithms/local.md asks of it. So the search is the same.
//
// What is not the same is counting: a person counts once however many of the transactions are the
// person's, so weights do not add up. They do bound persons: from n persons, the loss of a
// transaction takes away one at most, where it is one person's. So counters begin with exact
// numbers, take away what may be lost, and count a set anew before it is taken to be rare (see
// counter.breaks). What decides is always exact.

// Where shares are bounded, of sensitive items or of one person, lines count besides persons: then
// only equal lines of a person are merged.

// mergeOfPersons makes one of the transactions of a person, or of nobody, that agree in items and
// sensitive items. Those of a person follow each other, nobody's come first. The second result is
// their sensitive items, of which there are none where no shares of them are bounded.
func mergeOfPersons(in anonymize.Input) (*dataset.Merged, *dataset.Dataset) {
	n, sensitive := in.Data.Len(), in.Sensitive
	if !in.Promise.Diverse() {
		sensitive = dataset.FromLabels(make([][]string, n))
	}
	compare := func(a, b int32) int {
		return cmp.Or(cmp.Compare(in.Persons[a], in.Persons[b]),
			slices.Compare(in.Data.Tx(int(a)), in.Data.Tx(int(b))),
			slices.Compare(sensitive.Tx(int(a)), sensitive.Tx(int(b))))
	}
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, compare)
	m := &dataset.Merged{Of: make([]int32, n), Units: []int32{}}
	var first []int32
	for at, i := range order {
		if at == 0 || compare(order[at-1], i) != 0 {
			first = append(first, i)
			m.Units = append(m.Units, in.Persons[i])
			m.Weights = append(m.Weights, min(1, in.Persons[i]+1))
		}
		m.Of[i] = int32(len(first) - 1)
	}
	m.Dataset = in.Data.Select(first)
	return m, sensitive.Select(first)
}

// personCounter counts distinct persons, or transactions where these are counted.
type personCounter struct {
	*dataset.Merged
	last  []int64 // by person: the count that met the person last
	count int64
}

func newPersonCounter(m *dataset.Merged) *personCounter {
	persons := int32(0)
	for _, unit := range m.Units {
		persons = max(persons, unit+1)
	}
	return &personCounter{Merged: m, last: make([]int64, persons)}
}

// begin begins a count.
func (c *personCounter) begin() { c.count++ }

// meet is how many persons transaction i adds.
func (c *personCounter) meet(i int32) int32 {
	if c.Units == nil || c.Units[i] < 0 {
		return c.Weights[i]
	}
	if c.met(i) {
		return 0
	}
	c.last[c.Units[i]] = c.count
	return 1
}

// met tells whether a transaction of the person of transaction i, who has several, was met.
func (c *personCounter) met(i int32) bool {
	return c.Units != nil && c.Units[i] >= 0 && c.last[c.Units[i]] == c.count
}

// ofPersons tells whether persons are counted.
func (s *state) ofPersons() bool { return s.merged.Units != nil }

// unit is the person of transaction i, where it has several; else -1 (see dataset.MergeUnits).
func (s *state) unit(i int32) int32 {
	if s.ofPersons() {
		return s.merged.Units[i]
	}
	return -1
}

// support is how many transactions have a set or, where persons are counted, how many of these do
// at least.
func (c *counter) support(t *tally) int32 {
	if c.byPerson == nil {
		return t.weight
	}
	return t.persons
}

// supportOf is the support of a set, given its weight and its occurrences.
func (c *counter) supportOf(weight int32, occs []occurrence) int32 {
	if c.byPerson == nil {
		return weight
	}
	c.byPerson.begin()
	persons := int32(0)
	for _, o := range occs {
		if c.share[o.n].weight > 0 {
			persons += c.byPerson.meet(c.txOf(c.list[o.n]))
		}
	}
	*c.work += int64(len(occs)) / met
	return persons
}

// countPersons counts the persons of all sets of the node and one other, and of the node alone.
func (c *counter) countPersons() {
	order := c.space.order[:0]
	for n, row := range c.list {
		order = append(order, int64(c.txOf(row))<<32|int64(n))
	}
	slices.Sort(order) // transactions of a person follow each other
	c.space.order = order
	last := append(c.space.last[:0], make([]int32, len(c.nodes))...)
	c.space.last = last
	*c.work += int64(len(c.flat)) / met
	const whole = 0 // no node has this number
	for _, at := range order {
		n, i := int32(at), int32(at>>32)
		unit, weight := c.byPerson.Units[i], c.byPerson.Weights[i]
		count := func(t *tally, y int32) {
			if unit < 0 || last[y] != unit+1 {
				t.persons += weight
				last[y] = unit + 1
			}
		}
		count(&c.total, whole)
		for _, y := range c.flat[c.begins(n):c.end[n]] {
			count(&c.by[y], y)
		}
	}
	if c.spare != nil {
		c.total.spare = c.leastSpare(&c.total)
		for y := range c.by {
			c.by[y].spare = c.leastSpare(&c.by[y])
		}
	}
}

// weight is how many persons transaction i stands for, at most; where shares are bounded, how many
// lines. It is at least 1, also where the transaction is nobody's: a set that it publishes occurs.
func (s *state) weight(i int32) int32 {
	if s.div != nil {
		return s.lines[i]
	}
	return max(1, s.merged.Weights[i])
}

// sortWho puts those that publish u in order again, where persons are counted.
func (s *state) sortWho(u int32) {
	if s.ofPersons() {
		slices.Sort(s.who[u])
	}
}

// sortAll puts those that publish a node in order, for every node, as coverage needs them.
func (s *state) sortAll() {
	for _, txs := range s.who {
		slices.Sort(txs)
	}
}

// linesOf is how many lines of the original each merged transaction stands for.
func linesOf(m *dataset.Merged) []int32 {
	if m.Units == nil {
		return m.Weights
	}
	lines := make([]int32, m.Len())
	for _, i := range m.Of {
		lines[i]++
	}
	return lines
}
