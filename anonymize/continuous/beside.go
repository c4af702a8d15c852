package continuous

import (
	"context"
	"slices"
)

// beside tells what stands beside a node in the records that hold it: the sub-bags of their other
// terms. Whatever the node's occurrences are published as, these stay as they are.
//
// Bags are numbered; 0 is the empty one. They are listed in flat lists, for there may be a hundred
// million of them, by record and by bag.
type beside struct {
	m       int
	records []int32

	bags []int32 // of the records, one after another, by size from 0 to m-1
	ends []int   // those of record i with at most so many terms end at ends[i*m+size]

	size   []int32 // of each bag
	owners []int32
	starts []int // owners of bag b are owners[starts[b]:starts[b+1]], as indices of records
}

// standBeside lists what stands beside a node, in near.
func (l *recoding) standBeside(ctx context.Context, node int32) error {
	b := &l.near
	b.m, b.records, b.size = l.m, l.holders[node], append(b.size[:0], 0)
	b.bags, b.ends = b.bags[:0], b.ends[:0]
	l.numbers.forget()
	sized := func(bag, _ int32) { b.size = append(b.size, b.size[bag]+1) }
	var keys []uint64
	var others []int32
	for i, rec := range b.records {
		if i%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		keys, others = keys[:0], others[:0]
		for _, n := range l.nodesOf(rec) {
			if n != node {
				keys = append(keys, uint64(l.spans[n].lo)<<32|uint64(n))
			}
		}
		slices.Sort(keys) // as good as sorted, for a record's values are
		for _, key := range keys {
			others = append(others, int32(key))
		}
		for size := range l.m {
			b.bags = l.numbers.subBags(others, 0, size, b.bags, sized)
			b.ends = append(b.ends, len(b.bags))
		}
	}
	b.turn()
	return nil
}

// of are the bags of record i with at most so many terms.
func (b *beside) of(i, size int) []int32 {
	begin := 0
	if i > 0 {
		begin = b.ends[i*b.m-1]
	}
	return b.bags[begin:b.ends[i*b.m+size]]
}

// turn lists the owners of each bag.
func (b *beside) turn() {
	b.starts = zeros(b.starts, len(b.size)+2)
	for _, bag := range b.bags {
		b.starts[bag+2]++
	}
	for i := range b.size {
		b.starts[i+2] += b.starts[i+1]
	}
	b.owners = zeros(b.owners, len(b.bags))
	for i := range b.records {
		for _, bag := range b.of(i, b.m-1) {
			b.owners[b.starts[bag+1]] = int32(i)
			b.starts[bag+1]++
		}
	}
}

// ownersOf are the records that hold a bag beside the node, ascending.
func (b *beside) ownersOf(bag int32) []int32 { return b.owners[b.starts[bag]:b.starts[bag+1]] }

// zeros are so many zeros, in the memory of a slice where that is enough.
func zeros[T int | int32 | bool | parts](in []T, n int) []T {
	if cap(in) < n {
		return make([]T, n)
	}
	in = in[:n]
	clear(in)
	return in
}
