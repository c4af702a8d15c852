package profile

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"mingle/dataset"
	"mingle/internal/par"
	"mingle/internal/projection"
)

// uniqueness finds the transactions that a combination of few items singles out. Sizes are looked
// at in turn: a transaction that is singled out by fewer items need not be looked for again, and a
// combination that only such transactions contain need not be extended. Equal transactions are one
// of a weight.
type uniqueness struct {
	rows    *projection.Rows
	weights []int32
	after   [][]projection.Rest // by item

	found []atomic.Bool // of merged transactions
	count atomic.Int64

	Options
	mu sync.Mutex // of Progress
}

func newUniqueness(d *dataset.Dataset, o Options) *uniqueness {
	merged := dataset.MergeBy(d, o.Workers)
	u := &uniqueness{
		Options: o, weights: merged.Weights, found: make([]atomic.Bool, merged.Len()),
	}
	var items []int32
	u.rows, items = projection.New(merged.Dataset, 1)
	u.after = u.rows.After(len(items))
	return u
}

// level looks at combinations of exactly size items, on all workers: what is found does not depend
// on which of them finds it first.
func (u *uniqueness) level(ctx context.Context, size int) error {
	if size == 1 {
		for _, in := range u.after {
			if len(in) == 1 && u.open(in[0].Row) {
				u.find(in[0].Row)
			}
		}
		return nil
	}
	behind := u.combinations(size - 1)
	return u.eachItem(ctx, "combinations that single out", behind, func(w *walk, it int) error {
		return w.extend(part{rows: u.rows, rests: u.after[it]}, size-1)
	})
}

// whole counts the transactions that no other transaction contains, empty ones left out.
func (u *uniqueness) whole(ctx context.Context) (int, error) {
	work := make([]float64, len(u.after))
	for it, in := range u.after {
		work[it] = float64(len(in))
	}
	err := u.eachItem(ctx, "whole transactions", work, func(w *walk, it int) error {
		w.whole = true
		return w.contained(part{rows: u.rows, rests: u.after[it]}, 0)
	})
	return int(u.count.Load()), err
}

// eachItem calls do for every item. Its work, in any unit, is for whoever watches.
func (u *uniqueness) eachItem(
	ctx context.Context, stage string, work []float64, do func(w *walk, it int) error,
) error {
	total, done := 0.0, 0.0
	for _, n := range work {
		total += n
	}
	space := func(int) *walk { return newWalk(ctx, u) }
	return par.EachIn(ctx, u.Workers, len(work), space,
		func(_ context.Context, w *walk, it int) error {
			err := do(w, it)
			u.mu.Lock()
			defer u.mu.Unlock()
			if done += work[it]; u.Progress != nil {
				u.Progress(stage, int64(min(done, math.MaxInt64/2)),
					int64(min(total, math.MaxInt64/2)))
			}
			return err
		})
}

// combinations is how many sets of size items follow each item, of all transactions.
func (u *uniqueness) combinations(size int) []float64 {
	sets := make([]float64, len(u.after))
	for it, in := range u.after {
		for _, r := range in {
			n, behind := 1.0, float64(len(u.rows.Rest(r)))
			for i := range size {
				n *= max(0, behind-float64(i)) / float64(i+1)
			}
			sets[it] += n
		}
	}
	return sets
}

// open tells whether a transaction is still looked for. One that stands for several persons is
// never singled out.
func (u *uniqueness) open(row int32) bool { return u.weights[row] == 1 && !u.found[row].Load() }

func (u *uniqueness) find(row int32) {
	if !u.found[row].Swap(true) {
		u.count.Add(1)
	}
}
