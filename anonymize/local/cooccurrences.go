package local

import (
	"cmp"
	"slices"
)

// cooccurrences are what is published with one node, counted so that the supports of sets of three
// nodes with it can be asked for, too, while single transactions change. Pairs are known. Sets of
// three are counted when they are asked for, among the transactions with the rarest pair first;
// when that has been as much work as to count them all, they are all counted.
type cooccurrences struct {
	*counter
	over   func() bool // nothing is to be counted any more
	loaded bool
	short  []int32 // working space: a set as short numbers
	counts []int32 // working space, by short number; zero between uses
	rows   []int32 // working space of fineWith
	spent  int64   // work for sets of three
	whole  int64   // what it would be to count them all
	side   int     // of the table of pairs beside the node; zero: there is none
	pairs  []int32 // the table, by short numbers in the order of the nodes
}

func (x *exchange) newCooccurrences() *cooccurrences {
	return &cooccurrences{
		counter: &counter{terms: &x.terms, space: newSpace(x.tree.Nodes(), x.m), node: -1},
		over:    x.over,
	}
}

// of implements neighbours.
func (c *cooccurrences) of(s *state, node int32) {
	if c.loaded && c.node == node {
		return
	}
	if c.loaded {
		c.forget()
	}
	c.begin(node, -1)
	c.loaded, c.spent, c.whole, c.side = true, 0, 0, 0
	for i := range sideBySide(s.who[node], s.fetch) {
		c.put(s, i)
	}
	c.addUp()
}

// put counts a transaction that publishes the node.
func (c *cooccurrences) put(s *state, i int32) {
	set := s.published(i)
	n := c.add(i, s.shareOf(i), set, false)
	c.whole += int64(len(set)) * int64(len(set)) / 2
	if len(c.nodes) > c.side {
		c.side = 0 // there is no room in the table
	}
	c.pair(n, c.share[n].weight)
}

// leave implements neighbours.
func (c *cooccurrences) leave(_ *state, i int32) {
	if !c.loaded {
		return
	}
	if n := slices.Index(c.list, i); n >= 0 && c.share[n].weight > 0 {
		c.pair(int32(n), -c.share[n].weight)
		c.list[n] = -1
		c.drop(int32(n))
	}
}

// enter implements neighbours.
func (c *cooccurrences) enter(s *state, i int32) {
	if c.loaded && s.publishes(i, c.node) {
		c.put(s, i)
		c.addUp()
	}
}

// pair adds to the pairs of a row, in the table.
func (c *cooccurrences) pair(n, weight int32) {
	if c.side == 0 {
		return
	}
	set := c.flat[c.begins(n):c.end[n]]
	for a, y := range set {
		row := c.pairs[int(y)*c.side:][:c.side]
		for _, z := range set[a+1:] {
			row[z] += weight
		}
	}
}

// fine implements neighbours.
func (c *cooccurrences) fine(set []int32, are supports) bool {
	if !are.have(c.total.weight) {
		return false
	}
	*c.work += int64(len(set))
	c.short = c.short[:0]
	for _, v := range set {
		y := c.space.number[v]
		if !are.have(c.by[y].weight) { // the first stands for what nobody has
			return false
		}
		c.short = append(c.short, y)
	}
	if c.side == 0 && c.spent > c.whole {
		c.countAll()
	}
	if c.side > 0 {
		return c.fineInTable(are)
	}
	return c.fineInThrees(are)
}

// countAll counts all sets of three with the node, if there is room.
func (c *cooccurrences) countAll() {
	cells := len(c.nodes) * len(c.nodes)
	if cells > maxPaired || int64(cells)/16 > c.spent {
		return
	}
	c.side = len(c.nodes)
	c.pairs = append(c.pairs[:0], make([]int32, cells)...)
	*c.work += (c.whole + int64(cells)/16) / met
	for n := range c.list {
		c.pair(int32(n), c.share[n].weight)
	}
}

// fineInTable is fine for sets of three.
func (c *cooccurrences) fineInTable(are supports) bool {
	*c.work += int64(len(c.short)*len(c.short)) / met
	for a, y := range c.short {
		row := c.pairs[int(y)*c.side:][:c.side]
		for _, z := range c.short[a+1:] {
			if !are.have(row[z]) {
				return false
			}
		}
	}
	return true
}

// fineInThrees is the same where there is no table.
func (c *cooccurrences) fineInThrees(are supports) bool {
	slices.SortFunc(c.short, func(a, b int32) int {
		return cmp.Or(cmp.Compare(c.by[a].weight, c.by[b].weight), cmp.Compare(a, b))
	})
	if more := len(c.nodes) - len(c.counts); more > 0 {
		c.counts = append(c.counts, make([]int32, more)...)
	}
	for n, y := range c.short {
		if c.over() {
			return false
		}
		if rest := c.short[n+1:]; len(rest) > 0 && !c.fineWith(y, rest, are) {
			return false
		}
	}
	return true
}

// fineWith is the same for the sets with one more node that is given, and one of some others. It
// counts until all of them have enough. What a row publishes does not change here: so rows that are
// listed publish the node.
func (c *cooccurrences) fineWith(y int32, rest []int32, are supports) bool {
	const between = 32 // rows that are counted before it is looked again whether all have
	counts, spent := c.counts, int64(0)
	lacks := func(z int32) bool { return int(counts[z]) < are.least }
	c.listTids()
	if _, is := c.tids.list(y); !is {
		var fine bool
		if rest, fine = c.fineInMaps(y, rest, are); !fine || len(rest) == 0 {
			return fine
		}
	}
	c.rows = c.rows[:0]
	for n := range c.rowsOf(y) {
		set, weight := c.flat[c.begins(n):c.end[n]], c.share[n].weight
		if weight == 0 || n >= c.tids.listed && !slices.Contains(set, y) {
			continue
		}
		if at := len(c.rows); at%between == 0 && at > 0 && !slices.ContainsFunc(rest, lacks) {
			break
		}
		c.rows = append(c.rows, n)
		spent += 8 + int64(len(set))
		for _, z := range set {
			counts[z] += weight
		}
	}
	c.spent += spent
	*c.work += spent / met
	all := !slices.ContainsFunc(rest, func(z int32) bool { return !are.have(counts[z]) })
	if spent > int64(len(c.nodes)) { // more was counted than there is to clear
		clear(counts[:len(c.nodes)])
		return all
	}
	for _, n := range c.rows {
		for _, z := range c.flat[c.begins(n):c.end[n]] {
			counts[z] = 0
		}
	}
	return all
}
