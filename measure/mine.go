package measure

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"mingle/dataset"
)

// frequent are the itemsets of one level by key, with their supports.
type frequent map[string]int

// mine finds every itemset of at least one item whose support in d is at least least (at least 1),
// and gives up at limit itemsets. All parts of a frequent itemset are frequent, so that one of s
// items foretells 2^s - 1: on long lines that all have much in common the search ends at once.
//
// It is Eclat: depth first over lists of transactions (Zaki, Scalable Algorithms for Association
// Mining, 2000). Memory: one list for each item of the itemset under way and those after it.
func mine(ctx context.Context, d *dataset.Dataset, least, limit int) (frequent, error) {
	e := &eclat{ctx: ctx, least: max(least, 1), limit: limit, found: frequent{}}
	var start []branch
	for x, tids := range transactionsOf(d) {
		if len(tids) >= e.least {
			start = append(start, newBranch(int32(x), tids, e.least, d.Len()))
		}
	}
	return e.found, e.grow(nil, start)
}

// branch is an item and the transactions that have it and the prefix: a list or, where what is
// frequent is in many of them, a bitmap.
type branch struct {
	item    int32
	support int
	tids    []int32
	words   []uint64
}

// bitmapShare is the share of transactions from which on a bitmap takes no more memory than a list.
const bitmapShare = 32

func newBranch(item int32, tids []int32, least, transactions int) branch {
	b := branch{item: item, support: len(tids), tids: tids}
	if least < transactions/bitmapShare {
		return b
	}
	b.tids, b.words = nil, make([]uint64, (transactions+63)/64)
	for _, i := range tids {
		b.words[i>>6] |= 1 << (i & 63)
	}
	return b
}

// with is the branch of another item behind this one; false: fewer than least are left.
func (b branch) with(c branch, least int) (branch, bool) {
	out := branch{item: c.item}
	if b.words == nil {
		out.tids = meet(b.tids, c.tids, least)
		out.support = len(out.tids)
		return out, out.tids != nil
	}
	for w, word := range b.words {
		out.support += bits.OnesCount64(word & c.words[w])
	}
	if out.support < least {
		return out, false
	}
	out.words = make([]uint64, len(b.words))
	for w, word := range b.words {
		out.words[w] = word & c.words[w]
	}
	return out, true
}

type eclat struct {
	ctx          context.Context
	least, limit int
	found        frequent
}

func (e *eclat) grow(prefix []int32, branches []branch) error {
	if e.ctx.Err() != nil {
		return context.Cause(e.ctx)
	}
	for i, b := range branches {
		items := append(slices.Clip(prefix), b.item)
		if len(e.found) >= e.limit || len(items) >= bits.Len(uint(e.limit+1)) {
			return fmt.Errorf("more than %d itemsets have support %d or more: choose a higher "+
				"threshold",
				e.limit, e.least)
		}
		e.found[key(items)] = b.support
		var next []branch
		for _, c := range branches[i+1:] {
			if both, enough := b.with(c, e.least); enough {
				next = append(next, both)
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

// key writes items such that itemsOf can read them.
func key(items []int32) string {
	b := make([]byte, 0, 4*len(items))
	for _, u := range items {
		b = binary.BigEndian.AppendUint32(b, uint32(u))
	}
	return string(b)
}

func itemsOf(key string) []int32 {
	items := make([]int32, len(key)/4)
	for i := range items {
		items[i] = int32(binary.BigEndian.Uint32([]byte(key[4*i:])))
	}
	return items
}
