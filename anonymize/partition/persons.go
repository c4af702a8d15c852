package partition

import (
	"mingle/anonymize"
	"mingle/privacy"
)

// Where the unit is a person, a part or a group needs k distinct persons. A set of nodes that one
// of its lines publishes is then in lines of k persons of it: in lra aa sees to that, in partition
// all lines of the group publish it. So it is in lines of k persons of the whole: what other parts
// publish adds persons to a set, and takes none away.

// notDiverse refuses l-diversity of persons: what matches an item is a union over parts, in several
// of which a person may be.
func notDiverse(name string, p privacy.KM) error {
	if p.Diverse() {
		return anonymize.NotDiverseOfPersons(name)
	}
	return nil
}

// enoughPersons tells whether merged transactions are of at least k persons.
func (r *run) enoughPersons(txs []int32) bool {
	met := map[int32]bool{}
	for _, i := range txs {
		for _, tx := range r.members[i] {
			if p := r.in.Persons[tx]; p >= 0 {
				met[p] = true
			}
			if len(met) >= r.in.Promise.K {
				return true
			}
		}
	}
	return false
}
