package local

import (
	"context"
	"math"

	"mingle/anonymize"
	"mingle/anonymize/levels"
	"mingle/release"
)

// alternative is the release of going level by level, as one more to choose from where shares are
// bounded. No label of a line is above another there, so nothing has to be mended. On large data,
// and where many shares are near to their bound, mending loses all that the search gains.
type alternative struct {
	in    anonymize.Input
	nodes []int32 // by occurrence
	loss  int64   // as that of a state
}

// newAlternative is nil where that is no choice.
func (a Algorithm) newAlternative(ctx context.Context, in anonymize.Input) *alternative {
	if !in.Promise.Diverse() || !levels.Takes(in) {
		return nil
	}
	g, err := a.leveled(ctx, in)
	if err != nil { // the search has the same input and context, and says why
		return nil
	}
	other := &alternative{in: in, nodes: make([]int32, 0, in.Data.Occurrences())}
	g.Each(func(_, node int32) {
		other.nodes = append(other.nodes, node)
		other.loss += in.Tree.Penalty(node)
	})
	return other
}

// least is its loss, or more than any.
func (a *alternative) least() int64 {
	if a == nil {
		return math.MaxInt64
	}
	return a.loss
}

func (a *alternative) release() *release.Generalized {
	return release.Local(a.in.Tree, a.in.Data, a.nodes)
}

// outdone tells whether the other release loses at most so many times what the best of the search
// does, and the latter is not worth being polished and completed for that: on large data, where no
// more than the first orders were followed, that takes several times as long as all before, and
// loses most of what it might be better by.
func (s *search) outdone(times float64) bool {
	return s.followed <= together && float64(s.other.least()) <= times*float64(s.tried[0].loss)
}
