package local

import (
	"context"
	"math/rand/v2"
	"slices"
)

// exchange changes what one transaction (with those like it) publishes while all others stay as
// they are. A step gives a transaction that has a node already the first say over one that
// would like to have another; here it is looked at which is worth more: a transaction takes
// items from u down to a node c, and gives up at most a few nodes that c may not be published
// with.
//
// The promise is kept: what the transaction newly publishes is in k transactions or more with
// it, and what it publishes no longer is in none or in k or more without it. No other set is
// concerned.
type exchange struct {
	*state
	*supports
	ctx context.Context
	rng *rand.Rand

	// what the supports are of: published sets and their sizes, as the state has them
	was, wasLen []int32

	next   []int32 // working space
	given  []int32
	stamp  []int32 // by node; working space of outcome
	above  []bool  // the same
	marked []int32
}

const (
	// givenUp is how many nodes a transaction gives up at most for another.
	givenUp = 3
	// maxSets bounds the sets that are counted before the first exchange, for the sake of memory:
	// 32 to 64 bytes each. It is looked at as each set is counted: a line of 10,000 nodes has more
	// than 10^11 sets of three.
	maxSets = 1_000_000
	// mostSets bounds them later: exchanges publish in more detail, and sets that are no longer
	// published keep their place for a while.
	mostSets = 4 * maxSets
	// longest bounds the published sets that are looked at for m=3: the work of a try grows
	// with their square, and little is gained beyond (on BMS-WebView-1 nothing up to the sixth
	// digit).
	longest = 40
	// sweeps is how often all transactions are visited, unless a sweep gains less than a
	// thousandth.
	sweeps = 4
)

// exchanges are those that may be made in a state, or nil: with more than maxSets sets, sets of
// more than three nodes, or diversity, there are none.
func (s *state) exchanges(ctx context.Context) *exchange {
	if off["exchange"] || s.m > 3 || s.div != nil || s.tree.Nodes() >= 1<<keyBits-1 {
		return nil
	}
	return newExchange(ctx, s)
}

// make makes exchanges that gain something, and every other one of those that gain nothing: these
// may make others possible.
func (x *exchange) make() {
	if x == nil {
		return
	}
	x.recount()
	s, ctx := x.state, x.ctx
	for range sweeps {
		before := x.loss
		for i := range int32(s.merged.Len()) {
			if ctx.Err() != nil || x.state.work > x.limit || x.full() {
				return
			}
			x.visit(i)
		}
		if little(before, x.loss) {
			return
		}
	}
}

// leave remembers what the supports are of, until exchanges are made again.
func (x *exchange) leave() {
	if x != nil {
		x.was, x.wasLen = slices.Clone(x.pub), slices.Clone(x.state.len)
	}
}

// recount counts what has changed since the exchanges before.
func (x *exchange) recount() {
	x.rng = rand.New(rand.NewPCG(3, 4))
	if x.was == nil {
		return
	}
	for i := range int32(x.merged.Len()) {
		start := x.merged.Start(int(i))
		old, now := x.was[start:start+int(x.wasLen[i])], x.published(i)
		if slices.Equal(old, now) {
			continue
		}
		if x.full() || x.ctx.Err() != nil {
			x.most = 0 // the supports are not known any more
			return
		}
		x.count(old, now, -x.merged.Weights[i])
		x.count(now, old, x.merged.Weights[i])
	}
	x.was, x.wasLen = nil, nil
}

// newExchange counts what is published; it is nil if that is too much, or the context ends. As
// the promise is kept, every set is in k transactions at least.
func newExchange(ctx context.Context, s *state) *exchange {
	sets := s.setsAtMost(maxSets)
	s.work += int64(sets)
	x := &exchange{
		state: s, ctx: ctx, supports: newSupports(sets, maxSets), rng: rand.New(rand.NewPCG(3, 4)),
		stamp: make([]int32, s.tree.Nodes()), above: make([]bool, s.tree.Nodes()),
	}
	for i := range int32(s.merged.Len()) {
		if ctx.Err() != nil || !x.countFirst(s.published(i), s.merged.Weights[i]) {
			return nil
		}
	}
	x.most = mostSets
	return x
}

// setsAtMost is how many sets of at most m nodes are published, as each is in k transactions at
// least; most if there are more.
func (s *state) setsAtMost(most int) int {
	sets := 0.
	for i, n := range s.len {
		l := float64(n)
		of := l + l*(l-1)/2
		if s.m > 2 {
			of += l * (l - 1) * (l - 2) / 6
		}
		sets += float64(s.merged.Weights[i]) * of
	}
	return int(min(sets/float64(s.k), float64(most)))
}

// countFirst adds to the support of all sets of a list; it is false where there is no room for
// them.
func (x *exchange) countFirst(list []int32, by int32) bool {
	return eachSet(list, nil, x.m, func(key uint64) bool {
		if x.full() && x.of(key) == 0 {
			return false
		}
		x.add(key, by)
		return true
	})
}

// count adds to the support of all sets of a list but those of nodes that are all in without.
func (x *exchange) count(list, without []int32, by int32) {
	eachSet(list, without, x.m, func(key uint64) bool {
		x.add(key, by)
		return true
	})
}

// visit tries every node of a transaction that has items below it, until one exchange is made.
func (x *exchange) visit(i int32) {
	if !off["longest"] && x.m > 2 && len(x.published(i)) > longest {
		return
	}
	for _, u := range x.published(i) {
		if x.tree.IsLeaf(u) {
			continue
		}
		kids, _ := x.open(i, u, x.tree.Children(u), nil)
		if x.descend(i, u, kids, x.items(i, u, u)) {
			return
		}
	}
}

// descend tries nodes below u, the more general first; items are at u. It is true where nothing
// else is to be tried: one exchange has been made, or the context has ended.
func (x *exchange) descend(i, u int32, kids []kid, items int32) bool {
	for _, o := range kids {
		if x.ctx.Err() != nil {
			return true
		}
		if x.try(i, u, o, o.items < items) {
			return true
		}
		if x.tree.IsLeaf(o.node) {
			continue
		}
		if below, _ := x.open(i, u, x.tree.Children(o.node), nil); x.descend(i, u, below, items) {
			return true
		}
	}
	return false
}

// try publishes items that are at u as the node below it if that is worth what has to be given
// up, or by chance if it is worth just as much; stays tells whether there are others at u. What
// is given up goes to its parent or, where that may not be, to the next node above it that is
// published.
func (x *exchange) try(i, u int32, o kid, stays bool) bool {
	out := u
	if stays {
		out = -1
	}
	gain := int64(o.items) * (x.penalty(u) - x.penalty(o.node))
	if !x.conflicts(i, o.node, out, gain) ||
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
		worth, made := x.offer(i)
		if made {
			return true
		}
		if off["exchange-above"] || !worth || len(x.given) == 0 {
			return false
		}
	}
	return false
}

// offer publishes next in transaction i if that is worth it and may be.
func (x *exchange) offer(i int32) (worth, made bool) {
	before, _ := x.outcome(i, x.published(i))
	after, own := x.outcome(i, x.next)
	own = own && !x.refusesAny(i, x.next)
	if after > before || after == before && (off["exchange-ties"] || x.rng.IntN(2) == 0) {
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

// outcome is the loss of transaction i (times |I|) if it publishes a set, and whether it may:
// every node of it has items of its own, and none of them has a node that is published at or
// below the same child (child-closed, see docs/definitions.md).
func (x *exchange) outcome(i int32, set []int32) (loss int64, may bool) {
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
func (x *exchange) refusesAny(i int32, set []int32) bool {
	return slices.ContainsFunc(set, func(v int32) bool {
		return x.refused.between(x.tree, i, x.tree.Root(), v)
	})
}

// conflicts finds nodes to give up so that c may be published with the rest, into given; out
// will not be published. It tells whether they are at most givenUp, and their penalties at most
// what is gained.
func (x *exchange) conflicts(i, c, out int32, worth int64) bool {
	x.given = x.given[:0]
	few := int32(x.k) - x.merged.Weights[i]
	set := x.published(i)
	x.work += int64(len(set))
	if x.m > 1 {
		for _, y := range set {
			if y != out && x.of(keyOf(c, y, -1)) < few {
				if worth -= x.rise(i, y); worth < 0 || len(x.given) == giveMost() {
					return false
				}
				x.given = append(x.given, y)
			}
		}
	}
	if x.m < 3 {
		return true
	}
	for n, y := range set {
		x.work += int64(n)
		for _, z := range set[:n] {
			if y == out || z == out || slices.Contains(x.given, y) ||
				slices.Contains(x.given, z) || x.of(keyOf(c, y, z)) >= few {
				continue
			}
			rise, give := x.rise(i, y), y
			if p := x.rise(i, z); p < rise {
				rise, give = p, z
			}
			if worth -= rise; worth < 0 || len(x.given) == giveMost() {
				return false
			}
			x.given = append(x.given, give)
		}
	}
	return true
}

// parent is where y goes when it is given up.
func (x *exchange) parent(_, y int32) int32 { return x.tree.Parent(y) }

// publishedAbove is the lowest node above y that transaction i publishes and does not give up,
// or the root.
func (x *exchange) publishedAbove(i, y int32) int32 {
	for a := x.tree.Parent(y); ; a = x.tree.Parent(a) {
		if a == x.tree.Root() ||
			slices.Contains(x.published(i), a) && !slices.Contains(x.given, a) {
			return a
		}
	}
}

// rise is by how much the loss of transaction i rises if the items published as y are published
// as its parent; without end for the root.
func (x *exchange) rise(i, y int32) int64 {
	if y == x.tree.Root() {
		return 1 << 40
	}
	return int64(x.items(i, y, y)) * (x.penalty(x.tree.Parent(y)) - x.penalty(y))
}

// may tells whether transaction i may publish next in place of what it does.
func (x *exchange) may(i int32) bool {
	w, k, old := x.merged.Weights[i], int32(x.k), x.published(i)
	x.work += 4 * int64(len(old))
	joins := func(key uint64) bool { return x.of(key)+w >= k }
	leaves := func(key uint64) bool { left := x.of(key) - w; return left == 0 || left >= k }
	return eachSet(x.next, old, x.m, joins) && eachSet(old, x.next, x.m, leaves)
}

// replace publishes next.
func (x *exchange) replace(i int32) {
	w, old := x.merged.Weights[i], x.published(i)
	x.count(old, x.next, -w)
	x.count(x.next, old, w)
	for _, v := range old {
		if !slices.Contains(x.next, v) {
			at := slices.Index(x.who[v], i)
			x.who[v] = slices.Delete(x.who[v], at, at+1)
		}
	}
	for _, v := range x.next {
		if !slices.Contains(old, v) {
			x.who[v] = append(x.who[v], i)
		}
	}
	x.publish(i, x.next)
	at := x.at[x.merged.Start(int(i)):]
	for j, v := range x.merged.Tx(int(i)) {
		for !slices.Contains(x.next, v) {
			v = x.tree.Parent(v)
		}
		at[j] = v
	}
}

func giveMost() int {
	if off["give1"] {
		return 1
	}
	if off["give0"] {
		return 0
	}
	return givenUp
}
