package global

import (
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
)

// Where the unit is a person, supports are those of distinct persons, and all else is as it was: a
// set that occurs may have no support at all, of lines of nobody known, and is as rare as others.
// Lifting never lowers a support, for the lines that have a set have every lifting of it.

// mergePersons is mergeInput where the unit is a person. Where shares of lines matter, of sensitive
// items or of one person, nothing is merged.
func mergePersons(p *anonymize.Problem) (*dataset.Merged, *diversity) {
	if !p.Promise.BeyondSupports() {
		return p.Counted(), nil
	}
	m, order := p.Apart()
	if !p.Promise.Diverse() {
		return m, nil
	}
	return m, newDiversity(p, p.Sensitive.Select(order))
}

// hidesPersons is hides where the unit is a person. The transactions ascend.
func (s *state) hidesPersons(in anonymize.Input, txs, known []int32) bool {
	persons, last, own, most := 0, int32(-1), 0, 0
	for _, i := range txs {
		u := s.merged.Units[i]
		if u < 0 || u != last {
			persons, last, own = persons+int(s.merged.Weights[i]), u, 0
		}
		if u >= 0 {
			own++
			most = max(most, own)
		}
	}
	share := most*in.Promise.PersonShare <= len(txs)
	return persons >= in.Promise.K && share && (s.diversity == nil ||
		s.diversity.Hide(txs, nil, known) &&
			s.diversity.diversePersons(txs, known, s.merged.Units, persons))
}

// diversePersons tells whether no sensitive item but those that are known is of more than 1/l of
// the persons of some transactions, and no value of more than 1/l of those with a value.
func (d *diversity) diversePersons(txs, known, units []int32, persons int) bool {
	last := map[int32]int32{}
	for _, i := range txs {
		for _, x := range d.sensitive.Tx(int(i)) {
			if was, met := last[x]; units[i] >= 0 && (!met || was != units[i]) {
				last[x] = units[i]
				d.counts[x]++
			}
		}
	}
	hidden := true
	for x := range last {
		hidden = hidden && (slices.Contains(known, x) || d.in.Hidden(x, d.counts[x], persons,
			func(mark int32) int { return d.counts[mark] }))
	}
	for x := range last {
		d.counts[x] = 0
	}
	return hidden
}
