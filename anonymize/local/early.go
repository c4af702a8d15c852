package local

import (
	"cmp"
	"slices"
)

// dropEarly puts out rows that publish a rare pair before all pairs are counted, as long as that
// takes less than it spares: what is left in the end depends on no order (as in the peeling of
// k-cores). The nodes that few rows publish come first, as their pairs are rare most often.
func (c *counter) dropEarly() {
	c.listTids()
	order := c.pairs.order[:0]
	for y := int32(1); int(y) < len(c.nodes); y++ {
		if c.by[y].weight > 0 {
			order = append(order, y)
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(c.by[a].rows, c.by[b].rows), cmp.Compare(a, b))
	})
	c.pairs.order = order
	left, maps := c.squares()/8, c.fewInMaps()
	if maps {
		c.fillMaps()
	}
	for _, y := range order {
		drop := c.dropBeside
		if maps && c.fewerInMaps(y) {
			drop = c.dropInMaps
		}
		if left -= drop(y); left < 0 || c.stopped() {
			return
		}
	}
}

// fewerInMaps tells whether to go through the maps of all nodes takes less than to go through the
// rows that publish one node.
func (c *counter) fewerInMaps(y int32) bool {
	rows := int(min(c.by[y].rows, c.by[y].weight)) // at most: those that have left weigh nothing
	return 4*len(c.nodes)*c.space.maps.words*len(c.list) < rows*len(c.flat)
}

// dropBeside puts out the rows that publish a rare pair with one node, and returns how much more
// that took than it spares.
func (c *counter) dropBeside(y int32) (took int) {
	l := &c.space.levels[0]
	c.occs, l.touched = c.occs[:0], l.touched[:0]
	listed := c.tids.listed // of those listed, all publish the node
	for n := range c.rowsOf(y) {
		set, weight, shares := c.flat[c.begins(n):c.end[n]], c.share[n].weight, l.shares
		if weight == 0 || n >= listed && !slices.Contains(set, y) {
			continue
		}
		c.occs = append(c.occs, occurrence{n: n})
		took += 2 * len(set)
		for _, z := range set {
			if shares[z].weight == 0 {
				l.touched = append(l.touched, z)
			}
			shares[z].weight += weight
		}
	}
	l.shares[0].weight = wide
	rare := func(z int32) bool { return l.shares[z].weight < int32(c.k) }
	if slices.ContainsFunc(l.touched, rare) {
		took -= c.leaveWith(rare)
	}
	l.shares[0].weight = 0
	for _, z := range l.touched {
		l.shares[z] = share{}
	}
	return took
}

// leaveWith puts out those of the rows in occs that publish a node that is rare, and returns how
// much that spares.
func (c *counter) leaveWith(rare func(z int32) bool) (spared int) {
	for _, o := range c.occs {
		set := c.flat[c.begins(o.n):c.end[o.n]]
		if slices.ContainsFunc(set, rare) && c.leaves(o.n) {
			spared += len(set) * len(set) / 2
		}
	}
	return spared
}

// dropInMaps is dropBeside with a map of rows for each node.
func (c *counter) dropInMaps(y int32) (took int) {
	m, l := &c.space.maps, &c.space.levels[0]
	m.with = append(m.with[:0], m.of(int(m.at[y]))...)
	l.touched = l.touched[:0]
	for n := range bitsOf(m.with, nil) {
		set, weight := c.flat[c.begins(n):c.end[n]], c.share[n].weight
		if weight == 0 { // has left since
			m.with[n/64] &^= 1 << (n % 64)
			continue
		}
		took += 2 * len(set)
		if weight > 1 { // the maps have it once
			for _, z := range set {
				l.touched = append(l.touched, z)
				l.shares[z].weight += weight - 1
			}
		}
	}
	m.out = append(m.out[:0], make([]uint64, m.words)...)
	for at, z := range m.nodes {
		if both := l.shares[z].weight + m.common(at); both > 0 && both < int32(c.k) {
			for n, word := range m.of(at) {
				m.out[n] |= word & m.with[n]
			}
		}
	}
	for _, z := range l.touched {
		l.shares[z] = share{}
	}
	for n := range bitsOf(m.out, nil) {
		if c.leaves(n) {
			set := c.flat[c.begins(n):c.end[n]]
			took -= len(set) * len(set) / 2
		}
	}
	return took
}
