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
	left := c.squares() / 8
	for _, y := range order {
		if left -= c.dropBeside(y); left < 0 || c.stopped() {
			return
		}
	}
}

// dropBeside puts out the rows that publish a rare pair with one node, and returns how much more
// that took than it spares.
func (c *counter) dropBeside(y int32) (took int) {
	l := &c.space.levels[0]
	c.occs, l.touched = c.occs[:0], l.touched[:0]
	for n := range c.rowsOf(y) {
		set := c.flat[c.begins(n):c.end[n]]
		if c.share[n].weight == 0 || !slices.Contains(set, y) {
			continue
		}
		c.occs = append(c.occs, occurrence{n: n})
		took += 2 * len(set)
		for _, z := range set {
			if l.shares[z].weight == 0 {
				l.touched = append(l.touched, z)
			}
			l.shares[z].weight += c.share[n].weight
		}
	}
	l.shares[0].weight = wide
	for _, o := range c.occs {
		set := c.flat[c.begins(o.n):c.end[o.n]]
		rare := func(z int32) bool { return l.shares[z].weight < int32(c.k) }
		if slices.ContainsFunc(set, rare) && c.leaves(o.n) {
			took -= len(set) * len(set) / 2
		}
	}
	l.shares[0].weight = 0
	for _, z := range l.touched {
		l.shares[z] = share{}
	}
	return took
}
