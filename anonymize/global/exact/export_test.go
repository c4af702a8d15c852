package exact

import (
	"context"

	"mingle/anonymize"
	"mingle/hierarchy"
	"mingle/internal/cover"
	"mingle/internal/itemset"
	"mingle/release"
)

// Certify renames the variables of a proof to nodes.
func Certify(t *hierarchy.Tree, p *cover.Proof) *release.Proof {
	return (&search{tree: t}).certify(p)
}

// RareByCounts lists the rare sets at some cuts in turn, by counts and within a limit.
func RareByCounts(
	ctx context.Context, in anonymize.Input, c Counts, limit int, cuts [][]int32,
) ([]*itemset.Rare, error) {
	supports, err := c.Supports(ctx)
	if err != nil {
		return nil, err
	}
	s := newCounted(in.Tree, in.Promise, c, supports)
	s.limit = func(int) int { return limit }
	var out []*itemset.Rare
	for _, cut := range cuts {
		rare, err := s.rare(ctx, cut)
		if err != nil {
			return nil, err
		}
		out = append(out, rare)
	}
	return out, nil
}

// Raised is the cut, by leaf, that is found where the cut is raised between all solutions.
func Raised(ctx context.Context, in anonymize.Input) ([]int32, error) {
	p, err := anonymize.NewProblem(in)
	if err != nil {
		return nil, err
	}
	s := newSearch(p)
	s.many = 0
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	return s.cut(s.best, 0), nil
}
