package coherence

import (
	"encoding/binary"
	"slices"

	"mingle/dataset"
)

// distinctRows are the transactions, cut down to the public items that are left, each once, without
// the empty one.
func distinctRows(d *dataset.Dataset, public []bool) [][]int32 {
	seen := map[string]bool{}
	var out [][]int32
	var row []int32
	var key []byte
	for i := range d.Len() {
		row, key = row[:0], key[:0]
		for _, it := range d.Tx(i) {
			if public[it] {
				row = append(row, it)
				key = binary.LittleEndian.AppendUint32(key, uint32(it))
			}
		}
		if len(row) > 0 && !seen[string(key)] {
			seen[string(key)] = true
			out = append(out, slices.Clone(row))
		}
	}
	return out
}

// maximalRows are those of them that lie in no other one, the longest first.
func maximalRows(d *dataset.Dataset, public []bool) [][]int32 {
	rows := distinctRows(d, public)
	slices.SortFunc(rows, func(a, b []int32) int { return len(b) - len(a) })
	var out [][]int32
	having := make([][]int32, d.Dict().Len()) // item -> maximal rows that contain it
	for _, row := range rows {
		rarest := having[row[0]]
		for _, it := range row[1:] {
			if len(having[it]) < len(rarest) {
				rarest = having[it]
			}
		}
		if slices.ContainsFunc(rarest, func(i int32) bool { return subset(row, out[i]) }) {
			continue
		}
		for _, it := range row {
			having[it] = append(having[it], int32(len(out)))
		}
		out = append(out, row)
	}
	return out
}

// subset tells whether all of a, ascending, is in b, ascending.
func subset(a, b []int32) bool {
	for _, it := range a {
		for len(b) > 0 && b[0] < it {
			b = b[1:]
		}
		if len(b) == 0 || b[0] != it {
			return false
		}
		b = b[1:]
	}
	return true
}
