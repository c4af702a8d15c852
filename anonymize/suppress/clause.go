package suppress

import (
	"slices"

	"mingle/hierarchy"
	"mingle/internal/cover"
)

// clauses are what must not be: for a rare itemset and a transaction that has it, one of the
// itemset's nodes must be lifted or one of some units (see kind) suppressed.
//
// Variable v of the program is inner node v + leaves: the cut is at it or above. Variable inner + i
// is unit i: it is suppressed.
type clauses struct {
	tree  *hierarchy.Tree
	inner int     // inner nodes
	all   int     // variables
	vars  []int32 // clause c is vars[start[c]:start[c+1]], ascending
	start []uint32
	known *cover.Known

	// used are the clauses that the program gets: those that some solution missed. A program of all
	// of them has the same solutions, but takes a hundred times longer where there are half a
	// million.
	used []int32

	work []int32
}

func newClauses(t *hierarchy.Tree, units int) *clauses {
	inner := t.Nodes() - t.Leaves()
	all := inner + units
	return &clauses{tree: t, inner: inner, all: all, start: []uint32{0}, known: cover.NewKnown(all)}
}

func (c *clauses) len() int { return len(c.start) - 1 }

func (c *clauses) clause(i int) []int32 { return c.vars[c.start[i]:c.start[i+1]] }

// liftedVar is the variable of an inner node, goneVar that of a unit.
func (c *clauses) liftedVar(u int32) int32  { return u - int32(c.tree.Leaves()) }
func (c *clauses) goneVar(unit int32) int32 { return unit + int32(c.inner) }

// program is the hitting-set program, given the weights of the variables, without clauses.
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
	return cover.New(parent, weight)
}

// addTo adds the used clauses to a program.
func (c *clauses) addTo(p *cover.Program) {
	for _, i := range c.used {
		p.Add(c.clause(int(i))...)
	}
}

// use takes clauses that a solution misses into use, as long as each has a variable that none of
// those before has; it tells how many. met are the variables of those before.
func (c *clauses) use(x, met []bool) int {
	before := len(c.used)
	for i := range c.len() {
		vars := c.clause(i)
		if slices.ContainsFunc(vars, func(v int32) bool { return x[v] }) ||
			!slices.ContainsFunc(vars, func(v int32) bool { return !met[v] }) {
			continue
		}
		for _, v := range vars {
			met[v] = true
		}
		c.used = append(c.used, int32(i))
	}
	return len(c.used) - before
}

// implied tells whether a clause is known that implies the one of these nodes and units.
func (c *clauses) implied(nodes, units []int32) bool {
	c.work = c.work[:0]
	for _, u := range nodes {
		for u = c.tree.Parent(u); u >= 0; u = c.tree.Parent(u) {
			c.work = append(c.work, c.liftedVar(u))
		}
	}
	return c.known.Implies(c.with(units))
}

// add adds the clause of nodes, one of which is to be lifted, and units, one of which is to go
// instead, unless it is known.
func (c *clauses) add(nodes, units []int32) {
	c.work = c.work[:0]
	for _, u := range nodes {
		if up := c.tree.Parent(u); up >= 0 {
			c.work = append(c.work, c.liftedVar(up))
		}
	}
	if vars := c.with(units); c.known.Add(vars) {
		c.vars = append(c.vars, vars...)
		c.start = append(c.start, uint32(len(c.vars)))
	}
}

// with is what is in the working space and units, as ascending variables.
func (c *clauses) with(units []int32) []int32 {
	for _, unit := range units {
		c.work = append(c.work, c.goneVar(unit))
	}
	slices.Sort(c.work)
	return slices.Compact(c.work)
}
