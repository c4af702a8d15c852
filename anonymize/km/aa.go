// Package km holds the algorithms of terrovitis-2008 and terrovitis-2011: k^m-anonymity, and l^m-diversity, by
// generalization over a hierarchy.
package km

// Apriori-based anonymization: terrovitis-2008, Algorithm 4; direct anonymization: Algorithm 3.
//
// Deviations. The count tree is not built: package count projects the data in the tree's order instead, which visits
// the same paths in the same order. Each size is counted on the data as the sizes before it left it, identical
// transactions merged; the paper scans D each time.
//
// Time is that of counting the itemsets of each size once, ancestors included; memory that of the expanded data.

import (
	"context"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/count"
	"mingle/release"
)

// AA is apriori-based anonymization: direct anonymization for sizes 1 to m in turn, each over what survives the cut so
// far. It is the papers' default heuristic.
type AA struct{}

// Name is "aa".
func (AA) Name() string { return "aa" }

// Anonymize implements anonymize.Algorithm.
func (AA) Anonymize(ctx context.Context, in anonymize.Input) (*release.Generalized, error) {
	return bySizes(ctx, in, func(m int) []int {
		sizes := make([]int, m)
		for i := range sizes {
			sizes[i] = i + 1
		}
		return sizes
	})
}

// DA is direct anonymization: one walk over the whole count tree. It loses about what AA loses and takes longer.
type DA struct{}

// Name is "da".
func (DA) Name() string { return "da" }

// Anonymize implements anonymize.Algorithm.
func (DA) Anonymize(ctx context.Context, in anonymize.Input) (*release.Generalized, error) {
	return bySizes(ctx, in, func(m int) []int { return []int{m} })
}

// bySizes walks the count tree to each of the depths in turn.
func bySizes(ctx context.Context, in anonymize.Input, depths func(m int) []int) (*release.Generalized, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	merged := dataset.Merge(in.Data)
	index := count.NewIndex(merged, in.Tree)
	s := newState(in.Tree, in.Data.Supports(), index)
	for _, depth := range depths(min(in.Promise.M, max(1, in.Data.MaxLen()))) {
		if err := s.walk(ctx, in, merged, depth); err != nil {
			return nil, err
		}
	}
	return release.Global(in.Data, s.cut), nil
}
