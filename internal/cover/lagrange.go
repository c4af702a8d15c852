package cover

// The bound. With multipliers y_c >= 0 on the clauses, every choice x that hits all of them costs
// at least
//
//	L(y) = sum_c y_c + min over closed x of sum_v (w_v - Y_v) * x_v,
//	Y_v  = sum of y_c over the clauses c that contain v,
//
// and the minimum over closed sets of a forest is one pass from the leaves up: a variable is either
// chosen with everything below it (total), or not chosen, and its children decide for themselves
// (rest). Multipliers and weights are integers, so the bound is exact whatever the way the
// multipliers were found. Its maximum over y is the bound of the linear relaxation, because the
// closed sets of a forest are an integral polytope.

// bound evaluates L and, for every variable, what L becomes when the variable is forced.
type bound struct {
	p     *Program
	slack []int64 // w_v less the multipliers on v
	total []int64 // of the slacks of v and everything below
	rest  []int64 // least of what is below v when v is not chosen
	one   []int64 // L when v is chosen, less L
	zero  []int64 // L when v is not chosen, less L
}

func newBound(p *Program) *bound {
	n := p.Vars()
	all := make([]int64, 5*n)
	return &bound{
		p, all[:n:n], all[n : 2*n : 2*n], all[2*n : 3*n : 3*n], all[3*n : 4*n : 4*n],
		all[4*n:],
	}
}

// evaluate computes L(y), and the choice that attains it into x: of several the one that chooses
// least.
func (b *bound) evaluate(y []int64, x []bool) int64 {
	p := b.p
	copy(b.slack, p.weight)
	value := int64(0)
	for c, m := range y {
		if m == 0 {
			continue
		}
		value += m * int64(p.need[c])
		for _, v := range p.Clause(c) {
			b.slack[v] -= m
		}
	}
	copy(b.total, b.slack)
	clear(b.rest)
	for v, up := range p.parent {
		least := min(b.total[v], b.rest[v])
		if up < 0 {
			value += least
			continue
		}
		b.total[up] += b.total[v]
		b.rest[up] += least
	}
	for v := p.Vars() - 1; v >= 0; v-- {
		up := p.parent[v]
		x[v] = up >= 0 && x[up] || b.total[v] < b.rest[v]
	}
	return value
}

// penalties computes, after evaluate, by how much L grows when a variable is forced in or out.
func (b *bound) penalties() {
	for v := b.p.Vars() - 1; v >= 0; v-- {
		least := min(b.total[v], b.rest[v])
		up := b.p.parent[v]
		if up < 0 {
			b.one[v], b.zero[v] = b.total[v]-least, b.rest[v]-least
			continue
		}
		b.one[v] = min(b.one[up], b.zero[up]+b.total[v]-least)
		b.zero[v] = b.zero[up] + b.rest[v] - least
	}
}
