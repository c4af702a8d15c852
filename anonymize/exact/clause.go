package exact

import (
	"context"
	"slices"

	"mingle/internal/count"
	"mingle/internal/cover"
	"mingle/release"
)

// clauses are the rare itemsets found so far, each lifted as far as it stays rare, and the program they make.
type clauses struct {
	s       *search
	program *cover.Program
	nodes   []int32 // clause c is nodes[start[c]:start[c+1]], ascending
	start   []uint32

	// A trie over the program's clauses: trie[state<<32|variable] is the state after a variable; state 0 has none.
	trie     map[uint64]int32
	isClause []bool
	begins   []bool // by variable: some clause begins with it

	above []int32 // working space
	try   []int32
}

func newClauses(s *search) *clauses {
	return &clauses{
		s: s, program: s.program(), start: []uint32{0},
		trie: map[uint64]int32{}, isClause: []bool{false}, begins: make([]bool, s.tree.Nodes()-s.tree.Leaves()),
	}
}

// learn turns rare itemsets into clauses: for each that no clause rules out yet, one lifting for each of its nodes that is
// lifted first.
func (c *clauses) learn(ctx context.Context, rare *count.Rare) error {
	for i := range rare.Len() {
		if i%256 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		set := rare.Set(i)
		if c.ruledOut(set) {
			continue
		}
		for first := range set {
			c.add(c.lift(set, first))
		}
	}
	return nil
}

// ruledOut tells whether a clause exists that implies the set's: whatever it asks to be lifted is above a node of the set.
func (c *clauses) ruledOut(set []int32) bool {
	t := c.s.tree
	c.above = c.above[:0]
	for _, u := range set {
		for u = t.Parent(u); u >= 0; u = t.Parent(u) {
			c.above = append(c.above, c.s.variable(u))
		}
	}
	slices.Sort(c.above)
	c.above = slices.Compact(c.above)
	return c.hasSubset(0, c.above)
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

// lift replaces nodes of a rare set by their parents as long as it stays rare: all the way for one node, starting with number
// first, then for the next. A parent takes the place of all nodes of the set below it.
func (c *clauses) lift(set []int32, first int) []int32 {
	t := c.s.tree
	cur := append(slices.Clone(set[first:]), set[:first]...)
	for i := 0; i < len(cur); {
		up := t.Parent(cur[i])
		if up == t.Root() {
			i++
			continue
		}
		c.try = append(c.try[:0], up)
		for j, u := range cur {
			if j != i && !t.Covers(up, u) {
				c.try = append(c.try, u)
			}
		}
		if c.s.index.AtLeast(c.try, c.s.k) {
			i++
			continue
		}
		if len(c.try) < len(cur) {
			return c.lift(slices.Clone(c.try), 0)
		}
		cur[i] = up
	}
	return cur
}

// add adds the clause of a rare set unless it is known.
func (c *clauses) add(set []int32) {
	vars := make([]int32, 0, len(set))
	for _, u := range set {
		vars = append(vars, c.s.variable(c.s.tree.Parent(u)))
	}
	c.program.Add(vars...)
	state := int32(0)
	clause := c.program.Clause(c.program.Clauses() - 1)
	for _, v := range clause {
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
		c.program.DropLast()
		return
	}
	c.isClause[state] = true
	c.begins[clause[0]] = true
	slices.Sort(set)
	c.nodes = append(c.nodes, set...)
	c.start = append(c.start, uint32(len(c.nodes)))
}

// learned are the first n clauses with their supports.
func (s *search) learned(n int) []release.Clause {
	out := make([]release.Clause, n)
	for i := range out {
		nodes := s.known.nodes[s.known.start[i]:s.known.start[i+1]]
		out[i] = release.Clause{Nodes: slices.Clone(nodes), Support: s.index.Support(nodes)}
	}
	return out
}

// certify renames the variables of a proof to nodes.
func (s *search) certify(p *cover.Proof) *release.Proof {
	if p == nil {
		return nil
	}
	out := &release.Proof{Threshold: p.Threshold}
	for _, r := range p.Rows {
		out.Rows = append(out.Rows, release.ProofRow{Nodes: s.innerNodes(r.Vars), Need: int(r.Need), Y: r.Y})
	}
	for _, part := range p.Parts {
		out.Parts = append(out.Parts, release.ProofPart{Nodes: s.innerNodes(part.Vars), Bound: part.Bound, Proof: s.certify(part.Proof)})
	}
	if p.Sides[0] != nil {
		out.Branch = p.Branch + int32(s.tree.Leaves())
		out.Sides = [2]*release.Proof{s.certify(p.Sides[0]), s.certify(p.Sides[1])}
	}
	return out
}

func (s *search) innerNodes(vars []int32) []int32 {
	out := make([]int32, len(vars))
	for i, v := range vars {
		out[i] = v + int32(s.tree.Leaves())
	}
	return out
}
