package local

// coverage counts the transactions that cover nodes, exactly: those of the lowest published node at
// or above a node v that publish nothing at or below the child of it that leads to v, or v itself
// and nothing below.
type coverage struct {
	of    *state
	crowd *crowd
	// by node, what is kept
	covered map[int32][]uint64 // the transactions that cover it
	hanging map[int32][]uint64 // those that publish something at or below it
	reach   map[int32][]uint64 // see reaching
	under   []int              // by node: how many are published at or below it, together
	words   int                // of a bit set of transactions
	bytes   int                // kept
	level   []itemLevel        // by item, working space of sweep
	steps   []int32            // the same: by how much more an item has than the one before
	room    [][]uint64         // working space, see working
	sets    [][]uint64         // the same
	// fails is told nodes below which a choice is not compatible with enough, and tells whether the
	// others are to be looked at all the same
	fails func(list []int32) bool
}

// maxKept bounds the bytes of bit sets that are kept, if they are many.
const (
	maxKept  = 12 << 20
	manyKept = 64
)

func newCoverage(s *state) coverage {
	c := coverage{
		of: s, crowd: newCrowd(s.merged), under: make([]int, s.tree.Nodes()),
		covered: map[int32][]uint64{}, hanging: map[int32][]uint64{}, reach: map[int32][]uint64{},
		words: (s.merged.Len() + 63) / 64,
		fails: func([]int32) bool { return false },
	}
	for u, txs := range s.who {
		c.under[u] += len(txs)
		if up := s.tree.Parent(int32(u)); up >= 0 {
			c.under[up] += c.under[u]
		}
	}
	return c
}

// cover are the transactions that cover a node; not to be changed.
func (c *coverage) cover(v int32) []uint64 {
	return c.keep(c.covered, v, (*coverage).fillCover)
}

// below are the transactions that publish something at or below a node; not to be changed.
func (c *coverage) below(v int32) []uint64 {
	return c.keep(c.hanging, v, (*coverage).fillBelow)
}

// reaching are the transactions that publish a node, and those that cover it as they publish one
// above; not to be changed. They cover a child of it if they publish nothing at or below that.
func (c *coverage) reaching(v int32) []uint64 {
	return c.keep(c.reach, v, (*coverage).fillReach)
}

// fill fills in what is asked for of a node, in an empty set.
type fill func(c *coverage, v int32, set []uint64)

func (c *coverage) fillCover(v int32, set []uint64) {
	c.fillReach(v, set)
	for _, child := range c.of.tree.Children(v) {
		c.eachBelow(child, func(i int32) { set[i/64] &^= 1 << (i % 64) })
	}
}

func (c *coverage) fillBelow(v int32, set []uint64) {
	c.eachBelow(v, func(i int32) { set[i/64] |= 1 << (i % 64) })
}

func (c *coverage) fillReach(v int32, set []uint64) {
	up := c.of.tree.Parent(v)
	switch {
	case up < 0:
	case c.soon(up):
		c.fillReach(up, set)
	default:
		copy(set, c.reaching(up))
	}
	if !c.of.tree.IsLeaf(v) { // else all of them are added again
		c.eachBelow(v, func(i int32) { set[i/64] &^= 1 << (i % 64) })
	}
	for _, i := range c.of.who[v] {
		set[i/64] |= 1 << (i % 64)
	}
}

// eachBelow calls f with the transactions that publish something at or below a node, once for each
// that they publish.
func (c *coverage) eachBelow(v int32, f func(i int32)) {
	for _, i := range c.of.who[v] {
		f(i)
	}
	for _, child := range c.of.tree.Children(v) {
		c.eachBelow(child, f)
	}
}

// soon tells whether so little is published at or below a node that its sets are put together in
// the time in which they are looked through. So they are not kept.
func (c *coverage) soon(v int32) bool { return 2*c.under[v] < c.words }

// coverAt is cover for the node at a place in a list, until the next call for that place.
func (c *coverage) coverAt(place int, v int32) []uint64 {
	if !c.soon(v) {
		return c.cover(v)
	}
	return c.working(2*place, v, (*coverage).fillCover)
}

// belowAt is below in the same manner.
func (c *coverage) belowAt(place int, v int32) []uint64 {
	if !c.soon(v) {
		return c.below(v)
	}
	return c.working(2*place+1, v, (*coverage).fillBelow)
}

// working fills the working space with a number.
func (c *coverage) working(n int, v int32, with fill) []uint64 {
	for len(c.room) <= n {
		c.room = append(c.room, c.none())
	}
	clear(c.room[n])
	with(c, v, c.room[n])
	return c.room[n]
}

func (c *coverage) none() []uint64 { return make([]uint64, c.words) }

// keep fills a set that is kept for later, unless it is there.
func (c *coverage) keep(in map[int32][]uint64, v int32, with fill) []uint64 {
	if set, is := in[v]; is {
		return set
	}
	set := c.none()
	with(c, v, set)
	if c.bytes += 8 * c.words; c.bytes > max(maxKept, manyKept*8*c.words) {
		clear(c.covered)
		clear(c.hanging)
		clear(c.reach)
		c.bytes = 8 * c.words
	}
	in[v] = set
	return set
}
