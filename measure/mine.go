package measure

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"mingle/dataset"
)

// Miner calls visit once for every itemset of at least one item whose support in d is at least
// minSupport (at least 1), with its items ascending and its support. visit keeps no reference to
// items, and may end the mining with an error, which Miner returns.
type Miner func(ctx context.Context, d *dataset.Dataset, minSupport int,
	visit func(items []int32, support int) error) error

// Eclat is a plain Miner: depth first over lists of transactions (Zaki, Scalable Algorithms for
// Association Mining, 2000). Memory: one list for each item of the itemset under way and those
// after it.
func Eclat(ctx context.Context, d *dataset.Dataset, minSupport int,
	visit func(items []int32, support int) error,
) error {
	lists := make([][]int32, d.Dict().Len())
	for i := range d.Len() {
		for _, x := range d.Tx(i) {
			lists[x] = append(lists[x], int32(i))
		}
	}
	var start []branch
	for x, tids := range lists {
		if len(tids) >= max(minSupport, 1) {
			start = append(start, branch{int32(x), tids})
		}
	}
	e := &eclat{ctx: ctx, least: max(minSupport, 1), visit: visit}
	return e.grow(nil, start)
}

// branch is an item and the transactions that have it and the prefix.
type branch struct {
	item int32
	tids []int32
}

type eclat struct {
	ctx   context.Context
	least int
	visit func(items []int32, support int) error
}

func (e *eclat) grow(prefix []int32, branches []branch) error {
	if e.ctx.Err() != nil {
		return context.Cause(e.ctx)
	}
	for i, b := range branches {
		items := append(slices.Clip(prefix), b.item)
		if err := e.visit(items, len(b.tids)); err != nil {
			return err
		}
		var next []branch
		for _, c := range branches[i+1:] {
			if both := meet(b.tids, c.tids, e.least); both != nil {
				next = append(next, branch{c.item, both})
			}
		}
		if err := e.grow(items, next); err != nil {
			return err
		}
	}
	return nil
}

// meet intersects ascending lists, or gives up with nil when fewer than least are left.
func meet(a, b []int32, least int) []int32 {
	var out []int32
	for len(a) > 0 && len(b) > 0 {
		if len(out)+min(len(a), len(b)) < least {
			return nil
		}
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			out = append(out, a[0])
			a, b = a[1:], b[1:]
		}
	}
	if len(out) < least {
		return nil
	}
	return out
}

// frequent are the itemsets of one level by key, with their supports.
type frequent map[string]int

// mineAll collects what a miner finds, and gives up at limit itemsets. All parts of a frequent
// itemset are frequent, so that one of s items foretells 2^s - 1: on long lines that all have much
// in common the search ends at once.
func mineAll(ctx context.Context, mine Miner, d *dataset.Dataset, minSupport, limit int) (frequent,
	error,
) {
	out := frequent{}
	err := mine(ctx, d, minSupport, func(items []int32, support int) error {
		if len(out) >= limit || len(items) >= bits.Len(uint(limit+1)) {
			return fmt.Errorf("more than %d itemsets have support %d or more: choose a higher "+
				"threshold", limit, minSupport)
		}
		out[key(items)] = support
		return nil
	})
	return out, err
}

func key(items []int32) string {
	b := make([]byte, 0, 4*len(items))
	for _, u := range items {
		b = append(b, byte(u>>24), byte(u>>16), byte(u>>8), byte(u))
	}
	return string(b)
}

func itemsOf(key string) []int32 {
	items := make([]int32, len(key)/4)
	for i := range items {
		items[i] = int32(key[4*i])<<24 | int32(key[4*i+1])<<16 | int32(key[4*i+2])<<8 | int32(key[4*i+3])
	}
	return items
}
