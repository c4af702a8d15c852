package local

import (
	"iter"
	"math/bits"
	"slices"
)

// tids has, for the nodes that a counter knows, the rows that publish each (tid-lists, as in
// vertical mining of itemsets). They are made when the first is asked for: many counters have
// nothing rare. A node that many rows publish has a bit map in place of a list, which is smaller
// then. Rows may be out.
type tids struct {
	listed int32   // rows; those counted later are looked at, too. Zero: nothing is made
	from   []int32 // by short number: where its list begins in rows; ^b: it has the b-th bit map
	to     []int32 // where its list ends
	rows   []int32 // places in the counter's list, ascending for each node
	words  int     // of a bit map
	maps   []uint64
	alive  []uint64 // the rows that are not out, as a bit map
}

const (
	// frequent nodes are those that more than one in so many rows publish: their bit maps take less
	// room than lists would.
	frequent = 32
	// behind is how many rows may have been counted since the lists were made.
	behind = 64
	// nearby is how many times as long a list may be as one that it is merged with.
	nearby = 16
)

// list is that of a node, if it has one.
func (t *tids) list(y int32) (rows []int32, is bool) {
	if int(y) >= len(t.from) { // it came later
		return nil, true
	}
	if t.from[y] < 0 {
		return nil, false
	}
	return t.rows[t.from[y]:t.to[y]], true
}

// bitMap is that of a node that has no list.
func (t *tids) bitMap(y int32) []uint64 { return t.maps[int(^t.from[y])*t.words:][:t.words] }

// listTids makes the lists, if there are none that are good.
func (c *counter) listTids() {
	t, rows := &c.tids, int32(len(c.list))
	if t.listed > 0 && rows-t.listed <= behind {
		return
	}
	t.listed, t.words = rows, int(rows+63)/64
	t.from = slices.Grow(t.from[:0], len(c.by))[:len(c.by)]
	all, maps, most := int32(0), int32(0), rows/frequent
	for y := range c.by {
		if n := c.by[y].rows; n > most {
			t.from[y] = ^maps
			maps++
		} else {
			t.from[y] = all
			all += n
		}
	}
	t.to = append(t.to[:0], t.from...)
	t.rows = slices.Grow(t.rows[:0], int(all))[:all]
	words := int(maps) * t.words
	t.maps = slices.Grow(t.maps[:0], words)[:words]
	clear(t.maps)
	c.fillTids()
	t.alive = c.findAlive(t.alive)
}

// findAlive makes a map of the rows that are not out, in the room of another one.
func (c *counter) findAlive(alive []uint64) []uint64 {
	alive = append(alive[:0], make([]uint64, c.tids.words)...)
	for n := range c.list[:c.tids.listed] {
		if c.share[n].weight > 0 {
			alive[n/64] |= 1 << (n % 64)
		}
	}
	return alive
}

// drop notes that a row is out.
func (t *tids) drop(n int32) {
	if n < t.listed {
		t.alive[n/64] &^= 1 << (n % 64)
	}
}

// lose notes that a row has lost a node.
func (t *tids) lose(n, y int32) {
	if n >= t.listed {
		return
	}
	rows, is := t.list(y)
	if !is {
		t.bitMap(y)[n/64] &^= 1 << (n % 64)
	} else if at, has := slices.BinarySearch(rows, n); has {
		copy(rows[at:], rows[at+1:])
		t.to[y]--
	}
}

// fillTids goes through the rows.
func (c *counter) fillTids() {
	t := &c.tids
	at, to, list, maps := int32(0), t.to, t.rows, t.maps
	for n, end := range c.end {
		for _, y := range c.flat[at:end] {
			if place := to[y]; y == 0 { // is no longer published
				continue
			} else if place >= 0 {
				list[place] = int32(n)
				to[y] = place + 1
			} else {
				maps[int(^place)*t.words+n/64] |= 1 << (n % 64)
			}
		}
		at = end
	}
}

// rowsOf goes through the rows that publish a node, and perhaps through others, the last one first.
func (c *counter) rowsOf(y int32) iter.Seq[int32] {
	return func(yield func(n int32) bool) {
		for n := int32(len(c.list)) - 1; n >= c.tids.listed; n-- {
			if !yield(n) {
				return
			}
		}
		if rows, is := c.tids.list(y); is {
			for _, n := range slices.Backward(rows) {
				if !yield(n) {
					return
				}
			}
			return
		}
		bitsOf(c.tids.bitMap(y), nil)(yield)
	}
}

// bitsOf goes through what is in a bit map and in another one, if there is one, the last one first.
func bitsOf(m, other []uint64) iter.Seq[int32] {
	return func(yield func(n int32) bool) {
		for i, word := range slices.Backward(m) {
			if other != nil {
				word &= other[i]
			}
			for word != 0 {
				bit := 63 - bits.LeadingZeros64(word)
				if word &^= 1 << bit; !yield(int32(64*i + bit)) {
					return
				}
			}
		}
	}
}

// eachRowOfBoth calls do with the rows that publish both nodes, the last one first. Some may be
// out.
func (c *counter) eachRowOfBoth(y, z int32, do func(n int32)) {
	t := &c.tids
	for n := int32(len(c.list)) - 1; n >= t.listed; n-- {
		if c.has(n, y) && c.has(n, z) {
			do(n)
		}
	}
	short, is := t.list(y)
	if long, too := t.list(z); too && (!is || len(long) < len(short)) {
		short, is, z = long, too, y
	}
	if !is {
		for n := range bitsOf(t.bitMap(y), t.bitMap(z)) {
			do(n)
		}
		return
	}
	has := c.hasListed(len(short), z)
	for _, n := range slices.Backward(short) {
		if has(n) {
			do(n)
		}
	}
}

// hasListed is for rows of a list of some length, the last one first: whether one publishes z.
func (c *counter) hasListed(length int, z int32) func(n int32) bool {
	t := &c.tids
	long, is := t.list(z)
	switch {
	case !is:
		m := t.bitMap(z)
		return func(n int32) bool { return m[n/64]>>(n%64)&1 != 0 }
	case len(long) > nearby*length:
		return func(n int32) bool { return c.has(n, z) }
	}
	return func(n int32) bool {
		for len(long) > 0 && long[len(long)-1] > n {
			long = long[:len(long)-1]
		}
		return len(long) > 0 && long[len(long)-1] == n
	}
}

// has tells whether a row publishes a node.
func (c *counter) has(n, y int32) bool { return slices.Contains(c.flat[c.begins(n):c.end[n]], y) }

// gather lists the occurrences of a node, into occs, the last row first.
func (c *counter) gather(y int32) {
	c.listTids()
	c.occs = c.occs[:0]
	for n := range c.rowsOf(y) {
		c.occurs(n, y)
	}
}

// gatherPair lists the occurrences of a node in the rows that publish another one, too.
func (c *counter) gatherPair(r pair) {
	c.listTids()
	c.occs = c.occs[:0]
	c.eachRowOfBoth(r.y, r.z, func(n int32) { c.occurs(n, r.y) })
}

// occurs appends where a node is in a row to occs, if it is there.
func (c *counter) occurs(n, y int32) {
	if c.share[n].weight == 0 {
		return
	}
	begin := c.begins(n)
	if at := slices.Index(c.flat[begin:c.end[n]], y); at >= 0 {
		c.occs = append(c.occs, occurrence{n, begin + int32(at)})
	}
}
