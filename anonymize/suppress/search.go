package suppress

import (
	"context"
	"fmt"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/count"
	"mingle/internal/cover"
)

// search looks for a cut and items to suppress. Losses are NCP times |I| times all occurrences.
type search struct {
	in     anonymize.Input
	tree   *hierarchy.Tree
	merged *dataset.Merged
	index  *count.Index
	k, m   int
	budget int64 // occurrences that may be suppressed

	occ   []int64 // item occurrences below a node
	known *clauses
}

// choice is a cut with suppressed items.
type choice struct {
	cut  []int32 // the node of every leaf, suppressed ones included
	gone []bool  // by leaf
}

func newSearch(in anonymize.Input, budget int64) *search {
	s := &search{in: in, tree: in.Tree, k: in.Promise.K, budget: budget}
	s.m = min(in.Promise.M, max(1, in.Data.MaxLen()))
	s.merged = dataset.Merge(in.Data)
	s.index = count.NewIndex(s.merged, s.tree)
	s.occ = make([]int64, s.tree.Nodes())
	for _, leaf := range in.Data.Items() {
		s.occ[leaf]++
	}
	for u := range int32(s.tree.Nodes()) {
		if up := s.tree.Parent(u); up >= 0 {
			s.occ[up] += s.occ[u]
		}
	}
	s.known = newClauses(s.tree)
	return s
}

// penalty of one occurrence published as u, in leaves.
func (s *search) penalty(u int32) int64 {
	if s.tree.IsLeaf(u) {
		return 0
	}
	return int64(s.tree.LeafCount(u))
}

// loss of a choice.
func (s *search) loss(c choice) int64 {
	total := int64(0)
	for leaf, u := range c.cut {
		if c.gone[leaf] {
			total += s.occ[leaf] * int64(s.tree.Leaves())
		} else {
			total += s.occ[leaf] * s.penalty(u)
		}
	}
	return total
}

// suppressed is how many occurrences a choice suppresses.
func (s *search) suppressed(gone []bool) int64 {
	total := int64(0)
	for leaf, is := range gone {
		if is {
			total += s.occ[leaf]
		}
	}
	return total
}

// weights of the program's variables, when a suppressed occurrence costs price percent of what it counts.
func (s *search) weights(price int64) []int64 {
	t := s.tree
	out := make([]int64, t.Nodes())
	for v := range s.known.inner {
		u := int32(v + t.Leaves())
		w := s.occ[u] * s.penalty(u)
		for _, c := range t.Children(u) {
			w -= s.occ[c] * s.penalty(c)
		}
		out[v] = w * 100
	}
	for leaf := range t.Leaves() {
		out[s.known.gone(int32(leaf))] = s.occ[leaf] * int64(t.Leaves()) * price
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
		case t.IsLeaf(u) || x[s.known.lifted(u)] || t.Height(u) <= height:
			of[u] = u
		default:
			of[u] = -1
		}
	}
	return choice{of[:t.Leaves()], x[s.known.inner:]}
}

// without indexes the data without the suppressed items. Transactions keep their numbers.
func (s *search) without(gone []bool) *count.Index {
	if !slices.Contains(gone, true) {
		return s.index
	}
	to := make([]int32, len(gone))
	for leaf, is := range gone {
		to[leaf] = int32(leaf)
		if is {
			to[leaf] = -1
		}
	}
	return count.NewIndex(&dataset.Merged{Dataset: s.merged.Dataset.Recode(s.merged.Dict(), to), Weights: s.merged.Weights}, s.tree)
}

// solve makes a choice without rare itemsets at the given price.
func (s *search) solve(ctx context.Context, price int64, nodes int) (choice, error) {
	r := &rounds{search: s, weight: s.weights(price), nodes: nodes, guessed: newClauses(s.tree)}
	if err := r.choose(ctx); err != nil {
		return choice{}, err
	}
	if err := r.settle(ctx, true); err != nil {
		return choice{}, err
	}
	err := r.settle(ctx, false)
	return s.read(r.x, 0), err
}

// rounds solve a program, publish, count, and add clauses in turn.
type rounds struct {
	*search
	weight  []int64
	nodes   int
	guessed *clauses
	x       []bool
}

// clauses is how many there are.
func (r *rounds) clauses() int { return r.known.len() + r.guessed.len() }

func (r *rounds) choose(ctx context.Context) error {
	p := r.known.program(r.weight)
	r.guessed.addTo(p)
	r.x = p.Solve(ctx, cover.Options{Nodes: r.nodes}).X
	return context.Cause(ctx)
}

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
		if r.clauses() == before {
			return nil
		}
	}
}

func (r *rounds) at(ctx context.Context, height, size int, certain bool) error {
	for {
		n, err := r.learn(ctx, r.read(r.x, height), size, certain)
		if err != nil || n == 0 {
			return err
		}
		if err := r.choose(ctx); err != nil {
			return err
		}
		r.in.Report(fmt.Sprintf("suppression, itemsets of %d", size), int64(r.known.len()), 0)
	}
}

// learn adds clauses for rare itemsets of at most size nodes of a choice; it tells how many clauses there are more.
func (r *rounds) learn(ctx context.Context, c choice, size int, certain bool) (int, error) {
	x := r.without(c.gone)
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
			if frequent := r.index.AtLeast(set, r.k); !frequent {
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

// learnSet adds the clauses of a set that is rare in the data of x, without the suppressed items.
func (s *search) learnSet(to *clauses, x *count.Index, set []int32, gone []bool) {
	items := s.dearest(x, set, gone)
	if to.implied(set, items) {
		return
	}
	in := x
	if to == s.known {
		in = s.index
	}
	for first := range set {
		nodes := lift(in, s.tree, s.k, set, first)
		to.add(nodes, s.dearest(x, nodes, gone))
	}
}

// below are the items of merged transaction i under u: those that are not suppressed, or all if all are.
func (s *search) below(i, u int32, gone []bool) []int32 {
	tx := s.merged.Tx(int(i))
	lo, hi := s.tree.Range(u)
	a, _ := slices.BinarySearch(tx, lo)
	b, _ := slices.BinarySearch(tx, hi)
	var left []int32
	for _, leaf := range tx[a:b] {
		if !gone[leaf] {
			left = append(left, leaf)
		}
	}
	if left == nil {
		return tx[a:b]
	}
	return left
}

// dearest are the items, one below each node and none suppressed, of the transaction of x with all the nodes whose
// cheapest item is dearest.
func (s *search) dearest(x *count.Index, nodes []int32, gone []bool) []int32 {
	var best []int32
	most := int64(-1)
	x.Each(nodes, func(i int32) bool {
		items, least := make([]int32, len(nodes)), int64(1)<<62
		for j, u := range nodes {
			top := int64(-1)
			for _, leaf := range s.below(i, u, gone) {
				if s.occ[leaf] > top {
					items[j], top = leaf, s.occ[leaf]
				}
			}
			least = min(least, top)
		}
		if least > most {
			best, most = items, least
		}
		return true
	})
	return best
}

// trials are the programs that are solved in turn: at which price, in percent, and with how many nodes of the solver's search
// tree. Each starts from the clauses that are known by then. A price over 100 makes for the items that must go because others went.
var trials = []struct {
	price int64
	nodes int
}{{100, 1}, {150, 1}, {200, 1}, {150, 10}, {100, 10}, {300, 1}}

// choices are the polished choices within the budget.
func (s *search) choices(ctx context.Context) ([]choice, error) {
	var out []choice
	for _, t := range trials {
		c, err := s.solve(ctx, t.price, t.nodes)
		if err != nil {
			return nil, err
		}
		c, ok, err := s.polish(ctx, c)
		if err != nil {
			return nil, err
		}
		if ok && s.suppressed(c.gone) <= s.budget {
			out = append(out, c)
		}
	}
	return out, nil
}
