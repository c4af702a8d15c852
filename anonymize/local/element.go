package local

import "slices"

// element is transactions that publish the same set and have the same children of u open; or a bystander, a transaction
// that publishes a child of u already and not u.
type element struct {
	members   []int32
	weight    int64
	sensitive int64   // weight of the members that have a sensitive item; only with diversity
	base      []int32 // published apart from u, ascending
	stay      bool    // u is published whatever becomes of the open children
	open      []kid   // children of u that may be specialised; items are those of all members together
	spec      []bool  // which of them are
	now       []int32 // what is published now, ascending; never changed in place
	keeps     bool    // u is published now
	places    []place // in the counters
}

// place is the number of an element in the counter of a child of u.
type place struct{ child, n int32 }

// update follows spec.
func (e *element) update(u int32, a *arena) {
	e.now = append(a.take(len(e.base) + len(e.open) + 1)[:0], e.base...)
	keep := e.stay || len(e.open) == 0
	for j, o := range e.open {
		if e.spec[j] {
			e.now = append(e.now, o.node)
		} else {
			keep = true
		}
	}
	if keep {
		e.now = append(e.now, u)
	}
	e.keeps = keep
	slices.Sort(e.now)
}

// refined tells whether the element publishes an open child now.
func (e *element) refined() bool { return slices.Contains(e.spec, true) }

// newly is the index of c among the open children if it is specialised, else -1.
func (e *element) newly(c int32) int {
	for j, o := range e.open {
		if o.node == c && e.spec[j] {
			return j
		}
	}
	return -1
}

// containsAll tells whether an ascending list has all elements of a set.
func containsAll(sorted, set []int32) bool {
	for _, y := range set {
		if _, ok := slices.BinarySearch(sorted, y); !ok {
			return false
		}
	}
	return true
}
