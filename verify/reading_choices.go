package verify

import "slices"

// support is how many lines, or persons with such lines, cover all of some nodes; counting ends at
// k.
func (p *probe) support(nodes []int32) int {
	p.counted++
	var t headcount
	p.covers.eachOf(nodes, func(line int32) bool {
		p.add(&t, line)
		return t.n < p.k
	})
	return t.n
}

// choices looks at every choice of items below some nodes: one below each, and more further ones.
// It is safe where k lines cover all nodes. Else a node is replaced by some of its children, down
// to the leaves.
func (p *probe) choices(nodes []int32, more int) {
	p.choose(nodes, p.support(nodes), more)
}

// choose is choices where it is known how many cover all nodes; not exactly where those are k.
func (p *probe) choose(nodes []int32, n, more int) {
	if n >= p.k || p.enough() {
		return
	}
	first, second := p.largest(nodes)
	if first < 0 {
		p.leaves(nodes, n)
		return
	}
	if !p.covers.some(nodes) {
		return
	}
	if more > 0 {
		p.replace(nodes, first, more)
	} else if !p.eachItem(nodes, first, p.k-n) {
		if second < 0 {
			second = first
		}
		p.replace(nodes, second, 0)
	}
}

// leaves files a set of items that lines are compatible with, but fewer than k. A line without a
// person is one, too.
func (p *probe) leaves(nodes []int32, n int) {
	if p.covers.none(nodes) {
		return
	}
	nodes = slices.Compact(slices.Sorted(slices.Values(nodes)))
	p.told[key(nodes)] = witness{nodes: nodes, beside: -1, support: n, needed: p.k}
}

// largest are the places of the two nodes with most items below them that are no leaves; -1: none.
func (p *probe) largest(nodes []int32) (first, second int) {
	first, second = -1, -1
	for n, u := range nodes {
		switch {
		case p.tree.IsLeaf(u):
		case first < 0 || p.tree.LeafCount(u) > p.tree.LeafCount(nodes[first]):
			first, second = n, first
		case second < 0 || p.tree.LeafCount(u) > p.tree.LeafCount(nodes[second]):
			second = n
		}
	}
	return first, second
}

// replace looks at choices where the node at a place is replaced by one of its children, or by
// several with further items below them.
func (p *probe) replace(nodes []int32, at, more int) {
	u := nodes[at]
	var from func(n int, nodes []int32, more int)
	from = func(n int, nodes []int32, more int) {
		supports := p.byChild(nodes, u)
		for children := p.tree.Children(u); n < len(children) && !p.enough(); n++ {
			with := append(slices.Clip(nodes), children[n])
			p.counted++
			p.choose(with, supports[n].n, more)
			if more > 0 && p.covers.some(with) {
				from(n+1, with, more-1)
			}
		}
	}
	from(0, slices.Delete(slices.Clone(nodes), at, at+1), more)
}

// byChild is, by child of a node, how many lines, or persons with such lines, cover it and all of
// some other nodes. Counting ends where all have k.
func (p *probe) byChild(others []int32, u int32) []headcount {
	children := p.tree.Children(u)
	counts := make([]headcount, len(children))
	missing := len(counts)
	count := func(t *headcount, line int32) {
		if t.n < p.k {
			if p.add(t, line); t.n >= p.k {
				missing--
			}
		}
	}
	p.covers.eachPart(others, u, true, func(line, v int32) bool {
		if v == u {
			for n := range counts {
				count(&counts[n], line)
			}
		} else if n := p.find(children, v); n < len(children) && children[n] == v {
			count(&counts[n], line)
		}
		return missing > 0
	})
	return counts
}

// eachItem tells whether for every item below the node at a place so many lines as are needed cover
// it and the other nodes, beside those that cover all nodes. Lines are counted, not persons: with
// persons the answer is no.
func (p *probe) eachItem(nodes []int32, at, needed int) bool {
	if p.person != nil {
		return false
	}
	c, u := &p.covers, nodes[at]
	lo, hi := p.tree.Range(u)
	c.with = append(c.with[:0], make([]int, hi-lo)...)
	missing := len(c.with)
	others := slices.Delete(slices.Clone(nodes), at, at+1)
	c.eachPart(others, u, false, func(line, v int32) bool {
		from, to := p.tree.Range(v)
		weight := p.weight[line]
		for x := from - lo; x < to-lo; x++ {
			if c.with[x] < needed && c.with[x]+weight >= needed {
				missing--
			}
			c.with[x] += weight
		}
		return missing > 0
	})
	return missing == 0
}
