package verify

import (
	"context"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// reading is the different published lines, read with condition (c).
type reading struct {
	tree *hierarchy.Tree
	// by node: its number from left to right, a node before what is below it
	number []int32
	next   []int32   // by node: the number of the next one that is not below it
	sets   [][]int32 // of each line: its labels in the order of these numbers
	weight []int     // how often it is published
	person []int32   // whose it is, -1: nobody's; they come one after the other. nil: no persons
	with   [][]int32 // by node: the lines that publish it
	torn   [][]int32 // by node: its torn children

	k, m    int
	counted int64 // sets of nodes whose lines were counted
}

func newReading(t *hierarchy.Tree, published *dataset.Dataset) *reading {
	v := &reading{tree: t}
	v.numberNodes()
	if published == nil {
		return v
	}
	v.torn = make([][]int32, t.Nodes())
	r := distinctLines(published)
	v.sets, v.weight = make([][]int32, len(r.weight)), make([]int, len(r.weight))
	for i, w := range r.weight {
		v.sets[i], v.weight[i] = r.row(i), int(w)
		v.order(v.sets[i])
	}
	v.listLines()
	return v
}

// listLines lists the lines by the nodes that they publish.
func (v *reading) listLines() {
	counts, all := make([]int, v.tree.Nodes()), 0
	for _, set := range v.sets {
		for _, u := range set {
			counts[u]++
		}
		all += len(set)
	}
	v.with = make([][]int32, len(counts))
	room := make([]int32, all)
	for u, n := range counts {
		v.with[u], room = room[:0:n], room[n:]
	}
	for line, set := range v.sets {
		for _, u := range set {
			v.with[u] = append(v.with[u], int32(line))
		}
	}
}

// numberNodes finds the numbers of all nodes.
func (v *reading) numberNodes() {
	nodes := make([]int32, v.tree.Nodes())
	for u := range nodes {
		nodes[u] = int32(u)
	}
	slices.SortFunc(nodes, leftToRight{v.tree}.compare)
	v.number, v.next = make([]int32, len(nodes)), make([]int32, len(nodes))
	for n, u := range nodes {
		v.number[u], v.next[u] = int32(n), int32(n)+1
	}
	for _, u := range slices.Backward(nodes) {
		if up := v.tree.Parent(u); up >= 0 {
			v.next[up] = max(v.next[up], v.next[u])
		}
	}
}

// arrange sorts labels from left to right, a node before what is below it.
func (v *reading) arrange(labels []int32) []int32 {
	set := slices.Clone(labels)
	v.order(set)
	return set
}

// order is arrange in place.
func (v *reading) order(set []int32) {
	slices.SortFunc(set, func(a, b int32) int { return int(v.number[a] - v.number[b]) })
}

// find is the place in a set of the first label that is a node or comes after it.
func (v *reading) find(set []int32, x int32) int {
	from, to := 0, len(set)
	for from < to {
		if half := (from + to) / 2; v.number[set[half]] < v.number[x] {
			from = half + 1
		} else {
			to = half
		}
	}
	return from
}

// publishes tells whether a line has a label.
func (v *reading) publishes(line int, u int32) bool {
	set := v.sets[line]
	at := v.find(set, u)
	return at < len(set) && set[at] == u
}

// place is the lowest label of a line at or above a node, or -1, and the child of it that leads to
// the node, or the label itself.
func (v *reading) place(line int, x int32) (u, child int32) {
	for u, child = x, x; u >= 0; u, child = v.tree.Parent(u), u {
		if v.publishes(line, u) {
			return u, child
		}
	}
	return -1, -1
}

// hasBelow tells whether a line has a label at or below a node.
func (v *reading) hasBelow(line int, x int32) bool {
	set := v.sets[line]
	at := v.find(set, x)
	return at < len(set) && v.number[set[at]] < v.next[x]
}

// mayHave tells whether a leaf is compatible with a line.
func (v *reading) mayHave(line int, x int32) bool {
	u, child := v.place(line, x)
	return u >= 0 && (u == x || !v.hasBelow(line, child))
}

// findTorn finds the torn children, ascending: a label is below another; the child of the next
// label above it that leads to it is torn unless it is that label and nothing is below it.
func (v *reading) findTorn() (torn []int32) {
	is := make([]bool, v.tree.Nodes())
	var above []int32 // the labels above one, the next last
	for _, set := range v.sets {
		above = above[:0]
		for at, u := range set {
			for len(above) > 0 && !v.tree.Covers(above[len(above)-1], u) {
				above = above[:len(above)-1]
			}
			if len(above) > 0 {
				child := u
				for v.tree.Parent(child) != above[len(above)-1] {
					child = v.tree.Parent(child)
				}
				is[child] = is[child] || child != u || !v.alone(set, at)
			}
			above = append(above, u)
		}
	}
	for c, some := range is {
		if some {
			torn = append(torn, int32(c))
			up := v.tree.Parent(int32(c))
			v.torn[up] = append(v.torn[up], int32(c))
		}
	}
	return torn
}

// alone tells whether a line has nothing below the label at a place.
func (v *reading) alone(set []int32, at int) bool {
	return at+1 == len(set) || !v.tree.Covers(set[at], set[at+1])
}

// manyTasks is how many pieces of work there are at least, so that no worker waits long for the
// last one.
const manyTasks = 16

// check looks at the sets of labels and torn children of the lines, at each torn child by itself.
func (v *reading) check(ctx context.Context, p *pool, k, m int) (*witnesses, error) {
	v.k, v.m = k, m
	torn := v.findTorn()
	probes := make([]*probe, p.workers)
	for n := range probes {
		probes[n] = newProbe(ctx, v)
	}
	parts := 1
	if m > 1 && len(torn) < manyTasks { // few torn children: each in parts
		parts = (manyTasks + len(torn) - 1) / max(1, len(torn))
	}
	told := make([]map[string]witness, parts*len(torn))
	err := p.run(ctx, "lines read child by child", len(told), func(worker, n int) {
		told[n] = probes[worker].run(torn[n/parts], n%parts, parts)
	})
	if err != nil {
		return nil, err
	}
	for _, p := range probes {
		v.counted += p.counted
	}
	return onceEach(told), nil
}

// onceEach files every witness once, though several torn children may have led to it.
func onceEach(told []map[string]witness) *witnesses {
	found, all := &witnesses{}, map[string]bool{}
	for _, of := range told {
		for key, w := range of {
			if !all[key] {
				all[key] = true
				found.file(w)
			}
		}
	}
	return found
}

// impossible is a label of a line all of whose children have a label at or below them; -1: there is
// none.
func (v *reading) impossible(line int) int32 {
	set := v.sets[line]
	for at, u := range set {
		if v.tree.IsLeaf(u) {
			continue
		}
		taken, last := 0, int32(-1)
		for _, w := range set[at+1:] {
			if !v.tree.Covers(u, w) {
				break
			}
			for v.tree.Parent(w) != u {
				w = v.tree.Parent(w)
			}
			if w != last {
				taken, last = taken+1, w
			}
		}
		if taken == len(v.tree.Children(u)) {
			return u
		}
	}
	return -1
}

// outside are the items of an original line that are not compatible with its published line, though
// a label is above them.
func (v *reading) outside(original, published []int32) []int32 {
	v.sets = [][]int32{v.arrange(published)}
	var out []int32
	for _, x := range original {
		if u, c := v.place(0, x); u >= 0 && u != x && v.hasBelow(0, c) {
			out = append(out, x)
		}
	}
	return out
}
