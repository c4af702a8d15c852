package local

import "slices"

// row is a transaction that takes part in a step.
type row struct {
	tx        int32
	weight    int32
	sensitive int32 // see share
	from, to  int32 // its specialisations, to children of u that it may publish, in opened
	spec      int32 // how many of them it publishes now
	place     int32 // the last of its places, plus one
	fresh     int32 // if it took u back: sets with u that no other row publishes
	class     int32 // if it gave u up: the number of what it published when the look began
	helped    int32 // if it took u back: sets with u that are rare and it would have, too
	stay      bool  // u is published whatever becomes of the specialisations
	noted     bool  // is among those about which something has changed
	gone      bool  // it did not publish u when the look began
}

// place is where a row is in the counter of a child of u that it published before the step.
type place struct{ child, n, next int32 }

// keeps tells whether the row publishes u now.
func (r *row) keeps() bool { return r.stay || r.spec < r.to-r.from }

// specialisations are those of a row.
func (st *step) specialisations(r *row) []specialisation { return st.opened[r.from:r.to] }

// newlyPublishes tells whether the row publishes a child of u that it did not before the step,
// and which of its specialisations that is.
func (st *step) newlyPublishes(r *row, c int32) (j int, is bool) {
	for j, o := range st.specialisations(r) {
		if o.node == c {
			return j, o.spec
		}
	}
	return -1, false
}

// now is what a row publishes, ascending, and u even when it does not publish that any more. It
// is good until the next call, and not to be changed.
func (st *step) now(r *row) []int32 {
	old := st.published(r.tx)
	if r.spec == 0 {
		return old
	}
	out, left := st.list[:0], st.specialisations(r)
	for _, v := range old {
		for len(left) > 0 && left[0].node < v {
			if left[0].spec {
				out = append(out, left[0].node)
			}
			left = left[1:]
		}
		out = append(out, v)
	}
	for _, o := range left {
		if o.spec {
			out = append(out, o.node)
		}
	}
	st.list = out
	return out
}

// besides is what a row publishes besides a node, perhaps with u and that node.
func (st *step) besides(r *row, node int32) []int32 {
	if r.spec == 1 {
		if _, is := st.newlyPublishes(r, node); is {
			return st.published(r.tx)
		}
	}
	return st.now(r)
}

// has tells whether a row publishes all nodes of a set, which u is not in, now.
func (st *step) has(r *row, set []int32) bool {
	for _, y := range set {
		if _, newly := st.newlyPublishes(r, y); !newly && !st.publishes(r.tx, y) {
			return false
		}
	}
	return true
}

// cheapest is the specialisation, of those that the row publishes, that gains least, to a node in
// the set or not in it; -1: none.
func (st *step) cheapest(r *row, set []int32, in bool) int {
	best := -1
	all := st.specialisations(r)
	for j, o := range all {
		if o.spec && slices.Contains(set, o.node) == in &&
			(best < 0 || st.gain(o) < st.gain(all[best])) {
			best = j
		}
	}
	return best
}

// gain is by how much a specialisation lets the loss of one transaction fall.
func (st *step) gain(o specialisation) int64 {
	return int64(o.items) * (st.tree.Penalty(st.node) - st.tree.Penalty(o.node))
}
