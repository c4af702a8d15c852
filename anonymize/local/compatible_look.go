package local

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
)

// branchLook looks at the sets of at most m nodes with an open branch b, where b is open. What a
// line is said to publish here are its elements: the nodes that it publishes and the branches that
// it has open, but for those that are looked at before b. A set is in order where k lines cover all
// of its elements: a line covers a branch that it has open, and a node that it publishes and
// publishes nothing below. So the sets are counted as published sets are, by projection.
type branchLook struct {
	*compatibility
	coverage coverage
	ctx      context.Context
	branch   int32
	lines    []branchLine
	flat     []element // of all lines, each ascending
	levels   []*lookLevel
	set      []int32 // the set looked at
	bars     []bar   // for what fails
	spent    int     // of mostBarred
	branchPart
}

// branchPart is the sets with a branch of which the other elements begin with every so-many-th one.
type branchPart struct {
	at       int // of the branch in the list of all
	part, of int
}

// look finds faults. Branches are looked at side by side, and so are the parts of one with many
// transactions: one branch can take longer than all others.
func (c *compatibility) look(ctx context.Context, on watched) faults {
	return c.lookInParts(ctx, on, func(transactions int) int {
		if on.workers < 2 || c.known < 3 { // then what each part does again is most of it
			return 1
		}
		return min(2*on.workers, 1+transactions/inOnePart)
	})
}

// inOnePart is how many transactions publish the parent of a branch that is looked at in one part.
const inOnePart = 1 << 11

// lookInParts is look with as many parts as a function says, given how many transactions publish
// the parent of a branch. What is found depends on no parts.
func (c *compatibility) lookInParts(
	ctx context.Context, on watched, number func(transactions int) int,
) faults {
	var parts []branchPart
	for at, b := range c.list {
		of := number(len(c.who[c.tree.Parent(b)]))
		for part := range of {
			parts = append(parts, branchPart{at, part, of})
		}
	}
	type found struct {
		fails bool
		bars  []bar
		spent int
	}
	failed := make([]atomic.Bool, len(c.list))
	fresh := func() *branchLook { return newBranchLook(c) }
	ofParts := lookAt(ctx, on, parts, fresh,
		func(ctx context.Context, l *branchLook, p branchPart) (f found) {
			if !failed[p.at].Load() {
				f.fails = l.fails(ctx, p)
				f.bars, f.spent = l.bars, l.spent
			}
			if f.fails {
				failed[p.at].Store(true)
			}
			return f
		})
	all := make([]faults, len(c.list))
	spent := make([]int, len(c.list))
	for n, f := range ofParts {
		at := parts[n].at
		all[at].bars = append(all[at].bars, f.bars...)
		spent[at] += f.spent
	}
	for at, b := range c.list {
		if failed[at].Load() || spent[at] > c.most() {
			all[at] = faults{hopeless: []int32{b}}
		}
	}
	return allOf(all)
}

// branchLine is a transaction that has the branch open, and where its elements end.
type branchLine struct{ weight, end, unit int32 }

// element is a node of a line, and whether the line covers it.
type element struct {
	node   int32
	covers bool
}

// place of an element: the line, where in flat it is, and the weight if the line covers all
// elements of the set up to it, or else 0.
type elementAt struct{ line, at, weight int32 }

// lookLevel is the working space of one set size.
type lookLevel struct {
	support []int32 // by node: of the lines that cover it with the set
	last    []int32 // by node: the person of the line counted last, plus one
	seen    []bool  // by node
	touched []int32
	lists   [][]elementAt
	slot    []int32 // by node: place in lists
}

func newBranchLook(c *compatibility) *branchLook {
	l := &branchLook{compatibility: c, coverage: newCoverage(c.state)}
	l.coverage.fails = l.bar
	return l
}

// level is the working space of sets of a size, made when it is needed: more items may be known
// than any line has.
func (l *branchLook) level(size int) *lookLevel {
	for len(l.levels) < size {
		nodes := l.tree.Nodes()
		l.levels = append(l.levels, &lookLevel{
			support: make([]int32, nodes), last: make([]int32, nodes),
			seen: make([]bool, nodes), slot: make([]int32, nodes),
		})
	}
	return l.levels[size-1]
}

// fails tells whether a set of a part of those with an open branch is below k.
func (l *branchLook) fails(ctx context.Context, p branchPart) bool {
	l.ctx, l.branchPart, l.branch = ctx, p, l.list[p.at]
	l.set = append(l.set[:0], l.branch)
	l.bars, l.spent = nil, 0
	l.collect()
	var all []elementAt
	support, from := 0, int32(0)
	for n, line := range l.lines {
		if n == 0 || line.unit < 0 || line.unit != l.lines[n-1].unit {
			support += int(line.weight)
		}
		all = append(all, elementAt{int32(n), from - 1, line.weight})
		from = line.end
	}
	if l.part == 0 && len(all) > 0 && support < l.k && !l.coverage.holds(ctx, l.set) {
		return true
	}
	return l.known > 1 && l.extend(1, all)
}

// mostBarred bounds the transactions, for each node of a choice, that are looked at to bar some
// from one branch; what needs more fails. It is the same for any number of workers.
const mostBarred = 1 << 22

func (c *compatibility) most() int { return cmp.Or(c.mostBars, mostBarred) }

// bar bars the transactions from the branch that a choice below some nodes would be compatible
// with then; it is false where there are none.
func (l *branchLook) bar(nodes []int32) bool {
	if l.spent += len(nodes) * len(l.who[l.tree.Parent(l.branch)]); l.spent > l.most() {
		return false
	}
	before := len(l.bars)
	l.bars = l.barsOf(l.branch, nodes, l.coverage.cover, l.bars)
	return len(l.bars) > before
}

// collect lists the lines that have the branch open, and their elements.
func (l *branchLook) collect() {
	l.lines, l.flat = l.lines[:0], l.flat[:0]
	for _, i := range l.who[l.tree.Parent(l.branch)] {
		if !l.openAt(i, l.branch) {
			continue
		}
		from := len(l.flat)
		for _, v := range l.published(i) {
			l.flat = append(l.flat, element{v, l.alone(i, v)})
			for _, b := range l.branches[v] {
				if b > l.branch && l.openAt(i, b) {
					l.flat = append(l.flat, element{b, true})
				}
			}
		}
		slices.SortFunc(l.flat[from:], func(a, b element) int { return int(a.node - b.node) })
		l.lines = append(l.lines, branchLine{l.merged.Weights[i], int32(len(l.flat)), l.unit(i)})
	}
}

// alone tells whether transaction i, which publishes v, publishes nothing below it.
func (s *state) alone(i, v int32) bool {
	if s.tree.IsLeaf(v) {
		return true
	}
	_, at := s.below(i, v)
	depth := s.depthOf(v)
	return !slices.ContainsFunc(at, func(d uint16) bool { return d != depth })
}

// extend looks at the sets that have one element more than the current one, of the given size, and
// tells whether one fails.
func (l *branchLook) extend(size int, places []elementAt) bool {
	level := l.level(size)
	l.count(level, places)
	failed := false
	for n, v := range level.touched {
		if l.takes(size, n) && level.support[v] < int32(l.k) && !failed && l.ctx.Err() == nil {
			l.set = append(l.set[:size], v)
			failed = !l.coverage.holds(l.ctx, l.set)
		}
		level.support[v], level.last[v], level.seen[v] = 0, 0, false
	}
	if failed || size+1 == l.known || l.ctx.Err() != nil {
		return failed
	}
	l.project(size, level, places)
	for n, v := range level.touched {
		l.set = append(l.set[:size], v)
		if l.takes(size, n) && l.extend(size+1, level.lists[n]) {
			return true
		}
	}
	return false
}

// takes tells whether the n-th element after the current set, of the given size, is of this part.
func (l *branchLook) takes(size, n int) bool { return size > 1 || n%l.of == l.part }

// count weighs the elements that follow the places.
func (l *branchLook) count(level *lookLevel, places []elementAt) {
	level.touched = level.touched[:0]
	for _, p := range places {
		for _, e := range l.flat[p.at+1 : l.lines[p.line].end] {
			if !level.seen[e.node] {
				level.seen[e.node] = true
				level.touched = append(level.touched, e.node)
			}
			if unit := l.lines[p.line].unit; e.covers && p.weight > 0 &&
				(unit < 0 || level.last[e.node] != unit+1) {
				level.support[e.node] += p.weight
				level.last[e.node] = unit + 1
			}
		}
	}
}

// project sorts the places that follow by their nodes, into lists.
func (l *branchLook) project(size int, level *lookLevel, places []elementAt) {
	for len(level.lists) < len(level.touched) {
		level.lists = append(level.lists, nil)
	}
	for n, v := range level.touched {
		level.slot[v], level.lists[n] = int32(n), level.lists[n][:0]
		if !l.takes(size, n) {
			level.slot[v] = -1
		}
	}
	for _, p := range places {
		for at := p.at + 1; at < l.lines[p.line].end; at++ {
			e, weight := l.flat[at], p.weight
			slot := level.slot[e.node]
			if slot < 0 {
				continue
			}
			if !e.covers {
				weight = 0
			}
			list := &level.lists[slot]
			*list = append(*list, elementAt{p.line, at, weight})
		}
	}
}
