// Package projection goes through the itemsets of data, each extended by more frequent items, on
// what is left of the transactions behind them: projected databases (Han, Pei and Yin, Mining
// Frequent Patterns without Candidate Generation, SIGMOD 2000, section 3).
package projection

import (
	"slices"

	"mingle/dataset"
)

// Rows are transactions, or what is left of some of them, as ranks of items: the rarest item is 0.
type Rows struct {
	start []int // row i is items[start[i]:start[i+1]], ascending
	items []int32
}

// Rest is the items of a row from a place on.
type Rest struct{ Row, From int32 }

// New are the transactions of d, in their order, without the items that fewer than least have.
// items[r] is the item of rank r: ascending by support, and by id under equal ones. Memory: 4 bytes
// an occurrence, 8 a transaction.
func New(d *dataset.Dataset, least int) (r *Rows, items []int32) {
	supports := d.Supports()
	for it, n := range supports {
		if n > 0 && n >= least {
			items = append(items, int32(it))
		}
	}
	slices.SortStableFunc(items, func(a, b int32) int { return supports[a] - supports[b] })
	rank := make([]int32, len(supports))
	for it := range rank {
		rank[it] = none
	}
	for i, it := range items {
		rank[it] = int32(i)
	}
	r = &Rows{start: make([]int, 1, d.Len()+1)}
	transactions := d.Cursor()
	for i := range d.Len() {
		from := len(r.items)
		for _, it := range transactions.Tx(i) {
			if rank[it] != none {
				r.items = append(r.items, rank[it])
			}
		}
		slices.Sort(r.items[from:])
		r.start = append(r.start, len(r.items))
	}
	return r, items
}

// Len is the number of rows.
func (r *Rows) Len() int { return len(r.start) - 1 }

// Row are the items of row i.
func (r *Rows) Row(i int) []int32 { return r.items[r.start[i]:r.start[i+1]] }

// Rest are the items of a rest.
func (r *Rows) Rest(s Rest) []int32 {
	return r.items[r.start[s.Row]+int(s.From) : r.start[s.Row+1]]
}

// Items are those of all rows.
func (r *Rows) Items() []int32 { return r.items }

// Clear takes all rows away; their room stays.
func (r *Rows) Clear() { r.start, r.items = append(r.start[:0], 0), r.items[:0] }

// Add adds the items for which keep is true as a row, if these are at least least: else false.
func (r *Rows) Add(items []int32, keep []bool, least int) bool {
	from := len(r.items)
	for _, it := range items {
		if keep[it] {
			r.items = append(r.items, it)
		}
	}
	if len(r.items)-from < least {
		r.items = r.items[:from]
		return false
	}
	r.start = append(r.start, len(r.items))
	return true
}

// After is, for each of n items, what follows it in the rows that have it. Memory: 8 bytes an
// occurrence.
func (r *Rows) After(n int) [][]Rest {
	size := make([]int, n)
	for _, it := range r.items {
		size[it]++
	}
	all := make([]Rest, len(r.items))
	after := make([][]Rest, n)
	for it, n := range size {
		after[it], all = all[:0:n], all[n:]
	}
	for i := range r.Len() {
		for at, it := range r.Row(i) {
			after[it] = append(after[it], Rest{int32(i), int32(at) + 1})
		}
	}
	return after
}
