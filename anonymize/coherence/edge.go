package coherence

import (
	"context"
	"math/big"
	"math/bits"
	"slices"
)

// Sections 5.2 and 6 of the paper: the counting function W on one edge, edge intersection and difference, and the count
// of what a set of edges covers.
//
// Deviations: (1) Theorem 3 replaces a difference by edges that overlap one another, and section 6 tells them apart by
// examining them one after the other. Here the pieces are cut so that they are disjoint from the start (see disjoint),
// so that each can be counted on its own. (2) Edges that another one covers are left out first. (3) Losers that contain v
// are counted on edges whose lower end has v already, which leaves fewer edges by (2).

// set is a set of item positions, as bits.
type set []uint64

func (s set) has(i int) bool { return s[i>>6]>>(i&63)&1 == 1 }

func (s set) size() int {
	n := 0
	for _, x := range s {
		n += bits.OnesCount64(x)
	}
	return n
}

func (s set) within(t set) bool {
	for i, x := range s {
		if x&^t[i] != 0 {
			return false
		}
	}
	return true
}

func (s set) union(t set) set {
	out := slices.Clone(s)
	for i, x := range t {
		out[i] |= x
	}
	return out
}

func (s set) intersection(t set) set {
	out := slices.Clone(s)
	for i, x := range t {
		out[i] &= x
	}
	return out
}

func (s set) minus(t set) set {
	out := slices.Clone(s)
	for i, x := range t {
		out[i] &^= x
	}
	return out
}

func (s set) with(i int) set {
	out := slices.Clone(s)
	out[i>>6] |= 1 << (i & 63)
	return out
}

func (s set) without(i int) set {
	out := slices.Clone(s)
	out[i>>6] &^= 1 << (i & 63)
	return out
}

// each calls f with the members, ascending.
func (s set) each(f func(i int)) {
	for w, x := range s {
		for ; x != 0; x &= x - 1 {
			f(w<<6 | bits.TrailingZeros64(x))
		}
	}
}

// edge covers the itemsets between low and high: all that contain low and lie in high. low lies in high.
type edge struct{ low, high set }

func (e edge) covers(f edge) bool { return e.low.within(f.low) && f.high.within(e.high) }

// overlaps is Theorem 2 (2).
func (e edge) overlaps(f edge) bool {
	for i := range e.low {
		if (e.low[i]|f.low[i])&^(e.high[i]&f.high[i]) != 0 {
			return false
		}
	}
	return true
}

// intersection is Theorem 2 (1). It covers something only if the edges overlap.
func (e edge) intersection(f edge) edge {
	return edge{e.low.union(f.low), e.high.intersection(f.high)}
}

// difference is Theorem 3: edges that together cover what e covers and f does not. e and f overlap.
func (e edge) difference(f edge) []edge {
	var out []edge
	f.low.minus(e.low).each(func(v int) { out = append(out, edge{e.low, e.high.without(v)}) })
	e.high.minus(f.high).each(func(v int) { out = append(out, edge{e.low.with(v), e.high}) })
	return out
}

// disjoint is difference by edges of which no two overlap: the i-th piece lacks the i-th item of f's lower end and has
// those before it; then, with all of them, it has the i-th item outside f's upper end and lacks those before it.
func (e edge) disjoint(f edge) []edge {
	var out []edge
	rest := e
	f.low.minus(e.low).each(func(v int) {
		out = append(out, edge{rest.low, rest.high.without(v)})
		rest.low = rest.low.with(v)
	})
	e.high.minus(f.high).each(func(v int) {
		out = append(out, edge{rest.low.with(v), rest.high})
		rest.high = rest.high.without(v)
	})
	return out
}

// choices are the numbers of ways to choose at most m of n, for the n and m that come up.
type choices map[[2]int]*big.Int

func (c choices) atMost(n, m int) *big.Int {
	m = min(n, m)
	if x := c[[2]int{n, m}]; x != nil {
		return x
	}
	sum, term := new(big.Int), new(big.Int)
	for i := 0; i <= m; i++ {
		sum.Add(sum, term.Binomial(int64(n), int64(i)))
	}
	c[[2]int{n, m}] = sum
	return sum
}

// w is W_{X,len} of one edge (section 5.2): how many itemsets of at most len items it covers that contain X.
func (c choices) w(e edge, x set, length int) *big.Int {
	low := e.low.union(x)
	if !low.within(e.high) || low.size() > length {
		return new(big.Int)
	}
	return c.atMost(e.high.size()-low.size(), length-low.size())
}

// cover counts what edges cover.
type cover struct {
	ctx    context.Context
	choice choices
	length int // itemsets of at most this many items are counted
	steps  int // pieces that may still be cut; below 0: too many
	byItem []big.Int
	all    big.Int
}

// unbounded and autoSteps are how many pieces a count may be cut into.
const (
	unbounded = 1 << 60
	autoSteps = 1 << 18
)

func newCover(ctx context.Context, choice choices, length, steps, items int) *cover {
	return &cover{ctx: ctx, choice: choice, length: length, steps: steps, byItem: make([]big.Int, items)}
}

// count is computed (section 6) with all edges unexamined: one edge after the other, what it covers and no edge before
// it does.
func (c *cover) count(edges []edge) error {
	edges = outermost(edges)
	for i, e := range edges {
		if err := c.fresh(e, edges[:i]); err != nil {
			return err
		}
	}
	return nil
}

// fresh adds what e covers and none of the examined edges does.
func (c *cover) fresh(e edge, examined []edge) error {
	if c.steps--; c.steps < 0 {
		return errTooLarge
	}
	if c.steps&1023 == 0 && c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	if e.low.size() > c.length {
		return nil
	}
	var over []edge
	for _, f := range examined {
		if e.overlaps(f) {
			if f.covers(e) {
				return nil
			}
			over = append(over, f)
		}
	}
	switch len(over) {
	case 0: // case 1
		c.addEdge(e, 1)
		return nil
	case 1: // case 2
		c.addEdge(e, 1)
		c.addEdge(e.intersection(over[0]), -1)
		return nil
	}
	pick := widest(e, over) // case 3
	pieces := e.disjoint(over[pick])
	over[pick] = over[len(over)-1]
	for _, piece := range pieces {
		if err := c.fresh(piece, over[:len(over)-1]); err != nil {
			return err
		}
	}
	return nil
}

// widest picks the edge that takes the most away, so that the fewest and smallest pieces are left.
func widest(e edge, over []edge) int {
	best, most := 0, -1
	for i, f := range over {
		free := 0
		for w := range e.low {
			free += bits.OnesCount64(e.high[w]&f.high[w]) - bits.OnesCount64(e.low[w]|f.low[w])
		}
		if free > most {
			best, most = i, free
		}
	}
	return best
}

// addEdge adds sign times what one edge covers, by item and in all.
func (c *cover) addEdge(e edge, sign int) {
	low, high := e.low.size(), e.high.size()
	if low > c.length {
		return
	}
	op := (*big.Int).Add
	if sign < 0 {
		op = (*big.Int).Sub
	}
	whole := c.choice.atMost(high-low, c.length-low)
	op(&c.all, &c.all, whole)
	e.low.each(func(i int) { op(&c.byItem[i], &c.byItem[i], whole) })
	if low == c.length || low == high {
		return
	}
	part := c.choice.atMost(high-low-1, c.length-low-1)
	e.high.minus(e.low).each(func(i int) { op(&c.byItem[i], &c.byItem[i], part) })
}

// outermost leaves out the edges that another one covers, the wide ones first.
func outermost(edges []edge) []edge {
	width := func(e edge) int { return e.high.size() - e.low.size() }
	sorted := slices.Clone(edges)
	slices.SortStableFunc(sorted, func(a, b edge) int { return width(b) - width(a) })
	var out []edge
	for _, e := range sorted {
		if !slices.ContainsFunc(out, func(f edge) bool { return f.covers(e) }) {
			out = append(out, e)
		}
	}
	return out
}
