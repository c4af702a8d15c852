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
	p.covers.eachPart(others, u, func(line, v int32) bool {
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
	c := &p.covers
	c.items.begin(p.tree.LeafCount(nodes[at]), needed)
	lo, _ := p.tree.Range(nodes[at])
	others := slices.Delete(slices.Clone(nodes), at, at+1)
	c.eachBeside(others, nodes[at], func(line int32) bool {
		p.eachStretch(int(line), nodes[at], func(from, to int32) {
			c.items.add(int(from-lo), int(to-lo), p.weight[line])
		})
		return !c.items.now()
	})
	return c.items.all()
}

// itemCounts are how many lines cover each item of a stretch, of which every item needs some. Lines
// are added to stretches of items, so only where they begin and end is noted.
type itemCounts struct {
	steps  []int // by item: how many more lines cover it than the item before
	needed int
	lines  int // added
	look   int // after so many it is looked at again whether there are enough
}

// firstLook is after how many lines it is first looked whether there are enough; then after twice
// as many each time.
const firstLook = 8

func (t *itemCounts) begin(items, needed int) {
	t.steps = append(t.steps[:0], make([]int, items+1)...)
	t.needed, t.lines, t.look = needed, 0, firstLook
}

// add adds a weight to the items from one to before another.
func (t *itemCounts) add(from, to, weight int) {
	t.steps[from] += weight
	t.steps[to] -= weight
}

// now ends a line, and tells whether there are enough, if that is looked at now.
func (t *itemCounts) now() bool {
	if t.lines++; t.lines < t.look {
		return false
	}
	t.look *= 2
	return t.all()
}

// all tells whether every item has enough.
func (t *itemCounts) all() bool {
	n := 0
	for _, more := range t.steps[:len(t.steps)-1] {
		if n += more; n < t.needed {
			return false
		}
	}
	return true
}
