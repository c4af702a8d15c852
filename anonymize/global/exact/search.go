package exact

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mingle/anonymize"
	"mingle/hierarchy"
	"mingle/internal/cover"
)

// search is one run.
type search struct {
	data   source
	report func(stage string, done, total int64)
	tree   *hierarchy.Tree
	k, m   int
	items  int // that occur in the data, as often as they do

	loss []int64 // by node; see anonymize.Problem
	// scale is what one unit of loss weighs in the program: loss comes first, then generalized
	// leaves. Data so large that both together do not fit into 60 bits goes without the second.
	scale int64
	known *clauses

	many     int     // see manyClauses
	hidden   []int32 // the last cut at which nothing was rare
	best     []bool  // cheapest cut known to keep the promise, as far as supports go
	bestCost int64

	limit, spent int64 // see Algorithm.Work; 0: there is none
	room         int64 // see Algorithm.Room; 0: there is no bound

	lower        int64 // proven bound
	proof        *cover.Proof
	lowerClauses int // how many clauses it takes
}

// A choice ([]bool) is a cut: for each inner node, numbered from 0, whether the cut is at it or
// above it.

func newSearch(p *anonymize.Problem) *search {
	s := &search{
		data: newIndexed(p), report: p.Report, tree: p.Tree, k: p.Promise.K, m: p.MostAtOnce(),
		items: p.Data.Occurrences(), loss: p.Losses(),
	}
	return s.begin()
}

// begin makes the program, without clauses.
func (s *search) begin() *search {
	s.scale = int64(s.tree.Leaves()) + 1
	if s.loss[s.tree.Root()] > (1<<60)/s.scale {
		s.scale = 1
	}
	s.known, s.many = newClauses(s), manyClauses
	s.best = slices.Repeat([]bool{true}, s.known.program.Vars())
	s.bestCost = s.known.program.Cost(s.best)
	s.proof = &cover.Proof{}
	return s
}

// solveNodes bounds the search tree of the programs between two counts: a good choice will do
// there.
const solveNodes = 5

// run finds the optimum and proves it. When ctx ends, best and lower are what was reached.
func (s *search) run(ctx context.Context) error {
	x, err := s.descend(ctx, make([]bool, s.known.program.Vars()))
	if err != nil {
		return err
	}
	if err := s.prove(ctx, x); err != nil {
		return err
	}
	return s.untie(ctx)
}

// descend makes a choice whose cut has no rare itemset, counting on the data generalized to each
// height from the root's children down. Each height that is done gives a cut that keeps the
// promise, the last the choice itself.
func (s *search) descend(ctx context.Context, x []bool) ([]bool, error) {
	for height := s.tree.Height(s.tree.Root()) - 1; height >= 0; height-- {
		for {
			learned, err := s.count(ctx, x, height)
			if err != nil {
				return nil, err
			}
			if !learned {
				break
			}
			if x, err = s.choose(ctx); err != nil {
				return nil, err
			}
			s.report(fmt.Sprintf("height %d", height), int64(s.known.program.Clauses()), 0)
		}
	}
	return x, nil
}

// manyClauses are so many that a solution may take a second or more.
const manyClauses = 1 << 17

// count counts at the cut of a choice, and learns what is rare. Where there are many clauses, it
// adds to the choice what they ask for, until nothing is rare: to raise the cut is quick.
func (s *search) count(ctx context.Context, x []bool, height int) (learned bool, err error) {
	for {
		cut := s.cut(x, height)
		if slices.Equal(cut, s.hidden) {
			return learned, nil
		}
		rare, err := s.data.rare(ctx, cut)
		if err != nil {
			return false, err
		}
		if rare.Len() == 0 {
			s.accept(s.choice(x, height))
			s.hidden = cut
			return learned, nil
		}
		if err := s.known.learn(ctx, rare); err != nil {
			return false, err
		}
		if learned = true; s.known.program.Clauses() < s.many {
			return true, nil
		}
		s.known.program.Repair(x)
	}
}

// choose solves the present program well enough and keeps its bound.
func (s *search) choose(ctx context.Context) ([]bool, error) {
	r := s.known.program.Solve(ctx, cover.Options{Nodes: solveNodes})
	s.keepBound(r)
	return r.X, context.Cause(ctx)
}

func (s *search) keepBound(r cover.Result) {
	if r.Lower > s.lower {
		s.lower, s.proof, s.lowerClauses = r.Lower, r.Proof, s.known.program.Clauses()
	}
}

// accept keeps a choice that is known to keep the promise, if it is the best.
func (s *search) accept(x []bool) {
	if cost := s.known.program.Cost(x); cost < s.bestCost {
		s.best, s.bestCost = x, cost
	}
}

// errWork is why a search ends that has a bound on its work.
var errWork = errors.New("a proof would take more work than it may")

// errRoom is why a search ends whose proof has grown too large.
var errRoom = errors.New("a proof would take more memory than it may")

// mostProof is a bound on the bytes of a proof, about, where memory has none: two fifths of 2 GB,
// for a proof is more than twice as large when its variables are renamed.
const mostProof = 800 << 20

// prove starts from a choice that keeps the promise and goes on until the best such choice is
// proven to be optimal.
func (s *search) prove(ctx context.Context, x []bool) error {
	s.accept(x)
	for s.bestCost > 0 {
		o := cover.Options{Upper: s.bestCost, Room: s.room}
		clauses := int64(s.known.program.Clauses())
		if s.limit > 0 {
			o.Nodes = int((s.limit - s.spent) / max(1, clauses))
			if o.Nodes <= 0 {
				return errWork
			}
		}
		r := s.known.program.Solve(ctx, o)
		s.spent += int64(r.Nodes) * clauses
		s.keepBound(r)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case r.X == nil && r.Lower < s.bestCost && o.Nodes > 0 && r.Nodes >= o.Nodes:
			return errWork
		case r.X == nil && r.Lower < s.bestCost:
			return errRoom
		case r.X == nil:
			return nil
		}
		x, err := s.descend(ctx, r.X)
		if err != nil {
			return err
		}
		s.accept(x)
	}
	return nil
}
