package suppress

// This file is the program of a cut with suppressed units, an extension of that of package exact;
// docs/algorithms/suppress.md has the argument.
//
//   - x_v: the cut is at inner node v or above it; g_s: unit s (an item or a transaction) is
//     suppressed.
//   - An itemset J of at most m nodes with 0 < support(J) < k, and a transaction t that has it: any
//     cut with suppressed units that keeps the promise lifts one of J's nodes, or suppresses t, or
//     one of t's items below a node of J. This clause holds for every solution when J is rare in
//     the whole data.
//   - What is suppressed may make other sets rare. Their clauses are guesses: they are true only as
//     long as the same units are suppressed. They are forgotten between two trials.
//
// Rounds of solving, publishing, and counting go on until nothing is rare. Every round adds a
// clause that was not known, so they end.
//
// Time: the number of rounds times one count at a cut that is nearly the result. Memory: that of
// package exact.

import (
	"context"
	"errors"
	"slices"

	"mingle/anonymize"
	"mingle/internal/itemset"
)

// search looks for a cut and units to suppress. Losses are NCP times |I| times all occurrences.
type search struct {
	base
	kind
	k, m   int
	budget int64 // occurrences that may be suppressed

	limit, spent int64 // the counted work, see DefaultWork

	occ   []int64 // item occurrences below a node
	size  []int64 // of a unit
	known *clauses

	present     *itemset.Index // of what is left without presentGone; nil: none yet
	presentGone []bool
}

// choice is a cut with suppressed units.
type choice struct {
	cut  []int32 // the node of every leaf, suppressed ones included
	gone []bool  // by unit
}

// ErrWork is why a search ends that has taken as much work as it may.
var ErrWork = errors.New("it had taken as much work as its effort allows")

func newSearch(b base, k kind, budget, limit int64) *search {
	s := &search{
		base: b, kind: k, k: b.in.Promise.K, budget: budget, limit: limit, size: k.sizes(),
	}
	s.m = b.in.MostAtOnce()
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

// loss of a choice.
func (s *search) loss(c choice) int64 {
	total := int64(0)
	for _, leaf := range s.left(c.gone).Data.Items() {
		total += s.tree.Penalty(c.cut[leaf])
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

// weights of the program's variables, when a suppressed occurrence weighs percent of what it loses.
func (s *search) weights(percent int64) []int64 {
	t := s.tree
	out := make([]int64, s.known.inner+len(s.size))
	for v := range s.known.inner {
		u := int32(v + t.Leaves())
		w := s.occ[u] * s.tree.Penalty(u)
		for _, c := range t.Children(u) {
			w -= s.occ[c] * s.tree.Penalty(c)
		}
		out[v] = w * 100
	}
	for unit, n := range s.size {
		out[s.known.goneVar(int32(unit))] = n * int64(t.Leaves()) * percent
	}
	return out
}

// read makes a choice of a solution; the cut is nowhere below the nodes of the given height.
func (s *search) read(x []bool, height int) choice {
	of := s.tree.Topmost(func(u int32) bool {
		return s.tree.Height(u) <= height || x[s.known.liftedVar(u)]
	})
	return choice{of, x[s.known.inner:]}
}

// without is the index of what is left when units are gone.
func (s *search) without(gone []bool) *itemset.Index {
	if !slices.Contains(gone, true) {
		return s.index
	}
	if s.present == nil || !slices.Equal(gone, s.presentGone) {
		s.present = anonymize.NewIndex(s.rows(gone), s.tree, 0, s.in.WorkerCount())
		s.presentGone = slices.Clone(gone)
	}
	return s.present
}

// trial is a program that is solved: with which weight of a suppressed occurrence, in percent of
// what it loses, and with how many nodes of the solver's search tree.
type trial struct {
	percent int64
	nodes   int
}

// firstTrials are made whatever comes of them. Each starts from the clauses that are known by then.
// A weight over 100 makes room for what must go because other things went.
var firstTrials = []trial{{100, 1}, {150, 1}, {200, 1}, {300, 1}, {125, 1}, {150, 10}}

// trialsInVain is after how many trials, none of which loses less than no suppression, the search
// ends, whatever they suppress.
const trialsInVain = 2

// Weights between the lowest that keeps the budget and the highest that does not are tried so
// often; and the weight doubles up to the largest while none keeps it.
const (
	betweenTrials = 3
	largestWeight = 10_000
)

// choices are the polished choices within the budget, some without suppression; with an error,
// those made before it. alone is the loss without suppression.
func (s *search) choices(ctx context.Context, alone int64) ([]choice, error) {
	var out []choice
	helps := false
	// The highest weight seen that breaks the budget, the lowest that keeps it.
	over, under := int64(0), int64(largestWeight)
	try := func(t trial) error {
		if s.spent >= s.limit {
			return ErrWork
		}
		c, ok, err := s.choice(ctx, t)
		if err != nil {
			return err
		}
		n := s.suppressed(c.gone)
		helps = helps || ok && n > 0 && s.loss(c) < alone
		if !ok || n > s.budget {
			over = max(over, t.percent)
			return nil
		}
		under = min(under, t.percent)
		out = append(out, c)
		return nil
	}
	for i, t := range firstTrials {
		if i >= trialsInVain && !helps {
			return out, nil
		}
		if err := try(t); err != nil {
			return out, err
		}
	}
	for n := 0; over > 0 && n < betweenTrials; {
		percent := 2 * over
		if under < largestWeight {
			percent = (over + under) / 2
			n++
		}
		if percent >= largestWeight || under-over < 10 {
			break
		}
		if err := try(trial{percent, 1}); err != nil {
			return out, err
		}
	}
	return out, nil
}

// choice makes one trial. It reports false where nothing keeps the promise.
func (s *search) choice(ctx context.Context, t trial) (choice, bool, error) {
	r := &rounds{
		search: s, weight: s.weights(t.percent), nodes: t.nodes,
		guessed: newClauses(s.tree, len(s.size)),
	}
	if err := r.run(ctx); err != nil && !errors.Is(err, ErrWork) {
		return choice{}, false, err
	}
	return s.polish(ctx, s.read(r.x, 0))
}
