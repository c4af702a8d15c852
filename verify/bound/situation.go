package bound

import (
	"errors"
	"fmt"
	"slices"

	"mingle/release"
)

// What is known of an inner node: is the cut at it or above it?
const (
	undecided = iota
	lifted
	notLifted
)

// situation is where a step of the proof stands: what is known of every inner node, and which
// nodes' weights are counted.
type situation struct {
	known  []byte
	counts []bool
	sets   [][]int32 // clauses that may still say something
}

// whole checks the proof of the certificate's bound.
func (p *proofCheck) whole() error {
	n := len(p.parent)
	s := situation{known: make([]byte, n), counts: slices.Repeat([]bool{true}, n), sets: p.sets}
	return p.step(p.cert.Proof, s, p.cert.Bound)
}

// errContradiction says that no cut is in a situation, so that every bound holds.
var errContradiction = errors.New("no cut is like that")

// step checks that in a situation the nodes that count weigh at least target.
func (p *proofCheck) step(proof *release.Proof, s situation, target int64) error {
	if p.ctx.Err() != nil {
		return p.ctx.Err()
	}
	p.steps++
	target, err := p.conclude(&s, slices.Clone(s.known), target)
	if errors.Is(err, errContradiction) || err == nil && target <= 0 {
		return nil
	}
	if proof == nil {
		return fmt.Errorf("the proof ends %d short of its bound", target)
	}
	if len(proof.Rows) > 0 || proof.Threshold > 0 {
		b, err := p.bound(proof, s)
		if err != nil {
			return err
		}
		if b.value >= target {
			return nil
		}
		if proof.Threshold > 0 {
			if proof.Threshold < target {
				return fmt.Errorf("a threshold of %d is below the target %d", proof.Threshold,
					target)
			}
			before := s.known
			if !b.decide(&s, proof.Threshold) {
				return nil
			}
			target, err = p.conclude(&s, before, target)
			if errors.Is(err, errContradiction) || err == nil && target <= 0 {
				return nil
			}
		}
	}
	if proof.Sides[0] != nil && proof.Sides[1] != nil {
		return p.sides(proof, s, target)
	}
	return p.parts(proof, s, target)
}

// sides checks both cases of a distinction.
func (p *proofCheck) sides(proof *release.Proof, s situation, target int64) error {
	v := proof.Branch - int32(p.in.Tree.Leaves())
	if v < 0 || int(v) >= len(p.parent) || s.known[v] != undecided || !s.counts[v] {
		return errors.New("the proof distinguishes cases by a node that is decided already")
	}
	for i, state := range []byte{lifted, notLifted} {
		side := s
		side.known = slices.Clone(s.known)
		side.known[v] = state
		left := target
		if state == lifted {
			left -= p.weight[v]
		}
		if err := p.step(proof.Sides[i], side, left); err != nil {
			return err
		}
	}
	return nil
}

// parts checks that disjoint parts have bounds that add up to target.
func (p *proofCheck) parts(proof *release.Proof, s situation, target int64) error {
	part := slices.Repeat([]int32{-1}, len(p.parent))
	for i, piece := range proof.Parts {
		for _, u := range piece.Nodes {
			v := u - int32(p.in.Tree.Leaves())
			if v < 0 || int(v) >= len(p.parent) || s.known[v] != undecided || !s.counts[v] ||
				part[v] >= 0 {
				return errors.New("a part of the proof names a node that is decided already or " +
					"is in another part")
			}
			part[v] = int32(i)
		}
	}
	for v := len(part) - 1; v >= 0; v-- {
		if up := p.parent[v]; part[v] < 0 && up >= 0 && s.known[v] == undecided && s.counts[v] {
			part[v] = part[up]
		}
	}
	total := int64(0)
	for i, piece := range proof.Parts {
		total += max(0, piece.Bound)
		own := situation{known: slices.Clone(s.known), counts: make([]bool, len(part))}
		for v := range part {
			own.counts[v] = part[v] == int32(i)
		}
		for _, set := range s.sets {
			if slices.ContainsFunc(set, func(v int32) bool { return own.counts[v] }) {
				own.sets = append(own.sets, set)
			}
		}
		if err := p.step(piece.Proof, own, piece.Bound); err != nil {
			return err
		}
	}
	if total < target {
		return fmt.Errorf("the parts of the proof add up to %d, which is under %d", total, target)
	}
	return nil
}

// conclude draws what follows from what is known: above a node that is not lifted nothing is, below
// one that is everything is, and the last node of a clause that can be lifted is. It returns what
// is left of the target once the nodes that count and were undecided before are paid where they are
// lifted.
func (p *proofCheck) conclude(s *situation, before []byte, target int64) (int64, error) {
	for again := true; again; {
		if !p.close(s.known) {
			return 0, errContradiction
		}
		var ok bool
		if again, ok = s.lastNodes(); !ok {
			return 0, errContradiction
		}
	}
	for v, state := range s.known {
		if state == lifted && before[v] == undecided && s.counts[v] {
			target -= p.weight[v]
		}
	}
	return target, nil
}

// close carries what is known up and down the hierarchy. It reports false when that contradicts
// itself.
func (p *proofCheck) close(known []byte) bool {
	for v := len(p.parent) - 1; v >= 0; v-- {
		if up := p.parent[v]; up >= 0 && known[up] == lifted {
			if known[v] == notLifted {
				return false
			}
			known[v] = lifted
		}
	}
	for v, up := range p.parent {
		if up >= 0 && known[v] == notLifted {
			known[up] = notLifted
		}
	}
	return true
}

// lastNodes lifts the last node of each clause that can be, and drops clauses that are satisfied.
// It reports false when a clause has no node left.
func (s *situation) lastNodes() (changed, ok bool) {
	var open [][]int32
	for _, set := range s.sets {
		last, can, done := int32(-1), 0, false
		for _, v := range set {
			switch s.known[v] {
			case lifted:
				done = true
			case undecided:
				last = v
				can++
			}
		}
		switch {
		case done:
		case can == 0:
			return false, false
		case can == 1:
			s.known[last], changed = lifted, true
		default:
			open = append(open, set)
		}
	}
	s.sets = open
	return changed, true
}
