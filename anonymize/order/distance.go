package order

import (
	"math/bits"

	"mingle/dataset"
)

// Distances measures Hamming distances between the bitmaps of transactions, that is the sizes of
// their symmetric differences. It is safe for concurrent use.
//
// Where bitmaps are at most seven times as many words as a transaction has items on average (dense
// data: 2 words for chess, 34 for pumsb) they are kept and compared by population count; otherwise
// the item lists are merged. The factor is the measured cost of a step of a merge in words; 512 MiB
// is the most that bitmaps may take.
type Distances struct {
	d     *dataset.Dataset
	words int
	bits  []uint64 // transaction i is bits[i*words:(i+1)*words]; nil: merge
}

const maxBitmapBytes = 512 << 20

// NewDistances prepares the distances of d.
func NewDistances(d *dataset.Dataset) *Distances {
	m := &Distances{d: d, words: (d.Dict().Len() + 63) / 64}
	if m.words*d.Len() > 7*d.Occurrences() || m.words*d.Len()*8 > maxBitmapBytes {
		return m
	}
	m.bits = make([]uint64, m.words*d.Len())
	for i := range d.Len() {
		row := m.bits[i*m.words : (i+1)*m.words]
		for _, it := range d.Tx(i) {
			row[it>>6] |= 1 << (it & 63)
		}
	}
	return m
}

// Between is the Hamming distance of transactions i and j.
func (m *Distances) Between(i, j int32) int32 {
	if m.bits == nil {
		return mergeDistance(m.d.Tx(int(i)), m.d.Tx(int(j)))
	}
	a := m.bits[int(i)*m.words : (int(i)+1)*m.words]
	b := m.bits[int(j)*m.words : (int(j)+1)*m.words]
	b = b[:len(a)]
	n := 0
	for w := range a {
		n += bits.OnesCount64(a[w] ^ b[w])
	}
	return int32(n)
}

// AtLeast is a lower bound of Between that costs nothing: the difference of the sizes.
func (m *Distances) AtLeast(i, j int32) int32 {
	a, b := int32(len(m.d.Tx(int(i)))), int32(len(m.d.Tx(int(j))))
	return max(a-b, b-a)
}

func mergeDistance(a, b []int32) int32 {
	n, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			i, j = i+1, j+1
		case a[i] < b[j]:
			n, i = n+1, i+1
		default:
			n, j = n+1, j+1
		}
	}
	return int32(n + len(a) - i + len(b) - j)
}

// Total sums the distances of consecutive transactions of an order, and that from the last to the
// first.
func (m *Distances) Total(order []int32) int64 {
	if len(order) < 2 {
		return 0
	}
	total := int64(m.Between(order[len(order)-1], order[0]))
	for p := 1; p < len(order); p++ {
		total += int64(m.Between(order[p-1], order[p]))
	}
	return total
}
