package verify

import (
	"iter"
	"math/bits"
	"slices"
)

// covering has the lines that cover nodes. A line covers a node that is a label of it with nothing
// below; and a node below a label if it has nothing at or below the child of the label that leads
// there.
//
// Most questions about lines are answered by the first of them. So sets of lines are made from the
// front, some words of 64 lines at a time, as far as they are asked for.
type covering struct {
	v     *reading
	words int // of a set of all lines
	first int // see firstWords
	// by node, what is known: the first words
	lines map[int32][]uint64 // those that cover it
	below map[int32][]uint64 // those that have a label at or below it
	reach map[int32][]uint64 // see reachFrom
	under []int              // by node: how many labels lines have at or below it
	bytes int
	here  []uint64   // working space
	room  [][]uint64 // the same, see working
	sets  [][]uint64 // the same
	items itemCounts // the same
}

const (
	// maxCovering bounds the bytes of the sets that one goroutine keeps, if they are many.
	maxCovering  = 32 << 20
	manyCovering = 64
	// firstWords is how many words of sets are asked for first; then four times as many.
	firstWords = 256
)

func newCovering(v *reading) covering {
	c := covering{
		v: v, words: (len(v.sets) + 63) / 64, first: firstWords, under: make([]int, v.tree.Nodes()),
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

// windows are all words of sets, few at first, then more at once: from one to before another.
func (c *covering) windows() iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from, to := 0, c.first; from < c.words; from, to = to, 4*to {
			if !yield(from, min(to, c.words)) {
				return
			}
		}
	}
}

// fill adds lines that are asked for about a node to empty words of a set, given the number of the
// first word.
type fill func(c *covering, u int32, s []uint64, from int)

// kept is what is known of a node, up to before a word, or is filled now.
func (c *covering) kept(in map[int32][]uint64, u int32, to int, how fill) []uint64 {
	known := in[u]
	if to <= len(known) {
		return known[:to]
	}
	s := make([]uint64, to)
	how(c, u, s[copy(s, known):], len(known))
	c.bytes += 8 * (to - len(in[u]))
	if c.bytes > max(maxCovering, manyCovering*8*c.words) {
		clear(c.lines)
		clear(c.below)
		clear(c.reach)
		c.bytes = 8 * to
	}
	in[u] = s
	return s
}

// atOrBelow are the lines that have a label at or below a node.
func (c *covering) atOrBelow(u int32) []uint64 {
	return c.kept(c.below, u, c.words, (*covering).markBelow)
}

// markBelow fills in the lines that have a label at or below a node.
func (c *covering) markBelow(u int32, s []uint64, from int) {
	if c.under[u] == 0 {
		return
	}
	for _, line := range among(c.v.with[u], from, from+len(s)) {
		s[int(line/64)-from] |= 1 << (line % 64)
	}
	for _, child := range c.v.tree.Children(u) {
		c.markBelow(child, s, from)
	}
}

// unmarkBelow takes them out.
func (c *covering) unmarkBelow(u int32, s []uint64, from int) {
	if c.under[u] == 0 {
		return
	}
	for _, line := range among(c.v.with[u], from, from+len(s)) {
		s[int(line/64)-from] &^= 1 << (line % 64)
	}
	for _, child := range c.v.tree.Children(u) {
		c.unmarkBelow(child, s, from)
	}
}

// among are those of ascending lines that are in the words from one to before another.
func among(lines []int32, from, to int) []int32 {
	before := func(word int) int {
		n, _ := slices.BinarySearch(lines, int32(64*word))
		return n
	}
	switch n := len(lines); {
	case n == 0 || int(lines[0]) >= 64*to || int(lines[n-1]) < 64*from:
		return nil
	case int(lines[n-1]) >= 64*to:
		lines = lines[:before(to)]
	}
	return lines[before(from):]
}

// of are the lines that cover a node.
func (c *covering) of(u int32) []uint64 {
	return c.kept(c.lines, u, c.words, (*covering).cover)
}

// cover fills in the lines that cover a node.
func (c *covering) cover(u int32, s []uint64, from int) {
	c.reachFrom(u, s, from)
	for _, child := range c.v.tree.Children(u) {
		c.unmarkBelow(child, s, from)
	}
}

// reachFrom fills in the lines that reach a node: those that publish it, and those that cover it as
// they publish one above. They cover a child of it unless they have a label at or below that.
func (c *covering) reachFrom(u int32, s []uint64, from int) {
	up := c.v.tree.Parent(u)
	switch {
	case up < 0:
	case c.soon(up):
		c.reachFrom(up, s, from)
	default:
		copy(s, c.kept(c.reach, up, from+len(s), (*covering).reachFrom)[from:])
	}
	if !c.v.tree.IsLeaf(u) { // else all of them are added again
		c.unmarkBelow(u, s, from)
	}
	for _, line := range among(c.v.with[u], from, from+len(s)) {
		s[int(line/64)-from] |= 1 << (line % 64)
	}
}

// soon tells whether so few labels are at or below a node that its sets are put together in the
// time in which they are looked through. So they are not kept.
func (c *covering) soon(u int32) bool { return 2*c.under[u] < c.words }

// coverAt is of for the node at a place in a set of nodes, from one word to before another, until
// the next call for that place.
func (c *covering) coverAt(place int, u int32, from, to int) []uint64 {
	return c.briefly(2*place, c.lines, u, from, to, (*covering).cover)
}

// belowAt is atOrBelow in the same manner.
func (c *covering) belowAt(place int, u int32, from, to int) []uint64 {
	return c.briefly(2*place+1, c.below, u, from, to, (*covering).markBelow)
}

// briefly is kept where a set is not put together soon; else it is filled in working space.
func (c *covering) briefly(
	n int, in map[int32][]uint64, u int32, from, to int, how fill,
) []uint64 {
	if !c.soon(u) {
		return c.kept(in, u, to, how)[from:]
	}
	s := c.working(n, to-from)
	how(c, u, s, from)
	return s
}

// working is an empty set of some words with a number, until the next call with that number.
func (c *covering) working(n, words int) []uint64 {
	for len(c.room) <= n {
		c.room = append(c.room, nil)
	}
	if len(c.room[n]) < words {
		c.room[n] = make([]uint64, words)
	}
	s := c.room[n][:words]
	clear(s)
	return s
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

// allOf are the lines that cover each of some nodes, from one word to before another, until the
// next call.
func (c *covering) allOf(nodes []int32, from, to int) [][]uint64 {
	c.sets = c.sets[:0]
	for at, u := range nodes {
		c.sets = append(c.sets, c.coverAt(at, u, from, to))
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
	for from, to := range c.windows() {
		sets := c.allOf(nodes, from, to)
		for n, w := range sets[0] {
			for w = word(sets[1:], n, w); w != 0; w &= w - 1 {
				if !do(int32(64*(from+n) + bits.TrailingZeros64(w))) {
					return
				}
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
	for from, to := range c.windows() {
		c.sets = c.sets[:0]
		for at, u := range nodes {
			c.sets = append(c.sets, c.coverAt(at, u, from, to), c.belowAt(at, u, from, to))
		}
		for n := range to - from {
			w := ^uint64(0)
			for at := 0; at < len(c.sets) && w != 0; at += 2 {
				w &= c.sets[at][n] | c.sets[at+1][n]
			}
			if w != 0 {
				return true
			}
		}
	}
	return false
}

// eachWith calls do with the lines that cover all of some other nodes and may have an item below u,
// ascending, and whether they cover u, until it says no.
func (c *covering) eachWith(others []int32, u int32, do func(line int32, covers bool) bool) {
	for from, to := range c.windows() {
		full := c.coverAt(len(others), u, from, to)
		below := c.belowAt(len(others), u, from, to)
		sets := c.allOf(others, from, to)
		for n, may := range below {
			for w := word(sets, n, may|full[n]); w != 0; w &= w - 1 {
				line := int32(64*(from+n) + bits.TrailingZeros64(w))
				if !do(line, full[n]&(w&-w) != 0) {
					return
				}
			}
		}
	}
}

// eachBeside calls do with the lines that cover all of some other nodes and may have an item below
// u, but do not cover u, ascending, until it says no.
func (c *covering) eachBeside(others []int32, u int32, do func(line int32) bool) {
	c.eachWith(others, u, func(line int32, covers bool) bool { return covers || do(line) })
}

// eachPart calls do with the lines that cover all of some other nodes and may have an item below u,
// ascending: with u where the line covers that, and else with each of its parts (see
// reading.eachPart). It ends with a line for which do says no.
func (c *covering) eachPart(others []int32, u int32, do func(line, v int32) bool) {
	c.eachWith(others, u, func(line int32, covers bool) bool {
		if covers {
			return do(line, u)
		}
		goOn := true
		c.v.eachPart(int(line), u, func(v int32) { goOn = do(line, v) && goOn })
		return goOn
	})
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
