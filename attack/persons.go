package attack

import (
	"errors"
	"slices"
)

// PersonsNote says what candidates are where they are persons.
const PersonsNote = "Candidates are persons, not transactions: what is known is of one " +
	"transaction of a person, and whoever has several that match is one candidate."

// ByPersons makes candidates of singling out persons, of whom some have several transactions: with
// three lines of one person that match, one candidate is left. What is known is of one transaction.
// Transaction i of the original and record i of the release are of person[i], -1: of nobody known.
func (c *Case) ByPersons(person []int32) error {
	if len(person) != c.data.Len() || len(person) != c.after.records {
		return errors.New("attack: the persons are not of the same transactions as the data")
	}
	c.before.person, c.after.person = person, person
	c.notef(PersonsNote)
	return nil
}

// candidates are the records, or the persons, that there are.
func (c *Case) candidates() int {
	if c.after.person == nil {
		return c.after.records
	}
	met := map[int32]bool{}
	for _, p := range c.after.person {
		met[p] = true
	}
	return len(met)
}

// met counts distinct persons.
type met struct {
	last  []int32 // by person: the round in which it was met last
	round int32
	known map[string]int32 // answers of candidates
}

// begin begins a round over the persons of a view.
func (m *met) begin(person []int32) {
	if m.last == nil {
		m.last, m.known = make([]int32, 1+max(0, slices.Max(person))), map[string]int32{}
	}
	m.round++
}

// is tells whether somebody is met for the first time in the round.
func (m *met) is(p int32) bool {
	if p < 0 || m.last[p] == m.round {
		return false
	}
	m.last[p] = m.round
	return true
}

// candidates counts the records that may have all items or, where they are known, the persons of
// these. Records of nobody known are one candidate where there are no others.
func (c *counter) candidates(items []int32) int {
	if c.v.person == nil {
		return c.matches(items, -1)
	}
	if !c.listsOf(items, -1) {
		return 0
	}
	key := c.keyOf()
	if n, known := c.met.known[string(key)]; known {
		return int(n)
	}
	c.met.begin(c.v.person)
	some := 0
	n := c.count(func(r int32) bool {
		some = 1
		return c.met.is(c.v.person[r])
	})
	if len(c.met.known) == mostCounted {
		clear(c.met.known)
	}
	c.met.known[string(key)] = int32(max(some, n))
	return max(some, n)
}

// owners counts transactions, or the persons of these.
func (c *counter) owners(all []owner) int {
	if c.v.person == nil {
		return len(all)
	}
	c.met.begin(c.v.person)
	n := 0
	for _, o := range all {
		if c.met.is(c.v.person[o.tx]) {
			n++
		}
	}
	return max(n, min(1, len(all)))
}
