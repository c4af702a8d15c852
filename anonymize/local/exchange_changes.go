package local

import (
	"cmp"
	"slices"
)

// changes are what has changed since exchanges were tried. Whether a transaction may take a node c
// from u hangs on what it publishes, on the sets with c that it would newly have and that are in
// too few others, and on the sets with u that would be in too few without it. So after an exchange,
// by which another one takes c' from u', it may take c only if
//
//   - that one publishes c now, so that there are more of some sets with c and c', and this one
//     publishes c', too, or c is c'; or
//   - it was stuck, because of sets with u alone, and that one publishes u, or did.
type changes struct {
	now   int32     // a clock, which counts what is tried and what is made
	tried []int32   // by node c: when it was tried last
	all   []bool    // by node c: the exchange of another one may concern all
	newly [][]int32 // by node c: the c' of exchanges since then by those who publish c
	own   [][]int32 // by node c: the transactions with items below it that have made some
	stuck [][]int32 // by node c: the transactions that are
	above []int32   // by node u: when one that publishes it, or did, made an exchange last
	noted []int32   // by node: when one with items below it made an exchange last
}

func newChanges(nodes int) changes {
	return changes{
		tried: make([]int32, nodes), all: slices.Repeat([]bool{true}, nodes),
		newly: make([][]int32, nodes), own: make([][]int32, nodes), stuck: make([][]int32, nodes),
		above: make([]int32, nodes), noted: make([]int32, nodes),
	}
}

// begin begins to try a node.
func (n *changes) begin(c int32) {
	n.now++
	n.tried[c], n.all[c] = n.now, false
	n.newly[c], n.own[c] = n.newly[c][:0], n.own[c][:0]
}

// note takes note of an exchange that a transaction has made.
func (n *changes) note(s *state, i, from, to int32) {
	n.now++
	n.above[from] = n.now
	for _, v := range s.published(i) {
		n.above[v] = n.now
		if v == to {
			n.all[v] = true
		} else if !slices.Contains(n.newly[v], to) {
			n.newly[v] = append(n.newly[v], to)
		}
	}
	for _, v := range s.merged.Tx(int(i)) {
		for ; v >= 0 && n.noted[v] != n.now; v = s.tree.Parent(v) {
			n.noted[v] = n.now
			if own := n.own[v]; len(own) == 0 || own[len(own)-1] != i {
				n.own[v] = append(own, i)
			}
		}
	}
}

// concerned are the transactions that may take c now, as something has changed since it was tried,
// in the order in which all are tried; and the places of their first items below c.
func (x *exchange) concerned(c int32) []spot {
	n := &x.news
	since, depth := n.tried[c], x.depthOf(c)
	x.some = x.some[:0]
	x.round++
	add := func(i int32) {
		if x.seen[i] == x.round {
			return
		}
		x.seen[i] = x.round
		x.work++
		if place, to := x.placesBelow(i, c); place < to && x.at[place] < depth {
			x.some = append(x.some, spot{i, place})
		}
	}
	for _, i := range n.own[c] {
		add(i)
	}
	n.stuck[c] = slices.DeleteFunc(n.stuck[c], func(i int32) bool {
		place, _ := x.placesBelow(i, c)
		again := n.above[x.nodeAt(c, x.at[place])] > since
		if again {
			add(i)
		}
		return again || x.seen[i] == x.round
	})
	x.eachWith(n.newly[c], c, add)
	n.begin(c)
	item := func(o spot) int32 { return x.index.items[o.place] }
	slices.SortFunc(x.some, func(a, b spot) int {
		return cmp.Or(cmp.Compare(item(a), item(b)), cmp.Compare(a.tx, b.tx))
	})
	return x.some
}

// eachWith calls do with all transactions with items below c that publish one of some nodes, and
// perhaps with others.
func (x *exchange) eachWith(nodes []int32, c int32, do func(i int32)) {
	if len(nodes) == 0 {
		return
	}
	lo, hi := x.tree.Range(c)
	all := x.index.count(lo, hi)
	x.work += int64(all) / met
	for _, v := range nodes {
		all -= len(x.who[v])
	}
	if all > 0 {
		for _, v := range nodes {
			for _, i := range x.who[v] {
				do(i)
			}
		}
		return
	}
	for leaf := lo; leaf < hi; leaf++ {
		for _, i := range x.index.have(leaf) {
			if slices.ContainsFunc(nodes, func(v int32) bool { return x.publishes(i, v) }) {
				do(i)
			}
		}
	}
}
