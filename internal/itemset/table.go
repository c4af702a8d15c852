package itemset

import (
	"cmp"
	"slices"
)

// table is the data as the search sees it: items are ranks in ascending order of support (ties by
// id), items that cannot be in any result are left out. 4 bytes an occurrence each for rows and
// columns.
type table struct {
	item    []int32  // rank -> item id
	support []int32  // by rank
	rows    []int32  // rows one after another: ranks, ascending
	start   []uint32 // row i is rows[start[i]:start[i+1]]
	tids    []int32  // columns one after another: rows, ascending
	column  []uint32 // column of rank r is tids[column[r]:column[r+1]]
	length  int      // mean length of the rows that are not empty, rounded up
}

func (t *table) items() int { return len(t.item) }

func (t *table) row(i int32) []int32 { return t.rows[t.start[i]:t.start[i+1]] }

func (t *table) rowsOf(rank int32) []int32 { return t.tids[t.column[rank]:t.column[rank+1]] }

// newTable ranks the items that keep wants. No item stands for two ranks.
func newTable(in *Input, keep func(item int32, support int) bool) *table {
	t := &table{}
	supports := in.supports
	for it, n := range supports {
		if (in.Items == nil || in.Items[it]) && keep(int32(it), n) {
			t.item = append(t.item, int32(it))
		}
	}
	slices.SortFunc(t.item, func(a, b int32) int {
		return cmp.Or(cmp.Compare(supports[a], supports[b]), cmp.Compare(a, b))
	})
	rank := slices.Repeat([]int32{-1}, len(supports))
	for r, it := range t.item {
		rank[it] = int32(r)
		t.support = append(t.support, int32(supports[it]))
	}
	t.fill(in, rank)
	return t
}

func (t *table) fill(in *Input, rank []int32) {
	t.column = make([]uint32, t.items()+1)
	total := uint32(0)
	for r, n := range t.support {
		total += uint32(n)
		t.column[r+1] = total
	}
	t.rows = make([]int32, 0, total)
	t.tids = make([]int32, total)
	t.start = make([]uint32, 1, in.Data.Len+1)
	next := slices.Clone(t.column)
	filled := 0
	for i := range in.Data.Len {
		from := len(t.rows)
		for _, it := range in.Data.Tx(i) {
			if r := rank[it]; r >= 0 {
				t.rows = append(t.rows, r)
				t.tids[next[r]] = int32(i)
				next[r]++
			}
		}
		slices.Sort(t.rows[from:])
		t.start = append(t.start, uint32(len(t.rows)))
		if len(t.rows) > from {
			filled++
		}
	}
	t.length = (len(t.rows) + filled - 1) / max(1, filled)
}

// original spells a set of ranks as item ids, ascending, into buf.
func (t *table) original(ranks, buf []int32) []int32 {
	buf = buf[:0]
	for _, r := range ranks {
		buf = append(buf, t.item[r])
	}
	slices.Sort(buf)
	return buf
}

func identity(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}
