package continuous

import (
	"cmp"
	"context"
	"slices"
)

// refine makes a valid recoding lose less; it goes beyond the paper. It splits a range, or moves
// the border between it and a neighbour. Where that would make bags rare, ranges of others of
// their values are merged with neighbours until they are not, if that costs less than the split
// saves: a few narrow ranges, merged, make room for the split of a wide one.
//
// Splitting makes only bags with the range itself rarer, and merging makes none rarer, so the
// recoding is valid after every step. Every step lowers the loss.
//
// The work goes where the loss is: first to ranges that have many times their share of it, by the
// share of the occurrences, in the end to all. It is bounded, so that refining much data takes
// about as long as counting it; when nothing was left undone, no range can be split in two without
// making something rare.
func refine(ctx context.Context, in Input, seg *segments, post *postings) error {
	r := newRefiner(in, seg, post)
	for _, share := range []float64{64, 16, 4, 1, 1. / 4, 1. / 16} {
		if _, err := r.round(ctx, share); err != nil {
			return err
		}
	}
	for again := true; again; {
		var err error
		if again, err = r.round(ctx, 0); err != nil {
			return err
		}
	}
	return nil
}

// refiner tries splits.
type refiner struct {
	in    Input
	seg   *segments
	post  *postings
	whole span
	tally *tally
	work  int // bags of records looked at
	limit int
}

// The work: so much for each occurrence of the data, but at least so much, which takes less than a
// second.
const (
	refinePer     = 8
	refineAtLeast = 16_000_000
)

func newRefiner(in Input, seg *segments, post *postings) *refiner {
	return &refiner{
		in: in, seg: seg, post: post, whole: span{0, seg.values() - 1}, tally: newTally(
			seg, post, in.Promise.K, in.size(),
		),
		limit: max(refineAtLeast, refinePer*in.Data.Occurrences()),
	}
}

func (r *refiner) spent() bool { return r.work > r.limit }

func (r *refiner) loss() float64 { return r.seg.lossWithin(r.whole) }

// worthwhile tells whether a range of at least two values has so many times its share of the loss.
func (r *refiner) worthwhile(sp span, share float64) bool {
	all := float64(r.seg.occurrences(r.whole))
	return sp.lo < sp.hi && r.seg.lossWithin(sp)*all >= share*float64(
		r.seg.occurrences(sp),
	)*r.loss()
}

// round works on all ranges that are worthwhile, those of the largest loss first, what comes of
// them included, and tells whether anything changed.
func (r *refiner) round(ctx context.Context, share float64) (changed bool, err error) {
	todo := r.seg.all()
	slices.SortStableFunc(todo, func(a, b span) int {
		return cmp.Compare(r.seg.loss(a), r.seg.loss(b))
	})
	for len(todo) > 0 && !r.spent() {
		sp := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if r.seg.of(sp.lo) != sp || !r.worthwhile(sp, share) {
			continue
		}
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		r.in.report("narrowing ranges", int64(r.work), int64(r.limit))
		if fresh := r.improve(sp, share); len(fresh) > 0 {
			todo, changed = append(todo, fresh...), true
		}
	}
	return changed, nil
}

// improve splits a range, or moves one of its borders, and returns what is new. The border to a
// neighbour below that is worthwhile itself is left to that one.
func (r *refiner) improve(sp span, share float64) []span {
	if r.split(sp, sp.hi) {
		return []span{r.seg.of(sp.lo), r.seg.of(sp.hi)}
	}
	if sp.hi < r.whole.hi {
		above := r.seg.of(sp.hi + 1)
		if r.split(sp.join(above), sp.hi) {
			return []span{r.seg.of(sp.lo), r.seg.of(above.hi)}
		}
	}
	if sp.lo > 0 {
		below := r.seg.of(sp.lo - 1)
		if !r.worthwhile(below, share) && r.split(below.join(sp), below.hi) {
			return []span{r.seg.of(below.lo), r.seg.of(sp.hi)}
		}
	}
	return nil
}

// split divides a span of one segment, or of two with the border behind value old, anew where that
// saves most, if that lowers the loss. One segment is divided wherever it can be without repairs. A
// span that would take more work than all is left as it is: its bags are held all at once.
func (r *refiner) split(sp span, old int32) bool {
	if r.tally.size(sp, r.limit) >= r.limit {
		return false
	}
	before, own := r.loss(), r.seg.lossWithin(sp)
	if old < sp.hi {
		r.seg.merge(sp)
	}
	r.tally.load(sp)
	r.work += len(r.tally.bags)
	if at, saves := r.tally.best(); at >= 0 && at != old {
		rare := r.tally.rareAt(at)
		if old == sp.hi && len(rare) == 0 {
			r.seg.split(sp, at)
			return true
		}
		if r.seg.lossWithin(sp)-saves < own && r.trade(sp, at, rare, (1-atLeast)*before) {
			return true
		}
	}
	if old < sp.hi {
		r.seg.split(sp, old)
	}
	return false
}

// atLeast is the share of the loss that a trade must save.
const atLeast = 1e-6

// trade splits a segment behind value at and merges others until nothing is rare. Where that does
// not lower the loss below a limit, all is put back.
func (r *refiner) trade(sp span, at int32, rare [][]int32, limit float64) bool {
	r.seg.split(sp, at)
	merged, ok := r.mergeUntilFrequent(rare, sp, limit)
	if ok {
		return true
	}
	for _, m := range slices.Backward(merged) {
		r.seg.split(m[0].join(m[1]), m[0].hi)
	}
	r.seg.merge(sp)
	return false
}

// mergeUntilFrequent merges segments outside of a span until no bag of a list is rare, as long as
// the loss is below a limit. It returns the pairs that it merged, in their order, and whether it
// succeeded. Bags are given by a value of each segment.
func (r *refiner) mergeUntilFrequent(
	rare [][]int32, but span, limit float64,
) (merged [][2]span, ok bool) {
	k := r.in.Promise.K
	for _, values := range rare {
		for {
			box := make([]span, 0, 8)
			for _, v := range values {
				box = append(box, r.seg.of(v))
			}
			if r.loss() >= limit {
				return merged, false
			}
			if r.post.support(box, k) >= k {
				break
			}
			a, b, ok := r.bestMerge(box, but)
			if !ok {
				return merged, false
			}
			r.seg.merge(a.join(b))
			merged = append(merged, [2]span{a, b})
		}
	}
	return merged, r.loss() < limit
}

// bestMerge is the pair of neighbours, one of them in the box, none of them in the span but, whose
// merging adds least to the loss, of those that lift the box to k records, or of all where none
// does.
func (r *refiner) bestMerge(box []span, but span) (a, b span, ok bool) {
	least, lifts := 0.0, false
	for i, sp := range box {
		if sp.overlaps(but) || repeated(box, i) {
			continue
		}
		for _, next := range neighbours(r.seg, sp, but) {
			both := sp.join(next)
			wide := slices.Clone(box)
			for j := range wide {
				if wide[j] == sp || wide[j] == next {
					wide[j] = both
				}
			}
			frequent := r.post.support(wide, r.in.Promise.K) >= r.in.Promise.K
			penalty := mergePenalty(r.seg, sp, next)
			if !ok || frequent && !lifts || frequent == lifts && penalty < least {
				a, b, ok, least, lifts = sp, next, true, penalty, frequent
			}
		}
	}
	if a.lo > b.lo {
		a, b = b, a
	}
	return a, b, ok
}

// neighbours are the segments beside one, without those in the span but.
func neighbours(s *segments, sp, but span) []span {
	out := make([]span, 0, 2)
	if sp.lo > 0 && !(span{sp.lo - 1, sp.lo - 1}).overlaps(but) {
		out = append(out, s.of(sp.lo-1))
	}
	if sp.hi+1 < s.values() && !(span{sp.hi + 1, sp.hi + 1}).overlaps(but) {
		out = append(out, s.of(sp.hi+1))
	}
	return out
}

// mergePenalty is what merging two neighbours adds to the loss.
func mergePenalty(s *segments, a, b span) float64 {
	return s.loss(a.join(b)) - s.loss(a) - s.loss(b)
}
