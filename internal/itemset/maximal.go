package itemset

import (
	"cmp"
	"context"
	"slices"
)

// Maximal visits every itemset that at least in.MinSupport transactions contain and none of whose
// supersets does, the empty one excepted. in.MaxLen is not looked at.
//
// The search is GenMax's (Gouda and Zaki, Efficiently mining maximal frequent itemsets, ICDM 2001):
// depth first, items in ascending order of support at every prefix; items that all rows of a prefix
// share join it at once; a prefix is left when it and all that may follow it lie in a maximal
// itemset already found, and the found ones that contain the prefix are handed down with it.
//
// It runs on one goroutine: what is found below one first item is what the next is pruned with, and
// two goroutines side by side took as long as one or longer on each data set that was tried.
//
// Memory: the data twice, projections, and 8 bytes for each item of each itemset found.
func Maximal(ctx context.Context, in Input, visit Visit) error {
	if err := in.check(); err != nil {
		return err
	}
	t := newTable(&in, func(_ int32, n int) bool { return n >= in.MinSupport })
	m := &maximal{
		ctx: ctx, visit: visit, t: t, scan: newScanner(t), min: int32(in.MinSupport),
		place: slices.Repeat([]int32{-1}, t.items()), byItem: make([][]int32, t.items()),
		start: []int{0},
	}
	all := identity(t.items())
	told := part(in.Progress, 0, 1, t.items())
	for first := range int32(t.items()) {
		if m.stopped() {
			break
		}
		m.run(first, all[first+1:])
		told(int(first) + 1)
	}
	if m.err != nil {
		return m.err
	}
	return context.Cause(ctx)
}

// maximal is one search. Items below a first rank are numbered by their position behind it.
type maximal struct {
	ctx   context.Context
	visit Visit
	err   error // of visit
	t     *table
	scan  *scanner
	min   int32

	found  []int32   // the maximal itemsets so far, as ranks, one after another
	start  []int     // itemset i is found[start[i]:start[i+1]]
	byItem [][]int32 // rank -> the itemsets that contain it

	first  int32
	prefix []int32 // ranks
	buf    []int32
	words  int      // 64-bit words a set of positions
	sets   []uint64 // sets found that contain the first rank, as sets of positions
	mask   []uint64
	place  []int32 // rank -> position among the items behind the first rank
	levels []*maxLevel
}

// maxLevel is the working memory at one depth.
type maxLevel struct {
	v     vertical
	raw   vertical
	rows  []int32
	order []int32
	known []int32 // numbers of the sets that contain the prefix
}

func (m *maximal) stopped() bool { return m.err != nil || m.ctx.Err() != nil }

func (m *maximal) level(depth int) *maxLevel {
	for len(m.levels) <= depth {
		m.levels = append(m.levels, &maxLevel{})
	}
	return m.levels[depth]
}

// run finds the maximal itemsets with a first rank.
func (m *maximal) run(first int32, behind []int32) {
	m.first = first
	m.prefix = append(m.prefix[:0], first)
	lv := m.level(0)
	m.scan.project(&lv.raw, m.t.rowsOf(first), first, behind,
		func(n int32) bool { return n >= m.min })
	m.number(lv.raw.items)
	m.recall()
	m.arrange(lv, m.t.support[first])
	lv.known = m.narrow(lv.known[:0], identity(m.stored()), m.prefix[1:])
	m.search(lv, 0, m.t.support[first])
	for _, r := range lv.raw.items {
		m.place[r] = -1
	}
}

// number gives the items behind the first rank their positions.
func (m *maximal) number(items []int32) {
	for i, r := range items {
		m.place[r] = int32(i)
	}
	m.words = (len(items) + 63) / 64
	m.mask = slices.Grow(m.mask[:0], m.words)[:m.words]
}

func (m *maximal) stored() int {
	if m.words == 0 {
		return len(m.sets)
	}
	return len(m.sets) / m.words
}

// recall takes the sets with the first rank from those found.
func (m *maximal) recall() {
	m.sets = m.sets[:0]
	for _, s := range m.byItem[m.first] {
		m.remember(m.found[m.start[s]:m.start[s+1]])
	}
	m.byItem[m.first] = nil // it is not asked for again
}

// remember stores the positions of ranks, of those that have one. Without any it stores one word.
func (m *maximal) remember(ranks []int32) {
	from := len(m.sets)
	words := max(1, m.words)
	m.sets = slices.Grow(m.sets, words)[:from+words]
	set := m.sets[from:]
	clear(set)
	for _, r := range ranks {
		if at := m.place[r]; at >= 0 {
			set[at>>6] |= 1 << (at & 63)
		}
	}
}

// arrange moves the items of lv.raw that all rows of the prefix share to the prefix, and the others
// to lv.v in ascending order of support.
func (m *maximal) arrange(lv *maxLevel, support int32) {
	raw := &lv.raw
	lv.order = lv.order[:0]
	for i, n := range raw.count {
		if n == support {
			m.prefix = append(m.prefix, raw.items[i])
		} else {
			lv.order = append(lv.order, int32(i))
		}
	}
	slices.SortFunc(lv.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(raw.count[a], raw.count[b]), cmp.Compare(a, b))
	})
	lv.v.reset(raw.rows)
	for _, i := range lv.order {
		copy(lv.v.spare(), raw.bitmap(int(i)))
		lv.v.add(raw.items[i], raw.count[i])
	}
}

// narrow appends to out those of the known sets that contain all the ranks.
func (m *maximal) narrow(out, known, ranks []int32) []int32 {
	for _, s := range known {
		if m.contains(s, ranks) {
			out = append(out, s)
		}
	}
	return out
}

func (m *maximal) contains(set int32, ranks []int32) bool {
	words := m.sets[int(set)*max(1, m.words):]
	for _, r := range ranks {
		at := m.place[r]
		if words[at>>6]>>(at&63)&1 == 0 {
			return false
		}
	}
	return true
}

// subsumed tells whether one of the known sets contains all the ranks.
func (m *maximal) subsumed(known, ranks []int32) bool {
	clear(m.mask)
	for _, r := range ranks {
		at := m.place[r]
		m.mask[at>>6] |= 1 << (at & 63)
	}
next:
	for _, s := range known {
		words := m.sets[int(s)*max(1, m.words):]
		for i, x := range m.mask {
			if x&^words[i] != 0 {
				continue next
			}
		}
		return true
	}
	return false
}

// search goes on from a prefix whose level has been arranged: what follows may all be known, or
// there is nothing to follow and the prefix itself is maximal.
func (m *maximal) search(lv *maxLevel, depth int, support int32) {
	if m.subsumed(lv.known, lv.v.items) {
		return
	}
	if len(lv.v.items) > 0 {
		m.grow(lv, depth)
		return
	}
	m.keep(depth)
	m.buf = m.t.original(m.prefix, m.buf)
	m.err = m.visit(m.buf, int(support))
}

// keep makes the prefix known at all depths of the path to it, and to later first ranks.
func (m *maximal) keep(depth int) {
	m.remember(m.prefix[1:])
	number := int32(m.stored() - 1)
	for d := range depth + 1 {
		m.levels[d].known = append(m.levels[d].known, number)
	}
	set := int32(len(m.start) - 1)
	m.found = append(m.found, m.prefix...)
	m.start = append(m.start, len(m.found))
	for _, r := range m.prefix[1:] {
		m.byItem[r] = append(m.byItem[r], set)
	}
}

// grow goes through the extensions of the prefix by items of the level.
func (m *maximal) grow(lv *maxLevel, depth int) {
	next := m.level(depth + 1)
	size := len(m.prefix)
	for i := range lv.v.items {
		if m.stopped() || i > 0 && m.subsumed(lv.known, lv.v.items[i:]) {
			return
		}
		m.prefix = append(m.prefix, lv.v.items[i])
		m.child(lv, next, i)
		m.arrange(next, lv.v.count[i])
		next.known = m.narrow(next.known[:0], lv.known, m.prefix[size:])
		m.search(next, depth+1, lv.v.count[i])
		m.prefix = m.prefix[:size]
	}
}

// child projects the level on its i-th item, into next.raw.
func (m *maximal) child(lv, next *maxLevel, i int) {
	v := &lv.v
	own := v.bitmap(i)
	if m.t.cheaper(v.count[i], len(v.items)-i, v.words) {
		next.rows = v.members(own, next.rows[:0])
		m.scan.project(&next.raw, next.rows, m.first, v.items[i+1:],
			func(n int32) bool { return n >= m.min })
		return
	}
	next.raw.reset(v.rows)
	for j := i + 1; j < len(v.items); j++ {
		if n := intersect(next.raw.spare(), own, v.bitmap(j)); n >= m.min {
			next.raw.add(v.items[j], n)
		}
	}
}
