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
	items   []int32   // position -> item
	place   []int32   // item -> position, -1: not counted
	rows    []int32   // distinct transactions one after another: positions, ascending
	start   []int     // row i is rows[start[i]:start[i+1]]
	having  [][]int32 // position -> rows
	pool    []*joiner // one a worker
}

func (o *occurring) row(i int32) []int32 { return o.rows[o.start[i]:o.start[i+1]] }

func newOccurring(p *problem, public []bool) *occurring {
	o := &occurring{
		p: p.Promise.P, workers: p.workers(), place: slices.Repeat([]int32{-1}, len(public)),
		start: []int{0},
	}
	for it, is := range public {
		if is {
			o.place[it] = int32(len(o.items))
			o.items = append(o.items, int32(it))
		}
	}
	distinct := distinctRows(p.Data, public)
	times := make([]int32, len(o.items))
	for _, row := range distinct {
		for _, it := range row {
			o.rows = append(o.rows, o.place[it])
			times[o.place[it]]++
		}
		o.start = append(o.start, len(o.rows))
	}
	o.having = make([][]int32, len(o.items))
	all := make([]int32, len(o.rows))
	for x, n := range times {
		o.having[x], all = all[:0:n], all[n:]
	}
	for r := range int32(len(distinct)) {
		for _, x := range o.row(r) {
			o.having[x] = append(o.having[x], r)
		}
	}
	return o
}

// copy is what counts as o does, and whose items may be removed apart from those of o.
func (o *occurring) copy() *occurring {
	c := *o
	c.pool = nil
	return &c
}

// cost estimates the words to be read for all counts.
func (o *occurring) cost() float64 {
	words := float64(len(o.items)/64 + 1)
	sum := 0.0
	for r := range int32(len(o.start) - 1) {
		prefixes := 1.0 // how many sets of p-1 items the row has
		for i := range o.p - 1 {
			prefixes *= max(0, float64(len(o.row(r))-i)) / float64(i+1)
		}
		sum += prefixes * words
	}
	return sum
}

// each runs f for every task below n on the worker pool, and tells how many are begun.
func (o *occurring) each(
	ctx context.Context, n int, f func(j *joiner, task int), progress func(done, total int64),
) {
	workers := max(1, min(o.workers, n))
	for len(o.pool) < workers {
		o.pool = append(o.pool, &joiner{})
	}
	var next atomic.Int64
	var group par.Group
	for w, j := range o.pool[:workers] {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if w == 0 && progress != nil {
					progress(int64(i), int64(n))
				}
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
func (o *occurring) count(
	ctx context.Context, progress func(done, total int64),
) (byItem []uint64, all uint64, err error) {
	o.each(ctx, len(o.items), func(j *joiner, task int) {
		first := int32(task)
		j.open(o, first, first, nil)
		j.close(first, 1+j.extend(j.everything(), o.p-1))
	}, progress)
	byItem, all = o.sum()
	return byItem, all, context.Cause(ctx)
}

// countWith counts the occurring sets that contain an item, which is not left any more, and
// otherwise items that are.
func (o *occurring) countWith(
	ctx context.Context, item int32, left []bool,
) (byItem []uint64, all uint64, err error) {
	first := o.place[item]
	o.tidy(left)
	wanted := make([]bool, len(o.items))
	for x, it := range o.items {
		wanted[x] = left[it]
	}
	parts := 1
	if o.p >= 4 {
		parts = o.workers
	}
	o.each(ctx, parts, func(j *joiner, part int) {
		j.open(o, first, -1, wanted)
		j.close(first, j.share(part, parts, o.p-1))
	}, nil)
	byItem, all = o.sum()
	byItem[item]++
	return byItem, all + 1, context.Cause(ctx)
}

// tidy leaves the items that are not left out of the rows once they are a quarter of what is there.
// What a copy may share is not changed.
func (o *occurring) tidy(left []bool) {
	kept := 0
	for x, rows := range o.having {
		if left[o.items[x]] {
			kept += len(rows)
		}
	}
	if 4*kept >= 3*len(o.rows) {
		return
	}
	rows, start := make([]int32, 0, kept), make([]int, 1, len(o.start))
	for r := range int32(len(o.start) - 1) {
		for _, x := range o.row(r) {
			if left[o.items[x]] {
				rows = append(rows, x)
			}
		}
		start = append(start, len(rows))
	}
	o.rows, o.start = rows, start
}
