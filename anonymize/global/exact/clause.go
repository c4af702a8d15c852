package exact

import (
	"context"
	"slices"

	"mingle/internal/cover"
	"mingle/internal/itemset"
	"mingle/release"
)

// clauses are the rare itemsets found so far, each lifted as far as it stays rare, and the program
// they make.
type clauses struct {
	s       *search
	program *cover.Program
	nodes   []int32 // clause c is nodes[start[c]:start[c+1]], ascending
	start   []uint32
	support []int // of each clause; -1: it is not known yet

	known *cover.Known // the program's clauses

	above []int32 // working space
}

func newClauses(s *search) *clauses {
	return &clauses{
		s: s, program: s.program(), start: []uint32{0},
		known: cover.NewKnown(s.tree.Nodes() - s.tree.Leaves()),
	}
}

// learn turns rare itemsets into clauses: for each that no clause rules out yet, one lifting for
// each of its nodes that is lifted first.
func (c *clauses) learn(ctx context.Context, rare *itemset.Rare) error {
	before := len(c.support)
	if err := c.liftEach(ctx, rare); err != nil {
		return err // no bound follows from what has been added
	}
	var sets [][]int32
	var of []int
	for n := before; n < len(c.support); n++ {
		if c.support[n] < 0 {
			sets, of = append(sets, c.set(n)), append(of, n)
		}
	}
	supports, err := c.s.data.supportsOf(ctx, sets)
	for i, n := range supports {
		c.support[of[i]] = n
	}
	return err
}

// set is the nodes of a clause.
func (c *clauses) set(n int) []int32 { return c.nodes[c.start[n]:c.start[n+1]] }

// liftEach is learn, without the supports.
func (c *clauses) liftEach(ctx context.Context, rare *itemset.Rare) error {
	for i := range rare.Len() {
		if i%256 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		set := rare.Set(i)
		if c.ruledOut(set) {
			continue
		}
		for first := range set {
			lifted, support, err := c.s.data.lift(set, rare.Support(i), first)
			if err != nil {
				return err
			}
			c.add(lifted, support)
		}
	}
	return nil
}

// ruledOut tells whether a clause exists that implies the set's: whatever it asks to be lifted is
// above a node of the set.
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
	return c.known.Implies(c.above)
}

// add adds the clause of a rare set, with its support, unless the clause is known.
func (c *clauses) add(set []int32, support int) {
	vars := make([]int32, 0, len(set))
	for _, u := range set {
		vars = append(vars, c.s.variable(c.s.tree.Parent(u)))
	}
	c.program.Add(vars...)
	if !c.known.Add(c.program.Clause(c.program.Clauses() - 1)) {
		c.program.DropLast()
		return
	}
	slices.Sort(set)
	c.nodes = append(c.nodes, set...)
	c.start = append(c.start, uint32(len(c.nodes)))
	c.support = append(c.support, support)
}

// learned are the first n clauses with their supports.
func (s *search) learned(n int) []release.Clause {
	out := make([]release.Clause, n)
	for i := range out {
		out[i] = release.Clause{Nodes: slices.Clone(s.known.set(i)), Support: s.known.support[i]}
	}
	return out
}

// certify renames the variables of a proof to nodes.
func (s *search) certify(p *cover.Proof) *release.Proof {
	if p == nil {
		return nil
	}
	out := &release.Proof{Threshold: p.Threshold}
	for r := range p.Rows.All() {
		out.Rows = append(out.Rows, release.ProofRow{
			Nodes: s.innerNodes(r.Vars), Need: int(r.Need),
			Y: r.Y,
		})
	}
	for _, part := range p.Parts {
		out.Parts = append(out.Parts, release.ProofPart{
			Nodes: s.innerNodes(part.Vars),
			Bound: part.Bound, Proof: s.certify(part.Proof),
		})
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
