package verify

import "math/bits"

// covering has the lines that cover nodes. A line covers a node that is a label of it with nothing
// below; and a node below a label if it has nothing at or below the child of the label that leads
// there.
type covering struct {
	v *reading
	// by node, what is known
	lines map[int32][]uint64 // those that cover it
	below map[int32][]uint64 // those that have a label at or below it
	reach map[int32][]uint64 // see reaching
	under []int              // by node: how many labels lines have at or below it
	bytes int
	here  []uint64   // working space
	room  [][]uint64 // the same, see working
	sets  [][]uint64 // the same
	items itemCounts // the same
}

// maxCovering bounds the bytes of the sets that one goroutine keeps, if they are many.
const (
	maxCovering  = 32 << 20
	manyCovering = 64
)

func newCovering(v *reading) covering {
	c := covering{
		v: v, under: make([]int, v.tree.Nodes()),
		lines: map[int32][]uint64{}, below: map[int32][]uint64{}, reach: map[int32][]uint64{},
	}
	for u, lines := range v.with {
		c.under[u] += len(lines)
		if up := v.tree.Parent(int32(u)); up >= 0 {
			c.under[up] += c.under[u]
		}
	}
	return c
}

// set is an empty set of lines that will be kept.
func (c *covering) set() []uint64 {
	s := bitset(len(c.v.sets))
	if c.bytes += 8 * len(s); c.bytes > max(maxCovering, manyCovering*8*len(s)) {
		clear(c.lines)
		clear(c.below)
		clear(c.reach)
		c.bytes = 8 * len(s)
	}
	return s
}

// fill adds lines that are asked for about a node to an empty set.
type fill func(c *covering, u int32, s []uint64)

// kept is what is known of a node, or is filled now.
func (c *covering) kept(in map[int32][]uint64, u int32, how fill) []uint64 {
	if s, is := in[u]; is {
		return s
	}
	s := c.set()
	how(c, u, s)
	in[u] = s
	return s
}

// atOrBelow are the lines that have a label at or below a node.
func (c *covering) atOrBelow(u int32) []uint64 { return c.kept(c.below, u, (*covering).markBelow) }

// markBelow fills in the lines that have a label at or below a node.
func (c *covering) markBelow(u int32, s []uint64) {
	c.eachBelow(u, func(line int32) { s[line/64] |= 1 << (line % 64) })
}

func (c *covering) eachBelow(u int32, do func(line int32)) {
	for _, line := range c.v.with[u] {
		do(line)
	}
	for _, child := range c.v.tree.Children(u) {
		c.eachBelow(child, do)
	}
}

// of are the lines that cover a node.
func (c *covering) of(u int32) []uint64 { return c.kept(c.lines, u, (*covering).cover) }

// cover fills in the lines that cover a node.
func (c *covering) cover(u int32, s []uint64) {
	c.reachFrom(u, s)
	for _, child := range c.v.tree.Children(u) {
		c.eachBelow(child, func(line int32) { s[line/64] &^= 1 << (line % 64) })
	}
}

// reaching are the lines that publish a node, and those that cover it as they publish one above.
// They cover a child of it unless they have a label at or below that.
func (c *covering) reaching(u int32) []uint64 { return c.kept(c.reach, u, (*covering).reachFrom) }

// reachFrom fills in the lines that reach a node.
func (c *covering) reachFrom(u int32, s []uint64) {
	up := c.v.tree.Parent(u)
	switch {
	case up < 0:
	case c.soon(up):
		c.reachFrom(up, s)
	default:
		copy(s, c.reaching(up))
	}
	if !c.v.tree.IsLeaf(u) { // else all of them are added again
		c.eachBelow(u, func(line int32) { s[line/64] &^= 1 << (line % 64) })
	}
	for _, line := range c.v.with[u] {
		s[line/64] |= 1 << (line % 64)
	}
}

// soon tells whether so few labels are at or below a node that its sets are put together in the
// time in which they are looked through. So they are not kept.
func (c *covering) soon(u int32) bool { return 2*c.under[u] < len(c.v.sets)/64 }

// coverAt is of for the node at a place in a set of nodes, until the next call for that place.
func (c *covering) coverAt(place int, u int32) []uint64 {
	return c.briefly(2*place, c.lines, u, (*covering).cover)
}

// belowAt is atOrBelow in the same manner.
func (c *covering) belowAt(place int, u int32) []uint64 {
	return c.briefly(2*place+1, c.below, u, (*covering).markBelow)
}

// briefly is kept where a set is not put together soon; else it is filled in working space.
func (c *covering) briefly(n int, in map[int32][]uint64, u int32, how fill) []uint64 {
	if !c.soon(u) {
		return c.kept(in, u, how)
	}
	s := c.working(n)
	how(c, u, s)
	return s
}

// working is an empty set with a number, until the next call with that number.
func (c *covering) working(n int) []uint64 {
	for len(c.room) <= n {
		c.room = append(c.room, bitset(len(c.v.sets)))
	}
	clear(c.room[n])
	return c.room[n]
}

// each calls do with the lines here, ascending, until it says no.
func (c *covering) each(do func(line int32) bool) {
	for n, w := range c.here {
		for ; w != 0; w &= w - 1 {
			if !do(int32(64*n + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// allOf are the sets of lines that cover each of some nodes, until the next call.
func (c *covering) allOf(nodes []int32) [][]uint64 {
	c.sets = c.sets[:0]
	for at, u := range nodes {
		c.sets = append(c.sets, c.coverAt(at, u))
	}
	return c.sets
}

// word is one word of the lines that are in all of some sets and in another word.
func word(sets [][]uint64, n int, w uint64) uint64 {
	for _, s := range sets {
		if w &= s[n]; w == 0 {
			break
		}
	}
	return w
}

// eachOf calls do with the lines that cover all of some nodes, ascending, until it says no.
func (c *covering) eachOf(nodes []int32, do func(line int32) bool) {
	sets := c.allOf(nodes)
	for n, w := range sets[0] {
		for w = word(sets[1:], n, w); w != 0; w &= w - 1 {
			if !do(int32(64*n + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// none tells whether no line covers all of some nodes.
func (c *covering) none(nodes []int32) bool {
	none := true
	c.eachOf(nodes, func(int32) bool {
		none = false
		return false
	})
	return none
}

// some tells whether a line may have an item below each of some nodes.
func (c *covering) some(nodes []int32) bool {
	c.sets = c.sets[:0]
	for at, u := range nodes {
		c.sets = append(c.sets, c.coverAt(at, u), c.belowAt(at, u))
	}
	for n := range (len(c.v.sets) + 63) / 64 {
		w := ^uint64(0)
		for at := 0; at < len(c.sets) && w != 0; at += 2 {
			w &= c.sets[at][n] | c.sets[at+1][n]
		}
		if w != 0 {
			return true
		}
	}
	return false
}

// eachBeside calls do with the lines that cover all of some other nodes and may have an item below
// u, but do not cover u, ascending, until it says no.
func (c *covering) eachBeside(others []int32, u int32, do func(line int32) bool) {
	full, below := c.coverAt(len(others), u), c.belowAt(len(others), u)
	sets := c.allOf(others)
	for n, may := range below {
		for w := word(sets, n, may&^full[n]); w != 0; w &= w - 1 {
			if !do(int32(64*n + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// eachPart calls do with the lines that cover all of some other nodes and may have an item below u,
// ascending: with u where the line covers that, and else with each of its parts (see
// reading.eachPart). It ends with a line for which do says no.
func (c *covering) eachPart(others []int32, u int32, do func(line, v int32) bool) {
	full, below := c.coverAt(len(others), u), c.belowAt(len(others), u)
	sets := c.allOf(others)
	for n, may := range below {
		for w := word(sets, n, may|full[n]); w != 0; w &= w - 1 {
			line, goOn := int32(64*n+bits.TrailingZeros64(w)), true
			if full[n]&(w&-w) != 0 {
				goOn = do(line, u)
			} else {
				c.v.eachPart(int(line), u, func(v int32) { goOn = do(line, v) && goOn })
			}
			if !goOn {
				return
			}
		}
	}
}

// eachPart calls do with nodes below u that a line covers as they are at or below labels that are
// at or below u: together they have all items that may be there.
func (v *reading) eachPart(line int, u int32, do func(v int32)) {
	set := v.sets[line]
	for at := v.find(set, u); at < len(set) && v.number[set[at]] < v.next[u]; at++ {
		if v.alone(set, at) {
			do(set[at])
			continue
		}
		below := set[at+1:] // and what comes after
		for _, c := range v.tree.Children(set[at]) {
			for len(below) > 0 && v.number[below[0]] < v.number[c] {
				below = below[1:]
			}
			if len(below) == 0 || v.number[below[0]] >= v.next[c] {
				do(c)
			}
		}
	}
}

// eachStretch calls do with the items of those nodes (see eachPart), from one to before another, as
// many of them at once as lie side by side.
func (v *reading) eachStretch(line int, u int32, do func(from, to int32)) {
	set := v.sets[line]
	for at := v.find(set, u); at < len(set) && v.number[set[at]] < v.next[u]; at++ {
		w := set[at]
		from, to := v.tree.Range(w)
		for _, x := range set[at+1:] {
			if v.number[x] >= v.next[w] {
				break
			}
			if lo, _ := v.tree.Range(x); lo < from {
				continue // the child of w that leads to it was met
			}
			lo, hi := v.tree.Range(v.tree.Above(x, v.tree.Depth(w)+1))
			if from < lo {
				do(from, lo)
			}
			from = hi
		}
		if from < to {
			do(from, to)
		}
	}
}
