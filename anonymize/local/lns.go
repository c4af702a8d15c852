package local

import (
	"math"
	"math/rand/v2"
	"slices"
)

// This file improves a release by large neighbourhood search (P. Shaw, Using Constraint Programming
// and Local Search Methods to Solve Vehicle Routing Problems, CP 1998): destroy a part, repair it,
// keep what comes of it unless it loses more.
//
// Destroying publishes what is below some nodes, the roots of parts of the tree, as these nodes.
// Repairing specialises the parts anew, in an order that is left to chance. That costs a small part
// of a pass over the tree, and what the rest of the release publishes supports the parts from the
// beginning. The promise is kept: see recoding.generalize and step.
//
// Deviations: parts are chosen at random, not by relatedness; repairing is greedy, without a tree
// of choices.
//
// Time: ends with the meter's limit. Memory: a copy of what is published by the transactions that
// have a part, at most of the whole recoding.

// neighbourhood is the working space of destroying and repairing, one after the other, in one
// recoding.
type neighbourhood struct {
	*step
	weights *weights
	rng     *rand.Rand
	all     *order // before it is varied
	order   *order // through the parts
	roots   []int32
	parts   [][]int32 // by root: the nodes below it
	saved   saved
}

// saved is what a recoding was in some parts of the tree.
type saved struct {
	nodes        []int32 // of the parts
	ends         []int32 // by place in nodes: where its publishers end
	publishers   []int32
	is           []bool  // by transaction: is in txs
	txs          []int32 // that publish one of the nodes
	nodeOf, sets []int32 // of these, one after the other
	sizes        []int32 // by place in txs
	loss         int64
}

const (
	// leastDestroyed and mostDestroyed bound the share of all occurrences that is in the parts
	// destroyed at a time, mostDestroyed that in one part too.
	leastDestroyed, mostDestroyed = 0.003, 0.15
	// tries is how many nodes are looked at, at most, to find these parts, and tried what each
	// costs in units of work.
	tries, tried = 50, 8
	// maxVain is how many repairs gain nothing, one after the other, for each inner node with
	// items, before there are no more: enough that hardly any part is left that was not tried in
	// each order.
	maxVain = 20
)

func newNeighbourhood(st *step, w *weights, stream uint64) *neighbourhood {
	all := w.order(eachByItself)
	return &neighbourhood{
		step: st, weights: w, rng: rand.New(rand.NewPCG(5, stream)), all: all,
		order: &order{turns: eachByItself, keys: slices.Clone(all.keys)},
		saved: saved{is: make([]bool, st.merged.Len())},
	}
}

// improve destroys and repairs until the meter ends it, or it is in vain.
func (r *neighbourhood) improve(report func()) {
	most := 0
	for _, n := range r.weights.occurrences[r.tree.Leaves():] {
		if n > 0 {
			most += maxVain
		}
	}
	for vain := 0; vain < most && r.loss > 0 && !r.meter.spent(); vain++ {
		report()
		if r.once() {
			vain = 0
		}
	}
}

// once destroys and repairs some parts, and tells whether something is gained.
func (r *neighbourhood) once() bool {
	r.choose()
	r.save()
	before := r.loss
	if r.destroy(); r.loss == before {
		return false
	}
	r.repair()
	if r.loss > before {
		r.undo()
	}
	return r.loss < before
}

// choose chooses roots until enough occurrences are below them, at least one root.
func (r *neighbourhood) choose() {
	r.roots = r.roots[:0]
	has := r.weights.occurrences
	all := has[r.tree.Root()]
	wanted := all * leastDestroyed * math.Pow(mostDestroyed/leastDestroyed, r.rng.Float64())
	for n := 0; n < tries && wanted > 0; n++ {
		r.meter.add(tried)
		u := r.pick()
		related := func(v int32) bool { return r.tree.Related(u, v) }
		if has[u] <= mostDestroyed*all && !slices.ContainsFunc(r.roots, related) {
			r.roots = append(r.roots, u)
			wanted -= has[u]
		}
	}
	if len(r.roots) == 0 {
		r.roots = append(r.roots, r.pick())
	}
}

// pick is a node above the item of a random occurrence, at a random height below the root where
// there is one.
func (r *neighbourhood) pick() int32 {
	u := r.merged.Items()[r.rng.IntN(r.merged.Occurrences())]
	for range 1 + r.rng.IntN(max(1, r.tree.Depth(u)-1)) {
		u = r.tree.Parent(u)
	}
	return u
}

// save remembers what the recoding is in the parts.
func (r *neighbourhood) save() {
	s := &r.saved
	s.nodes, s.ends, s.publishers = s.nodes[:0], s.ends[:0], s.publishers[:0]
	s.txs, s.nodeOf, s.sets, s.sizes = s.txs[:0], s.nodeOf[:0], s.sets[:0], s.sizes[:0]
	s.loss = r.loss
	r.parts = r.parts[:0]
	for _, u := range r.roots {
		from := len(s.nodes)
		s.nodes = r.occupied(u, s.nodes)
		r.parts = append(r.parts, s.nodes[from+1:])
	}
	for _, v := range s.nodes {
		s.publishers = append(s.publishers, r.publishers[v]...)
		s.ends = append(s.ends, int32(len(s.publishers)))
	}
	for _, i := range s.publishers {
		if !s.is[i] {
			s.is[i] = true
			s.txs = append(s.txs, i)
		}
	}
	for _, i := range s.txs {
		s.is[i] = false
		from, to := r.merged.Start(int(i)), r.merged.Start(int(i)+1)
		s.nodeOf = append(s.nodeOf, r.nodes[from:to]...)
		s.sets = append(s.sets, r.sets[from:to]...)
		s.sizes = append(s.sizes, r.sizes[i])
	}
	r.meter.add((len(s.publishers) + len(s.nodeOf)) / metAUnit)
}

// occupied appends a node and all below it that have items.
func (r *neighbourhood) occupied(u int32, out []int32) []int32 {
	out = append(out, u)
	for _, c := range r.tree.Children(u) {
		if r.weights.occurrences[c] > 0 {
			out = r.occupied(c, out)
		}
	}
	return out
}

// undo makes the recoding what it was.
func (r *neighbourhood) undo() {
	s := &r.saved
	from := int32(0)
	for n, v := range s.nodes {
		r.publishers[v] = append(r.publishers[v][:0], s.publishers[from:s.ends[n]]...)
		from = s.ends[n]
	}
	at := 0
	for n, i := range s.txs {
		start := r.merged.Start(int(i))
		size := r.merged.Start(int(i)+1) - start
		copy(r.nodes[start:], s.nodeOf[at:at+size])
		copy(r.sets[start:], s.sets[at:at+size])
		r.sizes[i] = s.sizes[n]
		at += size
	}
	r.loss = s.loss
}

// destroy publishes what is published below a root as the root.
func (r *neighbourhood) destroy() {
	for n, u := range r.roots {
		r.generalize(r.parts[n], u)
	}
}

// repair specialises the parts, in an order that is left to chance.
func (r *neighbourhood) repair() {
	r.order.vary(r.rng, r.saved.nodes, r.all)
	for _, to := range r.order.stepsBelow(r.weights, r.roots...) {
		if r.meter.spent() {
			return // it loses more, most likely
		}
		r.specialise(to)
	}
}
