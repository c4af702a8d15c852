package global

// What is asked beyond the supports of what is published: l^m-diversity and negative knowledge.
// Both are looked at in one pass over all knowledge at the cut, as that of what a person has not
// may tell a sensitive item, too.

import (
	"context"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/itemset"
	"mingle/privacy"
)

// asksBeyond tells whether a promise asks for more than supports.
func asksBeyond(p privacy.KM) bool { return p.BeyondSupports() }

// beyond repairs all knowledge at the cut that too few transactions match, or that tells a
// sensitive item, and says whether there was any. Repairs may bring about other such knowledge:
// passes are repeated until one finds none.
func (s *state) beyond(ctx context.Context, in anonymize.Input) (changed bool, err error) {
	var stuck error
	err = itemset.Sets(ctx, s.knowable(in, s.cut), in.Promise.M,
		func(set []int32, at []itemset.Place) itemset.Next {
			kn := s.read(set)
			switch {
			case len(kn.nodes) == 0: // Check has looked at what sensitive items alone tell
				return itemset.Skip
			case s.weight(kn) > in.Promise.M || s.anyInactive(kn.nodes):
				return itemset.Skip
			case s.hides(in, transactions(at), kn.told):
				return itemset.Descend
			}
			l := s.repair(kn.nodes, func(l *lifting) bool {
				return s.hides(in, s.matching(kn, l.to), kn.told)
			})
			if l == nil {
				stuck = privacy.Infeasiblef("even fully generalized, what may be known of a person is matched by fewer than k (%d) transactions or tells a sensitive item",
					in.Promise.K)
				return itemset.Stop
			}
			s.commit(l, kn.nodes, func(int32) {})
			changed = true
			return itemset.Skip
		})
	if stuck != nil {
		err = stuck
	}
	return changed, err
}

// knowable is the data at a cut, widened where negative knowledge is asked.
func (s *state) knowable(in anonymize.Input, cut *hierarchy.Cut) itemset.Data {
	if in.Promise.NegativeKnowledge {
		return anonymize.Rows(dataset.Unmerged(s.widen(cut, in.Promise.M)))
	}
	at := s.merged.Dataset.Recode(in.Tree.Dict(), cut.Map())
	if in.Promise.SensitiveKnown {
		at = s.withKnown(in, at)
	}
	return anonymize.Rows(dataset.Unmerged(at))
}

// transactions are the numbers of those that have a set.
func transactions(at []itemset.Place) []int32 {
	out := make([]int32, len(at))
	for i, p := range at {
		out[i] = int32(p.Tx)
	}
	return out
}

// hides tells whether merged transactions are enough to hide in, and hide their sensitive items but
// for those that are known.
func (s *state) hides(in anonymize.Input, txs, known []int32) bool {
	if s.merged.Units != nil {
		return s.hidesPersons(in, txs, known)
	}
	total := 0
	for _, i := range txs {
		total += int(s.merged.Weight(int(i)))
	}
	return total >= in.Promise.K && (s.diversity == nil ||
		s.diversity.Hide(txs, s.merged.Weights, known))
}
