package itemset

import (
	"context"
	"slices"
)

// fromCut is a walk for which the sets of fewer than M nodes have passed: they are frequent. It
// makes the same calls as the plain one, in the same order, but counts at the cut alone. What is
// rare above the cut follows:
//
//   - A set with a frequent set below it is frequent.
//   - A set whose sets one step below, by one of its nodes, are rare, and in fewer than K
//     transactions in all, is rare.
//   - Of what is left the index is asked.
//
// An expanded transaction has several times as many nodes as one at the cut, and so many times more
// sets that this power of it. Where the supports of all sets fit they are in one table (table.go);
// where not, one node after the other is the first of the sets.
//
// Nodes have numbers here: their ranks from the other end. So numbers ascend with the support, and
// a node has a smaller one than its parent.
type fromCut struct {
	*Walk
	Pass
	ctx context.Context

	parent   []int32   // by number; -1: the root
	children [][]int32 // by number, of those that occur
	atCut    []bool    // by number
	rows     rows      // numbers of nodes at the cut
	with     rowLists
	// how many nodes are at the cut
	nodesAtCut int
	// streaming: all sets go into one table, and there are no rows
	streaming bool

	kept  []int32 // the cells of the table, for the next one
	local []int32 // number -> what the table calls it; all -1 between uses
	behindCounter
	state  []nodeState // by number; all unknown between uses
	marked []int32
	found  []int32
}

// newFromCut prepares the rows; nil: they do not fit into the bound, or units are counted, which
// have supports that do not add up.
func newFromCut(ctx context.Context, w *Walk, v Pass) *fromCut {
	if w.Data.Units != nil {
		return nil
	}
	n := len(w.nodes)
	c := &fromCut{
		Walk: w, Pass: v, ctx: ctx, parent: make([]int32, n), children: make([][]int32, n),
		atCut: make([]bool, n), local: slices.Repeat([]int32{-1}, n),
		state: make([]nodeState, n),
	}
	c.behindCounter = behindCounter{of: c, count: make([]int32, n)}
	for z := range c.parent {
		up := w.tree.parent[c.node(int32(z))]
		if c.parent[z] = -1; up != w.tree.root() {
			c.parent[z] = c.number(up)
			c.children[c.parent[z]] = append(c.children[c.parent[z]], int32(z))
		}
	}
	if c.streaming = c.streams(); c.streaming {
		c.markCut()
		return c
	}
	if !c.load() {
		return nil
	}
	return c
}

func (c *fromCut) number(node int32) int32 { return int32(len(c.nodes)) - 1 - c.rank[node] }
func (c *fromCut) node(number int32) int32 { return c.nodes[int32(len(c.nodes))-1-number] }

func (c *fromCut) isActive(number int32) bool {
	return c.active[int32(len(c.nodes))-1-number]
}

// bytesAnOccurrence is what rows hold for an occurrence at the cut: the number, and the row in the
// list of that number.
const bytesAnOccurrence = 4 + 4

// load makes the rows, and tells whether they fit.
func (c *fromCut) load() bool {
	r := &c.rows
	r.start, r.weights = make([]uint32, 1, c.Data.Len+1), make([]int32, 0, c.Data.Len)
	met := newMarks(len(c.nodes))
	for i := range c.Data.Len {
		if ended(c.ctx, i) {
			break
		}
		from := len(r.ids)
		for _, it := range c.Data.Tx(i) {
			if u := c.at(it); u != c.tree.root() {
				z := c.number(u)
				c.atCut[z] = true
				met.add(z)
			}
		}
		r.ids = met.drain(r.ids, 0)
		if int64(len(r.ids)) > c.mostPairs ||
			c.Bound > 0 && int64(len(r.ids))*bytesAnOccurrence > c.Bound/2 {
			return false
		}
		if len(r.ids) > from {
			r.close(c.Data.weight(i))
		}
	}
	c.index()
	return true
}

// index lists the rows with every number.
func (c *fromCut) index() {
	c.with.fill(&c.rows, len(c.nodes))
	c.nodesAtCut = 0
	for _, at := range c.atCut {
		if at {
			c.nodesAtCut++
		}
	}
}

// recode takes the rows to the cut as it has been lifted to, once that is worth a pass.
func (c *fromCut) recode() {
	stale, r := 0, &c.rows
	for z, at := range c.atCut {
		if at && !c.isActive(int32(z)) {
			stale += len(c.with.Of(int32(z)))
		}
	}
	if stale*3 < len(r.ids) || stale == 0 {
		return
	}
	to := identity(len(c.nodes))
	for z := len(to) - 1; z >= 0; z-- {
		if !c.isActive(int32(z)) {
			if to[z] = c.parent[z]; to[z] >= 0 {
				to[z] = to[to[z]]
			}
		}
	}
	clear(c.atCut)
	met, begin, ids := newMarks(len(c.nodes)), uint32(0), r.ids[:0]
	for i := range r.len() {
		for _, z := range r.ids[begin:r.start[i+1]] {
			if z = to[z]; z >= 0 {
				c.atCut[z] = true
				met.add(z)
			}
		}
		ids = met.drain(ids, 0) // they are no more than were read
		begin, r.start[i+1] = r.start[i+1], uint32(len(ids))
	}
	r.ids = ids
	c.index()
}

// walk makes the walk.
func (c *fromCut) walk() {
	if c.streaming {
		c.stream()
		return
	}
	all := identity(c.rows.len())
	behind := identity(len(c.nodes))
	if c.tableFits(all, behind, c.M) {
		c.table(nil, all, behind, c.M)
		return
	}
	if c.M == 2 && c.Workers > 1 {
		c.pairsAhead(behind)
		return
	}
	for i := len(behind) - 1; i >= 0 && c.ctx.Err() == nil; i-- {
		done := len(behind) - 1 - i
		if c.Progress != nil {
			c.Progress(done, len(behind))
		}
		if done%recodeEvery == 0 {
			c.recode()
		}
		if c.isActive(behind[i]) {
			c.visit([]int32{behind[i]}, c.having(behind[i]), c.M-1)
		}
	}
}

// recodeEvery is after how many first nodes it is asked whether the rows are to be recoded.
const recodeEvery = 64

// visit goes through what extends a path, in rows that have all of it, by so many nodes.
func (c *fromCut) visit(path, in []int32, size int) {
	if size == 1 {
		c.last(path, in)
		return
	}
	behind := c.behind(path, in)
	if c.tableFits(in, behind, size) {
		c.table(path, in, behind, size)
		return
	}
	for i := len(behind) - 1; i >= 0; i-- {
		if c.ctx.Err() != nil || !c.allIn(path) {
			return
		}
		if z := behind[i]; c.isActive(z) {
			c.visit(append(slices.Clone(path), z), c.both(in, c.having(z)), size-1)
		}
	}
}

// both are the rows of two ascending lists.
func (c *fromCut) both(a, b []int32) []int32 {
	out := make([]int32, 0, min(len(a), len(b)))
	for _, i := range b {
		for len(a) > 0 && a[0] < i {
			a = a[1:]
		}
		if len(a) > 0 && a[0] == i {
			out = append(out, i)
		}
	}
	return out
}

// behind are the nodes that stand behind a path in some of the rows and are unrelated to it,
// ascending.
func (c *fromCut) behind(path, in []int32) []int32 {
	last := path[len(path)-1]
	var out []int32
	for _, i := range in {
		for _, z := range c.rows.row(uint32(i)) {
			for u := z; u >= 0 && u < last && c.count[u] == 0; u = c.parent[u] {
				c.count[u] = 1
				out = append(out, u)
			}
		}
	}
	for _, z := range out {
		c.count[z] = 0
	}
	out = slices.DeleteFunc(out, func(z int32) bool { return !c.apart(path, z) })
	slices.Sort(out)
	return out
}

// apart tells whether a node is neither above nor below any of a path.
func (c *fromCut) apart(path []int32, z int32) bool {
	u := c.node(z)
	for _, p := range path {
		if c.tree.related(c.node(p), u) {
			return false
		}
	}
	return true
}

func (c *fromCut) allIn(path []int32) bool {
	for _, z := range path {
		if !c.isActive(z) {
			return false
		}
	}
	return true
}

// support is that of a path, but not more than K.
func (c *fromCut) support(path ...int32) int32 {
	return int32(c.Index.upTo(c.named(path), c.K))
}

// named is a path of numbers as nodes.
func (c *fromCut) named(path []int32) []int32 {
	nodes := make([]int32, len(path))
	for i, z := range path {
		nodes[i] = c.node(z)
	}
	return nodes
}

// nodeState is what is known of a path with one more node.
type nodeState int8

const (
	unknown  nodeState = iota
	inFew              // fewer than K records have them, some has
	inEnough           // K at least
)

// last repairs the rare extensions by one node of a path, given the rows that have it.
func (c *fromCut) last(path, in []int32) {
	c.countBehind(path[len(path)-1], in)
	c.repairCounted(path)
}

// repairCounted repairs the rare ones among the extensions that were counted.
func (c *fromCut) repairCounted(path []int32) {
	for _, z := range c.touched {
		if c.count[z] >= int32(c.K) {
			c.mark(z)
		}
	}
	found := c.found[:0]
	for _, z := range c.touched {
		if c.count[z] < int32(c.K) && c.state[z] == unknown && c.apart(path, z) {
			found = c.climb(path, z, found)
		}
		c.count[z] = 0
	}
	for _, z := range c.marked {
		c.state[z] = unknown
	}
	for _, z := range found {
		c.state[z] = unknown
	}
	c.marked, c.found = c.marked[:0], found
	slices.Sort(found)
	for _, z := range slices.Backward(found) {
		if !c.allIn(path) {
			return
		}
		if c.isActive(z) {
			c.Repair(c.named(append(path, z)))
		}
	}
}

// mark notes that a node and all above it are frequent.
func (c *fromCut) mark(z int32) {
	for ; z >= 0 && c.state[z] == unknown; z = c.parent[z] {
		c.state[z] = inEnough
		c.marked = append(c.marked, z)
	}
}

// climb appends a rare node, and those above it that are rare and stand behind the path.
func (c *fromCut) climb(path []int32, z int32, found []int32) []int32 {
	last := path[len(path)-1]
	c.state[z] = inFew
	found = append(found, z)
	for u := c.parent[z]; u >= 0 && u < last && c.state[u] == unknown; u = c.parent[u] {
		if !c.apart(path, u) {
			break
		}
		if c.support(append(slices.Clone(path), u)...) >= int32(c.K) {
			c.mark(u)
			break
		}
		c.state[u] = inFew
		found = append(found, u)
	}
	return found
}
