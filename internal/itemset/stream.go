package itemset

import "math"

// cellsAnOccurrence is how many cells a table may have for each occurrence in the data, where it is
// filled from the transactions as they are read: 16 bytes. Rows at the cut and the lists of them,
// which are not made then, take 8, and those of a table 12.
const cellsAnOccurrence = 4

// streams tells whether all sets can be counted in one table while the transactions are read, with
// no rows held.
func (c *fromCut) streams() bool {
	n, d := len(c.nodes), &c.Data
	if d.Occurrences == 0 || d.Units != nil || n*c.K >= manyOf {
		return false
	}
	most := cellsAnOccurrence * float64(d.Occurrences)
	// of transactions with so many items in all, those of one length have the fewest sets
	sets := chosen(d.Occurrences/d.Len, c.M, math.MaxInt32)
	most = min(most, cellsASet*float64(d.Len)*float64(sets))
	if c.Bound > 0 {
		most = min(most, float64(c.Bound)/16)
	}
	return chosen(n, c.M, int64(most)) <= int64(most)
}

// markCut notes which nodes are at the cut.
func (c *fromCut) markCut() {
	for it, occurs := range c.Data.occurring() {
		if u := c.at(int32(it)); occurs && u != c.tree.root() {
			c.atCut[c.number(u)] = true
		}
	}
}

// stream is table for all sets, filled as the transactions are read.
func (c *fromCut) stream() {
	behind := identity(len(c.nodes))
	copy(c.local, behind)
	t := c.newTable(nil, behind, c.M)
	to := make([]int32, c.Data.Items)
	for it := range to {
		to[it] = -1
		if u := t.at(int32(it)); u != t.tree.root() && t.rank[u] >= 0 {
			to[it] = t.number(u)
		}
	}
	r := cellReader{cellCounter: t.counter(), data: &c.Data, to: to, segment: c.segment}
	r.progress = c.Progress
	r.run()
	for z := range c.local {
		c.local[z] = -1
	}
	t.walk()
}
