package anonymize

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"mingle/dataset"
	"mingle/privacy"
)

// checkPersons is the rest of Check where the unit is a person.
func (in Input) checkPersons() error {
	if len(in.Persons) != in.Data.Len() {
		return fmt.Errorf("the persons of %d transactions are given, and there are %d",
			len(in.Persons), in.Data.Len())
	}
	if in.Data.Len() == 0 {
		return EnoughPersons(0, 0, 0, true, in.Promise.K)
	}
	everybody := func(int) bool { return true }
	filled := func(i int) bool { return len(in.Data.Tx(i)) > 0 }
	err := EnoughPersons(in.Data.Len(), in.PersonsWith(everybody), in.PersonsWith(filled),
		in.Data.Empty() == in.Data.Len(), in.Promise.K)
	if err != nil {
		return err
	}
	if err := errors.Join(in.checkShare("", everybody),
		in.checkShare(" that contain anything", filled)); err != nil {
		return err
	}
	if !in.Promise.Diverse() {
		return nil
	}
	order := in.byPerson()
	if err := errors.Join(in.checkDiversityOfPersons(order, "", everybody),
		in.checkDiversityOfPersons(order, " with a quasi-identifier", filled)); err != nil {
		return err
	}
	return in.checkKnown()
}

// EnoughPersons refuses fewer than k persons, of so many transactions: all of them, and those with
// one that is not empty, unless all are.
func EnoughPersons(transactions, all, filled int, empty bool, k int) error {
	switch {
	case transactions == 0:
		return privacy.Infeasiblef("k (%d) is more than the number of persons (0)", k)
	case all < k:
		return privacy.Infeasiblef("k (%d) is more than the number of persons (%d): nothing that is published could be of k persons", k, all)
	case filled < k && !empty:
		return privacy.Infeasiblef("k (%d) is more than the number of persons with a transaction that contains anything (%d): even fully generalized they would be told apart", k, filled)
	}
	return nil
}

// checkShare looks at how many transactions one person has, whatever the generalization.
func (in Input) checkShare(like string, is func(i int) bool) error {
	own := make([]int, 1+max(0, slices.Max(in.Persons)))
	lines, most := 0, 0
	for i, p := range in.Persons {
		if !is(i) {
			continue
		}
		lines++
		if p >= 0 {
			own[p]++
			most = max(most, own[p])
		}
	}
	return ShareOfOne(in.Promise.PersonShare, most, lines, like)
}

// ShareOfOne refuses one person with so many of the transactions of a kind, more than a share 1/n
// of them, whatever is generalized; n is 0 where that is not bounded.
func ShareOfOne(n, most, transactions int, like string) error {
	if most*n <= transactions {
		return nil
	}
	return privacy.Infeasiblef("the largest share of one person (1/%d) cannot be reached: one person has %d of the %d transactions%s",
		n, most, transactions, like)
}

// PersonsWith is the number of persons with a transaction like that.
func (in Input) PersonsWith(is func(i int) bool) int {
	met := make([]bool, 1+max(0, slices.Max(in.Persons)))
	n := 0
	for i, p := range in.Persons {
		if p >= 0 && !met[p] && is(i) {
			met[p] = true
			n++
		}
	}
	return n
}

// checkDiversityOfPersons looks at what is known whatever the generalization, given the
// transactions by person.
func (in Input) checkDiversityOfPersons(
	byPerson []int32, like string, is func(i int) bool,
) error {
	lines, with := in.countSensitive(is)
	persons, of := in.countPersons(byPerson, is)
	for s := range int32(len(with)) {
		if in.isMark(s) {
			continue
		}
		err := (ShareOfItem{
			Name: in.named(s), Lines: in.shareOf(s, lines, with), With: with[s],
			Persons: in.shareOf(s, persons, of), PersonsWith: of[s],
			Like: like + in.filled(s),
		}).Check(in.Promise.L)
		if err != nil {
			return err
		}
	}
	return nil
}

// countPersons counts the persons with a transaction that is meant, and those with such a
// transaction that has each sensitive item, given the transactions by person.
func (in Input) countPersons(
	byPerson []int32, is func(i int) bool,
) (total int, counts []int) {
	counts = make([]int, in.Sensitive.Dict().Len())
	last := make([]int32, len(counts)) // the person counted last, plus one
	met := int32(0)                    // the same of all
	for _, i := range byPerson {
		p := in.Persons[i] + 1
		if p == 0 || !is(int(i)) {
			continue
		}
		if met != p {
			met = p
			total++
		}
		for _, s := range in.Sensitive.Tx(int(i)) {
			if last[s] != p {
				last[s] = p
				counts[s]++
			}
		}
	}
	return total, counts
}

// byPerson is the transactions in the order of their persons.
func (in Input) byPerson() []int32 {
	order := make([]int32, in.Data.Len())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Compare(in.Persons[a], in.Persons[b])
	})
	return order
}

// ShareOfItem is how many of the transactions of a kind, and of their persons, have a sensitive
// item or value, as a message names it.
type ShareOfItem struct {
	Name                 string
	Lines, With          int
	Persons, PersonsWith int
	Like                 string
}

// Check refuses more than 1/l of them, whatever is generalized.
func (t ShareOfItem) Check(l int) error {
	switch {
	case t.With*l > t.Lines:
		return privacy.Infeasiblef("l (%d) cannot be reached: %s is in %d of %d transactions%s, %d more than 1/%d of them allows",
			l, t.Name, t.With, t.Lines, t.Like, t.With-t.Lines/l, l)
	case t.PersonsWith*l > t.Persons:
		return privacy.Infeasiblef("l (%d) cannot be reached: %d of %d persons with transactions%s have %s in one of them, %d more than 1/%d of them allows",
			l, t.PersonsWith, t.Persons, t.Like, t.Name, t.PersonsWith-t.Persons/l, l)
	}
	return nil
}

// PersonsOf are those of some transactions; nil of nil.
func PersonsOf(persons, txs []int32) []int32 {
	if persons == nil {
		return nil
	}
	out := make([]int32, 0, len(txs))
	for _, i := range txs {
		out = append(out, persons[i])
	}
	return out
}

// Apart is the transactions without any merged, those of a person one after the other, and which
// each is: for promises that count lines besides persons.
func (in Input) Apart() (m *dataset.Merged, order []int32) {
	order = in.byPerson()
	m = &dataset.Merged{Dataset: in.Data.Select(order), Of: make([]int32, len(order))}
	for at, i := range order {
		m.Of[i] = int32(at)
		m.Units = append(m.Units, in.Persons[i])
		m.Weights = append(m.Weights, min(1, in.Persons[i]+1))
	}
	return m, order
}
