package partition

import (
	"fmt"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
)

// Where the unit is a person, a part or a group needs k distinct persons. A set of nodes that one
// of its lines publishes is then in lines of k persons of it: in lra aa sees to that, in partition
// all lines of the group publish it. So it is in lines of k persons of the whole: what other parts
// publish adds persons to a set, and takes none away. The lines of a person do add up: where nobody
// has more than a share of the lines of any part with a set, nobody has more of all.
//
// Persons do not add up: somebody with lines in two groups is one person of both. So l-diversity
// asks partition for more: l times the persons who have a sensitive item in a line of a group are
// at most the persons who have lines in no other group, the empty lines aside. What matches items
// is a union of groups. Nobody has all lines in two of them, so the persons of the union are at
// least the sum of those, and the persons with the item there at most the sum of those of the
// groups. At the root this is what the input was checked for; leftovers that fail are filled up by
// whole buckets, in the end by all of the group, which kept it. The same holds of the lines with a
// value in a sensitive column, in place of all: nobody has all lines with a value in two groups.
//
// lra keeps all lines of a person in one part (blocks.go): then persons do add up.

// Where sensitive items may be known, the same is asked of the lines of a group with each set T of
// at most m-1 of them, in place of all its lines, and of the persons all of whose lines with T are
// in the group: what matches T and other items is a union of the lines with T of some groups.

// enoughPersons tells whether merged transactions are of at least k persons, nobody of whom has too
// many of them, and hide the sensitive items of these.
func (r *run) enoughPersons(txs []int32) bool {
	if !r.in.Promise.BeyondSupports() {
		return r.kPersons(txs)
	}
	var lines []int32
	for _, i := range txs {
		lines = append(lines, r.members[i]...)
	}
	heads := r.heads.Get().(*anonymize.Heads)
	defer r.heads.Put(heads)
	return r.enoughKnown(heads, lines, nil)
}

// kPersons tells whether merged transactions are of at least k persons.
func (r *run) kPersons(txs []int32) bool {
	own := map[int32]bool{}
	for _, i := range txs {
		for _, tx := range r.members[i] {
			if p := r.in.Persons[tx]; p >= 0 {
				own[p] = true
			}
			if len(own) >= r.in.Promise.K {
				return true
			}
		}
	}
	return false
}

// enoughKnown tells it of lines that have some sensitive items, and of those of them that have
// more, as far as these may be known.
func (r *run) enoughKnown(heads *anonymize.Heads, lines, known []int32) bool {
	p := r.in.Promise
	if heads.Count(lines) < p.K || heads.Most(lines)*p.PersonShare > len(lines) ||
		p.Diverse() && !r.diversePersons(lines, known) {
		return false
	}
	if len(known) == min(p.M-1, int(r.in.Knowable())) {
		return true
	}
	last := int32(-1)
	if len(known) > 0 {
		last = known[len(known)-1]
	}
	holders := map[int32][]int32{}
	for _, i := range lines {
		for _, x := range r.in.Sensitive.Tx(int(i)) {
			if last < x && x < r.in.Knowable() {
				holders[x] = append(holders[x], i)
			}
		}
	}
	for x, of := range holders {
		if !r.enoughKnown(heads, of, append(slices.Clip(known), x)) {
			return false
		}
	}
	return true
}

// diversePersons tells whether, of some lines, which have what is known, no other sensitive item is
// in too many, nor of too many persons. Of a column with empty values, the lines with a value
// count, and the persons all of whose lines with a value, and with what is known, are here.
func (r *run) diversePersons(lines, known []int32) bool {
	own := map[int32]int32{}
	with, of := map[int32]int{}, map[int32]map[int32]int32{} // by sensitive item: lines, of persons
	for _, tx := range lines {
		p := r.in.Persons[tx]
		if p >= 0 {
			own[p]++
		}
		for _, x := range r.in.Sensitive.Tx(int(tx)) {
			with[x]++
			if of[x] == nil {
				of[x] = map[int32]int32{}
			}
			if p >= 0 {
				of[x][p]++
			}
		}
	}
	whole := map[int32]int{all: r.whole(known, all, own)}
	for _, mark := range r.in.Marks() {
		whole[mark] = r.whole(known, mark, of[mark])
	}
	for x, n := range with {
		if slices.Contains(known, x) {
			continue
		}
		if !r.in.Hidden(x, n, len(lines), func(mark int32) int { return with[mark] }) ||
			!r.in.Hidden(x, len(of[x]), whole[all], func(mark int32) int { return whole[mark] }) {
			return false
		}
	}
	return true
}

// all stands for all lines, beside those with a value in a column.
const all = -1

// whole is how many persons have all their lines with what is known, or those of them with a value,
// among some, of which each has so many.
func (r *run) whole(known []int32, mark int32, own map[int32]int32) (n int) {
	of := r.linesWith(known, mark)
	for p, lines := range own {
		if lines == of[p] {
			n++
		}
	}
	return n
}

// linesWith counts the lines of each person that contain anything and have what is known: all of
// them, or those with a value in a column. Persons without any are not in it.
func (r *run) linesWith(known []int32, mark int32) map[int32]int32 {
	key := fmt.Sprint(known, mark)
	if of, met := r.linesOf.Load(key); met {
		return of.(map[int32]int32)
	}
	of := map[int32]int32{}
	count := func(i int32) {
		sens := r.in.Sensitive.Tx(int(i))
		lacks := func(x int32) bool { return !slices.Contains(sens, x) }
		if p := r.in.Persons[i]; p >= 0 && len(r.in.Data.Tx(int(i))) > 0 &&
			!slices.ContainsFunc(known, lacks) && (mark == all || !lacks(mark)) {
			of[p]++
		}
	}
	if len(known) > 0 {
		for _, i := range r.holders[known[0]] {
			count(i)
		}
	} else {
		for i := range r.in.Persons {
			count(int32(i))
		}
	}
	r.linesOf.Store(key, of)
	return of
}

// holdersOf are the lines that have each sensitive item.
func holdersOf(d *dataset.Dataset) [][]int32 {
	out := make([][]int32, d.Dict().Len())
	for i, tx := range d.All() {
		for _, x := range tx {
			out[x] = append(out[x], int32(i))
		}
	}
	return out
}
