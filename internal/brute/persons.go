package brute

import (
	"math/rand/v2"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
)

// KeepsInput tells whether published data keeps the promise of an input, negative knowledge aside.
func KeepsInput(in anonymize.Input, published *dataset.Dataset) bool {
	switch {
	case in.Promise.Persons:
		return keepsOfPersons(in, published)
	case in.Values != nil:
		return KeepsSensitive(published, in)
	}
	return Keeps(published, in.Sensitive, in.Promise)
}

// keepsOfPersons is the definition where a person may have several transactions, word by word: the
// support of a set is the number of distinct persons with a single line that publishes all of it,
// or, where it is a set of original items, that has each of them or a node above it. Where
// sensitive items may be known, a set has some of them, too; which items go with these the original
// is not asked.
func keepsOfPersons(in anonymize.Input, published *dataset.Dataset) bool {
	ok := KeepsLabels(in, published)
	for i := range published.Len() {
		eachTold(in, i, func(told []int32) {
			items := in.Data.Tx(i)
			if len(told) > 0 {
				items = leaves(in.Tree)
			}
			Sets(items, in.Promise.M-len(told), func(items []int32) {
				is := func(n int) bool {
					return hasTold(in, n, told) && matches(in.Tree, published.Tx(n), items)
				}
				lines, _ := have(in, is, -1)
				ok = ok && (lines == 0 || fine(in, is, told)) // items may be left out
			})
		})
	}
	return ok
}

// eachTold calls f with every set of at most m sensitive items of a line that may be known, the
// empty one included.
func eachTold(in anonymize.Input, i int, f func(told []int32)) {
	var known []int32
	for s := range in.Knowable() {
		if slices.Contains(in.Sensitive.Tx(i), s) {
			known = append(known, s)
		}
	}
	Sets(known, in.Promise.M, f)
}

// hasTold tells whether a line has some sensitive items.
func hasTold(in anonymize.Input, i int, told []int32) bool {
	return len(told) == 0 || contains(in.Sensitive.Tx(i), told)
}

func leaves(t *hierarchy.Tree) []int32 {
	out := make([]int32, t.Leaves())
	for x := range out {
		out[x] = int32(x)
	}
	return out
}

// KeepsLabels tells whether published data keeps a promise of persons as far as sets of published
// nodes, and of sensitive items that may be known, go.
func KeepsLabels(in anonymize.Input, published *dataset.Dataset) bool {
	ok := true
	for i := range published.Len() {
		eachTold(in, i, func(told []int32) {
			Sets(published.Tx(i), in.Promise.M-len(told), func(set []int32) {
				ok = ok && fine(in, func(n int) bool {
					return hasTold(in, n, told) && contains(published.Tx(n), set)
				}, told)
			})
		})
	}
	return ok
}

// matches tells whether a published line has each of some items, or a node above it.
func matches(t *hierarchy.Tree, line, items []int32) bool {
	return !slices.ContainsFunc(items, func(x int32) bool {
		return !slices.ContainsFunc(line, func(u int32) bool { return t.Covers(u, x) })
	})
}

// fine tells whether the lines that are meant keep the promise, but for what is known of them.
func fine(in anonymize.Input, is func(i int) bool, told []int32) bool {
	lines, persons := have(in, is, -1)
	if persons < in.Promise.K || in.Promise.PersonShare*most(in, is) > lines {
		return false
	}
	if !in.Promise.Diverse() {
		return true
	}
	for s := range int32(in.Sensitive.Dict().Len()) {
		ofLines, ofPersons, mark := lines, persons, int32(-1)
		if in.Values != nil {
			mark = in.Values.Among[s]
		}
		if mark >= 0 { // those with a value in the column
			ofLines, ofPersons = have(in, is, mark)
		}
		withLines, withPersons := have(in, is, s)
		if mark != s && !slices.Contains(told, s) && (withLines*in.Promise.L > ofLines ||
			withPersons*in.Promise.L > ofPersons) {
			return false
		}
	}
	return true
}

// have counts the lines that are meant and, unless it is -1, have a sensitive item, and their
// persons.
func have(in anonymize.Input, is func(i int) bool, s int32) (lines, persons int) {
	met := map[int32]bool{}
	for i := range in.Data.Len() {
		if !is(i) || s >= 0 && !slices.Contains(in.Sensitive.Tx(i), s) {
			continue
		}
		lines++
		if p := in.Persons[i]; p >= 0 {
			met[p] = true
		}
	}
	return lines, len(met)
}

// most is how many of the lines that are meant one person has, at most.
func most(in anonymize.Input, is func(i int) bool) int {
	own, n := map[int32]int{}, 0
	for i := range in.Data.Len() {
		if p := in.Persons[i]; p >= 0 && is(i) {
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
