package local

import (
	"cmp"
	"slices"
)

// counter finds the sets that break the promise among elements that all publish one node, and follows what becomes of
// these elements. Within it nodes have short numbers of their own, so that what is counted stays close together.
type counter struct {
	s     *state
	space *space
	nodes []int32 // by short number; the first stands for what is no longer published

	list  []*element
	end   []int32 // by element: where its set ends in flat
	flat  []int32 // what the elements publish, but for the node and what is left out
	share []share // by element; zero when it is out
	total share   // of all elements

	changed bool           // total, since it was looked at
	by      []tally        // by short number
	occ     [][]occurrence // by short number
	rare    []int32        // short numbers whose set with the node may break the promise
	todo    []int32        // short numbers; sets of three or more that begin with them have to be looked at
	set     []int32        // the set looked at, as nodes
	broken  func(set []int32, occs []occurrence)
}

// space is working space that counters of one goroutine share.
type space struct {
	number []int32 // by node: its short number; zero between uses
	levels []level // by set size less one
}

// share is how many transactions there are, and how many of them have a sensitive item (only with diversity).
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
	// slack is how much weight may leave before a larger set that begins with the node can be rare, or negative: look.
	slack int32
	rare  bool // is in rare
	due   bool // is in todo
}

func (t *tally) leave(s share) {
	t.take(s)
	t.slack -= s.weight
}

// occurrence is one place in flat of a set's last node.
type occurrence struct{ element, at int32 }

// level is the working space of one set size, by short number; zero between uses.
type level struct {
	shares  []share
	touched []int32
	slot    []int32 // place in lists, plus one
	lists   [][]occurrence
}

// wide is a slack that is never used up.
const wide = 1 << 30

func newSpace(s *state) *space {
	return &space{number: make([]int32, s.tree.Nodes()), levels: make([]level, max(1, s.m))}
}

// count is what is counted: a node, what is left out of the sets with it, and what they are made of (nil: everything).
type count struct {
	node, skip int32
	only       []bool
}

// settle calls broken for the sets of the node and at most m-1 others that break the promise, as far as something has changed
// about them, but not for sets that contain such a one.
func (c *counter) settle(broken func(set []int32, occs []occurrence)) {
	c.broken = broken
	for c.total.weight > 0 && (c.lookAtAll() || c.lookAtRare() || c.lookFurther()) {
	}
}

// lookAtAll looks at the set of the node alone, if it has changed.
func (c *counter) lookAtAll() bool {
	if !c.changed {
		return false
	}
	c.changed = false
	if !c.suspect(c.total) {
		return true
	}
	all := make([]occurrence, len(c.list))
	for i := range all {
		all[i].element = int32(i)
	}
	if c.breaks(c.total, all) {
		c.broken(nil, all)
	}
	return true
}

// lookAtRare looks at a set of two, if there is one to be looked at: they cost next to nothing, so they come first.
func (c *counter) lookAtRare() bool {
	if len(c.rare) == 0 {
		return false
	}
	y := c.rare[len(c.rare)-1]
	c.rare = c.rare[:len(c.rare)-1]
	t := &c.by[y]
	t.rare = false
	if !c.breaks(t.share, c.occ[y]) {
		return true
	}
	c.set = append(c.set[:0], c.nodes[y])
	c.broken(c.set, c.occ[y])
	return true
}

// lookFurther looks at the larger sets that begin with a node, if there are any to be looked at.
func (c *counter) lookFurther() bool {
	if len(c.todo) == 0 {
		return false
	}
	y := c.todo[len(c.todo)-1]
	c.todo = c.todo[:len(c.todo)-1]
	t := &c.by[y]
	t.due = false
	if t.slack < 0 && t.weight >= int32(c.s.k) {
		t.slack = 0
		c.set = append(c.set[:0], c.nodes[y])
		more := c.extend(1, c.occ[y])
		t.slack += more // what has left meanwhile has been taken
	}
	return true
}

// suspect tells whether a set of this share may break the promise.
func (c *counter) suspect(s share) bool {
	return s.weight > 0 && (int(s.weight) < c.s.k || c.s.div != nil && int64(s.sensitive)*c.s.div.l > int64(s.weight))
}

// breaks tells whether a set of this share, with the given occurrences, breaks the promise.
func (c *counter) breaks(s share, occs []occurrence) bool {
	if !c.suspect(s) {
		return false
	}
	if int(s.weight) < c.s.k {
		return true
	}
	var holders []*element
	for _, o := range occs {
		if c.share[o.element].weight > 0 {
			holders = append(holders, c.list[o.element])
		}
	}
	return !c.s.div.diverse(c.s, holders)
}

// load begins anew with a list of elements.
func (c *counter) load(what count, list []*element) {
	c.list, c.total, c.changed = list, share{}, true
	c.end, c.flat, c.share = c.end[:0], c.flat[:0], c.share[:0]
	c.nodes, c.by = c.nodes[:0], c.by[:0]
	c.rare, c.todo = c.rare[:0], c.todo[:0]
	c.enter(-1)
	for n, e := range list {
		s := share{int32(e.weight), int32(e.sensitive)}
		c.total.add(s)
		c.share = append(c.share, s)
		if c.s.m > 1 {
			c.loadSet(what, int32(n), s)
		}
		c.end = append(c.end, int32(len(c.flat)))
	}
	c.s.work += handled * int64(len(c.flat)+len(list))
	for y := int32(len(c.nodes)) - 1; y > 0; y-- {
		c.space.number[c.nodes[y]] = 0
		c.queue(y)
	}
}

func (c *counter) loadSet(what count, n int32, s share) {
	for _, v := range c.list[n].now {
		if v == what.node || v == what.skip || what.only != nil && !what.only[v] {
			continue
		}
		y := c.space.number[v]
		if y == 0 {
			y = c.enter(v)
		}
		c.by[y].add(s)
		c.occ[y] = append(c.occ[y], occurrence{n, int32(len(c.flat))})
		c.flat = append(c.flat, y)
	}
}

// enter gives a node its short number, and makes room for what is known of it.
func (c *counter) enter(v int32) int32 {
	y := int32(len(c.nodes))
	c.nodes = append(c.nodes, v)
	if v >= 0 {
		c.space.number[v] = y
	}
	if c.s.m > 2 {
		c.by = append(c.by, tally{slack: -1})
	} else {
		c.by = append(c.by, tally{slack: wide})
	}
	if int(y) == len(c.occ) {
		c.occ = append(c.occ, nil)
	}
	c.occ[y] = c.occ[y][:0]
	for i := range c.space.levels {
		if l := &c.space.levels[i]; int(y) == len(l.shares) {
			l.shares, l.slot = append(l.shares, share{}), append(l.slot, 0)
		}
	}
	return y
}

// begins is where the set of an element begins in flat.
func (c *counter) begins(n int32) int32 {
	if n == 0 {
		return 0
	}
	return c.end[n-1]
}

// drop puts an element out.
func (c *counter) drop(n int32) {
	s := c.share[n]
	c.share[n] = share{}
	c.total.take(s)
	c.changed = true
	for _, y := range c.flat[c.begins(n):c.end[n]] {
		c.by[y].leave(s)
		c.queue(y)
	}
}

// lose takes a node out of what an element publishes.
func (c *counter) lose(n, v int32) {
	s := c.share[n]
	begin := c.begins(n)
	for i, y := range c.flat[begin:c.end[n]] {
		c.by[y].slack -= s.weight
		if c.nodes[y] != v {
			c.queue(y)
			continue
		}
		c.by[y].take(s)
		c.queue(y)
		c.flat[begin+int32(i)] = 0
		occs := c.occ[y]
		at, _ := slices.BinarySearchFunc(occs, n, func(o occurrence, n int32) int { return cmp.Compare(o.element, n) })
		c.occ[y] = slices.Delete(occs, at, at+1)
		return
	}
}

// split moves the share of a new element out of that of another that publishes the same.
func (c *counter) split(n int32, part *element) {
	s := share{int32(part.weight), int32(part.sensitive)}
	c.share[n].take(s)
	c.list, c.share = append(c.list, part), append(c.share, s)
	for _, y := range c.flat[c.begins(n):c.end[n]] {
		c.occ[y] = append(c.occ[y], occurrence{int32(len(c.list) - 1), int32(len(c.flat))})
		c.flat = append(c.flat, y)
	}
	c.end = append(c.end, int32(len(c.flat)))
}

// queue sees to it that the sets that begin with a node are looked at, if that is necessary.
func (c *counter) queue(y int32) {
	t := &c.by[y]
	if !t.rare && c.suspect(t.share) {
		t.rare = true
		c.rare = append(c.rare, y)
	}
	if !t.due && t.slack < 0 {
		t.due = true
		c.todo = append(c.todo, y)
	}
}

// extend looks at the sets that have one node more than the current one, of the given size, and occur with it. It returns
// how much weight may leave before one of them can break the promise.
func (c *counter) extend(size int, occs []occurrence) int32 {
	l := &c.space.levels[size-1]
	c.countNext(l, occs)
	deeper := size+1 < c.s.m-1
	slack := int32(wide)
	next := l.touched[:0]
	for _, z := range l.touched {
		s := l.shares[z]
		if z == 0 {
			l.shares[0] = share{}
			continue
		}
		if c.suspect(s) {
			next = append(next, z)
			continue
		}
		slack = min(slack, s.weight-int32(c.s.k))
		if deeper {
			next = append(next, z)
		} else {
			l.shares[z] = share{}
		}
	}
	if c.s.div != nil {
		slack = 0 // a share may become too large as soon as anything leaves
	}
	if len(next) == 0 {
		return slack
	}
	c.project(l, occs, next)
	for i, z := range next {
		s := l.shares[z]
		l.shares[z] = share{}
		c.set = append(c.set[:size], c.nodes[z])
		if c.breaks(s, l.lists[i]) {
			c.broken(c.set, l.lists[i])
		} else if deeper {
			slack = min(slack, c.extend(size+1, l.lists[i]))
		}
	}
	return slack
}

// countNext weighs the nodes that follow the occurrences.
func (c *counter) countNext(l *level, occs []occurrence) {
	touched := l.touched[:0]
	for _, o := range occs {
		s := c.share[o.element]
		if s.weight == 0 {
			continue
		}
		c.s.work += int64(c.end[o.element] - o.at)
		for _, z := range c.flat[o.at+1 : c.end[o.element]] {
			t := &l.shares[z]
			if t.weight == 0 {
				touched = append(touched, z)
			}
			t.add(s)
		}
	}
	l.touched = touched
}

// project sorts the occurrences whose elements publish one of the nodes next too by that node, into l.lists.
func (c *counter) project(l *level, occs []occurrence, next []int32) {
	for len(l.lists) < len(next) {
		l.lists = append(l.lists, nil)
	}
	for i, z := range next {
		l.slot[z] = int32(i) + 1
		l.lists[i] = l.lists[i][:0]
	}
	for _, o := range occs {
		if c.share[o.element].weight == 0 {
			continue
		}
		for at := o.at + 1; at < c.end[o.element]; at++ {
			if i := l.slot[c.flat[at]]; i > 0 {
				l.lists[i-1] = append(l.lists[i-1], occurrence{o.element, at})
			}
		}
	}
	for _, z := range next {
		l.slot[z] = 0
	}
}
