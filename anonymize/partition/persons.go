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
// whole buckets, in the end by all of the group, which kept it.
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
// has among them, no sensitive item is in too many, nor of too many persons.
func (r *run) diversePersons(txs []int32, own map[int32]int32, lines int) bool {
	whole, l := 0, r.in.Promise.L
	for p, n := range own {
		if n == r.linesOf[p] {
			whole++
		}
	}
	with, of := map[int32]int{}, map[int32]map[int32]bool{} // by sensitive item: lines, persons
	for _, i := range txs {
		for _, tx := range r.members[i] {
			for _, x := range r.in.Sensitive.Tx(int(tx)) {
				with[x]++
				if of[x] == nil {
					of[x] = map[int32]bool{}
				}
				if p := r.in.Persons[tx]; p >= 0 {
					of[x][p] = true
				}
			}
		}
	}
	for x, n := range with {
		if n*l > lines || len(of[x])*l > whole {
			return false
		}
	}
	return true
}

// countLines counts the lines of each person that contain anything.
func (r *run) countLines() {
	r.linesOf = make([]int32, 1+max(0, slices.Max(r.in.Persons)))
	for i, p := range r.in.Persons {
		if p >= 0 && len(r.in.Data.Tx(i)) > 0 {
			r.linesOf[p]++
		}
	}
}
