package local

import (
	"cmp"
	"math/bits"
	"slices"
)

// rowMaps are the rows that publish each of some nodes, as bit maps. Where rows have many of few
// nodes, pairs are counted faster in them.
type rowMaps struct {
	nodes  []int32  // short numbers, in the order in which rows have them
	words  int      // of a map
	bits   []uint64 // by place in nodes
	at     []int32  // by short number: its place
	with   []uint64 // working space of dropInMaps: those with a node
	out    []uint64 // the same: those with a rare pair
	firsts []firstRow
}

// firstRow is a pair that is rare, where it is in the first row that has it.
type firstRow struct {
	pair
	row, y, z int32
}

// countPairsInMaps is countPairsInRows with a map of rows for each node. What weighs more than one
// is counted once there, and as often as it is missing then.
func (c *counter) countPairsInMaps() {
	p, m := &c.pairs, &c.space.maps
	c.fillMaps()
	c.countHeavy()
	m.firsts = m.firsts[:0]
	for a, y := range m.nodes {
		if c.stopped() {
			return
		}
		one := m.of(a)
		for b := a + 1; b < len(m.nodes); b++ {
			count, r := int32(0), pair{y, m.nodes[b]}
			for n, w := range m.of(b) {
				count += int32(bits.OnesCount64(w & one[n]))
			}
			if count == 0 {
				continue
			}
			all := p.count(r)
			if *all += count; *all < int32(c.k) {
				m.firsts = append(m.firsts, c.firstRow(r, one, m.of(b)))
			}
		}
	}
	slices.SortFunc(m.firsts, func(a, b firstRow) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.y, b.y), cmp.Compare(a.z, b.z))
	})
	for _, f := range m.firsts {
		p.listIfRare(f.pair, int32(c.k))
	}
}

func (m *rowMaps) of(place int) []uint64 { return m.bits[place*m.words:][:m.words] }

// common is how many of the rows with are in a map.
func (m *rowMaps) common(place int) (n int32) {
	for i, word := range m.of(place) {
		n += int32(bits.OnesCount64(word & m.with[i]))
	}
	return n
}

// fewInMaps tells whether to go through maps of all nodes takes less than to go through the rows.
func (c *counter) fewInMaps() bool {
	nodes, words := int64(len(c.nodes)), int64(len(c.list)+63)/64
	return nodes*nodes*words < c.pairs.squares
}

// fillMaps fills the maps with the rows that are not out.
func (c *counter) fillMaps() {
	m := &c.space.maps
	m.nodes, m.words = m.nodes[:0], (len(c.list)+63)/64
	for y := range c.nodes[1:] {
		m.nodes = append(m.nodes, int32(y)+1)
	}
	slices.SortFunc(m.nodes, func(a, b int32) int { return cmp.Compare(c.nodes[a], c.nodes[b]) })
	m.at = slices.Grow(m.at[:0], len(c.nodes))[:len(c.nodes)]
	for at, y := range m.nodes {
		m.at[y] = int32(at)
	}
	all := len(m.nodes) * m.words
	m.bits = slices.Grow(m.bits[:0], all)[:all]
	c.copyTids()
}

// countHeavy counts what the maps leave out: rows that stand for more than one.
func (c *counter) countHeavy() {
	for n := range c.list {
		more := c.share[n].weight - 1
		if more <= 0 {
			continue
		}
		set := c.flat[c.begins(int32(n)):c.end[n]]
		for a, y := range set {
			counts := c.pairs.counts[int(y)*c.pairs.n:][:c.pairs.n]
			for _, z := range set[a+1:] {
				counts[z] += more
			}
		}
	}
}

// copyTids fills the maps with the rows that are not out, by what is listed.
func (c *counter) copyTids() {
	m := &c.space.maps
	c.listTids() // all rows: none is counted later
	alive := c.tids.alive
	for at, y := range m.nodes {
		to := m.of(at)
		rows, is := c.tids.list(y)
		if !is {
			for n, word := range c.tids.bitMap(y) {
				to[n] = word & alive[n]
			}
			continue
		}
		clear(to)
		for _, n := range rows {
			to[n/64] |= alive[n/64] & (1 << (n % 64))
		}
	}
}

// firstRow finds the first row that has both nodes of a pair, given the maps of both.
func (c *counter) firstRow(r pair, one, other []uint64) firstRow {
	n := 0
	for one[n]&other[n] == 0 {
		n++
	}
	row := int32(64*n + bits.TrailingZeros64(one[n]&other[n]))
	set := c.flat[c.begins(row):c.end[row]]
	return firstRow{r, row, int32(slices.Index(set, r.y)), int32(slices.Index(set, r.z))}
}
