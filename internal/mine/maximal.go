package mine

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// Maximal visits every itemset that at least in.MinSupport transactions contain and none of whose supersets (of at most
// in.MaxLen items) does, the empty one excepted.
//
// The search is GenMax's (Gouda and Zaki, Efficiently mining maximal frequent itemsets, 2001): depth first, items in
// ascending order of support at every prefix; items that all rows of a prefix share join it at once; a prefix is left
// when it and all that may follow it lie in a maximal itemset already found, and the found ones that contain the prefix
// are handed down with it. Tasks use what other tasks happen to have found to prune only; whether an itemset is maximal
// does not depend on it, so the result is the same for any number of workers.
//
// Where rows are long against the number of items, one task's finds are what the next one is pruned with, and tasks side
// by side would go through the same itemsets: there one goroutine is used, which was up to 30 times faster than two on
// chess.
//
// Memory: the data twice, projections, and up to 64 MB of maximal itemsets kept for pruning.
func Maximal(ctx context.Context, in Input, visit Visit) error {
	if err := in.check(); err != nil {
		return err
	}
	t := newTable(&in, func(_ int32, n int) bool { return n >= in.MinSupport })
	if in.MaxLen > 0 && in.MaxLen < in.Data.MaxLen() {
		return in.maximalUpTo(ctx, visit)
	}
	if 10*t.length > t.items() {
		in.Workers = 1
	}
	all := identity(t.items())
	found := newArchive(t.items())
	searches := make([]*maximal, in.workers())
	work := func(worker, task int, out *output) {
		if searches[worker] == nil {
			searches[worker] = newMaximal(t, int32(in.MinSupport), found)
		}
		searches[worker].run(int32(task), all[task+1:], out)
		if !out.stopped() {
			found.end(int32(task))
		}
	}
	return in.stream(ctx, t.items(), work, visit)
}

// maximalUpTo is Maximal for itemsets of a bounded size: those that have the size, and shorter ones that are maximal
// without the bound.
func (in Input) maximalUpTo(ctx context.Context, visit Visit) error {
	longest := in.MaxLen
	err := Frequent(ctx, in, func(items []int32, support int) error {
		if len(items) == longest {
			return visit(items, support)
		}
		return nil
	})
	if err != nil {
		return err
	}
	in.MaxLen = 0
	return Maximal(ctx, in, func(items []int32, support int) error {
		if len(items) < longest {
			return visit(items, support)
		}
		return nil
	})
}

// archive is the maximal itemsets found so far by all tasks.
type archive struct {
	mu     sync.RWMutex
	sets   [][]int32 // ranks
	byItem [][]int32 // rank -> sets that contain it
	size   int       // ranks in all sets
	lost   bool      // some sets were not kept
	ended  []bool    // by task
}

// archiveRanks bounds what is kept: 8 bytes each.
const archiveRanks = 8 << 20

func newArchive(n int) *archive {
	return &archive{byItem: make([][]int32, n), ended: make([]bool, n)}
}

func (a *archive) put(set []int32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.size += len(set); a.size > archiveRanks {
		a.lost = true
		return
	}
	a.sets = append(a.sets, slices.Clone(set))
	for _, r := range set {
		a.byItem[r] = append(a.byItem[r], int32(len(a.sets)-1))
	}
}

func (a *archive) end(task int32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended[task] = true
}

// open lists the ranks before task whose maximal itemsets may be missing here.
func (a *archive) open(task int32) []int32 {
	var out []int32
	for r := range task {
		if a.lost || !a.ended[r] {
			out = append(out, r)
		}
	}
	return out
}

// maximal is one worker's search. Items of a task are numbered by their position behind its first rank.
type maximal struct {
	t     *table
	scan  *scanner
	min   int32
	found *archive

	out    *output
	task   int32
	open   []int32 // ranks before the task's that a maximal itemset must be tested with
	marks  [][]uint64
	prefix []int32 // ranks
	buf    []int32
	rows   []int32
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
	known []int32   // numbers of the sets that contain the prefix
	above *vertical // the projection of which cover is a bitmap: the rows with the prefix; nil: all of the first rank
	cover []uint64
}

func newMaximal(t *table, min int32, found *archive) *maximal {
	return &maximal{t: t, scan: newScanner(t), min: min, found: found, place: make([]int32, t.items())}
}

func (m *maximal) level(depth int) *maxLevel {
	for len(m.levels) <= depth {
		m.levels = append(m.levels, &maxLevel{})
	}
	return m.levels[depth]
}

// run finds the maximal itemsets whose first rank is the task's.
func (m *maximal) run(task int32, behind []int32, out *output) {
	m.out, m.task = out, task
	m.prefix = append(m.prefix[:0], task)
	lv := m.level(0)
	m.scan.project(&lv.raw, m.t.rowsOf(task), task, behind, func(n int32) bool { return n >= m.min })
	m.number(lv.raw.items)
	m.recall(lv)
	m.arrange(lv, m.t.support[task])
	lv.known = m.narrow(lv.known[:0], identity(m.stored()), m.prefix[1:])
	m.settle(lv, 0, m.t.support[task])
	m.out = nil
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

// recall takes the sets with the first rank from the archive.
func (m *maximal) recall(lv *maxLevel) {
	frequent := make(map[int32]bool, len(lv.raw.items))
	for _, r := range lv.raw.items {
		frequent[r] = true
	}
	m.found.mu.RLock()
	defer m.found.mu.RUnlock()
	m.open = m.found.open(m.task)
	m.mark()
	m.sets = m.sets[:0]
	for _, s := range m.found.byItem[m.task] {
		m.remember(slices.DeleteFunc(slices.Clone(m.found.sets[s]), func(r int32) bool { return !frequent[r] }))
	}
}

// remember stores the set of positions of ranks behind the first one. Without any it stores one word.
func (m *maximal) remember(ranks []int32) {
	from := len(m.sets)
	m.sets = append(m.sets, make([]uint64, max(1, m.words))...)
	for _, r := range ranks {
		at := m.place[r]
		m.sets[from+int(at>>6)] |= 1 << (at & 63)
	}
}

// arrange moves the items of lv.raw that all rows of the prefix share to the prefix, and the others to lv.v in
// ascending order of support.
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

// settle goes on from a prefix whose level has been arranged: what follows may all be known, or there is nothing to follow
// and the prefix itself is maximal.
func (m *maximal) settle(lv *maxLevel, depth int, support int32) {
	if m.subsumed(lv.known, lv.v.items) {
		return
	}
	if len(lv.v.items) > 0 {
		m.grow(lv, depth)
		return
	}
	if m.extensible(lv) {
		m.file(depth)
		return
	}
	m.file(depth)
	m.found.put(m.prefix)
	m.buf = m.t.original(m.prefix, m.buf)
	m.out.emit(m.buf, support)
}

// file makes the prefix known at all depths of the path to it.
func (m *maximal) file(depth int) {
	m.remember(m.prefix[1:])
	number := int32(m.stored() - 1)
	for d := range depth + 1 {
		m.levels[d].known = append(m.levels[d].known, number)
	}
}

// extensible tells whether the prefix is frequent with a rank before the task's whose maximal itemsets are not all
// known here.
func (m *maximal) extensible(lv *maxLevel) bool {
	if len(m.open) == 0 {
		return false
	}
	rows := m.t.rowsOf(m.task)
	if lv.above != nil {
		m.rows = lv.above.members(lv.cover, m.rows[:0])
		rows = m.rows
	}
	for i, x := range m.open {
		n := int32(0)
		if i < maxMarks {
			has := m.marks[i]
			for _, r := range rows {
				n += int32(has[r>>6] >> (r & 63) & 1)
			}
		} else {
			for _, r := range rows {
				if _, has := slices.BinarySearch(m.t.row(r), x); has {
					n++
				}
			}
		}
		if n >= m.min {
			return true
		}
	}
	return false
}

// maxMarks is the number of open ranks whose rows are kept as bitmaps: there are more only when sets were not kept.
const maxMarks = 8

// mark makes the bitmaps of the open ranks' rows.
func (m *maximal) mark() {
	for i, x := range m.open[:min(len(m.open), maxMarks)] {
		if i == len(m.marks) {
			m.marks = append(m.marks, make([]uint64, len(m.t.start)/64+1))
		}
		clear(m.marks[i])
		for _, r := range m.t.rowsOf(x) {
			m.marks[i][r>>6] |= 1 << (r & 63)
		}
	}
}

// grow goes through the extensions of the prefix by items of the level.
func (m *maximal) grow(lv *maxLevel, depth int) {
	next := m.level(depth + 1)
	size := len(m.prefix)
	for i := range lv.v.items {
		if m.out.stopped() || i > 0 && m.subsumed(lv.known, lv.v.items[i:]) {
			return
		}
		m.prefix = append(m.prefix, lv.v.items[i])
		m.child(lv, next, i)
		next.above, next.cover = &lv.v, lv.v.bitmap(i)
		m.arrange(next, lv.v.count[i])
		next.known = m.narrow(next.known[:0], lv.known, m.prefix[size:])
		m.settle(next, depth+1, lv.v.count[i])
		m.prefix = m.prefix[:size]
	}
}

// child projects the level on its i-th item, into next.raw.
func (m *maximal) child(lv, next *maxLevel, i int) {
	v := &lv.v
	own := v.bitmap(i)
	if m.t.cheaper(v.count[i], len(v.items)-i, v.words) {
		next.rows = v.members(own, next.rows[:0])
		m.scan.project(&next.raw, next.rows, m.task, v.items[i+1:], func(n int32) bool { return n >= m.min })
		return
	}
	next.raw.reset(v.rows)
	for j := i + 1; j < len(v.items); j++ {
		if n := intersect(next.raw.spare(), own, v.bitmap(j)); n >= m.min {
			next.raw.add(v.items[j], n)
		}
	}
}
