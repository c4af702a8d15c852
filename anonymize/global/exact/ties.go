package exact

import (
	"cmp"
	"context"
	"slices"

	"mingle/internal/cover"
)

// Telling optimal cuts apart is given up after so much work, so that it does not depend on the
// clock: nodes of search trees, and item occurrences that are counted anew, in at least so many
// rounds.
const tieNodes, tieOccurrences, tieRounds = 400, 2_000_000, 4

// untie moves from the best choice to the one that, of all that cost as much, is lowest at the
// first leaf where they differ: inner nodes in the order of their first leaves, lower ones first,
// are taken out one by one if an optimal choice without them exists.
func (s *search) untie(ctx context.Context) error {
	p := s.known.program
	backbone := p.Backbone(ctx, s.bestCost+1)
	fix := make([]int8, p.Vars())
	left := effort{nodes: tieNodes, rounds: tieRounds}
	for _, v := range s.leafOrder() {
		if s.best[v] && backbone[v] == cover.Free {
			fix[v] = cover.Out
			if err := s.without(ctx, fix, &left); err != nil {
				return err
			}
		}
		fix[v] = cover.Out
		if s.best[v] {
			fix[v] = cover.In
		}
	}
	return context.Cause(ctx)
}

// effort is what may still be spent.
type effort struct {
	nodes, rounds int
	told          bool // how much the data are: it may take long to find out
}

// more tells whether anything is left.
func (s *search) more(ctx context.Context, left *effort) (bool, error) {
	if left.nodes > 0 && left.rounds == 0 && !left.told {
		n, err := s.data.occurrences(ctx)
		if err != nil {
			return false, err
		}
		left.told = true
		left.rounds = max(tieRounds, tieOccurrences/max(1, n)) - tieRounds
	}
	return left.nodes > 0 && left.rounds > 0, nil
}

// without looks for a choice of the same cost under some fixings, and makes it the best.
func (s *search) without(ctx context.Context, fix []int8, left *effort) error {
	for {
		if more, err := s.more(ctx, left); err != nil || !more {
			return err
		}
		r := s.known.program.Solve(ctx, cover.Options{
			Upper: s.bestCost + 1, Fix: fix,
			Nodes: left.nodes,
		})
		left.nodes -= max(1, r.Nodes)
		if ctx.Err() != nil || r.X == nil {
			return context.Cause(ctx)
		}
		rare, err := s.data.rare(ctx, s.cut(r.X, 0))
		if err != nil {
			return err
		}
		left.rounds--
		if rare.Len() == 0 {
			s.best = r.X
			return nil
		}
		if err := s.known.learn(ctx, rare); err != nil {
			return err
		}
	}
}

// leafOrder is the variables in the order of their nodes' first leaves, lower nodes before higher
// ones.
func (s *search) leafOrder() []int32 {
	order := make([]int32, s.known.program.Vars())
	for v := range order {
		order[v] = int32(v)
	}
	slices.SortFunc(order, func(a, b int32) int {
		loA, _ := s.tree.Range(a + int32(s.tree.Leaves()))
		loB, _ := s.tree.Range(b + int32(s.tree.Leaves()))
		return cmp.Or(cmp.Compare(loA, loB), cmp.Compare(a, b))
	})
	return order
}
