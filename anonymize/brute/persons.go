package brute

import (
	"math/rand/v2"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
)

// KeepsInput tells whether published data keeps the promise of an input, negative knowledge aside.
func KeepsInput(in anonymize.Input, published *dataset.Dataset) bool {
	if in.Promise.Persons {
		return keepsOfPersons(in, published)
	}
	return Keeps(published, in.Sensitive, in.Promise)
}

// keepsOfPersons is the definition where a person may have several transactions, word by word: the
// support of a set is the number of distinct persons with a single line that publishes all of it.
func keepsOfPersons(in anonymize.Input, published *dataset.Dataset) bool {
	ok := true
	for i := range published.Len() {
		Sets(published.Tx(i), in.Promise.M, func(set []int32) {
			lines, persons := have(in, published, set, -1)
			if persons < in.Promise.K || in.Promise.PersonShare*most(in, published, set) > lines {
				ok = false
			}
			if !in.Promise.Diverse() {
				return
			}
			for s := range int32(in.Sensitive.Dict().Len()) {
				withLines, withPersons := have(in, published, set, s)
				if withLines*in.Promise.L > lines || withPersons*in.Promise.L > persons {
					ok = false
				}
			}
		})
	}
	return ok
}

// have counts the lines with a set and, unless it is -1, a sensitive item, and their persons.
func have(
	in anonymize.Input, published *dataset.Dataset, set []int32, s int32,
) (lines, persons int) {
	met := map[int32]bool{}
	for i := range published.Len() {
		if !contains(published.Tx(i), set) || s >= 0 && !slices.Contains(in.Sensitive.Tx(i), s) {
			continue
		}
		lines++
		if p := in.Persons[i]; p >= 0 {
			met[p] = true
		}
	}
	return lines, len(met)
}

// most is how many lines with a set one person has, at most.
func most(in anonymize.Input, published *dataset.Dataset, set []int32) int {
	own, n := map[int32]int{}, 0
	for i := range published.Len() {
		if p := in.Persons[i]; p >= 0 && contains(published.Tx(i), set) {
			own[p]++
			n = max(n, own[p])
		}
	}
	return n
}

// RandomPersons gives the transactions of an input to persons, of whom some have several.
func RandomPersons(rng *rand.Rand, in anonymize.Input) anonymize.Input {
	in.Promise.Persons, in.Promise.NegativeKnowledge = true, false
	if rng.IntN(4) == 0 {
		in.Promise.PersonShare = 2 + rng.IntN(3)
	}
	n := in.Data.Len()
	among := 1 + rng.IntN(n)
	in.Persons = make([]int32, n)
	for i := range in.Persons {
		in.Persons[i] = int32(rng.IntN(among))
		if rng.IntN(2) == 0 {
			in.Persons[i] = int32(i % among)
		}
		if rng.IntN(15) == 0 {
			in.Persons[i] = -1
		}
	}
	return in
}
