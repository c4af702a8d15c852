package suppress

import (
	"slices"

	"mingle/hierarchy"
	"mingle/internal/count"
	"mingle/internal/cover"
)

// clauses are what is known to be wrong: for a rare itemset and a transaction that has it, one of the itemset's nodes
// must be lifted or one of the transaction's items below it suppressed.
//
// Variable v of the program is inner node v + leaves: the cut is at it or above. Variable inner + i is leaf i: it is
// suppressed.
type clauses struct {
	tree  *hierarchy.Tree
	inner int
	vars  []int32 // clause c is vars[start[c]:start[c+1]], ascending
	start []uint32

	// A trie over the clauses: trie[state<<32|variable] is the state after a variable; state 0 has none.
	trie     map[uint64]int32
	isClause []bool
	begins   []bool // by variable: some clause begins with it

	work []int32
}

func newClauses(t *hierarchy.Tree) *clauses {
	return &clauses{
		tree: t, inner: t.Nodes() - t.Leaves(), start: []uint32{0},
		trie: map[uint64]int32{}, isClause: []bool{false}, begins: make([]bool, t.Nodes()),
	}
}

func (c *clauses) len() int { return len(c.start) - 1 }

// lifted is the variable of an inner node, gone that of a leaf.
func (c *clauses) lifted(u int32) int32  { return u - int32(c.tree.Leaves()) }
func (c *clauses) gone(leaf int32) int32 { return leaf + int32(c.inner) }

// program is the hitting-set program of the clauses, given the weights of the variables.
func (c *clauses) program(weight []int64) *cover.Program {
	parent := make([]int32, c.tree.Nodes())
	for v := range parent {
		parent[v] = -1
		if v < c.inner {
			if up := c.tree.Parent(int32(v + c.tree.Leaves())); up >= 0 {
				parent[v] = c.lifted(up)
			}
		}
	}
	p := cover.New(parent, weight)
	c.addTo(p)
	return p
}

func (c *clauses) addTo(p *cover.Program) {
	for i := range c.len() {
		p.Add(c.vars[c.start[i]:c.start[i+1]]...)
	}
}

// implied tells whether a clause is known from which it follows that nodes and items, one below each node, cannot be
// published as they are.
func (c *clauses) implied(nodes, items []int32) bool {
	c.work = c.work[:0]
	for i, u := range nodes {
		for u = c.tree.Parent(u); u >= 0; u = c.tree.Parent(u) {
			c.work = append(c.work, c.lifted(u))
		}
		c.work = append(c.work, c.gone(items[i]))
	}
	slices.Sort(c.work)
	c.work = slices.Compact(c.work)
	return c.hasSubset(0, c.work)
}

// hasSubset looks for a clause of the trie, from a state on, among ascending variables.
func (c *clauses) hasSubset(state int32, vars []int32) bool {
	for i, v := range vars {
		if state == 0 && !c.begins[v] {
			continue
		}
		next, ok := c.trie[uint64(state)<<32|uint64(v)]
		if ok && (c.isClause[next] || c.hasSubset(next, vars[i+1:])) {
			return true
		}
	}
	return false
}

// add adds the clause of nodes and items, one below each node, unless it is known.
func (c *clauses) add(nodes, items []int32) {
	c.work = c.work[:0]
	for i, u := range nodes {
		if up := c.tree.Parent(u); up >= 0 {
			c.work = append(c.work, c.lifted(up))
		}
		c.work = append(c.work, c.gone(items[i]))
	}
	slices.Sort(c.work)
	vars := slices.Compact(c.work)
	state := int32(0)
	for _, v := range vars {
		key := uint64(state)<<32 | uint64(v)
		next, ok := c.trie[key]
		if !ok {
			next = int32(len(c.isClause))
			c.trie[key] = next
			c.isClause = append(c.isClause, false)
		}
		state = next
	}
	if c.isClause[state] {
		return
	}
	c.isClause[state] = true
	c.begins[vars[0]] = true
	c.vars = append(c.vars, vars...)
	c.start = append(c.start, uint32(len(c.vars)))
}

// lift replaces nodes of a rare set by their parents as long as it stays rare in the index: all the way for one node,
// starting with number first, then for the next. A parent takes the place of all nodes of the set below it.
func lift(x *count.Index, t *hierarchy.Tree, k int, set []int32, first int) []int32 {
	cur := append(slices.Clone(set[first:]), set[:first]...)
	var try []int32
	for i := 0; i < len(cur); {
		up := t.Parent(cur[i])
		if up == t.Root() || up < 0 {
			i++
			continue
		}
		try = append(try[:0], up)
		for j, u := range cur {
			if j != i && !t.Covers(up, u) {
				try = append(try, u)
			}
		}
		if x.AtLeast(try, k) {
			i++
			continue
		}
		if len(try) < len(cur) {
			return lift(x, t, k, slices.Clone(try), 0)
		}
		cur[i] = up
	}
	return cur
}
