package km

// Negative knowledge: terrovitis-2011, section 5.1.
//
// A published node with one leaf below it tells, by its absence, that a person does not have that leaf; a node with more does
// not. So the data at the cut is widened: every transaction gets, for every such node it does not contain, an item that
// stands for the absence. k^m-anonymity of the widened data is the promise. Lifting never lowers the number of
// matches, but sets of newly lifted nodes appear, so passes are repeated until one finds nothing.

import (
	"context"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/count"
	"mingle/privacy"
)

// MaxNegativeDomain is the largest number of leaves for which negative knowledge is taken into account: every transaction
// is widened to about this many items, and sets of them are counted.
const MaxNegativeDomain = 200

// hideAbsence repairs knowledge of at most m positive and negative items at the cut that matches too few transactions.
func (s *state) hideAbsence(ctx context.Context, in anonymize.Input) (changed bool, err error) {
	k, absent := in.Promise.K, int32(s.tree.Nodes())
	wide := s.widen(s.cut, absent)
	var stuck error
	err = count.Sets(ctx, wide, in.Promise.M, func(set, txs []int32) count.Next {
		present := set[:split(set, absent)]
		path := slices.Clone(set)
		for i := len(present); i < len(path); i++ {
			path[i] -= absent
		}
		if s.anyDead(path) {
			return count.Skip
		}
		if s.weigh(txs) >= k {
			return count.Descend
		}
		l := s.repair(path, func(l *lifting) bool {
			n := s.matches(l.to, len(present))
			return n == 0 || n >= k
		})
		if l == nil {
			stuck = privacy.Infeasiblef("negative knowledge cannot be hidden: even fully generalized, fewer than k (%d) transactions match what may be known", k)
			return count.Stop
		}
		s.commit(l, path, func(int32) {})
		changed = true
		return count.Skip
	})
	if stuck != nil {
		err = stuck
	}
	return changed, err
}

// hidesAbsence tells whether all knowledge of at most m positive and negative items at a cut matches enough transactions.
func (s *lattice) hidesAbsence(ctx context.Context, cut *hierarchy.Cut) (ok bool, err error) {
	ok = true
	err = count.Sets(ctx, s.widen(cut, int32(s.tree.Nodes())), s.in.Promise.M, func(_, txs []int32) count.Next {
		if s.weigh(txs) >= s.in.Promise.K {
			return count.Descend
		}
		ok = false
		return count.Stop
	})
	return ok, err
}

// split is the number of elements of an ascending set that are under limit.
func split(set []int32, limit int32) int {
	n, _ := slices.BinarySearch(set, limit)
	return n
}

func (s *state) weigh(txs []int32) int {
	total := 0
	for _, i := range txs {
		total += int(s.merged.Weight(int(i)))
	}
	return total
}

// widen is the data at the cut with an item absent+u for every node u at the cut that has one leaf and is missing.
func (s *state) widen(cut *hierarchy.Cut, absent int32) *dataset.Dataset {
	at := s.merged.Dataset.Recode(s.tree.Dict(), cut.Map())
	supports := at.Supports()
	var single []int32
	for _, u := range cut.Nodes() {
		if s.tree.LeafCount(u) == 1 && supports[u] > 0 {
			single = append(single, u)
		}
	}
	b := dataset.NewBuilder(dataset.Unnamed(2 * s.tree.Nodes()))
	var tx []int32
	for i := range at.Len() {
		tx = append(tx[:0], at.Tx(i)...)
		for _, u := range single {
			if _, has := slices.BinarySearch(at.Tx(i), u); !has {
				tx = append(tx, absent+u)
			}
		}
		b.Add(tx)
	}
	return b.Build()
}

// matches counts the transactions that have the first n nodes and, of the others, none that has one leaf.
func (s *state) matches(nodes []int32, n int) int {
	total := 0
	count := func(i int32) bool {
		for _, u := range nodes[n:] {
			if s.tree.LeafCount(u) > 1 {
				continue
			}
			if s.index.Has(u, i) {
				return true
			}
		}
		total += s.index.Weight(i)
		return true
	}
	if n > 0 {
		s.index.Each(nodes[:n], count)
		return total
	}
	for i := range int32(s.merged.Len()) {
		count(i)
	}
	return total
}

// checkNegative refuses domains that negative knowledge cannot be counted on.
func checkNegative(in anonymize.Input) error {
	if in.Promise.NegativeKnowledge && in.Tree.Leaves() > MaxNegativeDomain {
		return privacy.Infeasiblef("negative knowledge is counted on domains of at most %d items, and the hierarchy has %d", MaxNegativeDomain, in.Tree.Leaves())
	}
	return nil
}
