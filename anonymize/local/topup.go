package local

import (
	"cmp"
	"slices"
)

// topUp looks at the sets with u. For a rare one, it gives u back to the cheapest elements that gave it up and contain
// the rest of the set, until it is not rare. It tells whether there was one.
func (st *step) topUp(dirty map[int32]bool) bool {
	var list, gone []*element
	for _, e := range st.all {
		if e.publishes(st.u) {
			list = append(list, e)
		} else {
			gone = append(gone, e)
		}
	}
	if len(list) == 0 || len(gone) == 0 {
		return false
	}
	slices.SortStableFunc(gone, func(a, b *element) int { return cmp.Compare(st.price(a), st.price(b)) })
	index := map[int32][]*element{}
	for _, e := range gone {
		for _, y := range e.base {
			index[y] = append(index[y], e)
		}
	}
	changed := false
	st.memo.find(st.state, st.u, list, func(set []int32, occs []occurrence) {
		weight := int64(0)
		for _, o := range occs {
			weight += list[o.element].weight
		}
		candidates := gone
		for _, y := range set {
			if len(index[y]) < len(candidates) {
				candidates = index[y]
			}
		}
		for _, e := range candidates {
			if weight >= int64(st.k) {
				break
			}
			if !containsAll(e.base, set) {
				continue
			}
			weight += e.weight
			if !e.publishes(st.u) {
				st.takeBack(e, st.cheapest(e), dirty)
				changed = true
			}
		}
	})
	return changed
}

func containsAll(sorted, set []int32) bool {
	for _, y := range set {
		if _, ok := slices.BinarySearch(sorted, y); !ok {
			return false
		}
	}
	return true
}

// price is what it costs to give u back to an element.
func (st *step) price(e *element) int64 { return st.gain(e.open[st.cheapest(e)]) }

// cheapest is the specialised child of an element that gains least.
func (st *step) cheapest(e *element) int {
	best := -1
	for j, o := range e.open {
		if e.spec[j] && (best < 0 || st.gain(o) < st.gain(e.open[best])) {
			best = j
		}
	}
	return best
}

func (st *step) gain(o kid) int64 { return int64(o.items) * (st.loss(st.u) - st.loss(o.node)) }
