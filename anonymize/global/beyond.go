package global

// What is asked beyond the supports of what is published: l^m-diversity and negative knowledge.
// Both are looked at in one pass over all knowledge at the cut, as that of what a person has not
// may tell a sensitive item, too (see negative.go).

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
	size := in.Promise.M
	if s.diversity == nil && in.Promise.NegativeKnowledge {
		size-- // beside the largest sets nothing is lacked, and they are frequent
	}
	err = s.exposed(ctx, in, s.cut, size, func(kn knowledge) bool {
		l := s.repair(kn.nodes, func(l *lifting) bool {
			return s.hides(in, s.matching(kn, l.to), kn.told)
		})
		if l == nil {
			stuck = privacy.Infeasiblef("even fully generalized, what may be known of a person is matched by fewer than k (%d) transactions or tells a sensitive item",
				in.Promise.K)
			return false
		}
		s.commit(l, kn.nodes, func(int32) {})
		changed = true
		return true
	})
	if stuck != nil {
		err = stuck
	}
	return changed, err
}

// exposed calls do with the knowledge at a cut that does not hide: that too few transactions match,
// or that tells a sensitive item. What has nodes that are below the state's cut by now, and what
// extends knowledge that do was called with, are left out; and so are more than so many nodes that
// are published. It ends where do says so.
func (s *state) exposed(
	ctx context.Context, in anonymize.Input, cut *hierarchy.Cut, size int,
	do func(kn knowledge) bool,
) error {
	at := s.merged.Dataset.Recode(in.Tree.Dict(), cut.Map())
	var absent *absence
	switch {
	case in.Promise.NegativeKnowledge:
		absent = s.newAbsence(in, at, do)
		if !absent.beside(nil, absent.all()) {
			return context.Cause(ctx)
		}
	case in.Promise.SensitiveKnown:
		at = s.withKnown(in, at)
	}
	return itemset.Sets(ctx, anonymize.Rows(dataset.Unmerged(at)), size,
		func(set []int32, places []itemset.Place) itemset.Next {
			kn, txs := s.read(set), transactions(places)
			if len(set) == 1 {
				in.Report("what may be known", int64(set[0]), int64(at.Dict().Len()))
			}
			switch {
			case len(kn.nodes) == 0: // Check has looked at what sensitive items alone tell
				return itemset.Skip
			case s.anyInactive(kn.nodes):
				return itemset.Skip
			case !s.hides(in, txs, kn.told):
				if !do(kn) {
					return itemset.Stop
				}
				return itemset.Skip
			case absent != nil && !absent.beside(kn.nodes, txs):
				return itemset.Stop
			}
			return itemset.Descend
		})
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
