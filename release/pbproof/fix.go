package pbproof

import "slices"

// fixing derives that nodes are lifted, or are not, because the bound would reach the goal's target
// otherwise. For a single node the bound goes up by what changes on its way to the root: there, the
// x of a node stands for its parent's instead of the other way round. The constraint for one node
// is made from that of its parent by adding what its siblings hand on: so what is added becomes
// ever shorter, and all of them together cost little more than the bound itself.
type fixing struct {
	*bound
	s             *situation
	with, without []int64 // the bound where a node is lifted, where it is not
	wanted        []byte  // what is to be derived of a node
	inside        []bool  // something is wanted of it or of a node below it
}

// fix derives what every choice under the threshold, and so under what is left of the goal, has in
// common, from the goal's contrary.
func (w *writer) fix(b *bound, s *situation, g *goal, threshold int64, contrary int) {
	f := &fixing{bound: b, s: s}
	if f.want(threshold); !slices.Contains(f.inside, true) {
		return
	}
	base := slices.Concat(terms{{id: contrary, factor: 1}}, g.paid, b.rows)
	for v, open := range g.undecided {
		if open && s.known[v] == notLifted {
			base = base.literal(v, true, w.weight[v])
		}
	}
	f.group(w.sum(base), b.roots)
}

// want decides what is wanted: the lowest of the nodes that are not lifted, the highest of those
// that are. The others follow.
func (f *fixing) want(threshold int64) {
	n := len(f.free)
	f.with, f.without = make([]int64, n), make([]int64, n)
	f.wanted, f.inside = make([]byte, n), make([]bool, n)
	for v := n - 1; v >= 0; v-- {
		if !f.free[v] {
			continue
		}
		least := min(f.total[v], f.rest[v])
		if up := f.up(int32(v)); up >= 0 {
			f.with[v] = min(f.with[up], f.without[up]-least+f.total[v])
			f.without[v] = f.without[up] - least + f.rest[v]
		} else {
			f.with[v] = f.value - least + f.total[v]
			f.without[v] = f.value - least + f.rest[v]
		}
	}
	lowest := slices.Repeat([]bool{true}, n) // no node below it is fixed not to be lifted
	for v := range int32(n) {
		if !f.free[v] {
			continue
		}
		up := f.up(v)
		switch {
		case f.without[v] >= threshold:
			if up < 0 || f.without[up] < threshold {
				f.wanted[v] = lifted
			}
		case f.with[v] >= threshold && lowest[v]:
			f.wanted[v] = notLifted
		}
		f.inside[v] = f.inside[v] || f.wanted[v] != undecided
		if up >= 0 {
			lowest[up] = lowest[up] && f.with[v] < threshold
			f.inside[up] = f.inside[up] || f.inside[v]
		}
	}
}

// up is the parent of a free node if it is free too, else -1.
func (b *bound) up(v int32) int32 {
	if up := b.w.parent[v]; up >= 0 && b.free[up] {
		return up
	}
	return -1
}

// group goes on with siblings, half by half, given the constraint in which only they, what is below
// them, and their parent are left.
func (f *fixing) group(id int, nodes []int32) {
	if !slices.ContainsFunc(nodes, func(v int32) bool { return f.inside[v] }) {
		return
	}
	if len(nodes) == 1 {
		f.node(id, nodes[0])
		return
	}
	half := len(nodes) / 2
	start := terms{{id: id, factor: 1}}
	for _, side := range [2][2][]int32{{nodes[:half], nodes[half:]}, {nodes[half:], nodes[:half]}} {
		if slices.ContainsFunc(side[0], func(v int32) bool { return f.inside[v] }) {
			f.group(f.w.sum(f.among(slices.Clone(start), side[1])), side[0])
		}
	}
}

// node derives what is wanted of a node, and goes on with those below it, given the constraint in
// which only it, what is below it, and its parent are left.
func (f *fixing) node(id int, v int32) {
	sum := terms{{id: id, factor: 1}}
	if up := f.up(v); up >= 0 {
		d := f.with[up] - f.without[up] - f.total[v] + min(f.total[v], f.rest[v])
		if d >= 0 {
			sum = sum.literal(int(up), true, d)
		} else {
			sum = sum.constraint(f.w.below[v], -d)
		}
	}
	id = f.w.sum(sum)
	if state := f.wanted[v]; state != undecided {
		d := f.with[v] - f.without[v]
		why := f.w.divided(f.under(terms{{id: id, factor: 1}}, v), max(d, -d))
		f.s.knows(v, state, why)
	}
	f.group(id, f.children[v])
}
