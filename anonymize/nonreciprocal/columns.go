package nonreciprocal

import (
	"encoding/binary"
	"math/bits"

	"mingle/dataset"
)

// columns are the records as bitmaps over what sets them apart: items that the same records have, and items that the one
// set of records has and all others have, are one column, and items that all records have or none are none. In tables
// made of attributes with two values each this halves what is looked at.
type columns struct {
	len, words int
	weight     []int32  // how many items each column stands for
	rows       []uint64 // of record u: rows[u*words:(u+1)*words]
}

// newColumns needs a bitmap of all records for every item: n·items/8 bytes.
func newColumns(d *dataset.Dataset) *columns {
	n, words := d.Len(), (d.Len()+63)/64
	having := make([]uint64, d.Dict().Len()*words) // of each item, its records
	for u := range n {
		for _, it := range d.Tx(u) {
			having[int(it)*words+u>>6] |= 1 << (u & 63)
		}
	}
	c := &columns{}
	known := map[string]int{string(make([]byte, 8*words)): -1}
	var kept [][]uint64
	for it := range d.Dict().Len() {
		column := having[it*words : (it+1)*words]
		key := sameSide(column, n)
		at, old := known[key]
		if !old {
			at = len(kept)
			known[key] = at
			kept, c.weight = append(kept, column), append(c.weight, 0)
		}
		if at >= 0 {
			c.weight[at]++
		}
	}
	c.len, c.words = len(kept), (len(kept)+63)/64
	c.rows = make([]uint64, n*c.words)
	for i, column := range kept {
		for w, x := range column {
			for ; x != 0; x &= x - 1 {
				u := w<<6 + bits.TrailingZeros64(x)
				c.rows[u*c.words+i>>6] |= 1 << (i & 63)
			}
		}
	}
	return c
}

// sameSide is the bitmap of n records that is equal for an item and its complement: turned so that the first record has it not.
func sameSide(column []uint64, n int) string {
	turn := -(column[0] & 1)
	key := make([]byte, 0, 8*len(column))
	for w, x := range column {
		x ^= turn
		if w == n>>6 {
			x &= 1<<(n&63) - 1
		}
		key = binary.LittleEndian.AppendUint64(key, x)
	}
	return string(key)
}

func (c *columns) row(u int32) []uint64 { return c.rows[int(u)*c.words:][:c.words] }
