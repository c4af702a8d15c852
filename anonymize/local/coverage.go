package local

import "slices"

// coverage counts the transactions that cover nodes, exactly: those of the lowest published node at
// or above a node v that publish nothing at or below the child of it that leads to v, or v itself
// and nothing below.
//
// Most often it is asked whether there are k, and they are among the first transactions. So of a
// bit set of transactions only the first words are put together, as many as are asked for. This
// needs the lists of who publishes a node to be ascending (see sortAll).
type coverage struct {
	of       *state
	byPerson *personCounter
	// by node, what is kept, and is longer when more is asked for
	covered map[int32][]uint64 // the transactions that cover it
	hanging map[int32][]uint64 // those that publish something at or below it
	reach   map[int32][]uint64 // see fillReach
	under   []int              // by node: how many are published at or below it, together
	words   int                // of a bit set of all transactions
	first   int                // see firstStretch
	bytes   int                // kept
	level   []itemLevel        // by item, working space of sweep
	steps   []int32            // the same: by how much more an item has than the one before
	room    [][]uint64         // working space, see working
	sets    [][]uint64         // the same
	// fails is told nodes below which a choice is not compatible with enough, and tells whether the
	// others are to be looked at all the same
	fails func(list []int32) bool
}

const (
	// maxKept and eachKept bound the bytes of bit sets that are kept, in all and for each item
	// occurrence, if they are many.
	maxKept  = 12 << 20
	eachKept = 4
	manyKept = 64
	// firstStretch is how many words are looked at first; then four times as many, in all.
	firstStretch = 256
)

func newCoverage(s *state) coverage {
	c := coverage{
		of: s, byPerson: newPersonCounter(s.merged), under: make([]int, s.tree.Nodes()),
		covered: map[int32][]uint64{}, hanging: map[int32][]uint64{}, reach: map[int32][]uint64{},
		words: (s.merged.Len() + 63) / 64, first: firstStretch,
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

// stretch is the words of bit sets from one to before another.
type stretch struct{ from, to int }

// stretches are all words, few at first, then more at a time.
func (c *coverage) stretches(yield func(stretch) bool) {
	for at, to := 0, c.first; at < c.words; at, to = to, 4*to {
		if !yield(stretch{at, min(to, c.words)}) {
			return
		}
	}
}

// of are those of some ascending transactions that are in a stretch.
func (s stretch) of(txs []int32) []int32 {
	first, last := int32(64*s.from), int32(64*s.to)
	if n := len(txs); n == 0 || txs[n-1] < first || txs[0] >= last {
		return nil
	}
	if txs[0] < first {
		n, _ := slices.BinarySearch(txs, first)
		txs = txs[n:]
	}
	if n := len(txs); n > 0 && txs[n-1] >= last {
		n, _ = slices.BinarySearch(txs, last)
		txs = txs[:n]
	}
	return txs
}

// cover are the transactions that cover a node; not to be changed.
func (c *coverage) cover(v int32) []uint64 {
	return c.keep(c.covered, v, c.words, (*coverage).fillCover)
}

// below are the transactions that publish something at or below a node; not to be changed.
func (c *coverage) below(v int32) []uint64 {
	return c.keep(c.hanging, v, c.words, (*coverage).addBelow)
}

// fill fills in what is asked for of a node, in the empty words of a stretch.
type fill func(c *coverage, v int32, set []uint64, in stretch)

func (c *coverage) fillCover(v int32, set []uint64, in stretch) {
	c.fillReach(v, set, in)
	for _, child := range c.of.tree.Children(v) {
		c.takeBelow(child, set, in)
	}
}

// fillReach fills in the transactions that publish a node, and those that cover it as they publish
// one above. They cover a child of it if they publish nothing at or below that.
func (c *coverage) fillReach(v int32, set []uint64, in stretch) {
	up := c.of.tree.Parent(v)
	switch {
	case up < 0:
	case c.soon(up):
		c.fillReach(up, set, in)
	default:
		copy(set, c.keep(c.reach, up, in.to, (*coverage).fillReach)[in.from:])
	}
	if !c.of.tree.IsLeaf(v) { // else all of them are added again
		c.takeBelow(v, set, in)
	}
	for _, i := range in.of(c.of.who[v]) {
		set[int(i/64)-in.from] |= 1 << (i % 64)
	}
}

// addBelow adds the transactions that publish something at or below a node.
func (c *coverage) addBelow(v int32, set []uint64, in stretch) {
	if c.under[v] == 0 {
		return
	}
	for _, i := range in.of(c.of.who[v]) {
		set[int(i/64)-in.from] |= 1 << (i % 64)
	}
	for _, child := range c.of.tree.Children(v) {
		c.addBelow(child, set, in)
	}
}

// takeBelow takes them out.
func (c *coverage) takeBelow(v int32, set []uint64, in stretch) {
	if c.under[v] == 0 {
		return
	}
	for _, i := range in.of(c.of.who[v]) {
		set[int(i/64)-in.from] &^= 1 << (i % 64)
	}
	for _, child := range c.of.tree.Children(v) {
		c.takeBelow(child, set, in)
	}
}

// soon tells whether so little is published at or below a node that its sets are put together in
// the time in which they are looked through. So they are not kept.
func (c *coverage) soon(v int32) bool { return 2*c.under[v] < c.words }

// coverAt is a stretch of cover for the node at a place in a list, until the next call for that
// place.
func (c *coverage) coverAt(place int, v int32, in stretch) []uint64 {
	if !c.soon(v) {
		return c.keep(c.covered, v, in.to, (*coverage).fillCover)[in.from:]
	}
	return c.working(2*place, v, in, (*coverage).fillCover)
}

// belowAt is a stretch of below in the same manner.
func (c *coverage) belowAt(place int, v int32, in stretch) []uint64 {
	if !c.soon(v) {
		return c.keep(c.hanging, v, in.to, (*coverage).addBelow)[in.from:]
	}
	return c.working(2*place+1, v, in, (*coverage).addBelow)
}

// working fills the working space with a number.
func (c *coverage) working(n int, v int32, in stretch, with fill) []uint64 {
	for len(c.room) <= n {
		c.room = append(c.room, nil)
	}
	words := in.to - in.from
	if len(c.room[n]) < words {
		c.room[n] = make([]uint64, words)
	}
	set := c.room[n][:words]
	clear(set)
	with(c, v, set, in)
	return set
}

func (c *coverage) none() []uint64 { return make([]uint64, c.words) }

// most is how many bytes of bit sets are kept.
func (c *coverage) most() int {
	return max(maxKept, manyKept*8*c.words, eachKept*len(c.of.index.items))
}

// keep fills the words of a set before some word, which are kept for later, unless they are there.
func (c *coverage) keep(in map[int32][]uint64, v int32, to int, with fill) []uint64 {
	there := in[v]
	if len(there) >= to {
		return there[:to]
	}
	set := make([]uint64, to)
	at := copy(set, there)
	with(c, v, set[at:], stretch{at, to})
	if c.bytes += 8 * (to - len(in[v])); c.bytes > c.most() {
		clear(c.covered)
		clear(c.hanging)
		clear(c.reach)
		c.bytes = 8 * to
	}
	in[v] = set
	return set
}
