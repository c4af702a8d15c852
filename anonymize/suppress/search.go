package suppress

// The program of a cut with suppressed units; docs/algorithms/suppress.md has the argument.
//
//   - x_v: the cut is at inner node v or above it; g_s: unit s (an item or a transaction) is suppressed.
//   - An itemset J of at most m nodes with 0 < support(J) < k, and a transaction t that has it: any cut with suppressed units
//     that keeps the promise lifts one of J's nodes, or suppresses t, or one of t's items below a node of J. This clause holds
//     for every solution when J is rare in the whole data.
//   - What is suppressed may make other sets rare. Their clauses are guesses: they are true only as long as the same units are
//     suppressed. They are forgotten between two trials.
//
// Rounds of solving, publishing, and counting go on until nothing is rare. Every round adds a clause that was not known, so they end.
// Time is the number of rounds times one count at a cut that is nearly the result; memory that of package exact.

import (
	"context"
	"fmt"

	"mingle/internal/count"
	"mingle/internal/cover"
)

// search looks for a cut and units to suppress. Losses are NCP times |I| times all occurrences.
type search struct {
	base
	kind
	k, m   int
	budget int64 // occurrences that may be suppressed

	occ   []int64 // item occurrences below a node
	size  []int64 // of a unit
	known *clauses
}

// choice is a cut with suppressed units.
type choice struct {
	cut  []int32 // the node of every leaf, suppressed ones included
	gone []bool  // by unit
}

func newSearch(b base, k kind, budget int64) *search {
	s := &search{base: b, kind: k, k: b.in.Promise.K, budget: budget, size: k.sizes()}
	s.m = min(b.in.Promise.M, max(1, b.in.Data.MaxLen()))
	s.occ = make([]int64, s.tree.Nodes())
	for _, leaf := range s.in.Data.Items() {
		s.occ[leaf]++
	}
	for u := range int32(s.tree.Nodes()) {
		if up := s.tree.Parent(u); up >= 0 {
			s.occ[up] += s.occ[u]
		}
	}
	s.known = newClauses(s.tree, len(s.size))
	return s
}

// penalty of one occurrence published as u, in leaves.
func (b base) penalty(u int32) int64 {
	if b.tree.IsLeaf(u) {
		return 0
	}
	return int64(b.tree.LeafCount(u))
}

// loss of a choice.
func (s *search) loss(c choice) int64 {
	total := int64(0)
	for _, leaf := range s.left(c.gone).Data.Items() {
		total += s.penalty(c.cut[leaf])
	}
	return total + s.suppressed(c.gone)*int64(s.tree.Leaves())
}

// suppressed is how many occurrences a choice suppresses.
func (s *search) suppressed(gone []bool) int64 {
	total := int64(0)
	for unit, is := range gone {
		if is {
			total += s.size[unit]
		}
	}
	return total
}

// weights of the program's variables, when a suppressed occurrence costs price percent of what it counts.
func (s *search) weights(price int64) []int64 {
	t := s.tree
	out := make([]int64, s.known.inner+len(s.size))
	for v := range s.known.inner {
		u := int32(v + t.Leaves())
		w := s.occ[u] * s.penalty(u)
		for _, c := range t.Children(u) {
			w -= s.occ[c] * s.penalty(c)
		}
		out[v] = w * 100
	}
	for unit, n := range s.size {
		out[s.known.goneVar(int32(unit))] = n * int64(t.Leaves()) * price
	}
	return out
}

// read makes a choice of a solution; the cut is nowhere below the nodes of the given height.
func (s *search) read(x []bool, height int) choice {
	t := s.tree
	of := make([]int32, t.Nodes())
	for u := int32(t.Nodes()) - 1; u >= 0; u-- {
		switch up := t.Parent(u); {
		case up >= 0 && of[up] >= 0:
			of[u] = of[up]
		case t.IsLeaf(u) || x[s.known.liftedVar(u)] || t.Height(u) <= height:
			of[u] = u
		default:
			of[u] = -1
		}
	}
	return choice{of[:t.Leaves()], x[s.known.inner:]}
}

// trial is a program that is solved: at which price of a suppressed occurrence, in percent of what it loses, and with how
// many nodes of the solver's search tree.
type trial struct {
	price int64
	nodes int
}

// firstTrials are made whatever comes of them. Each starts from the clauses that are known by then. A price over 100 makes
// room for what must go because other things went.
var firstTrials = []trial{{100, 1}, {150, 1}, {200, 1}, {150, 10}, {100, 10}, {300, 1}}

// enough is after how many trials none that loses less than no suppression ends the search, whatever they suppress.
const enough = 2

// Prices between the lowest that keeps the budget and the highest that does not are tried so often; and the price doubles up to the
// last one while none keeps it.
const (
	betweenTrials = 3
	lastPrice     = 10_000
)

// choices are the polished choices within the budget. alone is the loss without suppression.
func (s *search) choices(ctx context.Context, alone int64) ([]choice, error) {
	var out []choice
	helps := false
	over, under := int64(0), int64(lastPrice) // the highest price seen that breaks the budget, the lowest that keeps it
	try := func(t trial) error {
		c, ok, err := s.choice(ctx, t)
		if err != nil {
			return err
		}
		n := s.suppressed(c.gone)
		helps = helps || ok && s.loss(c) < alone
		if !ok || n > s.budget {
			over = max(over, t.price)
			return nil
		}
		under = min(under, t.price)
		if n > 0 {
			out = append(out, c)
		}
		return nil
	}
	for i, t := range firstTrials {
		if i >= enough && !helps {
			return out, nil
		}
		if err := try(t); err != nil {
			return nil, err
		}
	}
	for n := 0; over > 0 && n < betweenTrials; {
		price := 2 * over
		if under < lastPrice {
			price = (over + under) / 2
			n++
		}
		if price >= lastPrice || under-over < 10 {
			break
		}
		if err := try(trial{price, 1}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// choice makes one trial. It reports false where nothing keeps the promise.
func (s *search) choice(ctx context.Context, t trial) (choice, bool, error) {
	r := &rounds{search: s, weight: s.weights(t.price), nodes: t.nodes, guessed: newClauses(s.tree, len(s.size))}
	if err := r.run(ctx); err != nil {
		return choice{}, false, err
	}
	return s.polish(ctx, s.read(r.x, 0))
}

// rounds solve a program, publish, count, and add clauses in turn.
type rounds struct {
	*search
	weight  []int64
	nodes   int
	guessed *clauses
	left    int // so many rounds more; then the last choice is what polish starts from
	x       []bool
}

// maxRounds bounds the rounds of one trial. No data set came near it.
const maxRounds = 1000

// run goes on until nothing is rare: first with the clauses that hold for sure.
func (r *rounds) run(ctx context.Context) error {
	r.left = maxRounds
	if err := r.choose(ctx); err != nil {
		return err
	}
	if err := r.settle(ctx, true); err != nil {
		return err
	}
	return r.settle(ctx, false)
}

// clauses is how many there are.
func (r *rounds) clauses() int { return r.known.len() + r.guessed.len() }

// choose solves the present program well enough.
func (r *rounds) choose(ctx context.Context) error {
	p := r.known.program(r.weight)
	r.guessed.addTo(p)
	r.x = p.Solve(ctx, cover.Options{Nodes: r.nodes}).X
	return context.Cause(ctx)
}

// settle goes through sizes and, from coarse to fine, heights until nothing new comes up.
func (r *rounds) settle(ctx context.Context, certain bool) error {
	for {
		before := r.clauses()
		for size := 1; size <= r.m; size++ {
			for height := r.tree.Height(r.tree.Root()) - 1; height >= 0; height-- {
				if err := r.at(ctx, height, size, certain); err != nil {
					return err
				}
			}
		}
		if r.clauses() == before || r.left <= 0 {
			return nil
		}
	}
}

// at goes on at one size and height until nothing is rare.
func (r *rounds) at(ctx context.Context, height, size int, certain bool) error {
	for ; r.left > 0; r.left-- {
		n, err := r.learn(ctx, r.read(r.x, height), size, certain)
		if err != nil || n == 0 {
			return err
		}
		if err := r.choose(ctx); err != nil {
			return err
		}
		r.in.Report(fmt.Sprintf("suppression, itemsets of %d", size), int64(r.known.len()), 0)
	}
	return nil
}

// learn adds clauses for rare itemsets of at most size nodes of a choice, the smallest there are; it tells how many
// clauses there are more. With certain, it leaves out the guesses.
func (r *rounds) learn(ctx context.Context, c choice, size int, certain bool) (int, error) {
	x := r.index
	if r.suppressed(c.gone) > 0 {
		x = count.NewIndex(r.rows(c.gone), r.tree)
	}
	v := count.NewView(x, c.cut)
	before := r.clauses()
	for n := 1; n <= min(size, v.Longest()); n++ {
		rare, err := v.Rare(ctx, count.Search{Size: n, K: r.k, Workers: r.in.WorkerCount(), Limit: rareLimit(v.Nodes())})
		if err != nil {
			return 0, err
		}
		for i := range rare.Len() {
			if i%256 == 0 && ctx.Err() != nil {
				return 0, context.Cause(ctx)
			}
			set := rare.Set(i)
			if !r.index.AtLeast(set, r.k) {
				r.learnSet(r.known, x, set, c.gone)
			} else if !certain {
				r.learnSet(r.guessed, x, set, c.gone)
			}
		}
		if after := r.clauses(); after > before {
			return after - before, nil
		}
	}
	return 0, nil
}

// rareLimit bounds the rare itemsets that are listed for one first node: diverse ones are of more use than many.
func rareLimit(nodes int) int { return max(16, min(1000, 500_000/max(1, nodes))) }

// learnSet adds the clauses of a set that is rare in the data of x, which is without what is gone: one for each node that is
// lifted first. Where suppression alone does not follow from one transaction, a later round adds the next.
func (s *search) learnSet(to *clauses, x *count.Index, set []int32, gone []bool) {
	if to.implied(set, s.pick(x, set, gone)) {
		return
	}
	in := x
	if to == s.known {
		in = s.index
	}
	for first := range set {
		nodes := lift(in, s.tree, s.k, set, first)
		to.add(nodes, s.pick(x, nodes, gone))
	}
}
