package partition

import (
	"context"
	"encoding/binary"
)

// maskBits is how many children of a node a mask can tell apart.
const maskBits = 64

// room is working space in which transactions are sorted by the children of a node that they have.
type room struct {
	buckets []tally           // in order of first appearance
	at      map[uint64]int32  // by key, where there are many
	names   map[string]uint64 // the key of a list of children, of nodes with more than maskBits
	list    []byte
	of      []int32 // by place of a transaction: its bucket
	gains   []int64 // the same: what it gains
}

// tally is the transactions with the same children of a node.
type tally struct {
	key    uint64 // the mask of the numbers of the children, or the number of the list of them
	first  int    // the place of the first of them
	size   int
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
	clear(m.names)
	children := r.tree.Children(u)
	mask := uint64(0)
	note := func(k int) { mask |= 1 << k }
	if len(children) > maskBits {
		note = func(k int) { m.list = binary.LittleEndian.AppendUint32(m.list, uint32(k)) }
	}
	for n, i := range txs {
		if n%lookUp == 0 && ctx.Err() != nil {
			return false
		}
		mask, m.list = 0, m.list[:0]
		gain := r.eachChild(i, u, children, note)
		if len(children) > maskBits {
			mask = m.number()
		}
		at := m.find(mask, n)
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

// number is that of the list of children at hand.
func (m *room) number() uint64 {
	n, known := m.names[string(m.list)]
	if !known {
		n = uint64(len(m.names))
		m.names[string(m.list)] = n
	}
	return n
}

// find is the number of the bucket of a key, which is made for the transaction at a place if there
// is none.
func (m *room) find(key uint64, place int) int32 {
	if len(m.buckets) <= few {
		for at := range m.buckets {
			if m.buckets[at].key == key {
				return int32(at)
			}
		}
	} else if at, known := m.at[key]; known {
		return at
	}
	m.buckets = append(m.buckets, tally{key: key, first: place})
	last := int32(len(m.buckets) - 1)
	switch {
	case last == few:
		for at, b := range m.buckets {
			m.at[b.key] = int32(at)
		}
	case last > few:
		m.at[key] = last
	}
	return last
}
