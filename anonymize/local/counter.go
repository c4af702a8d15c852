package local

// counter finds rare sets among elements that all publish one node. It is working space: one for each goroutine.
type counter struct {
	s      *state
	node   int32
	list   []*element
	start  []int32 // of a node's occurrences
	levels []level
	first  []int64 // by node: weight of the elements that publish it and are not out
	dirty  []bool  // by node
	seen   []int32 // nodes with an occurrence
	occ    [][]occurrence
	may    func(e *element) bool
	rare   func(set []int32, occs []occurrence) // what is done about a rare set
	set    []int32
}

// occurrence is one place of a set's last node in what an element publishes.
type occurrence struct{ element, pos int32 }

// level is the working space of one set size.
type level struct {
	count   []int64
	touched []int32
}

func newCounter(s *state) *counter {
	n := s.tree.Nodes()
	c := &counter{s: s, first: make([]int64, n), dirty: make([]bool, n), occ: make([][]occurrence, n)}
	for range s.m {
		c.levels = append(c.levels, level{count: make([]int64, n)})
	}
	return c
}

// run puts out of the list, as few as peeling does, elements for which may is true, until every set of at most m-1 nodes
// that the others publish beside node is published by a weight of at least k of them.
func (c *counter) run(s *state, node int32, list []*element, may func(e *element) bool) {
	c.may = may
	c.rare = func(_ []int32, occs []occurrence) {
		for _, o := range occs {
			c.drop(c.list[o.element])
		}
	}
	c.count(s, node, list)
}

// find calls rare for every set of at most m-1 nodes that elements of the list publish beside node with a weight under k.
func (c *counter) find(s *state, node int32, list []*element, rare func(set []int32, occs []occurrence)) {
	c.may = func(*element) bool { return false }
	c.rare = rare
	c.count(s, node, list)
}

func (c *counter) count(s *state, node int32, list []*element) {
	c.s, c.node, c.list = s, node, list
	defer c.reset()
	c.load()
	for pending := true; pending; {
		pending = false
		total := int64(0)
		for _, e := range list {
			if !e.out {
				total += e.weight
			}
		}
		if total == 0 {
			return
		}
		if total < int64(s.k) {
			all := make([]occurrence, len(list))
			for i := range all {
				all[i].element = int32(i)
			}
			c.rare(nil, all)
			return
		}
		if s.m == 1 {
			return
		}
		for _, y := range c.seen {
			if c.dirty[y] {
				c.dirty[y] = false
				c.visit(y)
				pending = true
			}
		}
	}
}

// load lists the occurrences of every node.
func (c *counter) load() {
	for n, e := range c.list {
		for pos, y := range e.now {
			if y == c.node {
				continue
			}
			if len(c.occ[y]) == 0 {
				c.seen = append(c.seen, y)
				c.dirty[y] = true
			}
			c.occ[y] = append(c.occ[y], occurrence{int32(n), int32(pos)})
			c.first[y] += e.weight
		}
	}
}

func (c *counter) reset() {
	for _, y := range c.seen {
		c.occ[y] = c.occ[y][:0]
		c.first[y], c.dirty[y] = 0, false
	}
	c.seen = c.seen[:0]
}

// drop puts an element out. Sets that it published have to be looked at again.
func (c *counter) drop(e *element) {
	if e.out || !c.may(e) {
		return
	}
	e.out = true
	for _, y := range e.now {
		if y != c.node {
			c.first[y] -= e.weight
			c.dirty[y] = true
		}
	}
}

// visit looks at the sets whose smallest node is y.
func (c *counter) visit(y int32) {
	if c.first[y] == 0 {
		return
	}
	occs := c.occ[y]
	c.set = append(c.set[:0], y)
	if c.first[y] < int64(c.s.k) {
		c.rare(c.set, occs)
		return
	}
	c.extend(1, occs)
}

// extend looks at the sets that extend the current one, of the given size, whose occurrences are given.
func (c *counter) extend(size int, occs []occurrence) {
	if size >= c.s.m-1 {
		return
	}
	l := &c.levels[size]
	touched := l.touched[:0]
	for _, o := range occs {
		e := c.list[o.element]
		if e.out {
			continue
		}
		for _, z := range e.now[o.pos+1:] {
			if l.count[z] == 0 {
				touched = append(touched, z)
			}
			l.count[z] += e.weight
		}
	}
	l.touched = touched
	l.count[c.node] = 0
	deeper := size+1 < c.s.m-1
	for _, z := range touched {
		n := l.count[z]
		l.count[z] = 0
		if n == 0 || (n >= int64(c.s.k) && !deeper) {
			continue
		}
		c.set = append(c.set[:size], z)
		next := c.project(occs, z)
		if n < int64(c.s.k) {
			c.rare(c.set, next)
		} else {
			c.extend(size+1, next)
		}
	}
}

// project keeps the occurrences whose elements publish z too.
func (c *counter) project(occs []occurrence, z int32) []occurrence {
	var out []occurrence
	for _, o := range occs {
		e := c.list[o.element]
		if e.out {
			continue
		}
		for pos := int(o.pos) + 1; pos < len(e.now) && e.now[pos] <= z; pos++ {
			if e.now[pos] == z {
				out = append(out, occurrence{o.element, int32(pos)})
			}
		}
	}
	return out
}
