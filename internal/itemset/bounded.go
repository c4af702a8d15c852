package itemset

import (
	"context"
	"slices"
)

// bounded is a walk that holds a bounded number of pairs of a transaction and a node at once. It
// visits the same paths in the same order. Subtrees of the count tree are taken in ranges of their
// first nodes, as many as fit: a pass over the data expands just the transactions that have one of
// these nodes, from there on, and the plain walk goes through them. A single node that is too much
// goes one level down. Where pairs of nodes are all that is left to count they are counted in a
// table, if more first nodes go into a table than into an expansion.
//
// Each pass reads all transactions, but expands only those it is about. Nothing is approximate.
type bounded struct {
	*Walk
	Pass
	ctx   context.Context
	bound int64 // bytes
	limit int64 // pairs, so that they and the places in them fit
	plain *run
	marks []uint64 // item -> what it says of a path; see mark
	mine  []int32  // rank -> its number in the range, -1 for others
}

// startMark is the mark of an item below a first node of the range. The first 63 nodes of the path
// have bits of their own.
const startMark = 63

func newBounded(ctx context.Context, w *Walk, v Pass) *bounded {
	l := &bounded{Walk: w, Pass: v, ctx: ctx, bound: w.Bound, plain: newRun(ctx, w, v)}
	if l.bound == 0 {
		l.bound = 1 << 32
	}
	l.limit = max(1, min(l.bound/bytesAPair(v.M), w.mostPairs))
	l.marks = make([]uint64, w.Data.Items)
	l.mine = slices.Repeat([]int32{-1}, len(w.nodes))
	l.plain.rows = &rows{units: unitsOf(&w.Data)}
	return l
}

// extensions is what a pass finds behind a path.
type extensions struct {
	support []int32 // by rank
	last    []int32 // by rank, where units are counted: stamps
	size    []int64 // by rank: pairs from there on, in all transactions
	touched []int32 // ranks that occur, ascending
	total   int     // support of the path itself
}

// visit goes through the subtree below a path of ranks.
func (l *bounded) visit(path []int32) {
	x := l.look(path)
	p := &l.plain.depth[len(path)]
	p.touched = append(p.touched[:0], x.touched...)
	l.plain.leafCheck(path, p, func() int { return x.total })
	if len(path)+1 == l.M {
		copy(p.count, x.support)
		l.plain.visitLeaves(path, p)
		return
	}
	extends := l.extends(path)
	children := slices.DeleteFunc(p.touched, func(e int32) bool { return !extends(e) })
	children = slices.Clone(children)
	for at := 0; at < len(children); {
		if l.ctx.Err() != nil || !l.allActive(path) {
			return
		}
		if len(path) == 0 && l.Progress != nil {
			l.Progress(at, len(children))
		}
		fit, rows := l.fitting(children[at:], x), 0
		if len(path)+2 == l.M {
			rows = min(len(children)-at, int(l.bound/(4*int64(len(x.touched)))))
		}
		switch {
		case rows > fit:
			l.table(path, children[at:at+rows], x)
			at += rows
		case fit > 0:
			l.load(path, children[at:at+fit], x)
			at += fit
		default:
			if l.active[children[at]] {
				l.visit(append(slices.Clone(path), children[at]))
			}
			at++
		}
	}
}

// fitting is how many of the children, from the first on, can be expanded together.
func (l *bounded) fitting(children []int32, x *extensions) int {
	total := int64(0)
	for i, c := range children {
		if total += x.size[c]; total > l.limit {
			return i
		}
	}
	return len(children)
}

// look makes a pass that counts what extends a path.
func (l *bounded) look(path []int32) *extensions {
	x := &extensions{support: make([]int32, len(l.nodes)), size: make([]int64, len(l.nodes))}
	if l.Data.Units != nil {
		x.last = make([]int32, len(l.nodes))
	}
	total, last := int32(0), int32(0)
	l.stream(path, nil, func(rest []int32, unit, weight int32) {
		countUnit(&total, &last, unit, weight)
		for i, e := range rest {
			if x.size[e] == 0 {
				x.touched = append(x.touched, e)
			}
			if x.last == nil {
				x.support[e] += weight
			} else {
				countUnit(&x.support[e], &x.last[e], unit, weight)
			}
			x.size[e] += int64(len(rest) - i)
		}
	})
	x.total = int(total)
	slices.Sort(x.touched)
	return x
}

// stream calls f with every transaction that has all of a path and, where first nodes are given,
// one of those: the ranks behind the path.
func (l *bounded) stream(path, first []int32, f func(rest []int32, unit, weight int32)) {
	need := l.mark(path, first)
	least := int32(0) // what stands before does not matter
	if len(path) > 0 {
		least = path[len(path)-1] + 1
	}
	if len(first) > 0 {
		least = max(least, first[0])
	}
	var ranks []int32
	for i := range l.Data.Len {
		if ended(l.ctx, i) {
			return
		}
		has := uint64(0)
		for _, it := range l.Data.Tx(i) {
			has |= l.marks[it]
		}
		if has&need != need {
			continue
		}
		if len(path) > startMark && !l.hasAll(i, path[startMark:]) {
			continue
		}
		ranks = l.appendRanks(ranks[:0], i, least)
		f(ranks, l.Data.unit(i), l.Data.weight(i))
	}
}

// hasAll tells whether a transaction has an item below each node of a part of the path.
func (l *bounded) hasAll(i int, ranks []int32) bool {
	for _, r := range ranks {
		below := func(it int32) bool { return l.tree.covers(l.nodes[r], l.at(it)) }
		if !slices.ContainsFunc(l.Data.Tx(i), below) {
			return false
		}
	}
	return true
}

// mark notes for every item which nodes of the path, and whether any first node, it is below. A
// transaction that is wanted has all the marks returned.
func (l *bounded) mark(path, first []int32) (need uint64) {
	bit := map[int32]uint64{}
	for i, e := range path[:min(len(path), startMark)] {
		bit[l.nodes[e]] = 1 << i
		need |= 1 << i
	}
	for _, e := range first {
		bit[l.nodes[e]] |= 1 << startMark
		need |= 1 << startMark
	}
	for it := range l.marks {
		l.marks[it] = 0
		for u := l.at(int32(it)); u != l.tree.root(); u = l.tree.parent[u] {
			l.marks[it] |= bit[u]
		}
	}
	return need
}

// load expands the transactions that have a path and one of the children, and walks below each
// child.
func (l *bounded) load(path, children []int32, x *extensions) {
	l.number(children)
	e := l.plain.rows
	pairs := int64(0)
	for _, c := range children {
		pairs += x.size[c]
	}
	e.reset()
	e.ids = slices.Grow(e.ids, int(pairs))
	ends := make([]uint32, len(children)+1)
	l.stream(path, children, func(rest []int32, unit, weight int32) {
		from := slices.IndexFunc(rest, func(r int32) bool { return l.mine[r] >= 0 })
		if from < 0 {
			return
		}
		for _, r := range rest[from:] {
			if n := l.mine[r]; n >= 0 {
				ends[n+1]++
			}
		}
		e.ids = append(e.ids, rest[from:]...)
		e.closeOf(unit, weight)
	})
	for n := range children {
		ends[n+1] += ends[n]
	}
	places := l.places(ends)
	l.unnumber(children)
	for n, c := range children {
		if l.ctx.Err() != nil || !l.allActive(path) {
			return
		}
		if l.active[c] {
			l.plain.extend(append(slices.Clone(path), c), places[ends[n]:ends[n+1]])
		}
	}
}

// places lists where the children of the range stand in the expansion, child by child; those of
// child n end at ends[n+1].
func (l *bounded) places(ends []uint32) []Place {
	e := l.plain.rows
	out, next := make([]Place, ends[len(ends)-1]), slices.Clone(ends)
	for tx := range e.weights {
		for pos := e.start[tx]; pos < e.start[tx+1]; pos++ {
			if n := l.mine[e.ids[pos]]; n >= 0 {
				out[next[n]] = Place{pos + 1, uint32(tx)}
				next[n]++
			}
		}
	}
	return out
}

// table counts the extensions by one of a path with each of the children, all in one pass, and
// visits them.
func (l *bounded) table(path, children []int32, x *extensions) {
	l.number(children)
	column := make([]int32, len(l.nodes))
	for i, e := range x.touched {
		column[e] = int32(i)
	}
	cells := make([]int32, len(children)*len(x.touched))
	last := cells
	if l.Data.Units != nil {
		last = make([]int32, len(cells))
	}
	l.stream(path, children, func(rest []int32, unit, weight int32) {
		for i, e := range rest {
			if n := l.mine[e]; n >= 0 {
				row := cells[int(n)*len(x.touched):][:len(x.touched)]
				met := last[int(n)*len(x.touched):]
				for _, f := range rest[i+1:] {
					if l.Data.Units == nil {
						row[column[f]] += weight
					} else {
						countUnit(&row[column[f]], &met[column[f]], unit, weight)
					}
				}
			}
		}
	})
	l.unnumber(children)
	p := &l.plain.depth[len(path)+1]
	for n, c := range children {
		if l.ctx.Err() != nil || !l.allActive(path) {
			return
		}
		if !l.active[c] {
			continue
		}
		p.touched = p.touched[:0]
		for i, count := range cells[n*len(x.touched):][:len(x.touched)] {
			if last[n*len(x.touched)+i] > 0 {
				p.touched = append(p.touched, x.touched[i])
				p.count[x.touched[i]] = count
			}
		}
		child := append(slices.Clone(path), c)
		l.plain.leafCheck(child, p, func() int { return int(x.support[c]) })
		l.plain.visitLeaves(child, p)
	}
}

func (l *bounded) number(children []int32) {
	for n, c := range children {
		l.mine[c] = int32(n)
	}
}

func (l *bounded) unnumber(children []int32) {
	for _, c := range children {
		l.mine[c] = -1
	}
}
