package local

import "math/bits"

// Sets of more than three nodes, in maps of the rows (see tids): each is looked for by itself until
// there is enough of it, which takes a few words most often.

// manyInMaps tells whether both nodes of a pair have a map, and there is more than one row with
// both for each word of it.
func (c *counter) manyInMaps(r pair) bool {
	return c.inMaps(r) && int(*c.pairs.count(r)) > c.tids.words
}

// inMaps tells whether both nodes of a pair have a map of all rows.
func (c *counter) inMaps(r pair) bool {
	t := &c.tids
	return int(t.listed) == len(c.list) && t.from[r.y] < 0 && t.from[r.z] < 0
}

// lookInMaps is extend for the sets that begin with a pair, the current set, given the nodes after
// it that are in no rare pair with its first node.
func (c *counter) lookInMaps(r pair, after []int32) int32 {
	c.path = append(c.path[:0], r.y, r.z)
	l := &c.space.levels[1]
	l.touched = c.notRareWith(r.z, after, l.touched[:0])
	c.refresh()
	return c.extendInMaps(*c.pairs.count(r))
}

// notRareWith appends those of some nodes that are in no rare pair with another one before them.
func (c *counter) notRareWith(z int32, after, out []int32) []int32 {
	counts, k := c.pairs.counts[int(z)*c.pairs.n:][:c.pairs.n], int32(c.k)
	for _, w := range after {
		if counts[w] >= k {
			out = append(out, w)
		}
	}
	return out
}

// refresh finds the rows that publish the nodes of the path: the first two, the first three, ...
func (c *counter) refresh() {
	t := &c.tids
	for n, y := range c.path {
		to := &c.space.levels[n].with
		if n == 0 {
			*to = append((*to)[:0], t.bitMap(y)...)
			for i := range *to {
				(*to)[i] &= t.alive[i]
			}
			continue
		}
		c.narrow(to, c.space.levels[n-1].with, y)
	}
}

// narrow makes a map of those of some rows that publish a node.
func (c *counter) narrow(to *[]uint64, of []uint64, y int32) {
	*to = append((*to)[:0], of...)
	rows, is := c.tids.list(y)
	if !is {
		for i, word := range c.tids.bitMap(y) {
			(*to)[i] &= word
		}
		return
	}
	clear(*to)
	for _, n := range rows {
		(*to)[n/64] |= of[n/64] & (1 << (n % 64))
	}
}

// extendInMaps is extend for the sets that begin with the nodes of the path, given the weight of
// the rows that publish it, or what was counted of that. It looks no further than for an eighth of
// this more than k: so the sets are to be looked at again when that much has left.
func (c *counter) extendInMaps(weight int32) int32 {
	if c.stopped() {
		return wide
	}
	size := len(c.path)
	l, k, most := &c.space.levels[size-1], int32(c.k), weight/8
	slack := int32(wide)
	took := 0
	for i, z := range l.touched {
		both, words := c.weightWith(l.with, z, k+min(slack, most))
		took += words
		if both == 0 {
			continue
		}
		if both < k {
			c.set = append(c.set[:size], c.nodes[z])
			c.gatherWith(l.with, z)
			c.broken(c.set, c.occs)
			c.refresh()
			continue
		}
		slack = min(slack, both-k)
		if size+1 < c.m-1 {
			c.set = append(c.set[:size], c.nodes[z])
			c.path = append(c.path, z)
			next := &c.space.levels[size]
			next.touched = c.notRareWith(z, l.touched[i+1:], next.touched[:0])
			c.narrow(&next.with, l.with, z)
			slack = min(slack, c.extendInMaps(both))
			c.path = c.path[:size]
		}
	}
	*c.work += int64(took) / (4 * met)
	return slack
}

// weightWith is the weight of those of some rows that publish a node, or as much as is enough at
// least, and how many words and rows were looked at.
func (c *counter) weightWith(with []uint64, y, enough int32) (weight int32, took int) {
	rows, is := c.tids.list(y)
	if is {
		for i, n := range rows {
			if with[n/64]>>(n%64)&1 != 0 {
				if weight += c.share[n].weight; weight >= enough {
					return weight, i
				}
			}
		}
		return weight, len(rows)
	}
	one := c.tids.bitMap(y)
	for i, word := range one {
		if weight += int32(bits.OnesCount64(word & with[i])); weight >= enough {
			return weight, i
		}
	}
	if !c.heavy {
		return weight, len(one)
	}
	weight = 0
	for n := range bitsOf(one, with) {
		weight += c.share[n].weight
	}
	return weight, 2 * len(one)
}

// gatherWith lists the occurrences of a node in those of some rows that publish it, into occs.
func (c *counter) gatherWith(with []uint64, y int32) {
	c.occs = c.occs[:0]
	for n := range c.rowsOf(y) {
		if with[n/64]>>(n%64)&1 != 0 {
			c.occurs(n, y)
		}
	}
}
