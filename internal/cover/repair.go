package cover

// Repair adds to a choice until it hits the clauses from one on: for each that is missed, the
// variable that adds least weight. Nothing is taken out. It is quick, and good enough where the
// program is about to get more clauses.
func (p *Program) Repair(x []bool, from int) {
	r := repair{p: p, x: x, adds: make([]int64, p.Vars())}
	for v := range x {
		if !x[v] {
			r.lack(int32(v), p.weight[v])
		}
	}
	for c := from; c < p.Clauses(); c++ {
		for r.misses(c) {
			r.choose(r.lightest(c))
		}
	}
}

// repair is one.
type repair struct {
	p    *Program
	x    []bool
	adds []int64 // by variable: what is not chosen at and below it weighs so much
}

// lack adds to what is not chosen at and below a variable and those above it.
func (r *repair) lack(v int32, weight int64) {
	for ; v >= 0; v = r.p.parent[v] {
		r.adds[v] += weight
	}
}

// misses tells whether too few variables of a clause are chosen.
func (r *repair) misses(c int) bool {
	need := r.p.need[c]
	for _, v := range r.p.Clause(c) {
		if r.x[v] {
			need--
		}
	}
	return need > 0
}

// lightest is the variable of a clause, of those not chosen, that adds least.
func (r *repair) lightest(c int) int32 {
	pick := int32(-1)
	for _, v := range r.p.Clause(c) {
		if !r.x[v] && (pick < 0 || r.adds[v] < r.adds[pick]) {
			pick = v
		}
	}
	return pick
}

// choose puts a variable and all below it in.
func (r *repair) choose(top int32) {
	for v := top; v >= 0; v-- { // those below have lower numbers
		up := r.p.parent[v]
		if v == top || up >= 0 && r.x[up] && !r.x[v] {
			r.x[v] = true
			r.lack(v, -r.p.weight[v])
		}
	}
}
