package local

import (
	"cmp"
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// This file makes specialisation orders: in which order the steps of a pass over the tree are made.
// What is specialised first finds most support, so the order decides what is lost.
//
// Time: nodes times the logarithm of their number. Memory: 16 bytes a node.

// order is a specialisation order: the node with the largest key comes first, but never before its
// parent.
type order struct {
	turns
	keys []float64 // by node
}

// turns says what is a step.
type turns int

const (
	eachByItself turns = iota // one child of a node, by its own key
	allChildren               // all children of a node
	allThenEach               // all children of a node, then one after the other, frequent ones first
)

// weights are what keys are made of.
type weights struct {
	tree        *hierarchy.Tree
	occurrences []float64 // by node: item occurrences below it
}

func newWeights(t *hierarchy.Tree, d *dataset.Dataset) *weights {
	w := &weights{tree: t, occurrences: make([]float64, t.Nodes())}
	for leaf, n := range d.Supports() {
		w.occurrences[leaf] = float64(n)
	}
	for u := range t.Root() {
		w.occurrences[t.Parent(u)] += w.occurrences[u]
	}
	return w
}

// penalty of one occurrence published as u, times |I|.
func (w *weights) penalty(u int32) float64 {
	if w.tree.IsLeaf(u) {
		return 0
	}
	return float64(w.tree.LeafCount(u))
}

// order orders by what may be gained: occurrences times loss, the loss to a power. The higher the
// power, the sooner general nodes come; the lower, the sooner frequent ones.
func (w *weights) order(t turns) *order {
	power := 8.
	if t == eachByItself {
		power = 2
	}
	o := &order{turns: t, keys: make([]float64, w.tree.Nodes())}
	for u := range int32(w.tree.Nodes()) {
		gain := w.penalty(u)
		if up := w.tree.Parent(u); t == eachByItself && up >= 0 {
			gain = w.penalty(up) - w.penalty(u)
		}
		o.keys[u] = w.occurrences[u] * math.Pow(gain, power)
	}
	return o
}

// deviation is that of the logarithm of the factors by which keys are varied.
const deviation = 0.7

// vary multiplies the keys that some nodes have in another order by lognormal factors.
func (o *order) vary(rng *rand.Rand, nodes []int32, of *order) {
	for _, v := range nodes {
		o.keys[v] = of.keys[v] * math.Exp(deviation*rng.NormFloat64())
	}
}

// steps lists the steps of a pass over the whole tree.
func (o *order) steps(w *weights) []target { return o.stepsBelow(w, w.tree.Root()) }

// stepsBelow lists the steps that specialise the given nodes, and what is below them, as far as it
// has items.
func (o *order) stepsBelow(w *weights, roots ...int32) []target {
	q := &queue{keys: o.keys}
	var out []target
	put := func(u int32) {
		if w.occurrences[u] > 0 && (o.turns == eachByItself || !w.tree.IsLeaf(u)) {
			heap.Push(q, u)
		}
	}
	for _, u := range roots {
		if o.turns != eachByItself {
			put(u)
			continue
		}
		for _, c := range w.tree.Children(u) {
			put(c)
		}
	}
	for q.Len() > 0 {
		u := heap.Pop(q).(int32)
		out = o.turn(w, u, out)
		for _, c := range w.tree.Children(u) {
			put(c)
		}
	}
	return out
}

// turn appends the steps of one node.
func (o *order) turn(w *weights, u int32, out []target) []target {
	if o.turns == eachByItself {
		return append(out, target{w.tree.Parent(u), u})
	}
	out = append(out, target{u, -1})
	if o.turns == allChildren {
		return out
	}
	children := slices.Clone(w.tree.Children(u))
	slices.SortStableFunc(children, func(a, b int32) int {
		return cmp.Compare(w.occurrences[b], w.occurrences[a])
	})
	for _, c := range children {
		if w.occurrences[c] > 0 {
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

func (q *queue) Pop() any { return pop(&q.nodes) }
