package local

import "slices"

// counter finds the sets that break the promise among elements that all publish one node. It is working space for one
// goroutine.
type counter struct {
	s      *state
	node   int32
	skip   int32 // sets with it are left out; -1: none
	list   []*element
	sets   [][]int32 // what each element published when counting began
	levels []level   // by set size; levels[0] counts the single nodes
	dirty  []bool    // by node: sets that begin with it have to be looked at
	seen   []int32   // nodes with an occurrence
	occ    [][]occurrence
	only   []bool // by node: sets of these nodes alone are looked at; nil: of all
	set    []int32
	broken func(set []int32, occs []occurrence) // what is done about a set
}

// occurrence is one place of a set's last node in what an element publishes.
type occurrence struct{ element, pos int32 }

// level is the working space of one set size, by node; zero between uses.
type level struct {
	weight    []int64
	sensitive []int64 // weight that has a sensitive item; only with diversity
	touched   []int32
	slot      []int32 // place in a projection, plus one
}

func newCounter(s *state) *counter {
	n := s.tree.Nodes()
	c := &counter{s: s, dirty: make([]bool, n), occ: make([][]occurrence, n)}
	for range max(1, s.m-1) {
		l := level{weight: make([]int64, n), slot: make([]int32, n)}
		if s.div != nil {
			l.sensitive = make([]int64, n)
		}
		c.levels = append(c.levels, l)
	}
	return c
}

// peel puts out of the list, as few as peeling does, elements for which may is true, until every set of node and at most m-1
// others but skip that the rest publish keeps the promise.
func (c *counter) peel(node, skip int32, list []*element, may func(e *element) bool) {
	c.broken = func(_ []int32, occs []occurrence) {
		for _, o := range occs {
			if e := c.list[o.element]; !e.out && may(e) {
				c.drop(o.element)
			}
		}
	}
	c.count(node, skip, list)
}

// find calls broken for every set of node and at most m-1 others, all of them in only, that elements of the list publish
// and that breaks the promise.
func (c *counter) find(node int32, only []bool, list []*element, broken func(set []int32, occs []occurrence)) {
	c.broken, c.only = broken, only
	c.count(node, -1, list)
	c.only = nil
}

func (c *counter) count(node, skip int32, list []*element) {
	c.node, c.skip, c.list = node, skip, list
	c.load()
	for c.lookAtAll() && c.s.m > 1 && c.lookAtDirty() {
	}
	c.reset()
}

// lookAtAll looks at the set of node alone. It tells whether anything is left.
func (c *counter) lookAtAll() bool {
	all := make([]occurrence, 0, len(c.list))
	weight, sensitive := int64(0), int64(0)
	for i, e := range c.list {
		if !e.out {
			all = append(all, occurrence{element: int32(i)})
			weight, sensitive = weight+e.weight, sensitive+e.sensitive
		}
	}
	if c.breaks(weight, sensitive, all) {
		c.broken(nil, all)
	}
	return len(all) > 0
}

// lookAtDirty looks at the sets whose smallest node is dirty. It tells whether there were any.
func (c *counter) lookAtDirty() bool {
	some := false
	for _, y := range c.seen {
		if c.dirty[y] {
			c.dirty[y] = false
			c.lookAt(y)
			some = true
		}
	}
	return some
}

func (c *counter) lookAt(y int32) {
	l := &c.levels[0]
	if l.weight[y] == 0 {
		return
	}
	c.set = append(c.set[:0], y)
	if c.breaks(l.weight[y], at(l.sensitive, y), c.occ[y]) {
		c.broken(c.set, c.occ[y])
		return
	}
	c.extend(1, c.occ[y])
}

func at(list []int64, y int32) int64 {
	if list == nil {
		return 0
	}
	return list[y]
}

// breaks tells whether a set of this weight, with the given occurrences, breaks the promise. Occurrences in elements that are
// out do not count.
func (c *counter) breaks(weight, sensitive int64, occs []occurrence) bool {
	if weight == 0 {
		return false
	}
	if weight < int64(c.s.k) {
		return true
	}
	if c.s.div == nil || sensitive*c.s.div.l <= weight {
		return false
	}
	var holders []*element
	for _, o := range occs {
		if e := c.list[o.element]; !e.out {
			holders = append(holders, e)
		}
	}
	return !c.s.div.diverse(c.s, holders)
}

// load lists the occurrences of every node.
func (c *counter) load() {
	c.sets = c.sets[:0]
	l := &c.levels[0]
	for n, e := range c.list {
		set := c.restrict(e.now)
		c.sets = append(c.sets, set)
		for pos, y := range set {
			if y == c.node || y == c.skip {
				continue
			}
			if len(c.occ[y]) == 0 {
				c.seen = append(c.seen, y)
				c.dirty[y] = true
			}
			c.occ[y] = append(c.occ[y], occurrence{int32(n), int32(pos)})
			l.add(y, e)
		}
	}
}

// restrict keeps the nodes that sets are made of.
func (c *counter) restrict(set []int32) []int32 {
	if c.only == nil {
		return set
	}
	out := c.s.arena.take(len(set))[:0]
	for _, y := range set {
		if c.only[y] {
			out = append(out, y)
		}
	}
	return out
}

func (l *level) add(y int32, e *element) {
	l.weight[y] += e.weight
	if l.sensitive != nil {
		l.sensitive[y] += e.sensitive
	}
}

func (l *level) clear(y int32) {
	l.weight[y] = 0
	if l.sensitive != nil {
		l.sensitive[y] = 0
	}
}

func (c *counter) reset() {
	for _, y := range c.seen {
		c.occ[y] = c.occ[y][:0]
		c.dirty[y] = false
		c.levels[0].clear(y)
	}
	c.seen = c.seen[:0]
}

// drop puts an element out. Sets that it published have to be looked at again.
func (c *counter) drop(n int32) {
	e := c.list[n]
	e.out = true
	l := &c.levels[0]
	for _, y := range c.sets[n] {
		if y == c.node || y == c.skip {
			continue
		}
		c.dirty[y] = true
		l.weight[y] -= e.weight
		if l.sensitive != nil {
			l.sensitive[y] -= e.sensitive
		}
	}
}

// extend looks at the sets that have one node more than the current one, of the given size, and occur with it.
func (c *counter) extend(size int, occs []occurrence) {
	if size >= c.s.m-1 {
		return
	}
	l := &c.levels[size]
	touched := c.countNext(l, occs)
	deeper := size+1 < c.s.m-1
	next := touched[:0]
	for _, z := range touched {
		weight := l.weight[z]
		if weight > 0 && (deeper || weight < int64(c.s.k) || c.s.div != nil && l.sensitive[z]*c.s.div.l > weight) {
			next = append(next, z)
		} else {
			l.clear(z)
		}
	}
	if len(next) == 0 {
		return
	}
	next = slices.Clone(next)
	for i, occs := range c.project(l, occs, next) {
		z := next[i]
		weight, sensitive := l.weight[z], at(l.sensitive, z)
		l.clear(z)
		c.set = append(c.set[:size], z)
		if c.breaks(weight, sensitive, occs) {
			c.broken(c.set, occs)
		} else if deeper {
			c.extend(size+1, occs)
		}
	}
}

// countNext weighs the nodes that follow the occurrences.
func (c *counter) countNext(l *level, occs []occurrence) []int32 {
	touched := l.touched[:0]
	for _, o := range occs {
		e := c.list[o.element]
		if e.out {
			continue
		}
		for _, z := range c.sets[o.element][o.pos+1:] {
			if l.weight[z] == 0 {
				touched = append(touched, z)
			}
			l.weight[z] += e.weight
		}
		if l.sensitive != nil && e.sensitive > 0 {
			for _, z := range c.sets[o.element][o.pos+1:] {
				l.sensitive[z] += e.sensitive
			}
		}
	}
	l.touched = touched
	l.clear(c.node)
	if c.skip >= 0 {
		l.clear(c.skip)
	}
	return touched
}

// project sorts the occurrences whose elements publish one of the nodes z too by z.
func (c *counter) project(l *level, occs []occurrence, z []int32) [][]occurrence {
	out := make([][]occurrence, len(z))
	for i, z := range z {
		l.slot[z] = int32(i) + 1
	}
	for _, o := range occs {
		if c.list[o.element].out {
			continue
		}
		set := c.sets[o.element]
		for pos := o.pos + 1; int(pos) < len(set); pos++ {
			if i := l.slot[set[pos]]; i > 0 {
				out[i-1] = append(out[i-1], occurrence{o.element, pos})
			}
		}
	}
	for _, z := range z {
		l.slot[z] = 0
	}
	return out
}
