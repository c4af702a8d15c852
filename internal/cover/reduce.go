package cover

import (
	"math/bits"
	"slices"
)

// States of a variable.
const (
	Free int8 = 0
	In   int8 = 1
	Out  int8 = -1
)

// reduced is what remains of a program when some variables are fixed.
type reduced struct {
	*task
	base int64   // weight of what is fixed in
	fix  []int8  // of the variables before
	rep  []int32 // variable before -> remaining one, -1 where fixed
}

// reduce fixes variables and draws the consequences: closure, clauses with one variable left,
// variables in no clause. It reports false when a clause has none left. fix is changed.
func reduce(t *task, fix []int8) (*reduced, bool) {
	p := t.Program
	for {
		closed := p.close(fix)
		changed, ok := p.units(fix)
		if !closed || !ok {
			return nil, false
		}
		if !changed {
			break
		}
	}
	r := &reduced{fix: fix, rep: make([]int32, p.Vars())}
	used := make([]bool, p.Vars())
	for c := range p.Clauses() {
		if !p.hit(c, fix) {
			for _, v := range p.Clause(c) {
				used[v] = fix[v] == Free
			}
		}
	}
	r.variables(t, used)
	r.clauses(t)
	return r, true
}

// close draws what fixed variables say about those below and above. It reports false when they
// contradict each other.
func (p *Program) close(fix []int8) bool {
	for v := p.Vars() - 1; v >= 0; v-- {
		if up := p.parent[v]; up >= 0 && fix[up] == In {
			if fix[v] == Out {
				return false
			}
			fix[v] = In
		}
	}
	for v, up := range p.parent {
		if up >= 0 && fix[v] == Out {
			fix[up] = Out
		}
	}
	return true
}

func (p *Program) hit(c int, fix []int8) bool {
	need := p.need[c]
	for _, v := range p.Clause(c) {
		if fix[v] == In {
			need--
		}
	}
	return need <= 0
}

// units fixes in the last free variable of a clause. It reports false when there is none.
func (p *Program) units(fix []int8) (changed, ok bool) {
	for c := range p.Clauses() {
		need, n := p.need[c], int32(0)
		for _, v := range p.Clause(c) {
			switch fix[v] {
			case In:
				need--
			case Free:
				n++
			}
		}
		if n < need {
			return false, false
		}
		if n == need && n > 0 {
			for _, v := range p.Clause(c) {
				if fix[v] == Free {
					fix[v] = In
				}
			}
			changed = true
		}
	}
	return changed, true
}

// variables numbers what remains: a variable in no clause is chosen with its parent, or not at all.
func (r *reduced) variables(p *task, used []bool) {
	for v := p.Vars() - 1; v >= 0; v-- {
		r.rep[v] = -1
		switch up := p.parent[v]; {
		case r.fix[v] == In:
			r.base += p.weight[v]
		case r.fix[v] == Out:
		case used[v]:
			r.rep[v] = int32(v)
		case up >= 0 && r.rep[up] >= 0:
			r.rep[v] = r.rep[up]
		default:
			r.fix[v] = Out
		}
	}
	number := make([]int32, p.Vars())
	r.task = &task{Program: &Program{start: []uint32{0}}}
	for v := range p.parent {
		if r.rep[v] == int32(v) {
			number[v] = int32(len(r.parent))
			r.parent = append(r.parent, -1)
			r.orig = append(r.orig, p.orig[v])
			r.weight = append(r.weight, 0)
		}
	}
	for v, up := range p.parent {
		if r.rep[v] < 0 {
			continue
		}
		if r.rep[v] == int32(v) && up >= 0 && r.rep[up] >= 0 {
			r.parent[number[v]] = number[r.rep[up]]
		}
		r.weight[number[r.rep[v]]] += p.weight[v]
	}
	for v, rep := range r.rep {
		if rep >= 0 {
			r.rep[v] = number[rep]
		}
	}
}

// clauses renames what is not hit yet; equal clauses become one.
func (r *reduced) clauses(p *task) {
	same := equals{of: r.Program, first: make([]int32, 1<<bits.Len(uint(2*p.Clauses())))}
	var vars []int32
	for c := range p.Clauses() {
		if p.hit(c, r.fix) {
			continue
		}
		need := p.need[c]
		vars = vars[:0]
		for _, v := range p.Clause(c) {
			if r.fix[v] == In {
				need--
			}
			if r.fix[v] == Free {
				vars = append(vars, r.rep[v])
			}
		}
		r.append(vars, need)
		n := same.find()
		if n < len(r.y) {
			r.DropLast()
		} else {
			r.y = append(r.y, 0)
		}
		r.y[n] += p.y[c]
	}
}

// equals finds constraints of a program that are equal, by open addressing.
type equals struct {
	of    *Program
	first []int32 // a constraint's number and one; 0: none
}

// find is the number of the first constraint that is equal to the last one.
func (e *equals) find() int {
	p := e.of
	last := p.Clauses() - 1
	hash := uint64(p.need[last])
	for _, v := range p.Clause(last) {
		hash = (hash ^ uint64(v)) * 0x9E3779B97F4A7C15 // 2 to 64 by the golden ratio
		hash ^= hash >> 32
	}
	mask := uint64(len(e.first) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		switch n := int(e.first[at]) - 1; {
		case n < 0:
			e.first[at] = int32(last) + 1
			return last
		case p.need[n] == p.need[last] && slices.Equal(p.Clause(n), p.Clause(last)):
			return n
		}
	}
}

// lift writes a choice of the remaining variables back over all of them.
func (r *reduced) lift(x []bool) []bool {
	full := make([]bool, len(r.fix))
	for v, state := range r.fix {
		full[v] = state == In || r.rep[v] >= 0 && x[r.rep[v]]
	}
	return full
}

// components splits a program into parts that have no clause and no tree edge in common: the
// variables of each, ascending, the parts in the order of their first variable.
func (p *Program) components() [][]int32 {
	of := make([]int32, p.Vars())
	for v := range of {
		of[v] = int32(v)
	}
	find := func(v int32) int32 {
		for of[v] != v {
			of[v] = of[of[v]]
			v = of[v]
		}
		return v
	}
	join := func(a, b int32) {
		a, b = find(a), find(b)
		of[max(a, b)] = min(a, b)
	}
	for v, up := range p.parent {
		if up >= 0 {
			join(int32(v), up)
		}
	}
	for c := range p.Clauses() {
		vars := p.Clause(c)
		for _, v := range vars[1:] {
			join(vars[0], v)
		}
	}
	part := map[int32]int{}
	var parts [][]int32
	for v := range of {
		root := find(int32(v))
		n, ok := part[root]
		if !ok {
			n = len(parts)
			part[root] = n
			parts = append(parts, nil)
		}
		parts[n] = append(parts[n], int32(v))
	}
	return parts
}

// splitInto cuts a program into its components, clauses and multipliers along.
func (p *task) splitInto(parts [][]int32) []*task {
	part := make([]int32, p.Vars())
	number := make([]int32, p.Vars())
	out := make([]*task, len(parts))
	for i, vars := range parts {
		sub := &Program{
			parent: make([]int32, len(vars)), weight: make([]int64, len(vars)),
			start: []uint32{0},
		}
		orig := make([]int32, len(vars))
		for n, v := range vars {
			part[v], number[v], orig[n] = int32(i), int32(n), p.orig[v]
			sub.weight[n] = p.weight[v]
		}
		out[i] = &task{Program: sub, orig: orig}
	}
	for v, up := range p.parent {
		sub := out[part[v]]
		sub.parent[number[v]] = -1
		if up >= 0 {
			sub.parent[number[v]] = number[up]
		}
	}
	for c := range p.Clauses() {
		vars := p.Clause(c)
		sub := out[part[vars[0]]]
		own := make([]int32, len(vars))
		for i, v := range vars {
			own[i] = number[v]
		}
		sub.append(own, p.need[c])
		sub.y = append(sub.y, p.y[c])
	}
	return out
}
