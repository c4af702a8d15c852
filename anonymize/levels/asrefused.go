package levels

import (
	"cmp"
	"context"
	"slices"
)

// asRefused publishes every item as it is, but for what is refused, and tells whether that keeps
// the promise. If not, nothing is published.
//
// Where shares are bounded the steps may pass it by: a release that keeps the promise may come from
// others, with fewer nodes opened, that do not. So it is looked at before. Then every original
// that is compatible with a release may have led to it (docs/algorithms/local.md has the theorem).
func (r *run) asRefused(ctx context.Context, refusals []refusal) bool {
	r.onlyRefused(refusals)
	if r.keeps(ctx) {
		return true
	}
	clear(r.depths)
	return false
}

// onlyRefused publishes every item as it is, but for what is refused; refusals come by line.
func (r *run) onlyRefused(refusals []refusal) {
	r.each(r.in.Data.Len(), func(_, from, to int) {
		byLine := func(c refusal, line int) int { return int(c.line) - line }
		first, _ := slices.BinarySearchFunc(refusals, from, byLine)
		own, lines := refusals[first:], r.in.Data.Cursor()
		for i := from; i < to && !r.ended(i); i++ {
			tx, start := lines.TxAt(i)
			depths := r.depths[start : start+len(tx)]
			for j, it := range tx {
				depths[j] = uint8(r.tree.Depth(it))
			}
			for ; len(own) > 0 && int(own[0].line) == i; own = own[1:] {
				r.raise(tx, depths, own[0].node)
			}
		}
	})
}

// raise publishes what is below a node of some items above it.
func (r *run) raise(tx []int32, depths []uint8, node int32) {
	for j, it := range tx {
		if r.tree.Covers(node, it) {
			depths[j] = min(depths[j], uint8(r.tree.Depth(node)-1))
		}
	}
}

// keeps tells whether what is published keeps the promise: no label of a line is above another, and
// all sets are in k lines, with no share too large. Labels in the fewest lines come first: almost
// always something is wrong, and is found at once.
func (r *run) keeps(ctx context.Context) bool {
	counts, nested := r.countLabels()
	if nested || ctx.Err() != nil {
		return false
	}
	var nodes []int32
	for v, n := range counts {
		if n > 0 {
			nodes = append(nodes, int32(v))
		}
	}
	slices.SortStableFunc(nodes, func(a, b int32) int { return cmp.Compare(counts[a], counts[b]) })
	if len(nodes) > 0 && counts[nodes[0]] < r.k {
		return false
	}
	all := int64(len(nodes))
	for done := int64(0); len(nodes) > 0; {
		group := r.group(nodes, counts)
		nodes = nodes[len(group):]
		for n, list := range r.publishingEach(group, counts) {
			r.in.Report("looking at the original", done, all)
			if done++; ctx.Err() != nil || !r.keepsWith(group[n], list) {
				return false
			}
		}
	}
	return true
}

// countLabels counts the lines by what they publish, and tells whether one of them has a label
// above another; then it may end early.
func (r *run) countLabels() (counts []int32, nested bool) {
	counts = make([]int32, r.tree.Nodes())
	own, above := make([][]int32, r.workers), make([]bool, r.workers)
	r.each(r.in.Data.Len(), func(worker, from, to int) {
		own[worker] = make([]int32, len(counts))
		lines := r.reading()
		for i := from; i < to && !r.ended(i) && !above[worker]; i++ {
			labels := lines(i)
			for j, v := range labels {
				if j > 0 && (r.tree.Covers(v, labels[j-1]) || r.tree.Covers(labels[j-1], v)) {
					above[worker] = true
				}
				own[worker][v]++
			}
		}
	})
	for _, some := range own {
		for v, n := range some {
			counts[v] += n
		}
	}
	return counts, slices.Contains(above, true)
}

// reading tells what a line publishes, in the order of its items, until the next call.
func (r *run) reading() func(i int) []int32 {
	lines, labels := r.in.Data.Cursor(), []int32(nil)
	return func(i int) []int32 {
		tx, start := lines.TxAt(i)
		labels = labels[:0]
		for j, it := range tx {
			labels = append(labels, r.above[r.depths[start+j]][it])
		}
		labels = slices.Compact(labels)
		return labels
	}
}

// publishingEach is the lines, ascending, that publish each node of a group.
func (r *run) publishingEach(group, counts []int32) [][]int32 {
	lists := make([][]int32, len(group))
	slot := make([]int32, r.tree.Nodes()) // of the nodes of the group, counted from 1
	for n, v := range group {
		lists[n], slot[v] = make([]int32, 0, counts[v]), int32(n+1)
	}
	lines := r.reading()
	for i := range r.in.Data.Len() {
		for _, v := range lines(i) {
			if n := slot[v] - 1; n >= 0 {
				lists[n] = append(lists[n], int32(i))
			}
		}
	}
	return lists
}

// keepsWith tells whether all sets with a node keep the promise, which some lines publish.
func (r *run) keepsWith(v int32, list []int32) bool {
	c := r.newCooccurrences(v)
	var have []sensitiveRow
	for _, i := range list {
		c.count(c.all, i)
		for _, x := range c.tell.of(i) {
			have = append(have, newSensitiveRow(x, int(i)))
		}
	}
	if slices.ContainsFunc(c.all, func(n int32) bool { return 0 < n && n < r.k }) {
		return false
	}
	slices.Sort(have)
	for g, mark := range r.shares.marks {
		of, _ := sensitiveRowsOf(have, mark)
		for _, b := range of {
			c.count(c.marked[g], int32(b.row()))
		}
	}
	for of := []sensitiveRow(nil); len(have) > 0; {
		if of, have = sensitiveRowsOf(have, have[0].item()); !c.hides(of) {
			return false
		}
	}
	return true
}

// cooccurrences are what is published with a node, counted.
type cooccurrences struct {
	*run
	node   int32
	lines  func(i int) []int32
	tell   teller
	all    []int32   // by node: lines with both
	marked [][]int32 // by mark and node: those that have the mark
	with   []int32   // by node: those that have a sensitive item; zero between uses
}

func (r *run) newCooccurrences(node int32) *cooccurrences {
	n := r.tree.Nodes()
	c := &cooccurrences{
		run: r, node: node, lines: r.reading(), tell: r.shares.teller(),
		all: make([]int32, n), with: make([]int32, n),
	}
	for range r.shares.marks {
		c.marked = append(c.marked, make([]int32, n))
	}
	return c
}

// beside is what makes a set with the node in a line: the node itself, for one label.
func (c *cooccurrences) beside(i int32) []int32 {
	if !c.pairs {
		return []int32{c.node}
	}
	return c.lines(int(i))
}

func (c *cooccurrences) count(to []int32, i int32) {
	for _, y := range c.beside(i) {
		to[y]++
	}
}

// hides tells whether the share of a sensitive item is in order, given who has it.
func (c *cooccurrences) hides(of []sensitiveRow) bool {
	among, fine := c.all, true
	switch g := c.shares.among[of[0].item()]; {
	case g == nothing:
		return true
	case g >= 0:
		among = c.marked[g]
	}
	for _, b := range of {
		c.count(c.with, int32(b.row()))
	}
	for _, b := range of {
		for _, y := range c.beside(int32(b.row())) {
			fine = fine && c.shares.spare(among[y], c.with[y]) >= 0
		}
	}
	for _, b := range of {
		for _, y := range c.beside(int32(b.row())) {
			c.with[y] = 0
		}
	}
	return fine
}

// sensitiveRowsOf are those of an item and of all greater ones, in a sorted list.
func sensitiveRowsOf(list []sensitiveRow, item int32) (of, greater []sensitiveRow) {
	from, _ := slices.BinarySearch(list, newSensitiveRow(item, 0))
	to, _ := slices.BinarySearch(list, newSensitiveRow(item+1, 0))
	return list[from:to], list[to:]
}
