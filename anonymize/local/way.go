package local

import (
	"cmp"
	"container/heap"
	"math/rand/v2"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// target is what a step specialises: a node, to all its children or to one (-1: all).
type target struct{ node, only int32 }

// way is an order in which nodes are specialised. What comes first has the first say, so the order decides what is lost.
type way struct {
	kind
	keys []float64 // by node: the larger, the sooner it has its turn; never before its parent
}

// kind is what is a step.
type kind int

const (
	each  kind = iota // one child of a node
	joint             // all children of a node
	both              // all children of a node, then one after the other
)

// weights are what the keys begin with.
type weights struct {
	tree *hierarchy.Tree
	has  []float64 // by node: item occurrences below it
}

func newWeights(t *hierarchy.Tree, d *dataset.Dataset) *weights {
	w := &weights{tree: t, has: make([]float64, t.Nodes())}
	for leaf, n := range d.Supports() {
		w.has[leaf] = float64(n)
	}
	for u := range t.Root() {
		w.has[t.Parent(u)] += w.has[u]
	}
	return w
}

// loss of one occurrence published as u, times |I|.
func (w *weights) loss(u int32) float64 {
	if w.tree.IsLeaf(u) {
		return 0
	}
	return float64(w.tree.LeafCount(u))
}

// way orders by what may be gained: occurrences times loss. The more general, or the more frequent, counts twice.
func (w *weights) way(what kind, general bool) *way {
	out := &way{kind: what, keys: make([]float64, w.tree.Nodes())}
	for u := range int32(w.tree.Nodes()) {
		gain := w.loss(u)
		if up := w.tree.Parent(u); what == each && up >= 0 {
			gain = w.loss(up) - w.loss(u)
		}
		out.keys[u] = w.has[u] * gain
		switch {
		case general:
			out.keys[u] *= gain
		case what != each:
			out.keys[u] *= w.has[u]
		}
	}
	return out
}

// factors are what keys are multiplied with at random: most or many with one.
var factors = [][]float64{
	{0.5, 0.7, 1, 1, 1, 1, 1, 1, 1.4, 2},
	{0.7, 0.85, 1, 1, 1.2, 1.4},
}

// vary is the way with other keys.
func (w *way) vary(rng *rand.Rand, factors []float64) *way {
	out := &way{kind: w.kind, keys: make([]float64, len(w.keys))}
	for u, key := range w.keys {
		out.keys[u] = key * factors[rng.IntN(len(factors))]
	}
	return out
}

// steps lists the steps of a pass, all nodes of the tree that have items below them in the order of the keys.
func (w *way) steps(x *weights) []target {
	q := &queue{keys: w.keys}
	var out []target
	put := func(u int32) {
		if x.has[u] > 0 && (w.kind == each || !x.tree.IsLeaf(u)) {
			heap.Push(q, u)
		}
	}
	put(x.tree.Root())
	for q.Len() > 0 {
		u := heap.Pop(q).(int32)
		out = w.turn(x, u, out)
		for _, c := range x.tree.Children(u) {
			put(c)
		}
	}
	return out
}

// turn appends the steps of the turn of a node.
func (w *way) turn(x *weights, u int32, out []target) []target {
	if w.kind == each {
		if up := x.tree.Parent(u); up >= 0 {
			out = append(out, target{up, u})
		}
		return out
	}
	out = append(out, target{u, -1})
	if w.kind == joint {
		return out
	}
	children := slices.Clone(x.tree.Children(u))
	slices.SortStableFunc(children, func(a, b int32) int { return cmp.Compare(x.has[b], x.has[a]) })
	for _, c := range children {
		if x.has[c] > 0 {
			out = append(out, target{u, c})
		}
	}
	return out
}

// queue is a heap of nodes, the one with the largest key on top.
type queue struct {
	keys  []float64
	nodes []int32
}

func (q *queue) Len() int { return len(q.nodes) }

func (q *queue) Less(i, j int) bool {
	a, b := q.nodes[i], q.nodes[j]
	return cmp.Or(cmp.Compare(q.keys[b], q.keys[a]), cmp.Compare(a, b)) < 0
}

func (q *queue) Swap(i, j int) { q.nodes[i], q.nodes[j] = q.nodes[j], q.nodes[i] }

func (q *queue) Push(u any) { q.nodes = append(q.nodes, u.(int32)) }

func (q *queue) Pop() any {
	last := len(q.nodes) - 1
	u := q.nodes[last]
	q.nodes = q.nodes[:last]
	return u
}
