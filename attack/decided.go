package attack

import (
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// Decided counts the labels that say which item they stand for though they are above it: labels of
// published lines, not leaves, with only one leaf left for them. No knowledge of the person is
// needed.
//
// By lowest node a label keeps the leaves that are below no lower label of its line: what every
// release over a hierarchy shows. Child by child it also loses all leaves below a child that has a
// label at or below it: so does whoever knows that the algorithm moves all items below a child
// together (all of package anonymize but core). With global recoding the two are the same.
type Decided struct {
	Labels       int `json:"labels"` // published labels that are not leaves, in all lines
	ByLowestNode int `json:"by_lowest_node"`
	ChildByChild int `json:"child_by_child"`
}

// DecidedLabels counts over all lines. The items of published are node ids of t.
func DecidedLabels(t *hierarchy.Tree, published *dataset.Dataset) *Decided {
	out := &Decided{}
	r := &reading{tree: t, nearest: make(map[int32]bool)}
	lines := published.Cursor()
	for i := range published.Len() {
		r.begin(lines.Tx(i))
		for _, u := range lines.Tx(i) {
			if t.IsLeaf(u) {
				continue
			}
			out.Labels++
			if r.left(u, false) == 1 {
				out.ByLowestNode++
			}
			if r.left(u, true) == 1 {
				out.ChildByChild++
			}
		}
	}
	return out
}

// reading is one line, with its labels from left to right, a node before what is below it.
type reading struct {
	tree    *hierarchy.Tree
	labels  []int32
	nearest map[int32]bool // working space: children that have a label
}

func (r *reading) begin(line []int32) {
	r.labels = append(r.labels[:0], line...)
	slices.SortFunc(r.labels, func(a, b int32) int {
		left, _ := r.tree.Range(a)
		right, _ := r.tree.Range(b)
		if left != right {
			return int(left - right)
		}
		return int(b - a) // an ancestor has the larger number
	})
}

// left is how many leaves below u are below no lower label or, child by child, below no child of u
// that has a label at or below it.
func (r *reading) left(u int32, childByChild bool) int {
	lo, end := r.tree.Range(u)
	n := int(end - lo)
	clear(r.nearest)
	for at := slices.Index(r.labels, u) + 1; at < len(r.labels); at++ {
		from, to := r.tree.Range(r.labels[at])
		if from >= end {
			break
		}
		if childByChild {
			c := r.labels[at]
			for r.tree.Parent(c) != u {
				c = r.tree.Parent(c)
			}
			if r.nearest[c] {
				continue
			}
			r.nearest[c] = true
			from, to = r.tree.Range(c)
		} else if from < lo {
			continue // below a label that was counted
		}
		n -= int(to - from)
		lo = to
	}
	return n
}
