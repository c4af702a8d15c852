// Package cover solves minimum-weight hitting sets over a forest: choose a set of variables that is
// closed downwards (a variable is chosen only together with everything below it), hits every
// clause, and weighs least.
//
// It is the program behind package exact: a variable is an inner node of a hierarchy, chosen when
// the cut is at it or above it; a clause is an itemset of nodes that must not be published
// together.
package cover

import (
	"fmt"
	"slices"
)

// Program is one hitting-set program. Variables are 0..Vars()-1; children have lower numbers than
// their parents.
type Program struct {
	parent []int32 // -1 at the roots
	weight []int64 // of the variable alone, not of what is below it; not negative

	start []uint32 // clause c is vars[start[c]:start[c+1]], ascending
	vars  []int32
	need  []int32 // of the variables of clause c at least need[c] are chosen
}

// New makes a program without clauses. It panics where parents or weights are not as [Program]
// says: they come from code, not from users.
func New(parent []int32, weight []int64) *Program {
	for v, p := range parent {
		if p >= 0 && int(p) <= v || int(p) >= len(parent) {
			panic(fmt.Sprintf("cover: variable %d has parent %d", v, p))
		}
		if weight[v] < 0 {
			panic(fmt.Sprintf("cover: variable %d weighs %d", v, weight[v]))
		}
	}
	return &Program{parent: parent, weight: weight, start: []uint32{0}}
}

// Vars is the number of variables.
func (p *Program) Vars() int { return len(p.parent) }

// Clauses is the number of clauses.
func (p *Program) Clauses() int { return len(p.start) - 1 }

// Clause is clause c, ascending. The caller must not change it.
func (p *Program) Clause(c int) []int32 { return p.vars[p.start[c]:p.start[c+1]] }

// Add adds a clause: at least one of the variables is chosen. It must not be empty. A variable
// above another of the clause is left out: choosing it chooses the other.
func (p *Program) Add(vars ...int32) {
	at := len(p.vars)
	p.vars = append(p.vars, vars...)
	slices.Sort(p.vars[at:])
	kept := slices.Compact(p.vars[at:])
	n := 0
	for i, v := range kept {
		if !slices.ContainsFunc(kept[:i], func(below int32) bool { return p.above(v, below) }) {
			kept[n] = v
			n++
		}
	}
	p.vars = p.vars[:at+n]
	p.start = append(p.start, uint32(at+n))
	p.need = append(p.need, 1)
}

// append adds a constraint as it is: at least need of ascending, pairwise unrelated variables.
func (p *Program) append(vars []int32, need int32) {
	p.vars = append(p.vars, vars...)
	p.start = append(p.start, uint32(len(p.vars)))
	p.need = append(p.need, need)
}

// above tells whether a is an ancestor of v.
func (p *Program) above(a, v int32) bool {
	for v = p.parent[v]; v >= 0 && v < a; v = p.parent[v] {
	}
	return v == a
}

// Cost is the weight of a choice.
func (p *Program) Cost(x []bool) int64 {
	total := int64(0)
	for v, chosen := range x {
		if chosen {
			total += p.weight[v]
		}
	}
	return total
}

// DropLast takes the clause added last out again.
func (p *Program) DropLast() {
	p.start = p.start[:len(p.start)-1]
	p.need = p.need[:len(p.need)-1]
	p.vars = p.vars[:p.start[len(p.start)-1]]
}
