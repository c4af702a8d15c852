package verify

import (
	"slices"

	"mingle/privacy"
)

// classes are distinct rows with an index, and the part of them in which a breach can be.
//
// A row is open when some combination inside it may be a breach. It is not open, and nothing needs
// to be enumerated for its sake, when both
//
//	(1) its weight, or the total weight of the rows that contain it, is at least k, and
//	(2) for each sensitive item s, l times its tally of s is at most its weight.
//
// Proof that a breach lies inside an open row. Let J be rare. Each row R that contains J has sup(R)
// ≤ sup(J) < k, since whatever contains R contains J: all of them fail (1). Let J break diversity
// for s. The rows that contain J are distinct and sup(J) is the sum of their weights, sup(J and s)
// the sum of their tallies. If each kept (2), summing would give l·sup(J and s) ≤ sup(J). So one of
// them fails (2). Hence only combinations of open rows are enumerated, while supports are counted
// over all rows; an item that no open row has need not be counted at all. Leaving such items out
// makes rows equal, and equal rows are merged: that loses nothing, because supports of combinations
// of the other items stay the same.
//
// The same holds in a projection, the rows that contain a given prefix cut down to the items behind
// it: the combinations with that prefix have the same supports there.
type classes struct {
	rows
	label   []int32 // item number -> node
	open    []bool
	anyOpen bool  // set by closeShort
	at      []ref // for each item, where it stands
	atStart []uint32
}

// ref is an occurrence of an item: the row, and the position in rows.items right behind it.
type ref struct {
	row  int32
	next uint32
}

func (c *classes) refs(item int32) []ref { return c.at[c.atStart[item]:c.atStart[item+1]] }

// classify builds the index of distinct rows and finds the open ones. size is the largest
// combination to be checked: closing rows by what contains them pays for large ones only.
func classify(r *rows, label []int32, p privacy.KM, size int) *classes {
	c := &classes{rows: *r, label: label}
	c.index()
	c.open = make([]bool, len(c.weight))
	for i := range c.open {
		light := int(c.weight[i]) < p.K && (size < 4 || !c.covered(c.row(i), p.K, size))
		c.open[i] = light || !c.diverse(i, p)
	}
	return c
}

func (c *classes) diverse(i int, p privacy.KM) bool {
	for _, t := range c.tallies(i) {
		if int(t.count)*p.L > int(c.weight[i]) {
			return false
		}
	}
	return true
}

// covered tells whether the rows that contain set weigh k or more. It gives up where that takes
// long, or longer than to enumerate the combinations of the set: a row that is open without need
// costs time, not soundness.
func (c *classes) covered(set []int32, k, size int) bool {
	const long = 4096
	most := min(long, inside(len(set), size, long))
	return len(c.refs(c.rarest(set))) <= most && c.support(set, k) >= k
}

// inside is how many combinations of 1 to size of n items there are, or most if that is less.
func inside(n, size, most int) int {
	total, of := 0, 1
	for i := 1; i <= min(n, size) && total < most; i++ {
		of = of * (n - i + 1) / i
		total += of
	}
	return min(total, most)
}

// rarest is the item of a set that is in the fewest rows.
func (c *classes) rarest(set []int32) int32 {
	return slices.MinFunc(set, func(a, b int32) int { return len(c.refs(a)) - len(c.refs(b)) })
}

// support is the total weight of the rows that contain set; counting ends at least.
func (c *classes) support(set []int32, least int) int {
	total := 0
	for _, at := range c.refs(c.rarest(set)) {
		if contains(c.row(int(at.row)), set) {
			if total += int(c.weight[at.row]); total >= least {
				break
			}
		}
	}
	return total
}

// contains tells whether a sorted row has all of a sorted set.
func contains(row, set []int32) bool {
	for _, z := range row {
		if len(set) == 0 || z > set[0] {
			break
		}
		if z == set[0] {
			set = set[1:]
		}
	}
	return len(set) == 0
}

func (c *classes) index() {
	c.atStart = make([]uint32, len(c.label)+1)
	for _, z := range c.items {
		c.atStart[z+1]++
	}
	for z := range c.label {
		c.atStart[z+1] += c.atStart[z]
	}
	c.at = make([]ref, len(c.items))
	next := slices.Clone(c.atStart)
	for i := range c.weight {
		for pos := c.start[i]; pos < c.start[i+1]; pos++ {
			z := c.items[pos]
			c.at[next[z]] = ref{int32(i), pos + 1}
			next[z]++
		}
	}
}
