package suppress

import (
	"context"
	"fmt"

	"mingle/internal/cover"
	"mingle/internal/itemset"
)

// rounds solve a program, publish, count, and add clauses in turn.
type rounds struct {
	*search
	weight  []int64
	nodes   int
	guessed *clauses
	left    int // so many rounds more; then polish starts from the last choice
	x       []bool
}

// maxRounds bounds the rounds of one trial. No data set came near it.
const maxRounds = 1000

// run goes on until nothing is rare: first with the clauses that hold for sure. With ErrWork the
// last choice is as far as it came.
func (r *rounds) run(ctx context.Context) error {
	r.left = maxRounds
	if err := r.choose(ctx); err != nil {
		return err
	}
	if err := r.sweep(ctx, true); err != nil {
		return err
	}
	return r.sweep(ctx, false)
}

// clauses is how many there are.
func (r *rounds) clauses() int { return r.known.len() + r.guessed.len() }

// choose solves the present program, with clauses that solutions missed, until none is missed.
func (r *rounds) choose(ctx context.Context) error {
	for {
		p := r.known.program(r.weight)
		r.known.addTo(p)
		r.guessed.addTo(p)
		solved := p.Solve(ctx, cover.Options{Nodes: r.nodes})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.x = solved.X
		r.spent += int64(p.Clauses()) * int64(max(1, solved.Nodes))
		met := make([]bool, r.known.all)
		switch {
		case r.known.use(r.x, met)+r.guessed.use(r.x, met) == 0:
			return nil
		case r.spent >= r.limit:
			return ErrWork
		}
	}
}

// sweep goes through sizes and, from coarse to fine, heights. When nothing is rare at the last of
// them, nothing is at any.
func (r *rounds) sweep(ctx context.Context, certain bool) error {
	for size := 1; size <= r.m; size++ {
		for height := r.tree.Height(r.tree.Root()) - 1; height >= 0; height-- {
			if err := r.at(ctx, height, size, certain); err != nil {
				return err
			}
		}
	}
	return nil
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

// setsPerUnit is how many sets are counted in the time of a unit of work, about.
const setsPerUnit = 200

// learn adds clauses for rare itemsets of at most size nodes of a choice, the smallest there are;
// it tells how many clauses there are more. With certain, it leaves out the guesses.
func (r *rounds) learn(ctx context.Context, c choice, size int, certain bool) (int, error) {
	x := r.without(c.gone)
	v := itemset.NewView(x, c.cut, r.in.WorkerCount())
	before := r.clauses()
	for n := 1; n <= min(size, v.Longest()); n++ {
		rare, err := v.Rare(ctx, itemset.Search{
			Size: n, K: r.k, Workers: r.in.WorkerCount(),
			Limit: rareLimit(v.Nodes()),
		})
		if err != nil {
			return 0, err
		}
		r.spent += v.Sets(n) / setsPerUnit
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

// rareLimit bounds the rare itemsets that are listed for one first node: diverse ones are of more
// use than many.
func rareLimit(nodes int) int { return max(2, 10_000/max(1, nodes)) }

// learnSet adds the clauses of a set that is rare in the data of x, which is without what is gone:
// one for each node that is lifted first. Where suppression alone does not follow from one
// transaction, a later round adds the next.
func (s *search) learnSet(to *clauses, x *itemset.Index, set []int32, gone []bool) {
	if to.implied(set, s.pick(x, set, gone)) {
		return
	}
	in := x
	if to == s.known {
		in = s.index
	}
	for first := range set {
		nodes := in.Lift(set, first, s.k)
		to.add(nodes, s.pick(x, nodes, gone))
	}
}
