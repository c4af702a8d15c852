package itemset

import (
	"context"
	"sync/atomic"

	"mingle/internal/par"
)

// counter is one worker's share of a count.
type counter struct {
	w      *walker
	byRank []uint64
	total  uint64
}

// newCounter makes a counter: n safe extensions of a prefix are n itemsets that contain each item
// of the prefix, and one for each extension.
func (s *Safe) newCounter() *counter {
	c := &counter{w: newWalker(s, s.in.maxLen()), byRank: make([]uint64, s.t.items())}
	c.w.all = true
	c.w.see = func(ext []extension) {
		for _, r := range c.w.prefix {
			c.byRank[r] += uint64(len(ext))
		}
		for _, e := range ext {
			c.byRank[e.item]++
		}
		c.total += uint64(len(ext))
	}
	return c
}

// each runs f for every task below n on the pool, and tells how many are begun.
func (s *Safe) each(
	ctx context.Context, n int, f func(c *counter, task int), told func(done int),
) {
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	workers := max(1, min(s.in.workers(), n/4))
	var next atomic.Int64
	run := func(c *counter, told func(done int)) {
		c.w.stopped = stop.Load
		for i := int(next.Add(1)) - 1; i < n && !stop.Load(); i = int(next.Add(1)) - 1 {
			told(i)
			f(c, i)
		}
	}
	s.staff(workers)
	var group par.Group
	for _, c := range s.pool[1:workers] {
		group.Go(func() { run(c, func(int) {}) })
	}
	run(s.pool[0], told)
	group.Wait()
}

func (s *Safe) staff(workers int) {
	for len(s.pool) < workers {
		s.pool = append(s.pool, s.newCounter())
	}
}

// sum takes what the pool has counted, by item, and leaves its counters at zero.
func (s *Safe) sum() (byItem []uint64, total uint64) {
	byItem = make([]uint64, len(s.rank))
	for _, c := range s.pool {
		for r, n := range c.byRank {
			byItem[s.t.item[r]] += n
		}
		clear(c.byRank)
		total += c.total
		c.total = 0
	}
	return byItem, total
}

// Count counts, for every item, the safe itemsets of up to MaxLen items that contain it, and all
// safe itemsets. It tells as Input.Progress does.
func (s *Safe) Count(
	ctx context.Context, progress func(done, total int64),
) (byItem []uint64, total uint64, err error) {
	told := part(progress, 0, 1, s.t.items())
	behind := identity(s.t.items())
	s.each(ctx, s.t.items(), func(c *counter, task int) {
		c.byRank[task]++
		c.total++
		if s.in.maxLen() < 2 {
			return
		}
		if s.kept() {
			c.w.lookUp(int32(task), behind[task+1:])
		} else if nd := c.w.start(int32(task), int32(task), behind[task+1:]); nd != nil {
			for i := range nd.items.items {
				c.w.descend(nd, i, 0)
			}
		}
	}, told)
	byItem, total = s.sum()
	return byItem, total, context.Cause(ctx)
}

// kept tells whether the safe itemsets of all sizes are kept, so that the data is not needed any
// more.
func (s *Safe) kept() bool { return s.sizes[s.in.maxLen()] != nil }

// lookUp sees the extensions of all sets that begin with one item and go on with the wanted ones,
// by looking them up.
func (w *walker) lookUp(first int32, wanted []int32) {
	w.prefix = append(w.prefix[:0], first)
	w.lookUpBehind(wanted, 0)
}

func (w *walker) lookUpBehind(wanted []int32, depth int) {
	if w.stopped() {
		return
	}
	v := &w.node(depth).items
	v.reset(nil)
	for _, z := range wanted {
		if w.known(z) {
			v.add(z, 0)
		}
	}
	w.tell(v)
	if len(w.prefix)+1 == w.size {
		return
	}
	for i, z := range v.items {
		w.prefix = append(w.prefix, z)
		w.lookUpBehind(v.items[i+1:], depth+1)
		w.prefix = w.prefix[:len(w.prefix)-1]
	}
}

// CountWith counts, for every item, the safe itemsets that contain it, a given item, and no item
// that is not alive; and all that contain the given one. The given item itself need not be alive.
// Items must not come back to life from one call to the next. Not for concurrent use.
func (s *Safe) CountWith(
	ctx context.Context, item int32, alive []bool,
) (byItem []uint64, total uint64, err error) {
	first := s.rank[item]
	if first < 0 {
		return make([]uint64, len(s.rank)), 0, nil
	}
	switch {
	case s.in.maxLen() < 2:
	case s.kept():
		s.staff(1)
		s.pool[0].w.stopped = func() bool { return ctx.Err() != nil }
		s.pool[0].w.lookUp(first, s.alive(alive, first))
	default:
		s.tidy(alive)
		s.staff(1)
		lead := s.pool[0].w
		lead.stopped = func() bool { return false }
		if nd := lead.start(first, -1, s.alive(alive, first)); nd != nil {
			s.each(ctx, len(nd.items.items), func(c *counter, i int) {
				c.w.prefix = append(c.w.prefix[:0], first)
				c.w.descend(nd, i, 0)
			}, func(int) {})
		}
	}
	byItem, total = s.sum()
	byItem[item]++
	return byItem, total + 1, context.Cause(ctx)
}

// alive lists the ranks of the items that are alive, without one.
func (s *Safe) alive(alive []bool, without int32) []int32 {
	var out []int32
	for r, it := range s.t.item {
		if alive[it] && int32(r) != without {
			out = append(out, int32(r))
		}
	}
	return out
}

// tidy leaves the items that are not alive out of the rows once they are a quarter of what is
// there. What a copy may share is not changed.
func (s *Safe) tidy(alive []bool) {
	t := s.t
	keep := 0
	for r, it := range t.item {
		if alive[it] {
			keep += int(t.support[r])
		}
	}
	if 4*keep >= 3*len(t.rows) {
		return
	}
	rows, start := make([]int32, 0, keep), make([]uint32, 1, len(t.start))
	filled := 0
	for i := range len(t.start) - 1 {
		before := len(rows)
		for _, r := range t.row(int32(i)) {
			if alive[t.item[r]] {
				rows = append(rows, r)
			}
		}
		if len(rows) > before {
			filled++
		}
		start = append(start, uint32(len(rows)))
	}
	t.rows, t.start = rows, start
	t.length = (len(rows) + max(1, filled) - 1) / max(1, filled)
}

// Copy returns what counts as s does, and whose items may die apart from those of s. The two share
// their memory.
func (s *Safe) Copy() *Safe {
	t := *s.t
	return &Safe{in: s.in, t: &t, side: s.side, sizes: s.sizes, rank: s.rank}
}
