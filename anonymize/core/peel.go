package core

import (
	"cmp"
	"context"
	"slices"
)

// maxLooks bounds the sets that are looked at in one transaction after the other when supports are
// counted.
const maxLooks = 1 << 28

// peel finds the core, by size of the sets: transactions with a rare item leave, then those with a
// rare pair among what is left, and so on. Each time supports fall, so it is looked again until
// nobody leaves. What is left is the largest core, whatever the order. Only where there are more
// sets than may be counted, long transactions have to leave unseen.
func (s *state) peel(ctx context.Context) error {
	s.sets = newCountTree()
	for t := range s.of {
		s.of[t] = inCore
	}
	byLength := make([]int32, len(s.of))
	for t := range byLength {
		byLength[t] = int32(t)
	}
	slices.SortStableFunc(byLength, func(a, b int32) int {
		return cmp.Compare(len(s.tx(a)), len(s.tx(b)))
	})
	for m := 1; m <= min(s.in.Promise.M, s.longestLight()); m++ {
		if err := s.countSets(ctx, byLength, m); err != nil {
			return err
		}
		s.peelTo(m)
	}
	s.in.Report("core", 1, 1)
	return context.Cause(ctx)
}

// longestLight is the length of the longest transaction of the core that fewer than k are identical
// to.
func (s *state) longestLight() (n int) {
	for t, g := range s.of {
		if g == inCore && s.weight(int32(t)) < s.k {
			n = max(n, len(s.tx(int32(t))))
		}
	}
	return n
}

// countSets counts the sets of m items that transactions of the core have which may have to leave
// it.
func (s *state) countSets(ctx context.Context, byLength []int32, m int) error {
	looks := 0.0
	for n, t := range byLength {
		if n%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if s.of[t] != inCore || s.weight(t) >= s.k {
			continue
		}
		looks += binomial(len(s.tx(t)), m)
		room := looks <= maxLooks && s.sets.level(0, s.tx(t), m, func(node, item int32) bool {
			return s.sets.add(node, item) >= 0
		})
		if !room {
			s.of[t] = none
			s.sets.bump(s.tx(t), m-1, -s.merged.Weight(int(t)))
		}
	}
	return s.count(ctx, byLength, m)
}

// count counts those sets in the core. A transaction with too many sets to look at that stays
// there, because k are identical, is not counted: supports may be too low then, never too high.
func (s *state) count(ctx context.Context, byLength []int32, m int) error {
	looks := 0.0
	for n, t := range byLength {
		if n%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if s.of[t] != inCore {
			continue
		}
		if looks += binomial(len(s.tx(t)), m); looks <= 2*maxLooks {
			s.sets.level(0, s.tx(t), m, func(node, item int32) bool {
				if n := s.sets.find(node, item); n >= 0 {
					s.sets.count[n] += s.merged.Weight(int(t))
				}
				return true
			})
		}
	}
	return nil
}

// peelTo lets transactions leave that have a rare set of at most m items, until there are none.
func (s *state) peelTo(m int) {
	for left := true; left; {
		left = false
		for t := range int32(len(s.of)) {
			if s.of[t] == inCore && s.weight(t) < s.k && !s.frequent(t, m) {
				s.of[t] = none
				s.sets.bump(s.tx(t), m, -s.merged.Weight(int(t)))
				left = true
			}
		}
	}
}

// frequent tells whether every set of at most m items of a transaction is in at least k of the
// core.
func (s *state) frequent(t int32, m int) bool {
	return s.sets.each(s.tx(t), m, func(node int32) bool {
		return node >= 0 && int(s.sets.count[node]) >= s.k
	})
}

func binomial(n, m int) float64 {
	b := 1.0
	for i := range m {
		b *= float64(n-i) / float64(i+1)
	}
	return max(b, 0)
}

// leave takes a transaction out of the core, and peelOn whoever cannot stay without those that
// left.
func (s *state) leave(t int32) {
	s.of[t] = none
	s.sets.bump(s.tx(t), s.in.Promise.M, -s.merged.Weight(int(t)))
}

func (s *state) peelOn() { s.peelTo(s.in.Promise.M) }
