package release

import (
	"slices"

	"mingle/hierarchy"
)

// Program is what a certificate is about, as a pseudo-Boolean program: an outside checker reads it,
// with the proof that package pbproof writes, and needs nothing of ours. It is secret, as a
// certificate is.
//
// A variable says that an inner node is lifted: that the cut is at it or above it. Every cut is an
// assignment, its loss the objective's value: NCP times the number of leaves times that of all item
// occurrences. Every cut that keeps the promise satisfies the clauses, so that none loses less than
// the program's optimum.
type Program struct {
	K, M    int             // of the promise, for who reads the file
	Nodes   []int32         // the inner node of every variable
	Loss    []int64         // what a variable adds to the objective; not negative
	Below   [][2]int32      // pairs of variables: where the second is lifted, so is the first
	Clauses []ProgramClause // after Below
}

// ProgramClause is the clause of a rare set of nodes: at least one of the variables, ascending, is
// lifted.
type ProgramClause struct {
	Rare Clause
	Vars []int32
}

// NewProgram spells out the program of a certificate, given how many item occurrences each leaf of
// t has. Variable v is the inner node Leaves()+v.
func NewProgram(t *hierarchy.Tree, occurrences []int, c *Certificate) *Program {
	p := &Program{K: c.K, M: c.M}
	of := make([]int64, t.Nodes()) // loss of publishing everything below a node as that node
	for leaf, n := range occurrences {
		for u := t.Parent(int32(leaf)); u >= 0; u = t.Parent(u) {
			of[u] += int64(n) * int64(t.LeafCount(u))
		}
	}
	for u := int32(t.Leaves()); int(u) < t.Nodes(); u++ {
		added := of[u]
		for _, child := range t.Children(u) {
			added -= of[child]
		}
		p.Nodes, p.Loss = append(p.Nodes, u), append(p.Loss, added)
		if up := t.Parent(u); up >= 0 {
			p.Below = append(p.Below, [2]int32{variable(t, u), variable(t, up)})
		}
	}
	for _, clause := range c.Clauses {
		p.Clauses = append(p.Clauses, ProgramClause{clause, clauseOf(t, clause.Nodes)})
	}
	return p
}

func variable(t *hierarchy.Tree, u int32) int32 { return u - int32(t.Leaves()) }

// clauseOf is the variables of which one is lifted where a set of nodes is rare: those of their
// parents, without any that has another of them below it, which is lifted with it.
func clauseOf(t *hierarchy.Tree, rare []int32) []int32 {
	var parents []int32
	for _, u := range rare {
		parents = append(parents, t.Parent(u))
	}
	slices.Sort(parents)
	var out []int32
	for i, u := range parents { // a node is above itself, too
		if !slices.ContainsFunc(parents[:i], func(below int32) bool { return t.Covers(u, below) }) {
			out = append(out, variable(t, u))
		}
	}
	return out
}

// Constraints is the number of constraints.
func (p *Program) Constraints() int { return len(p.Below) + len(p.Clauses) }

// Lifted tells of each variable whether a cut, given as the node of every leaf, lifts it, and what
// the cut loses. It reports false where some leaf has no node: that is no cut.
func (p *Program) Lifted(t *hierarchy.Tree, cut []int32) (lifted []bool, loss int64, ok bool) {
	if len(cut) == 0 || slices.Min(cut) < 0 {
		return nil, 0, false
	}
	lifted = make([]bool, len(p.Nodes))
	for v, u := range p.Nodes {
		first, _ := t.Range(u)
		if lifted[v] = t.Covers(cut[first], u); lifted[v] {
			loss += p.Loss[v]
		}
	}
	return lifted, loss, true
}
