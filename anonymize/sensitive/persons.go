package sensitive

import (
	"cmp"
	"slices"

	"mingle/anonymize"
)

// Where the unit is a person, who may have several transactions.
//
//   - Where an item s is of too many of the persons with a set J, it goes from all transactions
//     with J of as many of them as needed, those with the fewest such transactions first. Where s
//     is a value of a column, which stays, an item of J goes; then those first who have a
//     transaction with J and another value, and are still among the persons with J.
//   - Where one person has too many of the transactions with J, an item of J goes from as many of
//     that person's as needed.
//
// Persons are told apart by what they have alone, so that what goes does not depend on the order of
// the transactions.

// sortEqual sorts, among transactions in an order by content, those of equal content by their
// persons: these by the content of all their transactions, one after the other.
func sortEqual(order, persons []int32, content func(a, b int32) int) {
	class := make([]int32, len(order)) // by transaction
	of := map[int32][]int32{}          // by person: the classes of the transactions, ascending
	for place, i := range order {
		if place > 0 {
			class[i] = class[order[place-1]]
			if content(order[place-1], i) != 0 {
				class[i]++
			}
		}
		if p := persons[i]; p >= 0 {
			of[p] = append(of[p], class[i])
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		p, q := persons[a], persons[b]
		return cmp.Or(cmp.Compare(class[a], class[b]), slices.Compare(of[p], of[q]),
			cmp.Compare(p, q))
	})
}

// share is what a person has of the transactions with what is known.
type share struct {
	among   int     // how many
	holders []int32 // those that have what is told, too, by rank
}

// shares are those of each person, and how many persons there are and how many have what is told.
// What went since the knowledge was found is left out.
func (s *suppression) shares(b anonymize.Telling) (of map[int32]*share, persons, holders int) {
	of = map[int32]*share{}
	for _, i := range b.Among {
		p := s.in.Persons[i]
		if p < 0 || slices.ContainsFunc(b.Known, func(x int32) bool { return !s.has(i, x) }) {
			continue
		}
		if of[p] == nil {
			of[p] = &share{}
		}
		of[p].among++
		if b.Told < 0 || s.has(i, b.Told) {
			of[p].holders = append(of[p].holders, i)
		}
	}
	for _, own := range of {
		slices.SortFunc(own.holders, s.byRank)
		if len(own.holders) > 0 {
			holders++
		}
	}
	return of, len(of), holders
}

func (s *suppression) byRank(a, b int32) int { return cmp.Compare(s.rank[a], s.rank[b]) }

// thinPersons suppresses occurrences until what is known tells no item with more than 1/l of the
// persons.
func (s *suppression) thinPersons(b anonymize.Telling) {
	item, known := s.goes(b)
	of, persons, holders := s.shares(b)
	leaves := func(own *share) int { // the persons with what is known
		if known && own.among == len(own.holders) {
			return 1
		}
		return 0
	}
	var list []*share
	for _, own := range of {
		if len(own.holders) > 0 {
			list = append(list, own)
		}
	}
	slices.SortFunc(list, func(x, y *share) int {
		return cmp.Or(leaves(x)-leaves(y), len(x.holders)-len(y.holders),
			s.byRank(x.holders[0], y.holders[0]))
	})
	for _, own := range list {
		if holders*s.in.Promise.L <= persons {
			break
		}
		for _, i := range own.holders {
			s.take(i, item)
		}
		holders, persons = holders-1, persons-leaves(own)
	}
}

// thinOne suppresses occurrences until no person has more than the share of the transactions with
// what is known that one may have.
func (s *suppression) thinOne(b anonymize.Telling) {
	item, _ := s.goes(b)
	n := s.in.Promise.PersonShare
	for {
		lines := 0
		for _, i := range b.Among {
			if !slices.ContainsFunc(b.Known, func(x int32) bool { return !s.has(i, x) }) {
				lines++
			}
		}
		of, _, _ := s.shares(b)
		var most *share
		for _, own := range of {
			if most == nil || cmp.Or(own.among-most.among,
				s.byRank(most.holders[0], own.holders[0])) > 0 {
				most = own
			}
		}
		if most == nil || most.among*n <= lines {
			return
		}
		for _, i := range most.holders[:(most.among*n-lines+n-2)/(n-1)] {
			s.take(i, item)
		}
	}
}

// units is how many transactions, or persons, have what is told.
func (s *suppression) units(b anonymize.Telling) int {
	if b.How == anonymize.OfMany {
		return s.heads.Count(b.Txs)
	}
	return len(b.Txs)
}

func unit(b anonymize.Telling) string {
	if b.How == anonymize.OfMany {
		return "persons"
	}
	return "transactions"
}
