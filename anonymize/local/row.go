package local

import "slices"

// row is a transaction that takes part in a step.
type row struct {
	tx       int32
	share          // its weight, and again if it has a sensitive item; that only with diversity
	from, to int32 // its descents, children of u that it may publish in place of u, in step.opened
	taken    int32 // how many of them it publishes now
	place    int32 // the last of its places in the counters, plus one
	stay     bool  // u is published whatever becomes of the descents
	noted    bool  // is among those about which something has changed
	class    int32 // if it left u: the number of what it published when the check began
	fresh    int32 // if it took u back: sets with u that no other row publishes, or notPredicted
	helped   int32 // if it took u back: sets with u that are rare and it would have, too
}

// place is where a row is in the counter of a child of u.
type place struct{ child, n, next int32 }

// keeps tells whether the row publishes u now.
func (r *row) keeps() bool { return r.stay || r.taken < r.to-r.from }

// rowOf is the row of a transaction, a new one of a transaction that will not change if it has none
// yet.
func (st *step) rowOf(i int32) int32 {
	if st.seen[i] == st.steps {
		return st.row[i]
	}
	n := st.enlist(i)
	st.rows[n].stay = true
	return n
}

func (st *step) enlist(i int32) int32 {
	r := row{tx: i, share: share{weight: st.merged.Weights[i]}}
	if div := st.rule.div; div != nil && len(div.sensitive.Tx(int(i))) > 0 {
		r.sensitive = r.weight
	}
	n := int32(len(st.rows))
	st.rows = append(st.rows, r)
	st.row[i], st.seen[i] = n, st.steps
	return n
}

// entry is a row for a counter.
func (st *step) entry(n int32) entry {
	r := &st.rows[n]
	return entry{row: n, tx: r.tx, share: r.share}
}

// of are the descents of a row.
func (st *step) of(r *row) []descent { return st.opened[r.from:r.to] }

// newlyPublishes tells whether the row publishes a child of u that it did not before the step, and
// which of its descents that is.
func (st *step) newlyPublishes(r *row, c int32) (j int, is bool) {
	for j, d := range st.of(r) {
		if d.node == c {
			return j, d.taken
		}
	}
	return -1, false
}

// now is what a row publishes, ascending, and u even when it does not publish that any more. It is
// good until the next call, and not to be changed.
func (st *step) now(r *row) []int32 {
	old := st.published(r.tx)
	if r.taken == 0 {
		return old
	}
	out := st.list[:0]
	descents := st.of(r)
	for _, v := range old {
		for len(descents) > 0 && descents[0].node < v {
			if descents[0].taken {
				out = append(out, descents[0].node)
			}
			descents = descents[1:]
		}
		out = append(out, v)
	}
	for _, d := range descents {
		if d.taken {
			out = append(out, d.node)
		}
	}
	st.list = out
	return out
}

// besides is what a row publishes besides a node, perhaps with that node or u.
func (st *step) besides(n, node int32) []int32 {
	r := &st.rows[n]
	if r.taken == 1 {
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

// cheapest is the descent, of those that the row has taken, that gains least, in the set or not in
// it; -1: none.
func (st *step) cheapest(r *row, set []int32, in bool) int {
	best := -1
	descents := st.of(r)
	for j, d := range descents {
		if d.taken && slices.Contains(set, d.node) == in &&
			(best < 0 || st.gain(d) < st.gain(descents[best])) {
			best = j
		}
	}
	return best
}

// gain is by how much the loss of one transaction falls with a descent.
func (st *step) gain(d descent) int64 {
	return int64(d.items) * (st.penalty(st.node) - st.penalty(d.node))
}
