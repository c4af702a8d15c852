package exact

import (
	"context"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/itemset"
)

// source is the data of a search.
type source interface {
	// rare lists the rare itemsets at a cut of the smallest size that has any, in the order of
	// itemset.View.Rare and within rareLimit.
	rare(ctx context.Context, cut []int32) (*itemset.Rare, error)
	// lift lifts a set that rare has listed last, with its support, beginning with the node of a
	// number, as long as it is rare. The other support is that of what it returns. -1: it is not
	// known, and supportsOf tells it.
	lift(set []int32, support, first int) (lifted []int32, of int, err error)
	// supportsOf are those of sets that lift has returned since rare was called last.
	supportsOf(ctx context.Context, sets [][]int32) ([]int, error)
	// occurrences is how many items the distinct transactions have.
	occurrences(ctx context.Context) (int, error)
}

// indexed is data in memory.
type indexed struct {
	merged *dataset.Merged
	cuts   *itemset.Cuts
	m      int
}

func newIndexed(p *anonymize.Problem) *indexed {
	merged := p.Counted()
	index := anonymize.NewIndex(merged, p.Tree, p.Memory/8, p.WorkerCount())
	return &indexed{
		merged: merged, m: p.MostAtOnce(),
		cuts: itemset.NewCuts(anonymize.Rows(merged), index, p.Promise.K, p.WorkerCount()),
	}
}

func (x *indexed) rare(ctx context.Context, cut []int32) (*itemset.Rare, error) {
	return x.cuts.Smallest(ctx, cut, x.m, rareLimit)
}

func (x *indexed) lift(set []int32, support, first int) ([]int32, int, error) {
	lifted, of := x.cuts.Lift(set, support, first)
	return lifted, of, nil
}

func (x *indexed) supportsOf(ctx context.Context, sets [][]int32) ([]int, error) {
	return x.cuts.Supports(ctx, sets)
}

func (x *indexed) occurrences(context.Context) (int, error) { return x.merged.Occurrences(), nil }

// rareLimit bounds the rare itemsets that are listed for one first node: diverse ones are of more
// use than many.
func rareLimit(nodes int) int { return max(16, min(1000, 2_000_000/max(1, nodes))) }
