package global

import (
	"container/heap"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// lifting is a way to lift the nodes of a rare itemset: node i of the itemset becomes to[i].
type lifting struct {
	to     []int32 // where each node goes
	set    []int32 // the distinct maximal ones of them, ascending: the lifted itemset
	loss   int64   // what the loss grows by
	leaves int     // how many leaves change
}

// satisfied decides whether what a lifting leads to may be published.
type satisfied func(l *lifting) bool

// repair finds the lifting of least loss of a rare itemset that is satisfied, ties by fewest leaves
// changed, then by labels. The itemset's nodes are at or above the cut and pairwise unrelated. It
// searches best first: loss and leaves changed never fall as nodes are lifted further, so the first
// satisfied lifting taken from the queue is the best. nil: not even the root is.
func (s *state) repair(path []int32, ok satisfied) *lifting {
	start := &lifting{to: slices.Clone(path)}
	s.assess(start, path)
	queue := &liftings{tree: s.tree, list: []*lifting{start}}
	seen := map[string]bool{key(start.to): true}
	for queue.Len() > 0 {
		l := heap.Pop(queue).(*lifting)
		if ok(l) {
			return l
		}
		for i, u := range l.to {
			up := s.tree.Parent(u)
			if up < 0 {
				continue
			}
			next := &lifting{to: slices.Clone(l.to)}
			for j, v := range next.to {
				if j == i || s.tree.Covers(up, v) {
					next.to[j] = up // an ancestor absorbs its descendants
				}
			}
			if id := key(next.to); !seen[id] {
				seen[id] = true
				s.assess(next, path)
				heap.Push(queue, next)
			}
		}
	}
	return nil
}

// assess fills set, loss and leaves.
func (s *state) assess(l *lifting, path []int32) {
	l.set = slices.Clone(l.to)
	slices.Sort(l.set)
	l.set = slices.Compact(l.set)
	for _, u := range l.set {
		if !slices.Contains(path, u) {
			l.loss += s.loss[u] - s.below[u]
			l.leaves += s.tree.LeafCount(u)
		}
	}
}

func key(nodes []int32) string {
	b := make([]byte, 0, 4*len(nodes))
	for _, u := range nodes {
		b = append(b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
	}
	return string(b)
}

// liftings is a priority queue.
type liftings struct {
	tree *hierarchy.Tree
	list []*lifting
}

func (q *liftings) Len() int      { return len(q.list) }
func (q *liftings) Swap(i, j int) { q.list[i], q.list[j] = q.list[j], q.list[i] }
func (q *liftings) Push(x any)    { q.list = append(q.list, x.(*lifting)) }

func (q *liftings) Pop() any {
	x := q.list[len(q.list)-1]
	q.list = q.list[:len(q.list)-1]
	return x
}

func (q *liftings) Less(i, j int) bool {
	a, b := q.list[i], q.list[j]
	if a.loss != b.loss {
		return a.loss < b.loss
	}
	if a.leaves != b.leaves {
		return a.leaves < b.leaves
	}
	return slices.CompareFunc(a.set, b.set, func(u, v int32) int {
		return dataset.CompareLabels(q.tree.Label(u), q.tree.Label(v))
	}) < 0
}
