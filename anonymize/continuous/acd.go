// ACD: k^m-anonymity of bags of continuous values with ranges of its own making.
//
// Paper: Gkountouna, Angeli, Zigomitros, Terrovitis, Vassiliou, "k^m-Anonymity for Continuous Data
// Using Dynamic Hierarchies", PSD 2014, algorithms 1 to 3, section 3.4. Where this differs:
//   - The count tree is walked over projections instead of being built (see sweep), and its nodes
//     keep the supports they had at the begin of their size; whether a path is rare is decided on
//     the supports of the moment.
//   - Candidates for a merge are found by record, not by node: the records nearest to the path, by
//     the loss of widening the path to them, until k are covered; from below, from above, and from
//     both sides (see repair.go). Every candidate is judged by its exact support, overlaps and
//     absorbed segments included.
//   - The loss of a candidate, compared with d, is what it adds to the NCP of the whole release.
//   - When no candidate is below d the one of least loss seen is taken; the paper leaves this open.
//   - A last pass splits ranges again and moves their borders (refine.go), unless PaperOnly is set.
//
// Complexity: sizes i = 1..m, each one counting pass plus repairs; a repair merges at least two
// segments, so there are fewer of them than distinct values. Memory: 16 bytes an occurrence and 40
// a distinct value, plus the projections, and what knownBags and refiner bound themselves.

package continuous

import (
	"context"
	"fmt"

	"mingle/internal/par"
	"mingle/release"
)

// acd is the algorithm of gkountouna-2014.
func (in Input) acd(ctx context.Context) (*release.Ranges, error) {
	seg, post := newSegments(in.Data), newPostings(in.Data)
	for size := 1; size <= in.size(); size++ {
		fix := &merger{seg: seg, post: post, k: in.Promise.K, d: in.Threshold}
		if err := in.sweep(ctx, seg, post, size, fix); err != nil {
			return nil, err
		}
	}
	if !in.PaperOnly && seg.values() > 0 {
		if err := refine(ctx, in, seg, post); err != nil {
			return nil, err
		}
	}
	return release.GlobalRanges(in.Data, seg.terms(in.Data)), nil
}

// sweep repairs all rare bags of one size (algorithm 2, lines 5 to 14).
func (in Input) sweep(
	ctx context.Context, seg *segments, post *postings, size int, fix repairer,
) error {
	seg.merged = post.inherit
	stage := fmt.Sprintf("bags of %d", size)
	s := &sweep{
		seg: seg, post: post, k: in.Promise.K, size: size, workers: par.Workers(in.Workers),
		fix: fix,
	}
	s.tick = func(done, total int) { in.report(stage, int64(done), int64(total)) }
	return s.run(ctx)
}
