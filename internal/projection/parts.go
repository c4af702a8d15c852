package projection

import "slices"

// MostRests is how many rests are usually gathered at once.
const MostRests = 1 << 20

const none = -1

// Space is the working space of one goroutine, for any number of levels.
type Space struct {
	counts []int32 // by item; all zero between uses
	at     []int   // by item; all none between uses
	most   int
}

// NewSpace makes room for n items. At most so many rests are gathered at once, unless one item has
// more.
func NewSpace(n, most int) *Space {
	s := &Space{counts: make([]int32, n), at: make([]int, n), most: most}
	for it := range s.at {
		s.at[it] = none
	}
	return s
}

// Level are the rows behind an itemset, and the working space to go through them. The zero value is
// ready once its rows are cleared.
type Level struct {
	Rows
	items []itemCount
	rests []Rest
}

type itemCount struct {
	item int32
	n    int
}

// Each hands over the rests of each item that has at least so many items behind it in its row, some
// items at a time. Only says of which items; nil: of all. Rests are valid until do returns.
func (s *Space) Each(
	l *Level, behind int, only []bool, do func(item int32, rests []Rest) error,
) error {
	s.count(l, behind, only)
	for items := l.items; len(items) > 0; {
		n, some := 0, 0
		for some < len(items) && (some == 0 || n+items[some].n <= s.most) {
			s.at[items[some].item] = n
			n += items[some].n
			some++
		}
		l.rests = slices.Grow(l.rests[:0], n)[:n]
		s.gather(l, behind)
		for _, it := range items[:some] {
			s.at[it.item] = none
		}
		for rests := l.rests; some > 0; some-- {
			it := items[0]
			if err := do(it.item, rests[:it.n]); err != nil {
				return err
			}
			rests, items = rests[it.n:], items[1:]
		}
	}
	return nil
}

// count counts the rows that each item is to be looked at in.
func (s *Space) count(l *Level, behind int, only []bool) {
	l.items = l.items[:0]
	for i := range l.Len() {
		row := l.Row(i)
		for _, it := range row[:max(0, len(row)-behind)] {
			if only != nil && !only[it] {
				continue
			}
			if s.counts[it]++; s.counts[it] == 1 {
				l.items = append(l.items, itemCount{item: it})
			}
		}
	}
	for i, it := range l.items {
		l.items[i].n, s.counts[it.item] = int(s.counts[it.item]), 0
	}
}

// gather puts the rests of items from the places on that these have.
func (s *Space) gather(l *Level, behind int) {
	for i := range l.Len() {
		row := l.Row(i)
		for at, it := range row[:max(0, len(row)-behind)] {
			if to := s.at[it]; to != none {
				l.rests[to] = Rest{int32(i), int32(at) + 1}
				s.at[it]++
			}
		}
	}
}
