package local

import (
	"cmp"
	"slices"
)

// Sets of more than three nodes, where pairs are counted: those that begin with a pair are counted
// when it is first looked at, and again when so many rows with the pair have left that one of them
// may be rare. A pair is due while its least count is k.

// dropWatched is dropPairs for m>3.
func (c *counter) dropWatched(set []int32, weight int32) {
	p := &c.pairs
	for a, y := range set {
		counts, least := p.counts[int(y)*p.n:][:p.n], p.least[int(y)*p.n:][:p.n]
		for _, z := range set[a+1:] {
			left := counts[z] - weight
			if counts[z] = left; left < least[z] {
				c.fallen(pair{y, z}, weight)
			}
		}
	}
}

// loseWatched is losePairs for m>3. Sets that begin with two nodes before the one lost have lost
// weight, too, which their count does not show.
func (c *counter) loseWatched(set []int32, at int, weight int32) {
	p, y := &c.pairs, set[at]
	p.lost += weight
	for a, x := range set[:at] {
		r := pair{x, y}
		*p.count(r) -= weight
		c.fallen(r, weight)
		least := p.least[int(x)*p.n:][:p.n]
		for _, z := range set[a+1 : at] {
			if least[z] > int32(c.k) {
				least[z] += weight
				c.watch(pair{x, z})
			}
		}
	}
	for _, z := range set[at+1:] {
		r := pair{y, z}
		*p.count(r) -= weight
		c.fallen(r, weight)
	}
}

// fallen sees to a pair whose count has fallen by some weight.
func (c *counter) fallen(r pair, weight int32) {
	p, k := &c.pairs, int32(c.k)
	if left := *p.count(r); left < k && left+weight >= k {
		p.rare = append(p.rare, r)
	}
	c.watch(r)
}

// watch makes a pair due, if its count is below its least.
func (c *counter) watch(r pair) {
	p := &c.pairs
	at := int(r.y)*p.n + int(r.z)
	if p.counts[at] < p.least[at] && p.least[at] > int32(c.k) {
		p.least[at] = int32(c.k)
		c.by[r.y].slack = -1
		c.queueLarger(r.y)
	}
}

// lookBeside looks at the sets of a node and at least two others that begin with a pair that is
// due.
func (c *counter) lookBeside(y int32) {
	p, k := &c.pairs, int32(c.k)
	c.by[y].slack = wide
	counts, least := p.counts[int(y)*p.n:][:p.n], p.least[int(y)*p.n:][:p.n]
	c.listTids()
	c.beside, c.inRows = c.beside[:0], c.inRows[:0]
	for _, z := range c.inOrder() {
		if counts[z] < k {
			continue
		}
		c.beside = append(c.beside, z)
		if least[z] == k && !c.manyInMaps(pair{y, z}) {
			c.inRows = append(c.inRows, z)
		}
	}
	lists, at := c.projectAll(y), -1
	for i, z := range c.beside {
		r, count := pair{y, z}, counts[z]
		inRows := at+1 < len(c.inRows) && c.inRows[at+1] == z
		if inRows {
			at++
		}
		if least[z] > k || count < k || !inRows && !c.inMaps(r) {
			continue // by what has left since; if it has become due, the node is, too
		}
		c.set, p.lost = append(c.set[:0], c.nodes[y], c.nodes[z]), 0
		switch {
		case !inRows:
			c.looked(r, count, c.lookInMaps(r, c.beside[i+1:]))
		case lists != nil:
			c.looked(r, count, c.extend(2, lists[at]))
		default:
			c.gatherPair(pair{z, y})
			c.looked(r, count, c.extend(2, c.occs))
		}
	}
}

// projectAll lists the occurrences of each node that is to be looked at in the rows beside another
// one, if to go through all rows of that one takes less than to find each by itself; else nil.
func (c *counter) projectAll(y int32) [][]occurrence {
	one, all := len(c.flat)/len(c.list), 0 // the length of a row, about
	for _, z := range c.inRows {
		all += c.tids.words + int(*c.pairs.count(pair{y, z}))*one/2
	}
	if all < int(c.by[y].rows)*one {
		return nil
	}
	c.gather(y)
	l := &c.space.levels[0]
	c.project(l, c.occs, c.inRows)
	return l.lists[:len(c.inRows)]
}

// looked notes that the larger sets that begin with a pair have been looked at, what its count was
// then, and how much weight may leave until one may be rare. What was lost meanwhile has left some
// of them, perhaps.
func (c *counter) looked(r pair, count, slack int32) {
	p := &c.pairs
	at := int(r.y)*p.n + int(r.z)
	p.least[at] = max(int32(c.k)+1, count-slack+p.lost)
	if p.counts[at] < count || p.lost > 0 {
		c.watch(r)
	}
}

// inOrder are the short numbers in the order in which rows have them.
func (c *counter) inOrder() []int32 {
	p := &c.pairs
	if len(p.inOrder) == 0 {
		for y := range c.nodes[1:] {
			p.inOrder = append(p.inOrder, int32(y)+1)
		}
		slices.SortFunc(p.inOrder, func(a, b int32) int {
			return cmp.Compare(c.nodes[a], c.nodes[b])
		})
	}
	return p.inOrder
}
