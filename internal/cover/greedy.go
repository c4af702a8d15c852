package cover

import (
	"cmp"
	"slices"
)

// repairer turns choices into ones that hit every clause.
type repairer struct {
	p        *Program
	hits     []int32 // chosen variables a clause
	in       lists   // variable -> its clauses
	children lists   // variable -> its children
	order    []int32
}

// newRepairer indexes a program, which must not grow afterwards.
func newRepairer(p *Program) *repairer {
	return &repairer{
		p: p, hits: make([]int32, p.Clauses()),
		in: newLists(p.Vars(), func(put func(v, c int32)) {
			for c := range p.Clauses() {
				for _, v := range p.Clause(c) {
					put(v, int32(c))
				}
			}
		}),
		children: newLists(p.Vars(), func(put func(v, child int32)) {
			for v, up := range p.parent {
				if up >= 0 {
					put(up, int32(v))
				}
			}
		}),
	}
}

// lists has a list of numbers for every variable.
type lists struct{ start, all []int32 }

// newLists makes the lists of n variables. each puts all numbers, every time it is called.
func newLists(n int, each func(put func(v, x int32))) lists {
	l := lists{start: make([]int32, n+1)}
	each(func(v, _ int32) { l.start[v+1]++ })
	for v := range n {
		l.start[v+1] += l.start[v]
	}
	l.all = make([]int32, l.start[n])
	next := slices.Clone(l.start)
	each(func(v, x int32) {
		l.all[next[v]] = x
		next[v]++
	})
	return l
}

func (l lists) of(v int32) []int32 { return l.all[l.start[v]:l.start[v+1]] }

// Repair adds to a choice until every clause is hit: for each that is missed, the variable that
// adds least weight. Nothing is taken out. It is quick, and good enough where the program is about
// to get more clauses.
func (p *Program) Repair(x []bool) { newRepairer(p).fill(x, p.weight) }

// complete adds variables to x until every clause is hit, cheapest by slack first come, then takes
// out again what is not needed. slack guides the choice: the weights less the multipliers.
func (r *repairer) complete(x []bool, slack []int64) {
	r.fill(x, slack)
	r.prune(x)
}

// fill adds variables to x until every clause is hit.
func (r *repairer) fill(x []bool, slack []int64) {
	p := r.p
	for c := range r.hits {
		r.hits[c] = 0
		for _, v := range p.Clause(c) {
			if x[v] {
				r.hits[c]++
			}
		}
	}
	for c := range r.hits {
		for r.hits[c] < p.need[c] {
			pick, least := int32(-1), int64(0)
			for _, v := range p.Clause(c) {
				if x[v] {
					continue
				}
				if add := r.slackOf(x, v, slack); pick < 0 || add < least {
					pick, least = v, add
				}
			}
			r.choose(x, pick)
		}
	}
}

// prune takes variables out, the heaviest trees first, as long as every clause stays hit.
func (r *repairer) prune(x []bool) {
	p := r.p
	r.order = r.order[:0]
	for v := range x {
		if x[v] {
			r.order = append(r.order, int32(v))
		}
	}
	slices.SortFunc(r.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(p.weight[b], p.weight[a]), cmp.Compare(b, a))
	})
	for again := true; again; {
		again = false
		kept := r.order[:0]
		for _, v := range r.order {
			if up := p.parent[v]; up >= 0 && x[up] || !r.spare(v) {
				kept = append(kept, v)
				continue
			}
			x[v] = false
			again = true
			for _, c := range r.in.of(v) {
				r.hits[c]--
			}
		}
		r.order = kept
	}
}

func (r *repairer) spare(v int32) bool {
	for _, c := range r.in.of(v) {
		if r.hits[c] <= r.p.need[c] {
			return false
		}
	}
	return true
}

// slackOf is what choosing v adds: the slacks, if positive, of what is not chosen at and below it.
func (r *repairer) slackOf(x []bool, v int32, slack []int64) int64 {
	if x[v] {
		return 0
	}
	total := max(0, slack[v])
	for _, child := range r.children.of(v) {
		total += r.slackOf(x, child, slack)
	}
	return total
}

// choose puts v and everything below it in, and counts the clauses that it hits.
func (r *repairer) choose(x []bool, v int32) {
	if x[v] {
		return
	}
	x[v] = true
	for _, c := range r.in.of(v) {
		r.hits[c]++
	}
	for _, child := range r.children.of(v) {
		r.choose(x, child)
	}
}
