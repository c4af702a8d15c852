package verify

import (
	"math/bits"
	"slices"
)

// covering has the lines that cover nodes. A line covers a node that is a label of it with nothing
// below; and a node below a label if it has nothing at or below the child of the label that leads
// there.
type covering struct {
	v     *reading
	lines [][]uint64 // by node: those that cover it; nil: not known
	below [][]uint64 // by node: those that have a label at or below it; nil: not known
	bytes int
	here  []uint64   // working space
	sets  [][]uint64 // the same
	with  []int      // the same: by leaf
}

// maxCovering bounds the bytes of the sets that one goroutine keeps.
const maxCovering = 32 << 20

func newCovering(v *reading) covering {
	nodes := v.tree.Nodes()
	return covering{v: v, lines: make([][]uint64, nodes), below: make([][]uint64, nodes)}
}

// set is an empty set of lines that will be kept.
func (c *covering) set() []uint64 {
	s := bitset(len(c.v.sets))
	if c.bytes += 8 * len(s); c.bytes > maxCovering {
		clear(c.lines)
		clear(c.below)
		c.bytes = 8 * len(s)
	}
	return s
}

// atOrBelow are the lines that have a label at or below a node.
func (c *covering) atOrBelow(u int32) []uint64 {
	if s := c.below[u]; s != nil {
		return s
	}
	s := c.set()
	c.eachBelow(u, func(line int32) { s[line/64] |= 1 << (line % 64) })
	c.below[u] = s
	return s
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
func (c *covering) of(u int32) []uint64 {
	if s := c.lines[u]; s != nil {
		return s
	}
	s := c.set()
	for _, line := range c.v.with[u] {
		s[line/64] |= 1 << (line % 64)
	}
	for _, child := range c.v.tree.Children(u) {
		c.eachBelow(child, func(line int32) { s[line/64] &^= 1 << (line % 64) })
	}
	for child, up := u, c.v.tree.Parent(u); up >= 0; child, up = up, c.v.tree.Parent(up) {
		taken := c.atOrBelow(child)
		for _, line := range c.v.with[up] {
			if taken[line/64]>>(line%64)&1 == 0 {
				s[line/64] |= 1 << (line % 64)
			}
		}
	}
	c.lines[u] = s
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

// allOf are the sets of lines that cover each of some nodes, until the next call.
func (c *covering) allOf(nodes []int32) [][]uint64 {
	c.sets = c.sets[:0]
	for _, u := range nodes {
		c.sets = append(c.sets, c.of(u))
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
	for _, u := range nodes {
		c.sets = append(c.sets, c.of(u), c.atOrBelow(u))
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

// support is how many lines, or persons with such lines, cover all of some nodes; counting ends at
// k.
func (p *probe) support(nodes []int32) int {
	p.counted++
	var t headcount
	p.covers.eachOf(nodes, func(line int32) bool {
		p.add(&t, line)
		return t.n < p.k
	})
	return t.n
}

// choices looks at every choice of items below some nodes: one below each, and more further ones.
// It is safe where k lines cover all nodes. Else a node is replaced by some of its children, down
// to the leaves.
func (p *probe) choices(nodes []int32, more int) {
	n := p.support(nodes)
	if n >= p.k || p.enough() {
		return
	}
	first, second := p.largest(nodes)
	if first < 0 {
		p.leaves(nodes, n)
		return
	}
	if !p.covers.some(nodes) {
		return
	}
	if more > 0 {
		p.replace(nodes, first, more)
	} else if !p.eachItem(nodes, first) {
		if second < 0 {
			second = first
		}
		p.replace(nodes, second, 0)
	}
}

// leaves files a set of items that lines are compatible with, but fewer than k. A line without a
// person is one, too.
func (p *probe) leaves(nodes []int32, n int) {
	if p.covers.none(nodes) {
		return
	}
	nodes = slices.Compact(slices.Sorted(slices.Values(nodes)))
	p.told[key(nodes)] = witness{nodes: nodes, beside: -1, support: n, needed: p.k}
}

// largest are the places of the two nodes with most items below them that are no leaves; -1: none.
func (p *probe) largest(nodes []int32) (first, second int) {
	first, second = -1, -1
	for n, u := range nodes {
		switch {
		case p.tree.IsLeaf(u):
		case first < 0 || p.tree.LeafCount(u) > p.tree.LeafCount(nodes[first]):
			first, second = n, first
		case second < 0 || p.tree.LeafCount(u) > p.tree.LeafCount(nodes[second]):
			second = n
		}
	}
	return first, second
}

// replace looks at choices where the node at a place is replaced by one of its children, or by
// several with further items below them.
func (p *probe) replace(nodes []int32, at, more int) {
	children := p.tree.Children(nodes[at])
	var from func(n int, nodes []int32, more int)
	from = func(n int, nodes []int32, more int) {
		for ; n < len(children) && !p.enough(); n++ {
			with := append(slices.Clip(nodes), children[n])
			p.choices(with, more)
			if more > 0 && p.covers.some(with) {
				from(n+1, with, more-1)
			}
		}
	}
	from(0, slices.Delete(slices.Clone(nodes), at, at+1), more)
}

// eachItem tells whether for every item below the node at a place k lines cover it and the other
// nodes. Lines are counted, not persons: with persons the answer is no.
func (p *probe) eachItem(nodes []int32, at int) bool {
	if p.person != nil {
		return false
	}
	c, u := &p.covers, nodes[at]
	lo, hi := p.tree.Range(u)
	c.with = append(c.with[:0], make([]int, hi-lo)...)
	others := c.allOf(slices.Delete(slices.Clone(nodes), at, at+1))
	missing := len(c.with)
	count := func(from, to int32, weight int) {
		for x := from - lo; x < to-lo; x++ {
			if c.with[x] < p.k && c.with[x]+weight >= p.k {
				missing--
			}
			c.with[x] += weight
		}
	}
	full, below := c.of(u), c.atOrBelow(u)
	for n := 0; n < len(full) && missing > 0; n++ {
		for w := word(others, n, full[n]|below[n]); w != 0 && missing > 0; w &= w - 1 {
			line, bit := int32(64*n+bits.TrailingZeros64(w)), w&-w
			if full[n]&bit != 0 {
				count(lo, hi, p.weight[line])
				continue
			}
			p.eachPart(int(line), u, func(v int32) {
				from, to := p.tree.Range(v)
				count(from, to, p.weight[line])
			})
		}
	}
	return missing == 0
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
