package suppress

import (
	"slices"

	"mingle/hierarchy"
	"mingle/internal/count"
	"mingle/internal/cover"
)

// clauses are what must not be: for a rare itemset and a transaction that has it, one of the itemset's nodes must be lifted
// or one of some units (see kind) suppressed.
//
// Variable v of the program is inner node v + leaves: the cut is at it or above. Variable inner + i is unit i: it is
// suppressed.
type clauses struct {
	tree  *hierarchy.Tree
	inner int     // inner nodes
	all   int     // variables
	vars  []int32 // clause c is vars[start[c]:start[c+1]], ascending
	start []uint32

	// A trie over the clauses: trie[state<<32|variable] is the state after a variable; state 0 has none.
	trie     map[uint64]int32
	isClause []bool
	begins   []bool // by variable: some clause begins with it

	work []int32
}

func newClauses(t *hierarchy.Tree, units int) *clauses {
	inner := t.Nodes() - t.Leaves()
	return &clauses{
		tree: t, inner: inner, all: inner + units, start: []uint32{0},
		trie: map[uint64]int32{}, isClause: []bool{false}, begins: make([]bool, inner+units),
	}
}

func (c *clauses) len() int { return len(c.start) - 1 }

// liftedVar is the variable of an inner node, goneVar that of a unit.
func (c *clauses) liftedVar(u int32) int32  { return u - int32(c.tree.Leaves()) }
func (c *clauses) goneVar(unit int32) int32 { return unit + int32(c.inner) }

// program is the hitting-set program of the clauses, given the weights of the variables.
func (c *clauses) program(weight []int64) *cover.Program {
	parent := make([]int32, c.all)
	for v := range parent {
		parent[v] = -1
		if v < c.inner {
			if up := c.tree.Parent(int32(v + c.tree.Leaves())); up >= 0 {
				parent[v] = c.liftedVar(up)
			}
		}
	}
	p := cover.New(parent, weight)
	c.addTo(p)
	return p
}

// addTo adds the clauses to a program.
func (c *clauses) addTo(p *cover.Program) {
	for i := range c.len() {
		p.Add(c.vars[c.start[i]:c.start[i+1]]...)
	}
}

// implied tells whether a clause is known that implies the one of these nodes and units.
func (c *clauses) implied(nodes, units []int32) bool {
	c.work = c.work[:0]
	for _, u := range nodes {
		for u = c.tree.Parent(u); u >= 0; u = c.tree.Parent(u) {
			c.work = append(c.work, c.liftedVar(u))
		}
	}
	for _, unit := range units {
		c.work = append(c.work, c.goneVar(unit))
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

// add adds the clause of nodes, one of which is to be lifted, and units, one of which is to go instead, unless it is known.
func (c *clauses) add(nodes, units []int32) {
	c.work = c.work[:0]
	for _, u := range nodes {
		if up := c.tree.Parent(u); up >= 0 {
			c.work = append(c.work, c.liftedVar(up))
		}
	}
	for _, unit := range units {
		c.work = append(c.work, c.goneVar(unit))
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
