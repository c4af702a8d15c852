package pbproof

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mingle/release"
)

// What is known of a variable.
const (
	undecided = iota
	lifted
	notLifted
)

// situation is where a step of the proof stands.
type situation struct {
	known  []byte  // of every variable
	why    []int   // the constraint that says so, a literal of at least 1
	counts []bool  // whose weight is part of what is to be shown
	open   []int32 // clauses that may still say something
}

func newSituation(vars, clauses int) *situation {
	s := &situation{
		known: make([]byte, vars), why: make([]int, vars),
		counts: slices.Repeat([]bool{true}, vars),
	}
	for c := range clauses {
		s.open = append(s.open, int32(c))
	}
	return s
}

func (s *situation) clone() *situation {
	return &situation{slices.Clone(s.known), slices.Clone(s.why), s.counts, s.open}
}

func (s *situation) knows(v int32, state byte, why int) { s.known[v], s.why[v] = state, why }

// goal is what a step has to show: that the variables that count and were undecided before weigh at
// least target.
type goal struct {
	undecided []bool // the variables
	target    int64
	paid      terms // for those that are known to be lifted by now, times their weights
	left      int64 // of the target
}

// step derives, in a situation that it changes, that the variables that count and are undecided
// weigh at least target. It is 0 where there is nothing to show.
func (w *writer) step(proof *release.Proof, s *situation, target int64) (int, error) {
	if target <= 0 {
		return 0, nil
	}
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	g := &goal{undecided: make([]bool, len(s.known)), target: target}
	for v, state := range s.known {
		g.undecided[v] = state == undecided && s.counts[v]
	}
	before := slices.Clone(s.known)
	if none := w.conclude(s); none != 0 {
		return w.sum(terms{{id: none, factor: target}}), nil
	}
	if w.pay(g, s, before); g.left <= 0 {
		return w.sum(g.paid), nil
	}
	if proof == nil {
		return 0, fmt.Errorf("the proof ends %d short of its bound", g.left)
	}
	var b *bound
	if len(proof.Rows) > 0 || proof.Threshold > 0 {
		var err error
		if b, err = w.bound(proof, s); err != nil {
			return 0, err
		}
		if b.value >= g.left {
			return w.sum(slices.Concat(b.rows, b.all(), g.paid)), nil
		}
	}
	if proof.Threshold == 0 && proof.Sides[0] == nil {
		sum, err := w.parts(proof, s, g.left)
		if err != nil {
			return 0, err
		}
		return w.sum(slices.Concat(sum, g.paid)), nil
	}
	contrary := w.suppose(w.weight, func(v int) bool { return g.undecided[v] }, target)
	none, err := w.refute(proof, s, g, b, contrary)
	if err != nil {
		return 0, err
	}
	return w.contradicted(none), nil
}

// pay notes what is known to be lifted that was not before.
func (w *writer) pay(g *goal, s *situation, before []byte) {
	g.left, g.paid = g.target, nil
	for v, open := range g.undecided {
		if open && s.known[v] == lifted {
			g.left -= w.weight[v]
			g.paid = g.paid.constraint(s.why[v], w.weight[v])
		}
	}
}

// refute derives a contradiction from the contrary of a goal.
func (w *writer) refute(proof *release.Proof, s *situation, g *goal, b *bound, contrary int) (
	int, error,
) {
	against := func(sum terms) int {
		return w.sum(slices.Concat(terms{{id: contrary, factor: 1}}, g.paid, sum))
	}
	if b != nil && proof.Threshold > 0 {
		if proof.Threshold < g.left {
			return 0, fmt.Errorf("a threshold of %d is below the target %d", proof.Threshold,
				g.left)
		}
		w.fix(b, s, g, proof.Threshold, contrary)
		if none := w.conclude(s); none != 0 {
			return none, nil
		}
		if w.pay(g, s, nil); g.left <= 0 {
			return against(nil), nil
		}
	}
	if proof.Sides[0] == nil || proof.Sides[1] == nil {
		sum, err := w.parts(proof, s, g.left)
		if err != nil {
			return 0, err
		}
		return against(sum), nil
	}
	v := proof.Branch - int32(w.tree.Leaves())
	if v < 0 || int(v) >= len(s.known) || s.known[v] != undecided || !s.counts[v] {
		return 0, errDecided
	}
	why := w.supposeLifted(v)
	side := s.clone()
	side.knows(v, lifted, why)
	sum, err := w.step(proof.Sides[0], side, g.left-w.weight[v])
	if err != nil {
		return 0, err
	}
	s.knows(v, notLifted, w.contradicted(against(
		terms{}.constraint(why, w.weight[v]).constraint(sum, 1),
	)))
	if sum, err = w.step(proof.Sides[1], s, g.left); err != nil {
		return 0, err
	}
	return against(terms{}.constraint(sum, 1)), nil
}

var errDecided = errors.New("the proof names a node that is decided already or is in another part")

// parts derives the bounds of disjoint parts, which add up to the target.
func (w *writer) parts(proof *release.Proof, s *situation, target int64) (terms, error) {
	part, err := w.partOf(proof, s)
	if err != nil {
		return nil, err
	}
	var sum terms
	total := int64(0)
	for i, piece := range proof.Parts {
		own := &situation{known: slices.Clone(s.known), why: slices.Clone(s.why)}
		own.counts = make([]bool, len(part))
		for v := range part {
			own.counts[v] = part[v] == int32(i)
		}
		for _, c := range s.open {
			if slices.ContainsFunc(w.program.Clauses[c].Vars, func(v int32) bool {
				return own.counts[v]
			}) {
				own.open = append(own.open, c)
			}
		}
		id, err := w.step(piece.Proof, own, piece.Bound)
		if err != nil {
			return nil, err
		}
		sum = sum.constraint(id, 1)
		total += max(0, piece.Bound)
	}
	if total < target {
		return nil, fmt.Errorf("the parts of the proof add up to %d, which is under %d", total,
			target)
	}
	return sum, nil
}

// partOf is the part of every variable, -1 where it is in none: one that is not named is in the
// part of the next one above it.
func (w *writer) partOf(proof *release.Proof, s *situation) ([]int32, error) {
	part := slices.Repeat([]int32{-1}, len(w.parent))
	for i, piece := range proof.Parts {
		for _, u := range piece.Nodes {
			v := u - int32(w.tree.Leaves())
			if v < 0 || int(v) >= len(part) || s.known[v] != undecided || !s.counts[v] ||
				part[v] >= 0 {
				return nil, errDecided
			}
			part[v] = int32(i)
		}
	}
	for v := len(part) - 1; v >= 0; v-- {
		if up := w.parent[v]; part[v] < 0 && up >= 0 && s.known[v] == undecided && s.counts[v] {
			part[v] = part[up]
		}
	}
	return part, nil
}

// conclude derives what follows from what is known: above a node that is not lifted nothing is,
// below one that is everything is, and the last node of a clause that can be lifted is. It is the
// number of a contradiction, 0 where there is none.
func (w *writer) conclude(s *situation) int {
	for again := true; again; {
		if none := w.spread(s); none != 0 {
			return none
		}
		var none int
		if again, none = w.lastNodes(s); none != 0 {
			return none
		}
	}
	return 0
}

// spread carries what is known up and down the hierarchy.
func (w *writer) spread(s *situation) int {
	for v := int32(len(w.parent)) - 1; v >= 0; v-- {
		up := w.parent[v]
		if up < 0 || s.known[up] != lifted || s.known[v] == lifted {
			continue
		}
		sum := terms{{id: s.why[up], factor: 1}, {id: w.below[v], factor: 1}}
		if s.known[v] == notLifted {
			return w.sum(sum.constraint(s.why[v], 1))
		}
		s.knows(v, lifted, w.sum(sum))
	}
	for v, up := range w.parent {
		if up >= 0 && s.known[v] == notLifted && s.known[up] == undecided {
			sum := terms{{id: s.why[v], factor: 1}, {id: w.below[v], factor: 1}}
			s.knows(up, notLifted, w.sum(sum))
		}
	}
	return 0
}

// lastNodes lifts the last node of each clause that can be, and drops clauses that are satisfied.
func (w *writer) lastNodes(s *situation) (changed bool, none int) {
	var open []int32
	for _, c := range s.open {
		last, can, done := int32(-1), 0, false
		rest := terms{{id: w.clause(c), factor: 1}}
		for _, v := range w.program.Clauses[c].Vars {
			switch s.known[v] {
			case lifted:
				done = true
			case undecided:
				last = v
				can++
			case notLifted:
				rest = rest.constraint(s.why[v], 1)
			}
		}
		switch {
		case done:
		case can == 0:
			return false, w.sum(rest)
		case can == 1:
			s.knows(last, lifted, w.sum(rest))
			changed = true
		default:
			open = append(open, c)
		}
	}
	s.open = open
	return changed, 0
}

// clause is the number of a clause's constraint.
func (w *writer) clause(c int32) int { return len(w.program.Below) + int(c) + 1 }
