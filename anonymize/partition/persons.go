package partition

import "slices"

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

// enoughPersons tells whether merged transactions are of at least k persons, nobody of whom has too
// many of them, and hide the sensitive items of these.
func (r *run) enoughPersons(txs []int32) bool {
	p := r.in.Promise
	own := map[int32]int32{}
	lines, most := 0, int32(0)
	for _, i := range txs {
		for _, tx := range r.members[i] {
			lines++
			if p := r.in.Persons[tx]; p >= 0 {
				own[p]++
				most = max(most, own[p])
			}
			if !p.BeyondSupports() && len(own) >= p.K {
				return true
			}
		}
	}
	return len(own) >= p.K && int(most)*p.PersonShare <= lines &&
		(!p.Diverse() || r.diversePersons(txs, own, lines))
}

// diversePersons tells whether, of some lines, of whom own are the persons and how many lines each
// has among them, no sensitive item is in too many, nor of too many persons. Of a column with empty
// values, the lines with a value count, and the persons all of whose lines with a value are here.
func (r *run) diversePersons(txs []int32, own map[int32]int32, lines int) bool {
	with, of := map[int32]int{}, map[int32]map[int32]int32{} // by sensitive item: lines, of persons
	for _, i := range txs {
		for _, tx := range r.members[i] {
			for _, x := range r.in.Sensitive.Tx(int(tx)) {
				with[x]++
				if of[x] == nil {
					of[x] = map[int32]int32{}
				}
				if p := r.in.Persons[tx]; p >= 0 {
					of[x][p]++
				}
			}
		}
	}
	whole := map[int32]int{all: r.whole(all, own)}
	for _, mark := range r.in.Marks() {
		whole[mark] = r.whole(mark, of[mark])
	}
	for x, n := range with {
		if !r.in.Hidden(x, n, lines, func(mark int32) int { return with[mark] }) ||
			!r.in.Hidden(x, len(of[x]), whole[all], func(mark int32) int { return whole[mark] }) {
			return false
		}
	}
	return true
}

// all stands for all lines, beside those with a value in a column.
const all = -1

// whole is how many persons have all their lines, or those with a value, among some, of which each
// has so many.
func (r *run) whole(mark int32, own map[int32]int32) (n int) {
	for p, lines := range own {
		if lines == r.linesOf[mark][p] {
			n++
		}
	}
	return n
}

// countLines counts the lines of each person that contain anything: all of them, and those with a
// value in each column.
func (r *run) countLines() {
	persons := 1 + max(0, slices.Max(r.in.Persons))
	r.linesOf = map[int32][]int32{all: make([]int32, persons)}
	marks := r.in.Marks()
	for _, mark := range marks {
		r.linesOf[mark] = make([]int32, persons)
	}
	for i, p := range r.in.Persons {
		if p < 0 || len(r.in.Data.Tx(i)) == 0 {
			continue
		}
		r.linesOf[all][p]++
		for _, mark := range marks {
			if slices.Contains(r.in.Sensitive.Tx(i), mark) {
				r.linesOf[mark][p]++
			}
		}
	}
}
