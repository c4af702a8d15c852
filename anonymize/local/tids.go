package local

import "slices"

// tids has, for the nodes that a counter knows, the rows that publish each (tid-lists, as in
// vertical mining of itemsets). They are made when the first is asked for: many counters have
// nothing rare. A node that many rows publish has no list, and its rows are looked for among all:
// in dense data the lists would be as large as all that is published.
type tids struct {
	listed int32 // rows; those counted later are looked for, too. Zero: no list is made
	// by short number: where its list begins in rows, and where it ends; -1: it has none
	from, to []int32
	rows     []int32 // places in the counter's list, ascending for each node
}

const (
	// frequent nodes are those that more than one in so many rows publish.
	frequent = 4
	// behind is how many rows may have been counted since the lists were made.
	behind = 64
	// nearby is how many times as long a list may be as one that it is merged with.
	nearby = 16
)

// of is the list of a node, if it has one.
func (t *tids) of(y int32) (rows []int32, is bool) {
	if int(y) >= len(t.from) {
		return nil, true
	}
	from, to := t.from[y], t.to[y]
	if from < 0 {
		return nil, false
	}
	return t.rows[from:to], true
}

// listTids makes the lists, if there are none that are good.
func (c *counter) listTids() {
	t, rows := &c.tids, int32(len(c.list))
	if t.listed > 0 && rows-t.listed <= behind {
		return
	}
	t.listed = rows
	t.from = slices.Grow(t.from[:0], len(c.by))[:len(c.by)]
	all, most := int32(0), rows/frequent
	for y := range c.by {
		t.from[y] = all
		if n := c.by[y].rows; y == 0 || n > most {
			t.from[y] = -1
		} else {
			all += n
		}
	}
	t.to = append(t.to[:0], t.from...)
	t.rows = slices.Grow(t.rows[:0], int(all))[:all]
	at := int32(0)
	for n, end := range c.end {
		for _, y := range c.flat[at:end] {
			if to := t.to[y]; to >= 0 {
				t.rows[to] = int32(n)
				t.to[y] = to + 1
			}
		}
		at = end
	}
}

// eachRow calls do with all rows that publish a node, and perhaps with others, the last one first.
func (c *counter) eachRow(y int32, do func(n int32)) {
	for n := int32(len(c.list)) - 1; n >= c.tids.listed; n-- {
		do(n)
	}
	if rows, is := c.tids.of(y); is {
		for _, n := range slices.Backward(rows) {
			do(n)
		}
		return
	}
	for n := c.tids.listed - 1; n >= 0; n-- {
		do(n)
	}
}

// gather lists the occurrences of a node, into occs, the last row first.
func (c *counter) gather(y int32) {
	c.listTids()
	c.occs = c.occs[:0]
	c.eachRow(y, func(n int32) { c.occurs(n, y) })
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

// gatherPair lists the occurrences of one of two nodes in the rows that publish both.
func (c *counter) gatherPair(r pair) {
	c.listTids()
	c.occs = c.occs[:0]
	y, z := r.y, r.z
	short, is := c.tids.of(y)
	long, too := c.tids.of(z)
	if too && (!is || len(long) < len(short)) {
		y, z, short, is, long, too = z, y, long, too, short, is
	}
	merged := is && too && len(long) <= nearby*len(short)
	c.eachRow(y, func(n int32) {
		if merged && n < c.tids.listed {
			for len(long) > 0 && long[len(long)-1] > n {
				long = long[:len(long)-1]
			}
			if len(long) == 0 || long[len(long)-1] != n {
				return
			}
		}
		if slices.Contains(c.flat[c.begins(n):c.end[n]], z) {
			c.occurs(n, y)
		}
	})
}
