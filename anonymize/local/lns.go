package local

import (
	"math"
	"math/rand/v2"
	"slices"
)

// neighbourhood improves a release by large neighbourhood search (P. Shaw, Using Constraint
// Programming and Local Search Methods to Solve Vehicle Routing Problems, CP 1998): destroy a
// part, repair it, keep what comes of it unless it loses more. It takes back what is published
// below some nodes, the roots of parts of the tree, to these nodes, specialises the parts anew
// in another order, and keeps what comes of it unless it loses more. That is much less work
// than an order from the root, and all the rest has its say as it is.
//
// The promise is kept when a node u takes back what is published below it: a set with u is then
// in all transactions that it, or the same set with a node below u in place of u, was in, so in
// k or more. No other set comes to be.
type neighbourhood struct {
	*step
	search *search
	rng    *rand.Rand
	all    *order // before it is varied
	order  *order // through the parts
	roots  []int32
	saved  saved
	labels *unionSeeker // nil: no diversity
}

// saved is what a state was in some parts of the tree.
type saved struct {
	nodes []int32 // of the parts
	ends  []int32 // by place in nodes: where the transactions that publish it end in who
	who   []int32
	is    []bool  // by transaction: is in txs
	txs   []int32 // that publish one of the nodes
	at    []int32 // of these, one after the other
	pub   []int32 // as many
	len   []int32 // by place in txs
	loss  int64
}

const (
	// leastDestroyed and mostDestroyed bound the share of all occurrences that is in the parts
	// destroyed at a time, mostDestroyed for one part.
	leastDestroyed, mostDestroyed = 0.003, 0.15
	// picks is how many nodes are looked at, at most, to find these parts, and picked the work
	// of looking at each.
	picks, picked = 50, 8
	// maxVain is how many repairs, one after the other, gain nothing before there are no more.
	maxVain = 1000
)

// shuffled is how the order within the parts is varied.
var shuffled = variation{share: 1, deviation: 0.7}

// improve destroys and repairs parts of a release until its work limit; n says which it is of
// those that are improved side by side.
func (s *search) improve(t *trial, n int) {
	st := t.state
	begun := st.work
	st.limit = begun + s.budget.repair
	r := s.newNeighbourhood(st, n)
	more := func() bool { return st.loss > 0 && s.ctx.Err() == nil && st.work < st.limit }
	for vain := 0; vain < maxVain && more(); vain++ {
		s.report("destroying and repairing", st.work-begun, s.budget.repair)
		if r.try() {
			vain = 0
		}
	}
}

func (s *search) newNeighbourhood(st *state, n int) *neighbourhood {
	all := s.byGain(both, 2)
	r := &neighbourhood{
		step: newStep(st, fewNewSets), search: s, rng: rand.New(rand.NewPCG(5, uint64(n))),
		all: all, order: &order{keys: slices.Clone(all.keys), turns: slices.Clone(all.turns)},
		saved: saved{is: make([]bool, st.merged.Len())},
	}
	if st.div != nil {
		r.labels = st.newLabels()
	}
	return r
}

// try destroys and repairs some parts, and tells whether something is gained.
func (r *neighbourhood) try() bool {
	r.choose()
	r.save()
	before := r.loss
	if r.destroy(); r.loss == before {
		return false
	}
	evenTried++
	if !r.stillEven() {
		evenFailed++
		r.restore()
		return false
	}
	r.repair()
	if r.loss > before || off["repair-equal"] && r.loss == before {
		r.restore()
	}
	if r.loss < before {
		evenGained++
	}
	return r.loss < before
}

// stillEven tells whether sensitive items are in at most 1/l of the transactions with any set of
// labels, after the roots have taken back what was published below them.
func (r *neighbourhood) stillEven() bool {
	if r.div == nil {
		return true
	}
	return !slices.ContainsFunc(r.roots, func(u int32) bool {
		fails := r.labels.failsWith(r.search.ctx, u)
		r.work += (mostLooked - r.labels.left) / met
		return fails
	})
}

// choose chooses roots until there are as many occurrences below them as are wanted, at least one.
func (r *neighbourhood) choose() {
	r.roots = r.roots[:0]
	has := r.search.has
	all := has[r.tree.Root()]
	wanted := all * leastDestroyed * math.Pow(mostDestroyed/leastDestroyed, r.rng.Float64())
	for n := 0; n < picks && wanted > 0; n++ {
		r.work += picked
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

// save remembers what the state is in the parts.
func (r *neighbourhood) save() {
	s := &r.saved
	s.nodes, s.ends, s.who = s.nodes[:0], s.ends[:0], s.who[:0]
	s.txs, s.at, s.pub, s.len = s.txs[:0], s.at[:0], s.pub[:0], s.len[:0]
	s.loss = r.loss
	for _, u := range r.roots {
		s.nodes = r.under(u, s.nodes)
	}
	for _, v := range s.nodes {
		s.who = append(s.who, r.who[v]...)
		s.ends = append(s.ends, int32(len(s.who)))
	}
	for _, i := range s.who {
		if !s.is[i] {
			s.is[i] = true
			s.txs = append(s.txs, i)
		}
	}
	for _, i := range s.txs {
		s.is[i] = false
		from, to := r.merged.Start(int(i)), r.merged.Start(int(i)+1)
		s.at = append(s.at, r.at[from:to]...)
		s.pub = append(s.pub, r.pub[from:to]...)
		s.len = append(s.len, r.len[i])
	}
	r.work += int64(len(s.who)+len(s.at)) / met
}

// under appends a node and all below it.
func (r *neighbourhood) under(u int32, out []int32) []int32 {
	out = append(out, u)
	for _, c := range r.tree.Children(u) {
		if r.search.has[c] > 0 {
			out = r.under(c, out)
		}
	}
	return out
}

// restore makes the state what it was.
func (r *neighbourhood) restore() {
	s := &r.saved
	from := int32(0)
	for n, v := range s.nodes {
		r.who[v] = append(r.who[v][:0], s.who[from:s.ends[n]]...)
		from = s.ends[n]
	}
	at := 0
	for n, i := range s.txs {
		start := r.merged.Start(int(i))
		size := r.merged.Start(int(i)+1) - start
		copy(r.at[start:], s.at[at:at+size])
		copy(r.pub[start:], s.pub[at:at+size])
		r.len[i] = s.len[n]
		at += size
	}
	r.loss = s.loss
}

// destroy publishes what is published below a root as the root.
func (r *neighbourhood) destroy() {
	var root int32
	for _, v := range r.saved.nodes {
		if slices.Contains(r.roots, v) {
			root = v
			continue
		}
		for _, i := range r.who[v] {
			r.generalize(i, root)
		}
		r.who[v] = r.who[v][:0]
	}
}

// raise publishes what transaction i publishes below u as u.
func (r *neighbourhood) generalize(i, u int32) {
	_, at := r.below(i, u)
	for j, v := range at {
		if v == u || !r.tree.Covers(u, v) {
			continue
		}
		if r.publishes(i, v) {
			r.exclude(i, v)
		}
		at[j] = u
		r.loss += (r.penalty(u) - r.penalty(v)) * int64(r.merged.Weights[i])
	}
	if slices.Contains(at, u) && !r.publishes(i, u) {
		r.include(i, u)
		r.who[u] = append(r.who[u], i)
	}
}

// specialise specialises the parts, in an order and with a policy that are left to chance.
func (r *neighbourhood) repair() {
	r.policy = aPolicy(policy(r.rng.IntN(int(policies))))
	if off["repair-policy"] {
		r.policy = fewNewSets
	}
	r.order.kind = []kind{falling, rising}[r.rng.IntN(2)]
	if off["repair-falling"] {
		r.order.kind = rising
	}
	if off["repair-rising"] {
		r.order.kind = falling
	}
	if off["repair-each"] {
		r.order.kind = each
	}
	for _, v := range r.saved.nodes {
		r.order.keys[v] = r.all.keys[v] * shuffled.factor(r.rng)
		r.order.turns[v] = r.all.turns[v] * shuffled.factor(r.rng)
	}
	for _, to := range r.order.stepsBelow(r.search.weights, r.roots...) {
		if r.search.ctx.Err() != nil || r.work > r.limit {
			return // it loses more, most likely
		}
		r.refine(r.search.ctx, to)
	}
}
