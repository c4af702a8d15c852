package local

// neighbours is what is published with one node, counted while single transactions change.
type neighbours interface {
	// of counts what is published with a node, unless it is counted already.
	of(s *state, node int32)
	// fine tells whether the supports of the node, with at most m-1 of a set, are.
	fine(set []int32, are supports) bool
	// leave takes a transaction out that is about to publish something else, and enter counts what
	// it publishes then.
	leave(s *state, i int32)
	enter(s *state, i int32)
}

// supports are those that are fine: at least some number, or one that is less; -1: there is none.
type supports struct{ least, or int }

func (s supports) have(n int32) bool { return int(n) >= s.least || int(n) == s.or }

func (x *exchange) newNeighbours() neighbours {
	if x.m > 2 {
		return x.newCooccurrences()
	}
	c := &pairCounts{terms: &x.terms}
	for n := range c.kept {
		c.kept[n] = &oneNode{node: -1, with: make([]int32, x.tree.Nodes())}
	}
	return c
}

// pairCounts is neighbours where pairs are all that is asked for: one count a node. What was asked
// for before is kept, for it alternates between the nodes above the one that is tried.
type pairCounts struct {
	*terms
	kept [4]*oneNode // what was asked for last comes first
}

// oneNode is the supports of a node and of its pairs.
type oneNode struct {
	node  int32 // -1: none
	alone int32
	with  []int32 // by node
	met   []int32 // nodes that may have a count
	cost  int64   // of counting it
}

// forget makes all counts zero. There are few on a large hierarchy.
func (o *oneNode) forget() {
	for _, v := range o.met {
		o.with[v] = 0
	}
	o.met = o.met[:0]
}

// of implements neighbours. What is kept is charged as if it were counted: so how far a search
// comes does not depend on what is kept.
func (c *pairCounts) of(s *state, node int32) {
	if c.kept[0].node == node {
		return
	}
	at := 1
	for at < len(c.kept)-1 && c.kept[at].node != node {
		at++
	}
	one := c.kept[at]
	copy(c.kept[1:at+1], c.kept[:at])
	c.kept[0] = one
	if one.node != node {
		one.forget()
		one.node, one.alone, one.cost = node, 0, 0
		for i := range sideBySide(s.who[node], s.fetch) {
			c.add(one, s, i, 1)
		}
	}
	*c.work += one.cost
}

// add counts a transaction that publishes a node, as many times as it says.
func (c *pairCounts) add(one *oneNode, s *state, i, times int32) {
	weight := times * s.merged.Weights[i]
	one.alone += weight
	if c.m > 1 {
		set := s.published(i)
		one.cost += int64(times) * (counted + int64(len(set)))
		for _, v := range set {
			if one.with[v] == 0 {
				one.met = append(one.met, v)
			}
			one.with[v] += weight
		}
	}
}

// fine implements neighbours.
func (c *pairCounts) fine(set []int32, are supports) bool {
	one := c.kept[0]
	if !are.have(one.alone) {
		return false
	}
	if c.m < 2 {
		return true
	}
	*c.work += int64(len(set))
	for _, v := range set {
		if !are.have(one.with[v]) {
			return false
		}
	}
	return true
}

// leave implements neighbours.
func (c *pairCounts) leave(s *state, i int32) { c.change(s, i, -1) }

// enter implements neighbours.
func (c *pairCounts) enter(s *state, i int32) {
	if first := c.kept[0].node; first >= 0 && c.m > 1 && s.publishes(i, first) {
		*c.work += counted + int64(len(s.published(i)))
	}
	c.change(s, i, 1)
}

// change adds a transaction to what is kept, or takes it out.
func (c *pairCounts) change(s *state, i, times int32) {
	for _, one := range c.kept {
		if one.node >= 0 && s.publishes(i, one.node) {
			c.add(one, s, i, times)
		}
	}
}
