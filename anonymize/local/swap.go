package local

import (
	"math/rand/v2"
	"slices"
)

// This file is a swap search over single transactions (with those identical to them), while all
// others stay as they are: a transaction takes items from a node u down to a node c, and gives up
// at most a few nodes that c conflicts with, those that it may not be published with, if they are
// worth less.
//
// The promise is kept: what the transaction newly publishes is in k transactions or more with it,
// and what it publishes no longer is in none or in k or more without it. No other set is concerned.
//
// Time: for each node that is tried the published nodes, for m=3 their pairs; ends with the meter's
// limit. Memory: 16 bytes for each published set of at most m nodes, at twice the number, and 64 MB
// at most.

// swaps is the swap search in one recoding.
type swaps struct {
	*recoding
	*supports
	rule  rule
	meter *meter
	rng   *rand.Rand

	next   []int32 // working space
	given  []int32
	stamp  []int32 // by node; working space of outcome
	above  []bool  // the same
	marked []int32
}

const (
	// mostGivenUp is how many nodes a transaction gives up at most for another.
	mostGivenUp = 3
	// maxSets bounds the sets that are counted before the first swap, for the sake of memory: 32 to
	// 64 bytes each. It is looked at as each set is counted: a line of 10,000 nodes has more than
	// 10^11 sets of three.
	maxSets = 1_000_000
	// mostSets bounds them later: swaps publish in more detail, and sets that are no longer
	// published keep their place for a while.
	mostSets = 4 * maxSets
	// sweeps is how often all transactions are visited, unless a sweep gains less than a
	// thousandth.
	sweeps = 4
)

// swap makes swaps that gain something, and every other one of those that gain nothing: these may
// make others possible. With more than maxSets sets, sets of more than three nodes, or diversity,
// it does nothing.
func swap(r *recoding, rule rule, m *meter, stream uint64) {
	if rule.m > 3 || rule.div != nil || r.tree.Nodes() >= 1<<keyBits-1 {
		return
	}
	x := newSwaps(r, rule, m, stream)
	if x == nil {
		return
	}
	n := int32(r.merged.Len())
	first := x.rng.Int32N(n) // so that others come first the next time
	for range sweeps {
		before := x.loss
		for i := range n {
			if m.spent() || x.full() {
				return
			}
			x.visit((first + i) % n)
		}
		if before-x.loss < before/1000 {
			return
		}
	}
}

// newSwaps counts what is published; it is nil if that is too much, or the context ends.
func newSwaps(r *recoding, rule rule, m *meter, stream uint64) *swaps {
	x := &swaps{
		recoding: r, rule: rule, meter: m, rng: rand.New(rand.NewPCG(3, stream)),
		stamp: make([]int32, r.tree.Nodes()), above: make([]bool, r.tree.Nodes()),
	}
	sets := x.setsAtMost(maxSets)
	x.supports = newSupports(sets, maxSets)
	for i := range int32(r.merged.Len()) {
		if m.stopped() || !x.countFirst(r.published(i), r.merged.Weights[i]) {
			return nil
		}
	}
	x.most = mostSets
	return x
}

// lookUp is what finding the support of a set costs, in units of work.
const lookUp = 3

// support is that of a set.
func (x *swaps) support(key uint64) int32 {
	x.meter.work += lookUp
	return x.of(key)
}

// setsAtMost is how many sets of at most m nodes are published, as each is in k transactions at
// least; most if there are more.
func (x *swaps) setsAtMost(most int) int {
	sets := 0.
	for i, n := range x.sizes {
		l := float64(n)
		of := l + l*(l-1)/2
		if x.rule.m > 2 {
			of += l * (l - 1) * (l - 2) / 6
		}
		sets += float64(x.merged.Weights[i]) * of
	}
	return int(min(sets/float64(x.rule.k), float64(most)))
}

// countFirst adds to the support of all sets of a list; it is false where there is no room for
// them.
func (x *swaps) countFirst(list []int32, by int32) bool {
	return eachSet(list, nil, x.rule.m, func(key uint64) bool {
		x.meter.work += lookUp
		if x.full() && x.of(key) == 0 {
			return false
		}
		x.add(key, by)
		return true
	})
}

// count adds to the support of all sets of a list but those of nodes that are all in without.
func (x *swaps) count(list, without []int32, by int32) {
	eachSet(list, without, x.rule.m, func(key uint64) bool {
		x.add(key, by)
		return true
	})
}

// items is how many items transaction i publishes as u.
func (x *swaps) items(i, u int32) (n int32) {
	_, nodes := x.below(i, u)
	for _, v := range nodes {
		if v == u {
			n++
		}
	}
	return n
}

// visit tries every node of a transaction that has items below it, until one swap is made.
func (x *swaps) visit(i int32) {
	for _, u := range x.published(i) {
		if x.tree.IsLeaf(u) {
			continue
		}
		kids, _ := x.descents(i, u, x.tree.Children(u), nil)
		if x.descend(i, u, kids, x.items(i, u)) {
			return
		}
	}
}

// descend tries nodes below u, the more general first; items are at u. It is true where nothing
// else is to be tried: one swap has been made, or the context has ended.
func (x *swaps) descend(i, u int32, kids []descent, items int32) bool {
	for _, o := range kids {
		if x.meter.stopped() {
			return true
		}
		if x.try(i, u, o, o.items < items) {
			return true
		}
		if x.tree.IsLeaf(o.node) {
			continue
		}
		if below, _ := x.descents(i, u, x.tree.Children(o.node), nil); x.descend(i, u, below,
			items) {
			return true
		}
	}
	return false
}

// try publishes items that are at u as the node below it if that is worth what has to be given up,
// or by chance if it is worth just as much; stays tells whether there are others at u. What is
// given up goes to its parent or, where that may not be, to the next node above it that is
// published.
func (x *swaps) try(i, u int32, o descent, stays bool) bool {
	out := u
	if stays {
		out = -1
	}
	if !x.conflicts(i, o.node, out, int64(o.items)*(x.penalty(u)-x.penalty(o.node))) ||
		slices.Contains(x.given, u) || slices.Contains(x.given, x.tree.Root()) {
		return false
	}
	for _, up := range []func(i, y int32) int32{x.parent, x.publishedAbove} {
		x.next = append(x.next[:0], o.node)
		if stays {
			x.next = append(x.next, u)
		}
		for _, y := range x.given {
			x.next = append(x.next, up(i, y))
		}
		for _, v := range x.published(i) {
			if v != u && !slices.Contains(x.given, v) {
				x.next = append(x.next, v)
			}
		}
		slices.Sort(x.next)
		x.next = slices.Compact(x.next)
		worth, made := x.make(i)
		if made {
			return true
		}
		if !worth || len(x.given) == 0 {
			return false
		}
	}
	return false
}

// make publishes next in transaction i if that is worth it and may be.
func (x *swaps) make(i int32) (worth, made bool) {
	before, _ := x.outcome(i, x.published(i))
	after, own := x.outcome(i, x.next)
	own = own && !x.refusesAny(i, x.next)
	if after > before || after == before && x.rng.IntN(2) == 0 {
		return false, false
	}
	// A node that is given up may take items along that were published further up, and leave
	// nothing there.
	if !own || !x.may(i) {
		return true, false
	}
	x.replace(i)
	x.loss -= (before - after) * int64(x.merged.Weights[i])
	return true, true
}

// outcome is the loss of transaction i (times |I|) if it publishes a set, and whether it may: every
// node of it has items of its own, and none of them has a node that is published at or below the
// same child (child-closed, see docs/definitions.md).
func (x *swaps) outcome(i int32, set []int32) (loss int64, may bool) {
	const other, published, used = 0, 1, 2
	x.marked = x.marked[:0]
	for _, v := range set {
		x.stamp[v] = published
		for a := x.tree.Parent(v); a >= 0 && !x.above[a]; a = x.tree.Parent(a) {
			x.above[a] = true
			x.marked = append(x.marked, a)
		}
	}
	nodes, closed := 0, true
	for _, v := range x.merged.Tx(int(i)) {
		for x.stamp[v] == other {
			closed = closed && !x.above[v]
			v = x.tree.Parent(v)
		}
		if x.stamp[v] == published {
			x.stamp[v] = used
			nodes++
		}
		loss += x.penalty(v)
	}
	for _, v := range set {
		x.stamp[v] = other
	}
	for _, a := range x.marked {
		x.above[a] = false
	}
	return loss, closed && nodes == len(set)
}

// refusesAny tells whether a node of a set, or one above it, is refused transaction i.
func (x *swaps) refusesAny(i int32, set []int32) bool {
	return slices.ContainsFunc(set, func(v int32) bool {
		return x.refused.between(x.tree, i, x.tree.Root(), v)
	})
}

// conflicts finds nodes to give up so that c may be published with the rest, into given; out will
// not be published. It tells whether they are few enough, and cost no more than it is worth.
func (x *swaps) conflicts(i, c, out int32, worth int64) bool {
	x.given = x.given[:0]
	few := int32(x.rule.k) - x.merged.Weights[i]
	set := x.published(i)
	x.meter.add(len(set))
	if x.rule.m > 1 {
		for _, y := range set {
			if y != out && x.support(keyOf(c, y, -1)) < few {
				if worth -= x.giving(i, y); worth < 0 || len(x.given) == mostGivenUp {
					return false
				}
				x.given = append(x.given, y)
			}
		}
	}
	if x.rule.m < 3 {
		return true
	}
	for n, y := range set {
		for _, z := range set[:n] {
			if y == out || z == out || slices.Contains(x.given, y) || slices.Contains(x.given, z) ||
				x.support(keyOf(c, y, z)) >= few {
				continue
			}
			loss, give := x.giving(i, y), y
			if p := x.giving(i, z); p < loss {
				loss, give = p, z
			}
			if worth -= loss; worth < 0 || len(x.given) == mostGivenUp {
				return false
			}
			x.given = append(x.given, give)
		}
	}
	return true
}

// parent is where y goes when it is given up.
func (x *swaps) parent(_, y int32) int32 { return x.tree.Parent(y) }

// publishedAbove is the lowest node above y that transaction i publishes and does not give up, or
// the root.
func (x *swaps) publishedAbove(i, y int32) int32 {
	for a := x.tree.Parent(y); ; a = x.tree.Parent(a) {
		if a == x.tree.Root() || slices.Contains(x.published(i), a) &&
			!slices.Contains(x.given, a) {
			return a
		}
	}
}

// giving is by how much the loss of transaction i rises if the items published as y are published
// as its parent; without end for the root.
func (x *swaps) giving(i, y int32) int64 {
	if y == x.tree.Root() {
		return 1 << 40
	}
	return int64(x.items(i, y)) * (x.penalty(x.tree.Parent(y)) - x.penalty(y))
}

// may tells whether transaction i may publish next in place of what it does.
func (x *swaps) may(i int32) bool {
	w, k, old := x.merged.Weights[i], int32(x.rule.k), x.published(i)
	return eachSet(x.next, old, x.rule.m, func(key uint64) bool { return x.support(key)+w >= k }) &&
		eachSet(old, x.next, x.rule.m, func(key uint64) bool {
			left := x.support(key) - w
			return left == 0 || left >= k
		})
}

// replace publishes next.
func (x *swaps) replace(i int32) {
	w, old := x.merged.Weights[i], x.published(i)
	x.count(old, x.next, -w)
	x.count(x.next, old, w)
	for _, v := range old {
		if !slices.Contains(x.next, v) {
			at := slices.Index(x.publishers[v], i)
			x.publishers[v] = slices.Delete(x.publishers[v], at, at+1)
		}
	}
	for _, v := range x.next {
		if !slices.Contains(old, v) {
			x.publishers[v] = append(x.publishers[v], i)
		}
	}
	x.sizes[i] = int32(copy(x.sets[x.merged.Start(int(i)):x.merged.Start(int(i)+1)], x.next))
	at := x.nodes[x.merged.Start(int(i)):]
	for j, v := range x.merged.Tx(int(i)) {
		for !slices.Contains(x.next, v) {
			v = x.tree.Parent(v)
		}
		at[j] = v
	}
}
