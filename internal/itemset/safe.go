package itemset

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Guard bounds what itemsets may imply: of n transactions with an itemset, or with a subset of it,
// at most Most[n] may contain one and the same side item. Most must not decrease, and has an entry
// for every number of transactions.
type Guard struct {
	Side []bool // by item; side items take part in no itemset
	Most []int32
}

// Safe knows the itemsets that are safe: frequent, and within the guard. Every subset of a safe
// itemset is safe. What is kept are the safe itemsets of fewer than MaxLen items, in at most a bit
// for every itemset of these sizes there could be. Those of MaxLen items are kept too if a bit for
// each of them makes no more than 256 MB; otherwise they are found again whenever they are counted.
type Safe struct {
	in    Input
	t     *table
	side  *sideTable // nil: no guard
	sizes []*family  // by size, from 2; nil for MaxLen where that is too much, see Keeps
	rank  []int32    // item -> rank, -1: no safe itemset has it
	pool  []*counter
}

// sideTable is the side items of each row.
type sideTable struct {
	n     int
	rows  []int32
	start []uint32
	most  []int32
	least int32 // a side item of no more rows than this cannot break the guard
}

func (s *sideTable) row(i int32) []int32 { return s.rows[s.start[i]:s.start[i+1]] }

func newSideTable(in *Input, g *Guard) *sideTable {
	s := &sideTable{
		start: []uint32{0}, most: g.Most,
		least: g.Most[min(in.MinSupport, len(g.Most)-1)],
	}
	number := make([]int32, len(g.Side))
	for it, is := range g.Side {
		if is {
			number[it] = int32(s.n)
			s.n++
		}
	}
	for i := range in.Data.Len {
		for _, it := range in.Data.Tx(i) {
			if g.Side[it] {
				s.rows = append(s.rows, number[it])
			}
		}
		s.start = append(s.start, uint32(len(s.rows)))
	}
	return s
}

// FindSafe finds the safe itemsets of up to in.MaxLen items (0: of any size). If visit is not nil
// it is called with every minimal unsafe itemset: it occurs, is not safe, and all its subsets are,
// but for the empty one, which is not looked at. They come by size, then in an order that depends
// on the data only.
//
// Sizes are done one after the other, each by a search in depth that cuts off what is not safe, so
// that the subsets of a candidate can be looked up.
func FindSafe(ctx context.Context, in Input, g *Guard, visit Visit) (*Safe, error) {
	if err := errors.Join(in.check(), g.check(&in)); err != nil {
		return nil, err
	}
	s := &Safe{in: in}
	if g != nil {
		s.side = newSideTable(&in, g)
	}
	if err := s.singles(g, visit); err != nil {
		return nil, err
	}
	last := in.maxLen()
	number := newBinomials(s.t.items(), max(1, last))
	s.sizes = make([]*family, max(2, last+1))
	for size := 2; size <= last; size++ {
		if size < last || number.keeps(size) {
			s.sizes[size] = newFamily(s.t.items(), size, number)
		} else if visit == nil {
			break
		}
		told := part(in.Progress, size-2, last-1, s.t.items())
		if err := s.pass(ctx, size, visit, told); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (g *Guard) check(in *Input) error {
	if g == nil {
		return nil
	}
	var faults []error
	if len(g.Side) != in.Data.Items {
		faults = append(faults, fmt.Errorf("%d side items are marked, the data has %d items",
			len(g.Side), in.Data.Items))
	}
	if len(g.Most) != in.Data.Len+1 {
		faults = append(faults, fmt.Errorf("the guard bounds %d supports, the data has %d",
			len(g.Most), in.Data.Len+1))
	}
	return errors.Join(faults...)
}

// singles judges the itemsets of one item, and makes the table of those that are safe.
func (s *Safe) singles(g *Guard, visit Visit) error {
	unsafe := make([]bool, s.in.Data.Items)
	if g != nil {
		s.in.Items = s.in.without(g.Side)
		for it, worst := range s.worst(g) {
			unsafe[it] = worst
		}
	}
	n := s.in.supports
	if visit != nil {
		for it, n := range n {
			mine := s.in.Items == nil || s.in.Items[it]
			if mine && n > 0 && (n < s.in.MinSupport || unsafe[it]) {
				if err := visit([]int32{int32(it)}, n); err != nil {
					return err
				}
			}
		}
	}
	s.t = newTable(&s.in, func(it int32, n int) bool { return n >= s.in.MinSupport && !unsafe[it] })
	s.rank = slices.Repeat([]int32{-1}, len(n))
	for r, it := range s.t.item {
		s.rank[it] = int32(r)
	}
	return nil
}

func (in *Input) without(side []bool) []bool {
	out := make([]bool, len(side))
	for it := range out {
		out[it] = (in.Items == nil || in.Items[it]) && !side[it]
	}
	return out
}

// worst tells of every item whether some side item is in too many of its transactions.
func (s *Safe) worst(g *Guard) []bool {
	supports := s.in.supports
	out := make([]bool, len(supports))
	all := newTable(&s.in, func(_ int32, n int) bool { return n >= s.in.MinSupport })
	count := make([]int32, s.side.n)
	for r := range all.items() {
		clear(count)
		for _, row := range all.rowsOf(int32(r)) {
			for _, x := range s.side.row(row) {
				count[x]++
			}
		}
		for _, c := range count {
			if c > g.Most[all.support[r]] {
				out[all.item[r]] = true
			}
		}
	}
	return out
}
