package itemset

// Tree is the nodes above items. The leaves are the items, 0 to Leaves-1; every node comes before
// its parent; the root is the last; the leaves below a node follow one another.
type Tree struct {
	leaves int
	parent []int32 // -1 at the root
	lo, hi []int32 // the leaves below a node
}

// NewTree is the tree of these parents, by node; -1 at the root.
func NewTree(leaves int, parent []int32) *Tree {
	t := &Tree{
		leaves: leaves, parent: parent, lo: make([]int32, len(parent)),
		hi: make([]int32, len(parent)),
	}
	for u := range parent {
		if u < leaves {
			t.lo[u], t.hi[u] = int32(u), int32(u+1)
		}
		if up := parent[u]; up >= 0 {
			if t.hi[up] == 0 {
				t.lo[up] = t.lo[u]
			}
			t.lo[up], t.hi[up] = min(t.lo[up], t.lo[u]), max(t.hi[up], t.hi[u])
		}
	}
	return t
}

func (t *Tree) nodes() int { return len(t.parent) }

// leavesBelow is how many leaves there are below a node, itself if it is one.
func (t *Tree) leavesBelow(u int32) int32 { return t.hi[u] - t.lo[u] }

func (t *Tree) root() int32 { return int32(len(t.parent) - 1) }

// covers tells whether a is u or above it. Of two nodes with the same leaves the upper one has the
// larger number.
func (t *Tree) covers(a, u int32) bool {
	return t.lo[a] <= t.lo[u] && t.hi[u] <= t.hi[a] && a >= u
}

func (t *Tree) related(a, b int32) bool { return t.covers(a, b) || t.covers(b, a) }
