package coherence

import (
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"mingle/internal/par"
)

// occurring counts the itemsets of at most p public items that occur. They are not listed one by one: for each occurring
// set P of p-2 items, the items behind P are joined where some transaction has P and both. The neighbours of an item in
// this graph are the union of the transactions with P and the item, as bits; half the sum of their numbers is the number
// of occurring sets of P and two items more.
//
// Cost: for each transaction and each p-1 of its items, the transaction's items as 64-bit words. Memory: the distinct
// transactions twice, and for each worker the transactions of one item as bits.
type occurring struct {
	p       int
	workers int
	items   []int32 // position -> item
	place   []int32 // item -> position, -1: not counted
	rows    [][]int32
	having  [][]int32 // position -> rows
	crew    []*joiner
	pairs   []set // position -> positions it occurs with; for p = 2 only, where it is all there is to know
}

func newOccurring(p *problem, alive []bool) *occurring {
	o := &occurring{p: p.Promise.P, workers: p.workers(), place: slices.Repeat([]int32{-1}, len(alive))}
	for it, is := range alive {
		if is {
			o.place[it] = int32(len(o.items))
			o.items = append(o.items, int32(it))
		}
	}
	o.having = make([][]int32, len(o.items))
	o.rows = distinctRows(p.Data, alive)
	for r, row := range o.rows {
		for i, it := range row {
			row[i] = o.place[it]
			o.having[row[i]] = append(o.having[row[i]], int32(r))
		}
	}
	if o.p == 2 && len(o.items) <= maxPairs {
		o.join()
	}
	return o
}

// maxPairs is the number of items up to which all pairs are kept: 200 MB.
const maxPairs = 40_000

// join finds the pairs that occur.
func (o *occurring) join() {
	words := (len(o.items) + 63) / 64
	o.pairs = make([]set, len(o.items))
	for x := range o.pairs {
		o.pairs[x] = make(set, words)
	}
	row := make(set, words)
	for _, r := range o.rows {
		for _, x := range r {
			row[x>>6] |= 1 << (x & 63)
		}
		for _, x := range r {
			for i, w := range row {
				o.pairs[x][i] |= w
			}
		}
		for _, x := range r {
			row[x>>6] = 0
		}
	}
}

// pairsWith counts the sets {first} and {first, x} for the x that are wanted.
func (o *occurring) pairsWith(byItem []uint64, first int32, wanted func(position int32) bool) uint64 {
	sets := uint64(1)
	o.pairs[first].each(func(x int) {
		if x := int32(x); x != first && wanted(x) {
			byItem[o.items[x]]++
			sets++
		}
	})
	byItem[o.items[first]] += sets
	return sets
}

// cost estimates the words to be read for all counts.
func (o *occurring) cost() float64 {
	words := float64(len(o.items)/64 + 1)
	sum := 0.0
	for _, row := range o.rows {
		ways := 1.0
		for i := range o.p - 1 {
			ways *= max(0, float64(len(row)-i)) / float64(i+1)
		}
		sum += ways * words
	}
	return sum
}

// joiner is one worker's state. Its universe is the items that occur with the first one, numbered in order.
type joiner struct {
	p      int
	byItem []uint64 // by position
	all    uint64

	local    []int32 // position -> 1 + number in the universe
	universe []int32 // number -> position
	words    int
	start    []int32 // rows: numbers, ascending
	flat     []int32
	bits     []uint64
	own      []uint64 // counts by number
	union    []uint64 // number -> neighbours
	stamp    []int32
	now      int32
	touched  []int32
	path     []int32 // numbers behind the first item
	levels   []*buckets
}

// at is a row of the universe and the position in it where the rest begins.
type at struct{ row, next int32 }

// buckets are rows by the next item.
type buckets struct {
	start []int32
	refs  []at
}

// open makes the universe of the first item: the items that are wanted, in its rows.
func (j *joiner) open(o *occurring, first int32, wanted func(position int32) bool) {
	if len(j.local) < len(o.items) {
		j.local = make([]int32, len(o.items))
		j.byItem = make([]uint64, len(o.items))
	}
	j.p = o.p
	j.universe, j.path = j.universe[:0], j.path[:0]
	for _, r := range o.having[first] {
		for _, x := range o.rows[r] {
			if j.local[x] == 0 && x != first && wanted(x) {
				j.local[x] = 1
				j.universe = append(j.universe, x)
			}
		}
	}
	slices.Sort(j.universe)
	for i, x := range j.universe {
		j.local[x] = int32(i) + 1
	}
	m := len(j.universe)
	j.words = (m + 63) / 64
	j.start, j.flat = append(j.start[:0], 0), j.flat[:0]
	for _, r := range o.having[first] {
		for _, x := range o.rows[r] {
			if l := j.local[x]; l > 0 && x != first {
				j.flat = append(j.flat, l-1)
			}
		}
		if n := int32(len(j.flat)); n > j.start[len(j.start)-1] {
			j.start = append(j.start, n)
		}
	}
	for _, x := range j.universe {
		j.local[x] = 0
	}
	j.own = zeroed(j.own, m)
	if need := m * j.words; cap(j.union) < need {
		j.union = make([]uint64, need)
	}
	j.union = j.union[:cap(j.union)]
	j.stamp = slices.Grow(j.stamp[:0], m)[:m]
	clear(j.stamp)
	j.now = 0
	if j.p < 3 {
		return
	}
	j.bits = zeroed(j.bits, (len(j.start)-1)*j.words)
	for r := range len(j.start) - 1 {
		row := j.bits[r*j.words : (r+1)*j.words]
		for _, x := range j.row(int32(r)) {
			row[x>>6] |= 1 << (x & 63)
		}
	}
}

func zeroed(s []uint64, n int) []uint64 {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

func (j *joiner) row(r int32) []int32 { return j.flat[j.start[r]:j.start[r+1]] }

// close files the counts of the universe; the first item is in all of them, and occurs alone.
func (j *joiner) close(first int32, sets uint64) {
	for i, n := range j.own {
		j.byItem[j.universe[i]] += n
	}
	j.byItem[first] += sets
	j.all += sets
}

// everything refers to all rows of the universe.
func (j *joiner) everything(refs []at) []at {
	for r := range len(j.start) - 1 {
		refs = append(refs, at{int32(r), 0})
	}
	return refs
}

// extend counts the sets of the first item, the path, and one to more items behind it; it returns their number.
func (j *joiner) extend(refs []at, more int) uint64 {
	switch {
	case more == 0 || len(refs) == 0:
		return 0
	case more == 1:
		return j.one(refs)
	case more == 2:
		return j.two(refs)
	}
	sets := uint64(0)
	b := j.bucket(refs, more)
	for x := range len(j.universe) {
		if from, to := b.start[x], b.start[x+1]; from < to {
			sets += j.behind(b.refs[from:to], int32(x), more)
		}
	}
	return sets
}

// behind counts the sets that go on with x: the one that ends there, and those that go further.
func (j *joiner) behind(refs []at, x int32, more int) uint64 {
	j.path = append(j.path, x)
	n := 1 + j.extend(refs, more-1)
	j.path = j.path[:len(j.path)-1]
	j.own[x] += n
	return n
}

// bucket sorts the rows by each of their items, with the rest behind it.
func (j *joiner) bucket(refs []at, more int) *buckets {
	for len(j.levels) <= more {
		j.levels = append(j.levels, &buckets{})
	}
	b := j.levels[more]
	m := len(j.universe)
	b.start = slices.Grow(b.start[:0], m+2)[:m+2]
	clear(b.start)
	for _, a := range refs {
		for _, x := range j.row(a.row)[a.next:] {
			b.start[x+2]++
		}
	}
	for x := range m {
		b.start[x+2] += b.start[x+1]
	}
	// b.start[x+1] is now where the rows of x begin; filling them moves it to where they end, which is where x+1 begins
	n := int(b.start[m+1])
	b.refs = slices.Grow(b.refs[:0], n)[:n]
	for _, a := range refs {
		row := j.row(a.row)
		for k := int(a.next); k < len(row); k++ {
			to := &b.start[row[k]+1]
			b.refs[*to] = at{a.row, int32(k) + 1}
			*to++
		}
	}
	return b
}

// one counts single items behind the path.
func (j *joiner) one(refs []at) uint64 {
	j.now++
	n := uint64(0)
	for _, a := range refs {
		for _, x := range j.row(a.row)[a.next:] {
			if j.stamp[x] != j.now {
				j.stamp[x] = j.now
				j.own[x]++
				n++
			}
		}
	}
	return n
}

// two counts single items and pairs behind the path, on the graph of the items.
func (j *joiner) two(refs []at) uint64 {
	j.now++
	j.touched = j.touched[:0]
	lowest := 0
	if len(j.path) > 0 {
		lowest = int(j.path[len(j.path)-1] >> 6)
	}
	for _, a := range refs {
		row := j.bits[int(a.row)*j.words+lowest : (int(a.row)+1)*j.words]
		for _, x := range j.row(a.row)[a.next:] {
			to := j.union[int(x)*j.words+lowest:][:len(row)]
			if j.stamp[x] != j.now {
				j.stamp[x] = j.now
				j.touched = append(j.touched, x)
				copy(to, row)
				continue
			}
			for i, w := range row {
				to[i] |= w
			}
		}
	}
	pairs := uint64(0)
	for _, x := range j.touched {
		near := uint64(j.neighbours(x, lowest)) - 1
		j.own[x] += near + 1
		pairs += near
	}
	return uint64(len(j.touched)) + pairs/2
}

// neighbours counts the items behind the path that x is joined with, x itself included.
func (j *joiner) neighbours(x int32, lowest int) int {
	u := j.union[int(x)*j.words+lowest : (int(x)+1)*j.words]
	n := 0
	for _, w := range u {
		n += bits.OnesCount64(w)
	}
	if len(j.path) > 0 {
		last := uint(j.path[len(j.path)-1] & 63)
		n -= bits.OnesCount64(u[0] & (1<<(last+1) - 1))
	}
	return n
}

// each runs f for every task below n on the crew.
func (o *occurring) each(ctx context.Context, n int, f func(j *joiner, task int)) {
	workers := max(1, min(o.workers, n))
	for len(o.crew) < workers {
		o.crew = append(o.crew, &joiner{})
	}
	var next atomic.Int64
	var group par.Group
	for _, j := range o.crew[:workers] {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				f(j, i)
			}
		})
	}
	group.Wait()
}

// sum takes what the crew has counted, by item, and leaves its counters at zero.
func (o *occurring) sum() (byItem []uint64, all uint64) {
	byItem = make([]uint64, len(o.place))
	for _, j := range o.crew {
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
	if o.pairs != nil {
		byItem = make([]uint64, len(o.place))
		for first := range int32(len(o.items)) {
			all += o.pairsWith(byItem, first, func(x int32) bool { return x > first })
		}
		return byItem, all, context.Cause(ctx)
	}
	o.each(ctx, len(o.items), func(j *joiner, task int) {
		first := int32(task)
		j.open(o, first, func(x int32) bool { return x > first })
		j.close(first, 1+j.extend(j.everything(nil), o.p-1))
	})
	byItem, all = o.sum()
	return byItem, all, context.Cause(ctx)
}

// countWith counts the occurring sets that contain an item and otherwise items that are alive only.
func (o *occurring) countWith(ctx context.Context, item int32, alive []bool) (byItem []uint64, all uint64, err error) {
	first := o.place[item]
	if o.pairs != nil {
		byItem = make([]uint64, len(o.place))
		all = o.pairsWith(byItem, first, func(x int32) bool { return alive[o.items[x]] })
		return byItem, all, context.Cause(ctx)
	}
	o.tidy(alive)
	parts := 1
	if o.p >= 4 {
		parts = o.workers
	}
	o.each(ctx, parts, func(j *joiner, part int) {
		j.open(o, first, func(x int32) bool { return alive[o.items[x]] })
		j.close(first, j.share(part, parts, o.p-1))
	})
	byItem, all = o.sum()
	byItem[item]++
	return byItem, all + 1, context.Cause(ctx)
}

// share is extend for every parts-th of the items that may follow the first, starting with one of them.
func (j *joiner) share(part, parts, more int) uint64 {
	if parts == 1 {
		return j.extend(j.everything(nil), more)
	}
	sets := uint64(0)
	b := j.bucket(j.everything(nil), more)
	for x := part; x < len(j.universe); x += parts {
		sets += j.behind(b.refs[b.start[x]:b.start[x+1]], int32(x), more)
	}
	return sets
}

// tidy takes the items that are not alive out of the rows once they are a quarter of what is there.
func (o *occurring) tidy(alive []bool) {
	all, kept := 0, 0
	for _, row := range o.rows {
		all += len(row)
	}
	for x, rows := range o.having {
		if alive[o.items[x]] {
			kept += len(rows)
		}
	}
	if 4*kept >= 3*all {
		return
	}
	for r, row := range o.rows {
		o.rows[r] = slices.DeleteFunc(row, func(x int32) bool { return !alive[o.items[x]] })
	}
}
