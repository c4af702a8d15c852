package verify

import (
	"context"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// reading is the different published lines, read with condition (c).
type reading struct {
	tree  *hierarchy.Tree
	order func(a, b int32) int // from left to right
	// of each line: its labels from left to right, a node before what is below it
	sets   [][]int32
	weight []int     // how often it is published
	person []int32   // whose it is, -1: nobody's; they come one after the other. nil: no persons
	with   [][]int32 // by node: the lines that publish it
	torn   [][]int32 // by node: its torn children

	k, m    int
	covered map[int32]lineSet
	bytes   int // of covered
	safe    map[string]bool
	told    map[string]bool // what has been found
	found   shelf
	counted int64 // sets of nodes whose lines were counted
	ctx     context.Context
}

func newReading(t *hierarchy.Tree, published *dataset.Dataset) *reading {
	v := &reading{tree: t, order: leftToRight{t}.compare}
	if published == nil {
		return v
	}
	v.with, v.torn = make([][]int32, t.Nodes()), make([][]int32, t.Nodes())
	r := distinctLines(published)
	for i, w := range r.weight {
		set := v.arrange(r.row(i))
		v.sets, v.weight = append(v.sets, set), append(v.weight, int(w))
		for _, u := range set {
			v.with[u] = append(v.with[u], int32(i))
		}
	}
	return v
}

// arrange sorts labels from left to right, a node before what is below it.
func (v *reading) arrange(labels []int32) []int32 {
	set := slices.Clone(labels)
	slices.SortFunc(set, v.order)
	return set
}

// place is the lowest label of a line at or above a node, or -1, and the child of it that leads to
// the node, or the label itself.
func (v *reading) place(line int, x int32) (u, child int32) {
	child = x
	for u = x; u >= 0; u = v.tree.Parent(u) {
		if _, is := slices.BinarySearchFunc(v.sets[line], u, v.order); is {
			return u, child
		}
		child = u
	}
	return -1, -1
}

// hasBelow tells whether a line has a label at or below a node.
func (v *reading) hasBelow(line int, x int32) bool {
	set := v.sets[line]
	at, _ := slices.BinarySearchFunc(set, x, v.order)
	return at < len(set) && v.tree.Covers(x, set[at])
}

// covers tells, of a leaf exactly, whether all leaves below a node are compatible with a line. Of
// an inner node it may say no where several labels together cover it.
func (v *reading) covers(line int, x int32) bool {
	u, child := v.place(line, x)
	switch {
	case u < 0:
		return false
	case u != x:
		return !v.hasBelow(line, child)
	}
	set := v.sets[line]
	at, _ := slices.BinarySearchFunc(set, x, v.order)
	return at+1 == len(set) || !v.tree.Covers(x, set[at+1])
}

// findTorn finds the torn children.
func (v *reading) findTorn() {
	is := make([]bool, v.tree.Nodes())
	for line, set := range v.sets {
		for _, u := range set {
			for a, up := u, v.tree.Parent(u); up >= 0; a, up = up, v.tree.Parent(up) {
				if is[a] {
					continue
				}
				if _, has := slices.BinarySearchFunc(set, up, v.order); has && !v.covers(line, a) {
					is[a] = true
					v.torn[up] = append(v.torn[up], a)
				}
			}
		}
	}
	for _, children := range v.torn {
		slices.Sort(children)
	}
}

// check looks at every line that is published fewer than k times.
func (v *reading) check(ctx context.Context, k, m int) (*shelf, error) {
	v.ctx, v.k, v.m = ctx, k, m
	v.covered, v.safe, v.told = map[int32]lineSet{}, map[string]bool{}, map[string]bool{}
	v.findTorn()
	for line, set := range v.sets {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if v.weight[line] >= k {
			continue
		}
		var open []int32
		for _, u := range set {
			for _, c := range v.torn[u] {
				if !v.hasBelow(line, c) {
					open = append(open, c)
				}
			}
		}
		for i, c := range open {
			v.extend([]int32{c}, slices.Concat(set, open[i+1:]))
		}
	}
	return &v.found, nil
}

// extend looks at a set of nodes, and at all of at most m that have more of the others. It ends
// where something is found.
func (v *reading) extend(nodes, others []int32) {
	if v.ctx.Err() != nil || v.found.count >= maxPerTask {
		return
	}
	key := keyOf(nodes)
	if !v.safe[key] {
		if n, _ := v.count(nodes); n < v.k && !v.below(nodes) {
			return
		}
		if len(v.safe) >= maxSafe {
			clear(v.safe)
		}
		v.safe[key] = true
	}
	if len(nodes) == v.m || len(others) == 0 {
		return
	}
	if n, _ := v.count(slices.Concat(nodes, others)); n >= v.k {
		return // who covers all of them covers every part
	}
	for i, u := range others {
		v.extend(append(nodes[:len(nodes):len(nodes)], u), others[i+1:])
	}
}

// maxSafe bounds how many sets are remembered as safe.
const maxSafe = 1 << 20

// keyOf is that of a set, whatever the order of its nodes.
func keyOf(nodes []int32) string {
	nodes = slices.Clone(nodes)
	slices.Sort(nodes)
	return key(slices.Compact(nodes))
}

// below looks at every choice of one leaf below each of the nodes, which fewer than k lines cover
// together.
func (v *reading) below(nodes []int32) bool {
	largest := -1
	for i, u := range nodes {
		if !v.tree.IsLeaf(u) && (largest < 0 ||
			v.tree.LeafCount(u) > v.tree.LeafCount(nodes[largest])) {
			largest = i
		}
	}
	if largest < 0 {
		n, some := v.count(nodes)
		if !some {
			return true // one of them is below a label of the line that it cannot be at
		}
		if key := keyOf(nodes); !v.told[key] {
			v.told[key] = true
			v.found.add(slices.Compact(slices.Sorted(slices.Values(nodes))), -1, n, v.k)
		}
		return false
	}
	nodes = slices.Clone(nodes)
	safe := true
	for _, c := range v.tree.Children(nodes[largest]) {
		nodes[largest] = c
		n, _ := v.count(nodes)
		if n < v.k && v.ctx.Err() == nil && v.found.count < maxPerTask {
			safe = v.below(nodes) && safe
		}
	}
	return safe
}

// count is how many published lines, or persons with such lines, cover all of the nodes; counting
// ends at k. It also tells whether some line does.
func (v *reading) count(nodes []int32) (n int, some bool) {
	v.counted++
	sets := make([]lineSet, 0, 8)
	for _, u := range nodes {
		sets = append(sets, v.covering(u))
	}
	slices.SortFunc(sets, func(a, b lineSet) int { return a.size - b.size })
	last := int32(nobody)
	sets[0].eachWith(sets[1:], func(line int32) bool {
		some = true
		if v.person == nil {
			n += v.weight[line]
		} else if p := v.person[line]; p != nobody && p != last {
			n, last = n+1, p
		}
		return n < v.k
	})
	return n, some
}

// maxCovered bounds the bytes of the sets of lines that are kept.
const maxCovered = 256 << 20

// covering are the lines that cover a node.
func (v *reading) covering(x int32) lineSet {
	if s, is := v.covered[x]; is {
		return s
	}
	if v.bytes > maxCovered {
		clear(v.covered)
		v.bytes = 0
	}
	var list []int32
	for a := x; a >= 0; a = v.tree.Parent(a) {
		for _, line := range v.with[a] {
			if u, _ := v.place(int(line), x); u == a && v.covers(int(line), x) {
				list = append(list, line)
			}
		}
	}
	slices.Sort(list)
	s := newLineSet(list, len(v.sets))
	v.bytes += 4*len(s.list) + 8*len(s.bits)
	v.covered[x] = s
	return s
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
