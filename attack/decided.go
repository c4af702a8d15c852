package attack

import (
	"fmt"

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
func DecidedLabels(t *hierarchy.Tree, published *dataset.Dataset) (*Decided, error) {
	if err := t.CheckBoundPublished(published); err != nil {
		return nil, fmt.Errorf("attack: %w", err)
	}
	out := &Decided{}
	if used := published.Supports(); t.Antichain(used) {
		for u, n := range used {
			if !t.IsLeaf(int32(u)) {
				out.Labels += n
				if t.LeafCount(int32(u)) == 1 {
					out.ByLowestNode += n
					out.ChildByChild += n
				}
			}
		}
		return out, nil
	}
	o := &own{tree: t}
	var leaves []int32
	decides := func(at int, childByChild bool) int {
		if leaves = o.leaves(at, 1, childByChild, leaves[:0]); len(leaves) == 1 {
			return 1
		}
		return 0
	}
	lines := published.Cursor()
	for i := range published.Len() {
		o.arrange(lines.Tx(i))
		for at, u := range o.nodes {
			if !t.IsLeaf(u) {
				out.Labels++
				out.ByLowestNode += decides(at, false)
				out.ChildByChild += decides(at, true)
			}
		}
	}
	return out, nil
}
