package global

import (
	"cmp"
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
	order := make([]int32, p.Data.Len())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Compare(p.Persons[a], p.Persons[b])
	})
	m := &dataset.Merged{Dataset: p.Data.Select(order)}
	for _, i := range order {
		m.Units = append(m.Units, p.Persons[i])
		m.Weights = append(m.Weights, min(1, p.Persons[i]+1))
	}
	if !p.Promise.Diverse() {
		return m, nil
	}
	sensitive := p.Sensitive.Select(order)
	return m, &diversity{p.NewShares(sensitive), sensitive}
}

// hidesPersons is hides where the unit is a person. The transactions ascend.
func (s *state) hidesPersons(in anonymize.Input, txs []int32) bool {
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
		s.diversity.Hide(txs, nil, nil) &&
			s.diversity.mostPersons(txs, s.merged.Units)*in.Promise.L <= persons)
}

// mostPersons is the greatest number of persons of some transactions who have one sensitive item in
// them. The transactions ascend.
func (d *diversity) mostPersons(txs, units []int32) int {
	type count struct{ last, persons int32 }
	counts := map[int32]count{}
	most := int32(0)
	for _, i := range txs {
		for _, x := range d.sensitive.Tx(int(i)) {
			if c := counts[x]; units[i] >= 0 && (c.persons == 0 || c.last != units[i]) {
				counts[x] = count{units[i], c.persons + 1}
				most = max(most, c.persons+1)
			}
		}
	}
	return int(most)
}
