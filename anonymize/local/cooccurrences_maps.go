package local

import (
	"math/bits"
	"slices"
)

// fineInMaps is fineWith where the node has a bit map of rows. Each of the others is looked for by
// itself, in the rows of both, until it has enough: most have after a few words. Where one has no
// map, it and those after it are left to be looked for in the rows.
func (c *cooccurrences) fineInMaps(y int32, nodes []int32, are supports) (rest []int32, fine bool) {
	one := c.tids.bitMap(y)
	for n, z := range nodes {
		if _, is := c.tids.list(z); is {
			return nodes[n:], true
		}
		count, took := c.inBoth(one, c.tids.bitMap(z), int32(are.least))
		if int(count) < are.least {
			count += c.behindWith(y, z)
		}
		c.spent += took
		if *c.work += took / met; !are.have(count) {
			return nil, false
		}
	}
	return nil, true
}

// inBoth is the weight of the rows in two maps, or as much as is enough at least, and how many
// words and rows were looked at.
func (c *cooccurrences) inBoth(one, other []uint64, enough int32) (weight int32, took int64) {
	for i := len(one) - 1; i >= 0 && weight < enough; i-- {
		took++
		for word := one[i] & other[i]; word != 0; word &= word - 1 {
			took++
			weight += c.share[64*i+bits.TrailingZeros64(word)].weight
		}
	}
	return weight, took
}

// behindWith is the weight of the rows with two nodes that were counted after the maps were made.
func (c *cooccurrences) behindWith(y, z int32) (weight int32) {
	for n := c.tids.listed; int(n) < len(c.list); n++ {
		set := c.flat[c.begins(n):c.end[n]]
		if c.share[n].weight > 0 && slices.Contains(set, y) && slices.Contains(set, z) {
			weight += c.share[n].weight
		}
	}
	return weight
}
