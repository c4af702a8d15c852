package cover

import (
	"cmp"
	"slices"
)

// repairer turns choices into ones that hit every clause.
type repairer struct {
	p     *Program
	hits  []int32 // chosen variables a clause
	in    [][]int32
	order []int32
}

// newRepairer indexes the clauses of every variable. The program must not grow afterwards.
func newRepairer(p *Program) *repairer {
	r := &repairer{p: p, hits: make([]int32, p.Clauses()), in: make([][]int32, p.Vars())}
	degree := make([]int32, p.Vars())
	for _, v := range p.vars {
		degree[v]++
	}
	flat := make([]int32, len(p.vars))
	for v, d := range degree {
		r.in[v], flat = flat[:0:d], flat[d:]
	}
	for c := range p.Clauses() {
		for _, v := range p.Clause(c) {
			r.in[v] = append(r.in[v], int32(c))
		}
	}
	return r
}

// complete adds variables to x until every clause is hit, cheapest by slack first come, then takes
// out again what is not needed. slack guides the choice: the weights less the multipliers.
func (r *repairer) complete(x []bool, slack []int64) {
	p := r.p
	for c := range r.hits {
		r.hits[c] = 0
		for _, v := range p.Clause(c) {
			if x[v] {
				r.hits[c]++
			}
		}
	}
	kids := p.childIndex()
	for c := range r.hits {
		for r.hits[c] < p.need[c] {
			pick, price := int32(-1), int64(0)
			for _, v := range p.Clause(c) {
				if x[v] {
					continue
				}
				if cost := kids.price(x, v, slack); pick < 0 || cost < price {
					pick, price = v, cost
				}
			}
			kids.choose(x, pick, func(v int32) {
				for _, c := range r.in[v] {
					r.hits[c]++
				}
			})
		}
	}
	r.prune(x)
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
			for _, c := range r.in[v] {
				r.hits[c]--
			}
		}
		r.order = kept
	}
}

func (r *repairer) spare(v int32) bool {
	for _, c := range r.in[v] {
		if r.hits[c] <= r.p.need[c] {
			return false
		}
	}
	return true
}

// childLists are the children of every variable.
type childLists struct {
	start, kids []int32
}

func (p *Program) childIndex() childLists {
	c := childLists{start: make([]int32, p.Vars()+1)}
	for _, up := range p.parent {
		if up >= 0 {
			c.start[up+1]++
		}
	}
	for v := range p.parent {
		c.start[v+1] += c.start[v]
	}
	c.kids = make([]int32, c.start[p.Vars()])
	next := slices.Clone(c.start)
	for v, up := range p.parent {
		if up >= 0 {
			c.kids[next[up]] = int32(v)
			next[up]++
		}
	}
	return c
}

func (c childLists) of(v int32) []int32 { return c.kids[c.start[v]:c.start[v+1]] }

// price is what choosing v adds: the slacks, if positive, of what is not chosen at and below it.
func (c childLists) price(x []bool, v int32, slack []int64) int64 {
	if x[v] {
		return 0
	}
	total := max(0, slack[v])
	for _, kid := range c.of(v) {
		total += c.price(x, kid, slack)
	}
	return total
}

// choose puts v and everything below it in, telling each that is new.
func (c childLists) choose(x []bool, v int32, tell func(v int32)) {
	if x[v] {
		return
	}
	x[v] = true
	tell(v)
	for _, kid := range c.of(v) {
		c.choose(x, kid, tell)
	}
}
