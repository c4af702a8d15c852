package local

import "slices"

// This file follows the supports of sets that contain one node, as rows are dropped or publish
// less. A counter lists rows that all publish that node. A set of it and one other node is known by
// its tally at any moment; with m=3 and room for a table, so is each with two others (pairs.go);
// larger ones are counted again, by projection as in FP-growth (Han, Pei, Yin, SIGMOD 2000), when
// so much support has left that one may have become rare (larger.go). Within a counter nodes have
// short numbers of their own, so that what is counted stays close together.
//
// Time: linear in what the rows publish, besides what pairs.go and larger.go say. Memory: 12 bytes
// for each node of a row, 12 for each row.

// counter counts for one rule, with one meter.
type counter struct {
	rule  rule
	meter *meter
	space *space
	node  int32   // the one that all publish
	skip  int32   // one that is left out of the sets, or -1
	nodes []int32 // by short number; the first stands for what is no longer published

	rows  []entry // what follows calls their places in this list n
	flat  []int32 // what the rows publish, but for the node and what is left out, as short numbers
	links []link  // by place in flat
	total share   // of all

	changed bool    // total, since it was checked
	by      []tally // by short number
	rare    []int32 // short numbers whose set with the node may break the promise
	todo    []int32 // short numbers; sets of three or more that begin with them are to be checked
	set     []int32 // the set that is checked, as nodes
	occs    []occurrence
	broken  func(set []int32, occs []occurrence)
	pairs   pairs
}

// rule is what every published set has to keep.
type rule struct {
	k, m int
	div  *diversity // nil: none asked
}

// entry is a row in a counter.
type entry struct {
	row, tx int32
	share         // zero when it is dropped
	end     int32 // where its set ends in flat
}

// link leads from a place in flat to the one before it with the same node.
type link struct{ n, before int32 }

// space is working space that counters of one goroutine share.
type space struct {
	number []int32 // by node: its short number; zero between uses
	levels []level // by set size less one
	cells  cells
}

// share is how many transactions there are, and how many of them have a sensitive item (only with
// diversity).
type share struct{ weight, sensitive int32 }

func (a *share) add(b share) {
	a.weight += b.weight
	a.sensitive += b.sensitive
}

func (a *share) take(b share) {
	a.weight -= b.weight
	a.sensitive -= b.sensitive
}

// tally is what is known of a node besides the counted one.
type tally struct {
	share
	// slack is how much weight may leave before a larger set that begins with the node can be rare;
	// negative: that is to be checked.
	slack int32
	last  int32 // its last place in flat, plus one
	rare  bool  // is in rare
	due   bool  // is in todo
}

func (t *tally) leave(s share) {
	t.take(s)
	t.slack -= s.weight
}

// occurrence is one place in flat of a set's last node.
type occurrence struct{ n, at int32 }

// unlimited is a slack that is never used up.
const unlimited = 1 << 30

func newSpace(nodes, m int) *space {
	return &space{
		number: make([]int32, nodes),
		levels: make([]level, max(1, m)),
		cells:  cells{most: maxCells},
	}
}

// check calls broken for the sets of the node and at most m-1 others that break the promise, as far
// as something has changed about them, but not for sets that contain such a one. When the context
// ends it leaves the rest: the step will not be committed.
func (c *counter) check(broken func(set []int32, occs []occurrence)) {
	c.broken = broken
	for c.total.weight > 0 && !c.meter.stopped() && c.checkNext() {
	}
}

// checkNext checks a set, if there is one to be checked; the cheapest to check come first.
func (c *counter) checkNext() bool {
	return c.checkAlone() || c.checkTwo() || c.checkThree() || c.checkLarger()
}

// checkAlone checks the set of the node alone, if it has changed.
func (c *counter) checkAlone() bool {
	if !c.changed {
		return false
	}
	c.changed = false
	if !c.suspect(c.total) {
		return true
	}
	c.occs = c.occs[:0]
	for n := range c.rows {
		c.occs = append(c.occs, occurrence{n: int32(n)})
	}
	if c.breaks(c.total, c.occs) {
		c.broken(nil, c.occs)
	}
	return true
}

// checkTwo checks a set of two nodes, if there is one to be checked.
func (c *counter) checkTwo() bool {
	if len(c.rare) == 0 {
		return false
	}
	y := pop(&c.rare)
	t := &c.by[y]
	t.rare = false
	if !c.suspect(t.share) {
		return true
	}
	if c.gather(y); c.breaks(t.share, c.occs) {
		c.set = append(c.set[:0], c.nodes[y])
		c.broken(c.set, c.occs)
	}
	return true
}

// pop takes the last element of a list that has one.
func pop[T any](list *[]T) T {
	last := len(*list) - 1
	x := (*list)[last]
	*list = (*list)[:last]
	return x
}

// gather lists the occurrences of a node, into occs.
func (c *counter) gather(y int32) {
	c.occs = c.occs[:0]
	for at := c.by[y].last; at > 0; {
		l := c.links[at-1]
		if c.flat[at-1] == y && c.rows[l.n].weight > 0 {
			c.occs = append(c.occs, occurrence{l.n, at - 1})
		}
		at = l.before
	}
}

// suspect tells whether a set of this share may break the promise.
func (c *counter) suspect(s share) bool {
	div := c.rule.div
	return s.weight > 0 && (int(s.weight) < c.rule.k ||
		div != nil && int64(s.sensitive)*div.l > int64(s.weight))
}

// breaks tells whether a set of this share, with the given occurrences, breaks the promise.
func (c *counter) breaks(s share, occs []occurrence) bool {
	switch {
	case !c.suspect(s):
		return false
	case int(s.weight) < c.rule.k:
		return true
	}
	return !c.rule.div.diverse(func(yield func(tx, weight int32)) {
		for _, o := range occs {
			if e := &c.rows[o.n]; e.weight > 0 {
				yield(e.tx, e.weight)
			}
		}
	})
}

// begin begins anew, with sets of a node; another one, if not negative, is left out of them.
func (c *counter) begin(node, skip int32) {
	c.node, c.skip = node, skip
	c.total, c.changed = share{}, true
	c.rows, c.flat, c.links = c.rows[:0], c.flat[:0], c.links[:0]
	c.nodes, c.by = c.nodes[:0], c.by[:0]
	c.rare, c.todo = c.rare[:0], c.todo[:0]
	c.enter(-1)
	c.leaveOut(-1)
}

// leaveOut gives the node and the one left out a number that none has; zero to end that.
func (c *counter) leaveOut(number int32) {
	c.space.number[c.node] = number
	if c.skip >= 0 {
		c.space.number[c.skip] = number
	}
}

// add counts a row that publishes a set, or only those of its nodes that are known already, and
// returns its place in the list. The set may have nodes that are left out.
func (c *counter) add(e entry, set []int32, known bool) int32 {
	n := int32(len(c.rows))
	c.total.add(e.share)
	if c.rule.m > 1 {
		c.addSet(n, e.share, set, known)
	}
	e.end = int32(len(c.flat))
	c.rows = append(c.rows, e)
	return n
}

func (c *counter) addSet(n int32, s share, set []int32, known bool) {
	c.meter.add(counted + len(set))
	at := len(c.flat)
	c.flat = slices.Grow(c.flat, len(set))[:at+len(set)]
	c.links = slices.Grow(c.links, len(set))[:at+len(set)]
	for _, v := range set {
		y := c.space.number[v]
		if y <= 0 {
			if y < 0 || known {
				continue
			}
			y = c.enter(v)
		}
		t := &c.by[y]
		t.add(s)
		c.links[at] = link{n, t.last}
		c.flat[at] = y
		at++
		t.last = int32(at)
	}
	c.flat, c.links = c.flat[:at], c.links[:at]
}

// know makes a node known.
func (c *counter) know(v int32) {
	if c.space.number[v] == 0 {
		c.enter(v)
	}
}

// forget ends the use of the numbers for adding and knowing.
func (c *counter) forget() {
	for _, v := range c.nodes[1:] {
		c.space.number[v] = 0
	}
	c.leaveOut(0)
}

// ready begins to look for sets, when all rows are counted. With table, sets of three are counted
// at once, not when the first of them is to be checked.
func (c *counter) ready(table bool) {
	c.beginPairs()
	for y := range int32(len(c.nodes)) {
		c.queue(y)
	}
	if c.pairs.on && table {
		c.countPairs()
	}
}

// enter gives a node its short number, and makes room for what is known of it.
func (c *counter) enter(v int32) int32 {
	y := int32(len(c.nodes))
	c.nodes = append(c.nodes, v)
	if v >= 0 {
		c.space.number[v] = y
	}
	slack := int32(unlimited)
	if c.rule.m > 2 {
		slack = -1
	}
	c.by = append(c.by, tally{slack: slack})
	for i := range c.space.levels {
		if l := &c.space.levels[i]; int(y) == len(l.shares) {
			l.shares, l.slot = append(l.shares, share{}), append(l.slot, 0)
		}
	}
	return y
}

// published is what a row publishes, as short numbers.
func (c *counter) published(n int32) []int32 {
	begin := int32(0)
	if n > 0 {
		begin = c.rows[n-1].end
	}
	return c.flat[begin:c.rows[n].end]
}

// drop takes a row out.
func (c *counter) drop(n int32) {
	s := c.rows[n].share
	c.rows[n].share = share{}
	c.total.take(s)
	c.changed = true
	set := c.published(n)
	for _, y := range set {
		c.by[y].leave(s)
		c.queue(y)
	}
	c.dropPairs(set, s.weight)
}

// lose takes a node out of what a row publishes.
func (c *counter) lose(n, v int32) {
	s, set := c.rows[n].share, c.published(n)
	for i, y := range set {
		c.by[y].slack -= s.weight
		if c.nodes[y] != v {
			c.queue(y)
			continue
		}
		c.by[y].take(s)
		c.queue(y)
		c.losePairs(set, i, s.weight)
		set[i] = 0
		return
	}
}

// queue sees to it that the sets that begin with a node are checked, if that is necessary.
func (c *counter) queue(y int32) {
	t := &c.by[y]
	if !t.rare && c.suspect(t.share) {
		t.rare = true
		c.rare = append(c.rare, y)
	}
	if !t.due && t.slack < 0 && !c.pairs.on && int(t.weight) >= c.rule.k {
		t.due = true
		c.todo = append(c.todo, y)
	}
}
