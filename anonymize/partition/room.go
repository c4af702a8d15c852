package partition

import (
	"context"
	"math/bits"
)

// maskBits is how many children of a node a mask can tell apart.
const maskBits = 64

// room is working space in which transactions are sorted by the children of a node that they have.
type room struct {
	buckets []tally          // in order of first appearance
	at      map[uint64]int32 // by mask, where there are many
	of      []int32          // by place of a transaction: its bucket
	gains   []int64          // the same: what it gains
}

// tally is the transactions with some children of a node.
type tally struct {
	mask   uint64 // of the numbers of the children
	size   int    // transactions
	weight int
	gain   int64
}

// few buckets are looked through, more are looked up.
const few = 8

// sort sorts transactions by the children of u; apart says whether there may be several buckets. It
// is false if there are but may not, and when the context has ended.
func (m *room) sort(ctx context.Context, r *run, txs []int32, u int32, apart bool) bool {
	m.buckets, m.of, m.gains = m.buckets[:0], m.of[:0], m.gains[:0]
	clear(m.at)
	kids := r.tree.Children(u)
	for n, i := range txs {
		if n%lookUp == 0 && ctx.Err() != nil {
			return false
		}
		mask := uint64(0)
		gain := r.eachChild(i, u, kids, func(k int) { mask |= 1 << k })
		at := m.find(mask)
		if at > 0 && !apart {
			return false
		}
		b := &m.buckets[at]
		b.size++
		b.weight += int(r.merged.Weights[i])
		b.gain += gain
		m.of, m.gains = append(m.of, at), append(m.gains, gain)
	}
	return true
}

// find is the number of the bucket of a mask, which is made if there is none.
func (m *room) find(mask uint64) int32 {
	if len(m.buckets) <= few {
		for at := range m.buckets {
			if m.buckets[at].mask == mask {
				return int32(at)
			}
		}
	} else if at, known := m.at[mask]; known {
		return at
	}
	m.buckets = append(m.buckets, tally{mask: mask})
	last := int32(len(m.buckets) - 1)
	switch {
	case last == few:
		for at, b := range m.buckets {
			m.at[b.mask] = int32(at)
		}
	case last > few:
		m.at[mask] = last
	}
	return last
}

// children are those of the mask.
func (t tally) children(kids []int32) []int32 {
	out := make([]int32, 0, bits.OnesCount64(t.mask))
	for mask := t.mask; mask != 0; mask &= mask - 1 {
		out = append(out, kids[bits.TrailingZeros64(mask)])
	}
	return out
}
