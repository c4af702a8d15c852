package continuous

import "context"

// Bounds of shift: it stops after so many rounds, or when a round saves less than a share of the loss.
const (
	shiftRounds  = 3
	shiftAtLeast = 0.001
)

// worth is how much of the loss a range must have, for its share of the occurrences, to be worked on before the last
// pass. The more data, the more choosy: a tenth of its share at a million occurrences, four tenths at two million.
func (s *segments) worth() float64 {
	million := float64(s.before[s.values()]) / 1_000_000
	return million * million / 10
}

// worthwhile tells whether a span has so much of the loss, for its number of occurrences: the loss is what may be saved by
// working on it, the occurrences are the work.
func (s *segments) worthwhile(sp span, worth float64) bool {
	n := s.values()
	return s.lossWithin(sp)*float64(s.before[n]) >= worth*float64(s.occurrences(sp))*s.lossWithin(span{0, n - 1})
}

// shift looks for better borders between ranges: two neighbours are made one and split anew, where that saves most. The
// old border is among those that may be chosen, so the loss never grows. It goes beyond the paper.
//
// The first round takes every pair of neighbours, from the lowest values to the highest, a later one those pairs of which
// one has changed since.
func shift(ctx context.Context, in Input, seg *segments, post *postings) error {
	n := newNarrower(seg, post, in.Promise.K, in.size())
	whole := span{0, seg.values() - 1}
	var fresh map[span]bool // nil: all
	for round := range shiftRounds {
		before := seg.lossWithin(whole)
		changed := map[span]bool{}
		for a := seg.of(0); a.hi < whole.hi; a = seg.of(a.hi + 1) {
			in.report("shifting borders", int64(round)*int64(whole.hi)+int64(a.hi), shiftRounds*int64(whole.hi))
			b := seg.of(a.hi + 1)
			if !seg.worthwhile(a.join(b), seg.worth()) || fresh != nil && !fresh[a] && !fresh[b] {
				continue
			}
			moved, err := n.shift(ctx, a, b)
			if err != nil {
				return err
			}
			if !moved {
				continue
			}
			for a = seg.of(a.lo); a.hi <= b.hi; a = seg.of(a.hi + 1) {
				changed[a] = true
				if a.hi == b.hi {
					break
				}
			}
			if a.lo > 0 {
				a = seg.of(a.lo - 1) // go on with the window's last range
			}
		}
		if fresh = changed; seg.lossWithin(whole) > (1-shiftAtLeast)*before {
			break
		}
	}
	return nil
}

// shift moves the border between two segments to where it saves most, and tells whether anything changed. What is new
// is split further where it can be.
func (n *narrower) shift(ctx context.Context, a, b span) (moved bool, err error) {
	if a.lo == a.hi && b.lo == b.hi {
		return false, nil
	}
	both := a.join(b)
	n.seg.merge(both)
	at, ok, err := n.bestSplit(ctx, both)
	if err != nil || !ok {
		return false, err
	}
	left, right := n.seg.split(both, at)
	if at == a.hi {
		return false, nil
	}
	return true, n.narrow(ctx, left, right)
}
