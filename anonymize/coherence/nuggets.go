package coherence

import (
	"context"
	"math/big"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/itemset"
	"mingle/internal/zdd"
)

// NuggetOptions say which itemsets are worth keeping.
type NuggetOptions struct {
	Support int // k': of at least this many transactions; at least 1
	Length  int // p': of at most this many items; 0: any number
	Workers int // at most this many goroutines; 0: one a processor
}

// Nuggets counts the nuggets of a data set (xu-2008, definition 3): the itemsets that are not empty
// and that at least so many transactions contain. The share that a release keeps is the number in
// the published file over that in the original.
//
// They are counted on a decision diagram of the subsets of the maximal ones, for there may be far
// too many to list. zdd.ErrTooLarge says that the diagram is too large as well.
func Nuggets(ctx context.Context, d *dataset.Dataset, o NuggetOptions) (*big.Int, error) {
	maximal, err := maximalSets(ctx, itemset.Input{
		Data: anonymize.Rows(dataset.Unmerged(d)), MinSupport: o.Support, Workers: o.Workers,
	})
	if err != nil {
		return nil, err
	}
	sets, err := zdd.Subsets(ctx, maximal, nil)
	if err != nil {
		return nil, err
	}
	all := func(int32) bool { return true }
	counts, err := sets.Count(ctx, d.Dict().Len(), o.Length, all)
	if err != nil {
		return nil, err
	}
	return &counts.All, nil
}
