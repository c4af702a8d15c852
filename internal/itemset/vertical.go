package itemset

import "math/bits"

// vertical is a projection on a prefix: some rows, and the items behind the prefix as bitmaps over
// them. Bit b of an item's bitmap stands for rows[b]. The prefix itself may be in fewer rows than
// there are bits.
type vertical struct {
	rows  []int32
	words int     // 64-bit words a bitmap
	items []int32 // ranks
	count []int32 // support of the prefix with the item
	bits  []uint64
}

func (v *vertical) bitmap(i int) []uint64 { return v.bits[i*v.words : (i+1)*v.words] }

func (v *vertical) reset(rows []int32) {
	v.rows, v.words = rows, (len(rows)+63)/64
	v.items, v.count, v.bits = v.items[:0], v.count[:0], v.bits[:0]
}

// add makes the spare bitmap, if one was taken, an item's.
func (v *vertical) add(item, count int32) {
	v.items = append(v.items, item)
	v.count = append(v.count, count)
}

// spare is room for one bitmap behind those of the items.
func (v *vertical) spare() []uint64 {
	need := (len(v.items) + 1) * v.words
	for cap(v.bits) < need {
		v.bits = append(v.bits[:cap(v.bits)], 0)
	}
	v.bits = v.bits[:need]
	return v.bits[need-v.words:]
}

// intersect sets out to a AND b and counts its bits.
func intersect(out, a, b []uint64) int32 {
	n := 0
	b, out = b[:len(a)], out[:len(a)]
	for i, x := range a {
		x &= b[i]
		out[i] = x
		n += bits.OnesCount64(x)
	}
	return int32(n)
}

// overlap counts the bits of a AND b.
func overlap(a, b []uint64) int32 {
	n := 0
	b = b[:len(a)]
	for i, x := range a {
		n += bits.OnesCount64(x & b[i])
	}
	return int32(n)
}

// overlap3 counts the bits of a AND b AND c.
func overlap3(a, b, c []uint64) int32 {
	n := 0
	b, c = b[:len(a)], c[:len(a)]
	for i, x := range a {
		n += bits.OnesCount64(x & b[i] & c[i])
	}
	return int32(n)
}

// members appends the rows that a bitmap stands for.
func (v *vertical) members(bitmap []uint64, out []int32) []int32 {
	for w, x := range bitmap {
		for ; x != 0; x &= x - 1 {
			out = append(out, v.rows[w<<6|bits.TrailingZeros64(x)])
		}
	}
	return out
}

// scanner counts and projects by reading rows. Its arrays are by rank; they are zero between uses.
type scanner struct {
	t     *table
	n     []int32 // support
	local []int32 // 1 + position among the wanted items; 0: not wanted
}

func newScanner(t *table) *scanner {
	return &scanner{t: t, n: make([]int32, t.items()), local: make([]int32, t.items())}
}

// tally adds to n, for every rank behind after, its support in the rows.
func (s *scanner) tally(rows []int32, after int32) {
	for _, r := range rows {
		row := s.t.row(r)
		for k := len(row) - 1; k >= 0 && row[k] > after; k-- {
			s.n[row[k]]++
		}
	}
}

// clear zeroes n again, given the rows that were tallied.
func (s *scanner) clear(rows []int32, after int32) {
	if len(rows)*s.t.length > len(s.n)/8 {
		clear(s.n[after+1:])
		return
	}
	for _, r := range rows {
		row := s.t.row(r)
		for k := len(row) - 1; k >= 0 && row[k] > after; k-- {
			s.n[row[k]] = 0
		}
	}
}

// project makes v the projection on the rows: of the wanted ranks behind after, in their order,
// those whose support keep accepts.
func (s *scanner) project(
	v *vertical, rows []int32, after int32, wanted []int32, keep func(n int32) bool,
) {
	v.reset(rows)
	s.tally(rows, after)
	for _, z := range wanted {
		if n := s.n[z]; n > 0 && keep(n) {
			v.add(z, n)
			s.local[z] = int32(len(v.items))
		}
	}
	s.clear(rows, after)
	if need := len(v.items) * v.words; cap(v.bits) < need {
		v.bits = make([]uint64, need, need+need/2)
	} else {
		v.bits = v.bits[:need]
		clear(v.bits)
	}
	for b, r := range rows {
		row := s.t.row(r)
		for k := len(row) - 1; k >= 0 && row[k] > after; k-- {
			if at := int(s.local[row[k]]); at > 0 {
				v.bits[(at-1)*v.words+b>>6] |= 1 << (b & 63)
			}
		}
	}
	for _, z := range v.items {
		s.local[z] = 0
	}
}

// cheaper tells whether reading count rows costs less than intersecting width bitmaps of a number
// of words. The factor is measured: two passes over a row's items against one pass over the words.
func (t *table) cheaper(count int32, width, words int) bool {
	return words > 2 && int(count)*t.length*3/2 < width*words
}
