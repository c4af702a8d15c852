package local

// Sets of more nodes than are counted at once: those that begin with some node are counted
// where they are, by projection.

// level is the working space of one set size, by short number; zero between uses.
type level struct {
	with    []uint64 // of lookInMaps: the rows that publish the set, as a bit map
	shares  []share
	touched []int32
	slot    []int32 // place in lists, plus one
	lists   [][]occurrence
}

// lookFurther looks at the larger sets that begin with a node, if there are any to be looked at.
func (c *counter) lookFurther() bool {
	if len(c.todo) == 0 {
		return false
	}
	y := pop(&c.todo)
	t := &c.by[y]
	t.due = false
	switch {
	case t.slack >= 0 || c.support(t) < int32(c.k):
	case c.pairs.on:
		c.lookBeside(y)
	default:
		t.slack = 0
		c.set = append(c.set[:0], c.nodes[y])
		c.gather(y)
		more := c.extend(1, c.occs)
		t.slack += more // what has left meanwhile has been taken
	}
	return true
}

// extend looks at the sets that have one node more than the current one, of the given size, and
// occur with it. It returns how much weight may leave before one of them can break the promise.
func (c *counter) extend(size int, occs []occurrence) int32 {
	if c.stopped() {
		return wide
	}
	l := &c.space.levels[size-1]
	c.countNext(l, occs)
	deeper := size+1 < c.m-1
	slack := int32(wide)
	next := l.touched[:0]
	for _, z := range l.touched {
		s := l.shares[z]
		if z == 0 {
			l.shares[0] = share{}
			continue
		}
		if !c.suspect(&tally{share: s}) { // of persons nothing is known before they are counted
			slack = min(slack, s.weight-int32(c.k), s.weight-int32(c.l)*s.sensitive)
			if !deeper {
				l.shares[z] = share{}
				continue
			}
		}
		next = append(next, z)
	}
	if len(next) == 0 {
		return slack
	}
	c.project(l, occs, next)
	for i, z := range next {
		t := tally{share: l.shares[z]}
		l.shares[z] = share{}
		c.set = append(c.set[:size], c.nodes[z])
		suspected := c.suspect(&t)
		if c.breaks(&t, l.lists[i]) {
			c.broken(c.set, l.lists[i])
			if c.spare != nil {
				slack = 0 // some may be left, and a share be too large as soon as more leave
			}
			continue
		}
		if c.byPerson != nil {
			slack = min(slack, t.persons-int32(c.k))
		}
		if suspected && c.spare != nil {
			slack = min(slack, int32(t.spare), t.weight-int32(c.k))
		}
		if deeper {
			slack = min(slack, c.extend(size+1, l.lists[i]))
		}
	}
	return slack
}

// countNext weighs the nodes that follow the occurrences.
func (c *counter) countNext(l *level, occs []occurrence) {
	touched := l.touched[:0]
	n := int64(0)
	for _, o := range occs {
		s := c.share[o.n]
		if s.weight == 0 {
			continue
		}
		n += int64(c.end[o.n] - o.at)
		for _, z := range c.flat[o.at+1 : c.end[o.n]] {
			t := &l.shares[z]
			if t.weight == 0 {
				touched = append(touched, z)
			}
			t.add(s)
		}
	}
	l.touched = touched
	*c.work += n / met
}

// project sorts the occurrences whose rows publish one of the nodes next too by that node, into
// l.lists.
func (c *counter) project(l *level, occs []occurrence, next []int32) {
	for len(l.lists) < len(next) {
		l.lists = append(l.lists, nil)
	}
	for i, z := range next {
		l.slot[z] = int32(i) + 1
		l.lists[i] = l.lists[i][:0]
	}
	for _, o := range occs {
		if c.share[o.n].weight == 0 {
			continue
		}
		for at := o.at + 1; at < c.end[o.n]; at++ {
			if i := l.slot[c.flat[at]]; i > 0 {
				l.lists[i-1] = append(l.lists[i-1], occurrence{o.n, at})
			}
		}
	}
	for _, z := range next {
		l.slot[z] = 0
	}
}
