package partition

import (
	"mingle/anonymize"
	"mingle/privacy"
)

// Where the unit is a person, a part or a group needs k distinct persons. A set of nodes that one
// of its lines publishes is then in lines of k persons of it: in lra aa sees to that, in partition
// all lines of the group publish it. So it is in lines of k persons of the whole: what other parts
// publish adds persons to a set, and takes none away. The lines of a person do add up: where nobody
// has more than a share of the lines of any part with a set, nobody has more of all.

// notDiverse refuses l-diversity of persons: what matches an item is a union over parts, in several
// of which a person may be.
func notDiverse(name string, p privacy.KM) error {
	if p.Diverse() {
		return anonymize.NotDiverseOfPersons(name)
	}
	return nil
}

// enoughPersons tells whether merged transactions are of at least k persons, nobody of whom has too
// many of them.
func (r *run) enoughPersons(txs []int32) bool {
	own := map[int32]int{}
	lines, most := 0, 0
	for _, i := range txs {
		for _, tx := range r.members[i] {
			lines++
			if p := r.in.Persons[tx]; p >= 0 {
				own[p]++
				most = max(most, own[p])
			}
			if r.in.Promise.PersonShare == 0 && len(own) >= r.in.Promise.K {
				return true
			}
		}
	}
	return len(own) >= r.in.Promise.K && most*r.in.Promise.PersonShare <= lines
}
