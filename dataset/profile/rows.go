package profile

import (
	"slices"

	"mingle/dataset"
)

// rows are transactions, or what is left of some of them: their items by ascending support, and
// under equal ones by number.
type rows struct {
	of    []int32 // for each row its merged transaction; nil: the same
	start []int   // row i is items[start[i]:start[i+1]]
	items []int32 // by rank: the rarest item is 0
	asked []bool  // for each row whether it is looked for; nil: not known
}

// bySupport are the transactions of d.
func bySupport(d *dataset.Dataset) rows {
	supports := make([]int32, d.Dict().Len())
	for i := range d.Len() {
		for _, it := range d.Tx(i) {
			supports[it]++
		}
	}
	items := make([]int32, len(supports))
	for it := range items {
		items[it] = int32(it)
	}
	slices.SortStableFunc(items, func(a, b int32) int { return int(supports[a] - supports[b]) })
	rank := make([]int32, len(items))
	for i, it := range items {
		rank[it] = int32(i)
	}
	r := rows{start: make([]int, 1, d.Len()+1), items: make([]int32, 0, d.Occurrences())}
	for i := range d.Len() {
		from := len(r.items)
		for _, it := range d.Tx(i) {
			r.items = append(r.items, rank[it])
		}
		slices.Sort(r.items[from:])
		r.start = append(r.start, len(r.items))
	}
	return r
}

// after is, for each item, what follows it in the rows that have it.
func (r *rows) after() [][]rest {
	size := make([]int, 0)
	for _, it := range r.items {
		if int(it) >= len(size) {
			size = append(size, make([]int, int(it)+1-len(size))...)
		}
		size[it]++
	}
	all := make([]rest, 0, len(r.items))
	after := make([][]rest, len(size))
	for it, n := range size {
		after[it] = all[len(all) : len(all) : len(all)+n]
		all = all[:len(all)+n]
	}
	for i := range len(r.start) - 1 {
		for at, it := range r.row(int32(i)) {
			after[it] = append(after[it], rest{int32(i), int32(at) + 1})
		}
	}
	return after
}

func (r *rows) row(i int32) []int32 { return r.items[r.start[i]:r.start[i+1]] }

func (r *rows) rest(s rest) []int32 { return r.items[r.start[s.row]+int(s.from) : r.start[s.row+1]] }

func (r *rows) behind(s rest) int { return r.start[s.row+1] - r.start[s.row] - int(s.from) }

// transaction is the merged transaction of a row.
func (r *rows) transaction(row int32) int32 {
	if r.of == nil {
		return row
	}
	return r.of[row]
}

func (r *rows) clear() {
	r.of, r.items, r.asked = r.of[:0], r.items[:0], r.asked[:0]
	r.start = append(r.start[:0], 0)
}
