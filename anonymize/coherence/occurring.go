package coherence

import (
	"context"
	"slices"
	"sync/atomic"

	"mingle/internal/par"
)

// occurring counts the itemsets of at most p public items that occur. They are not listed one by
// one: for each occurring set P of p-2 items, the items behind P are joined where some transaction
// has P and both. The neighbours of an item in this graph are the union of the transactions with P
// and the item, as bits; half the sum of their numbers is the number of occurring sets of P and two
// items more.
//
// Cost: for each transaction and each p-1 of its items, the transaction's items as 64-bit words.
// Memory: the distinct transactions twice, and for each worker the transactions of one item as
// bits.
type occurring struct {
	p       int
	workers int
	items   []int32 // position -> item
	place   []int32 // item -> position, -1: not counted
	rows    [][]int32
	having  [][]int32 // position -> rows
	pool    []*joiner // one a worker
}

func newOccurring(p *problem, public []bool) *occurring {
	o := &occurring{
		p: p.Promise.P, workers: p.workers(), place: slices.Repeat([]int32{-1}, len(public)),
	}
	for it, is := range public {
		if is {
			o.place[it] = int32(len(o.items))
			o.items = append(o.items, int32(it))
		}
	}
	o.having = make([][]int32, len(o.items))
	o.rows = distinctRows(p.Data, public)
	for r, row := range o.rows {
		for i, it := range row {
			row[i] = o.place[it]
			o.having[row[i]] = append(o.having[row[i]], int32(r))
		}
	}
	return o
}

// cost estimates the words to be read for all counts.
func (o *occurring) cost() float64 {
	words := float64(len(o.items)/64 + 1)
	sum := 0.0
	for _, row := range o.rows {
		prefixes := 1.0 // how many sets of p-1 items the row has
		for i := range o.p - 1 {
			prefixes *= max(0, float64(len(row)-i)) / float64(i+1)
		}
		sum += prefixes * words
	}
	return sum
}

// each runs f for every task below n on the worker pool.
func (o *occurring) each(ctx context.Context, n int, f func(j *joiner, task int)) {
	workers := max(1, min(o.workers, n))
	for len(o.pool) < workers {
		o.pool = append(o.pool, &joiner{})
	}
	var next atomic.Int64
	var group par.Group
	for _, j := range o.pool[:workers] {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				f(j, i)
			}
		})
	}
	group.Wait()
}

// sum takes what the workers have counted, by item, and leaves their counters at zero.
func (o *occurring) sum() (byItem []uint64, all uint64) {
	byItem = make([]uint64, len(o.place))
	for _, j := range o.pool {
		for x, n := range j.byItem {
			byItem[o.items[x]] += n
		}
		clear(j.byItem)
		all += j.all
		j.all = 0
	}
	return byItem, all
}

// count counts all occurring sets: those whose first item is each.
func (o *occurring) count(ctx context.Context) (byItem []uint64, all uint64, err error) {
	o.each(ctx, len(o.items), func(j *joiner, task int) {
		first := int32(task)
		j.open(o, first, func(x int32) bool { return x > first })
		j.close(first, 1+j.extend(j.everything(nil), o.p-1))
	})
	byItem, all = o.sum()
	return byItem, all, context.Cause(ctx)
}

// countWith counts the occurring sets that contain an item, which is no longer public, and
// otherwise public items only.
func (o *occurring) countWith(
	ctx context.Context, item int32, public []bool,
) (byItem []uint64, all uint64, err error) {
	first := o.place[item]
	o.tidy(public)
	parts := 1
	if o.p >= 4 {
		parts = o.workers
	}
	o.each(ctx, parts, func(j *joiner, part int) {
		j.open(o, first, func(x int32) bool { return public[o.items[x]] })
		j.close(first, j.share(part, parts, o.p-1))
	})
	byItem, all = o.sum()
	byItem[item]++
	return byItem, all + 1, context.Cause(ctx)
}

// tidy takes the items that are not public any more out of the rows once they are a quarter of what
// is there.
func (o *occurring) tidy(public []bool) {
	all, kept := 0, 0
	for _, row := range o.rows {
		all += len(row)
	}
	for x, rows := range o.having {
		if public[o.items[x]] {
			kept += len(rows)
		}
	}
	if 4*kept >= 3*all {
		return
	}
	for r, row := range o.rows {
		o.rows[r] = slices.DeleteFunc(row, func(x int32) bool { return !public[o.items[x]] })
	}
}
