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

// target is what a step specialises: a node, to all its children (only is -1) or to one of them.
type target struct{ node, only int32 }

// order is a specialisation order: that in which nodes are specialised. What comes first has
// the first say, so the order decides what is lost.
type order struct {
	kind
	keys []float64 // by node: the larger, the sooner it has its turn; never before its parent
	// by node: the larger, the sooner it has its turn among the children of its parent where these
	// follow one another
	turns []float64
}

// kind is what is a step.
type kind int

const (
	each    kind = iota // one child of a node
	both                // all children of a node, then one after the other
	falling             // the children of a node one after the other, frequent ones first
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

// byGain is the order by what may be gained: occurrences times penalty, the penalty to a power.
// The higher the power, the sooner general nodes have their turn; the lower, the sooner
// frequent ones.
func (w *weights) byGain(what kind, power float64) *order {
	out := &order{kind: what, keys: make([]float64, w.tree.Nodes()), turns: w.has}
	for u := range int32(w.tree.Nodes()) {
		gain := w.tree.Penalty(u)
		if up := w.tree.Parent(u); what == each && up >= 0 {
			gain = w.tree.Penalty(up) - w.tree.Penalty(u)
		}
		out.keys[u] = w.has[u] * math.Pow(float64(gain), power)
	}
	return out
}

// variation is how keys are changed at random: some of them, by a factor that is lognormally
// distributed.
type variation struct{ share, deviation float64 }

// variations are tried in turn: all keys a little or more, few and some of them much.
var variations = []variation{{1, 0.2}, {0.3, 0.7}, {0.03, 1.5}, {0.1, 1.5}}

// factor changes a key.
func (v variation) factor(rng *rand.Rand) float64 {
	return math.Exp(v.deviation * rng.NormFloat64())
}

// vary is the order with other keys.
func (o *order) vary(rng *rand.Rand, v variation) *order {
	out := &order{o.kind, slices.Clone(o.keys), o.turns}
	for u := range out.keys {
		if rng.Float64() < v.share {
			out.keys[u] *= v.factor(rng)
		}
	}
	if o.kind == falling {
		out.turns = slices.Clone(o.turns)
		for u := range out.turns {
			if rng.Float64() < v.share {
				out.turns[u] *= v.factor(rng)
			}
		}
	}
	return out
}

// steps lists the steps of a pass, all nodes of the tree that have items below them in the
// order of the keys.
func (o *order) steps(w *weights) []target { return o.stepsBelow(w, w.tree.Root()) }

// stepsBelow lists the steps that specialise the given nodes, and what is below them.
func (o *order) stepsBelow(w *weights, roots ...int32) []target {
	q := &queue{keys: o.keys}
	var out []target
	put := func(u int32) {
		if w.has[u] > 0 && (o.kind == each || !w.tree.IsLeaf(u)) {
			heap.Push(q, u)
		}
	}
	for _, u := range roots {
		if o.kind != each {
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

// turn appends the steps of the turn of a node.
func (o *order) turn(w *weights, u int32, out []target) []target {
	switch o.kind {
	case each:
		return append(out, target{w.tree.Parent(u), u})
	case both:
		out = append(out, target{u, -1})
	}
	sooner := func(a, b int32) int { return cmp.Compare(o.turns[b], o.turns[a]) }
	children := slices.Clone(w.tree.Children(u))
	slices.SortStableFunc(children, sooner)
	for _, c := range children {
		if w.has[c] > 0 {
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
