package km

// What is asked beyond the supports of what is published: l^m-diversity and negative knowledge.
// Both are looked at in one pass over all knowledge at the cut, as that of what a person has not
// may tell a sensitive item, too.

import (
	"context"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/count"
	"mingle/privacy"
)

// asksBeyond tells whether a promise asks for more than supports.
func asksBeyond(p privacy.KM) bool { return p.Diverse() || p.NegativeKnowledge }

// beyond repairs all knowledge at the cut that too few transactions match, or that tells a
// sensitive item, and says whether there was any. Repairs may bring about other such knowledge:
// passes are repeated until one finds none.
func (s *state) beyond(ctx context.Context, in anonymize.Input) (changed bool, err error) {
	var stuck error
	err = count.Sets(ctx, s.knowable(in, s.cut), in.Promise.M, func(set, txs []int32) count.Next {
		kn := s.read(set)
		switch {
		case s.weight(kn) > in.Promise.M || s.anyDead(kn.nodes):
			return count.Skip
		case s.hides(in, txs):
			return count.Descend
		}
		l := s.repair(kn.nodes, func(l *lifting) bool { return s.hides(in, s.matching(kn, l.to)) })
		if l == nil {
			stuck = privacy.Infeasiblef("even fully generalized, what may be known of a person is matched by fewer than k (%d) transactions or tells a sensitive item",
				in.Promise.K)
			return count.Stop
		}
		s.commit(l, kn.nodes, func(int32) {})
		changed = true
		return count.Skip
	})
	if stuck != nil {
		err = stuck
	}
	return changed, err
}

// knowable is the data at a cut, widened where negative knowledge is asked.
func (s *state) knowable(in anonymize.Input, cut *hierarchy.Cut) *dataset.Dataset {
	if in.Promise.NegativeKnowledge {
		return s.widen(cut, in.Promise.M)
	}
	return s.merged.Dataset.Recode(in.Tree.Dict(), cut.Map())
}

// hides tells whether merged transactions are enough to hide in, and diverse.
func (s *state) hides(in anonymize.Input, txs []int32) bool {
	total := 0
	for _, i := range txs {
		total += int(s.merged.Weight(int(i)))
	}
	return total >= in.Promise.K && (s.diversity == nil || s.diversity.diverse(txs, s.merged.Weights))
}
