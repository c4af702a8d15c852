// Package hierarchy holds generalization hierarchies: one rooted tree whose leaves are the whole
// domain of items, also those that no transaction contains; and cuts through it.
//
// Nodes are dense int32 ids, numbered so that the arithmetic is cheap: the leaves are 0..Leaves()-1
// in the order in which they stand from left to right, so the leaves below any node are a
// contiguous range; inner nodes follow, children before parents; the root is the last. Item ids of
// a dataset bound to a tree (see [Tree.Encode]) are leaf ids.
package hierarchy

import (
	"cmp"
	"errors"
	"slices"

	"mingle/dataset"
)

// Tree is a generalization hierarchy. It is immutable and safe for concurrent use.
type Tree struct {
	dict   *dataset.Dictionary // node id -> label
	leaves *dataset.Dictionary // the leaves alone
	parent []int32             // -1 at the root
	lo, hi []int32             // leaves below a node: lo..hi-1
	depth  []int32             // 0 at the root
	jump   []int32             // a node above it, of deep trees; the root's is itself
	height []int32             // longest path down to a leaf; 0 at the leaves

	childStart []int32
	children   []int32
}

// Leaves is the number of leaves: |I|, the size of the domain.
func (t *Tree) Leaves() int { return t.leaves.Len() }

// Nodes is the number of nodes, leaves included.
func (t *Tree) Nodes() int { return len(t.parent) }

// Root is the root's id.
func (t *Tree) Root() int32 { return int32(len(t.parent) - 1) }

// IsLeaf tells whether u is a leaf.
func (t *Tree) IsLeaf(u int32) bool { return int(u) < t.Leaves() }

// Parent is the node above u, -1 above the root.
func (t *Tree) Parent(u int32) int32 { return t.parent[u] }

// Range is the range of leaves below u: lo ≤ leaf < hi. A leaf is below itself.
func (t *Tree) Range(u int32) (lo, hi int32) { return t.lo[u], t.hi[u] }

// LeafCount is the number of leaves below u.
func (t *Tree) LeafCount(u int32) int { return int(t.hi[u] - t.lo[u]) }

// Antichain tells whether no node that is in use is above another, given how often each is used:
// then no two labels of any line have an item in common, and nothing needs to be looked at line by
// line.
func (t *Tree) Antichain(used []int) bool {
	for u, n := range used {
		for a := t.Parent(int32(u)); n > 0 && a >= 0; a = t.Parent(a) {
			if used[a] > 0 {
				return false
			}
		}
	}
	return true
}

// Penalty is what publishing one occurrence of an item as u adds to the NCP, times |I|: the leaves
// below u, 0 where u is the item itself, and |I| where the occurrence is suppressed (u below 0).
func (t *Tree) Penalty(u int32) int64 {
	switch {
	case u < 0:
		return int64(t.Leaves())
	case t.IsLeaf(u):
		return 0
	}
	return int64(t.LeafCount(u))
}

// Depth is the number of edges between the root and u.
func (t *Tree) Depth(u int32) int { return int(t.depth[u]) }

// Above is the node at a depth at or above u; u itself where that is not deeper.
func (t *Tree) Above(u int32, depth int) int32 {
	for int(t.depth[u]) > depth {
		if t.jump != nil && int(t.depth[t.jump[u]]) >= depth {
			u = t.jump[u]
		} else {
			u = t.parent[u]
		}
	}
	return u
}

// Height is the number of edges on the longest path from u down to a leaf; the tree's height is
// Height(Root()).
func (t *Tree) Height(u int32) int { return int(t.height[u]) }

// Children are the nodes right below u, from left to right. The caller must not change it.
func (t *Tree) Children(u int32) []int32 { return t.children[t.childStart[u]:t.childStart[u+1]] }

// Covers tells whether a is u or an ancestor of u.
func (t *Tree) Covers(a, u int32) bool {
	return t.lo[a] <= t.lo[u] && t.hi[u] <= t.hi[a] && t.depth[a] <= t.depth[u]
}

// Seek returns the place, not before from, of the first of some nodes, which stand from left to
// right, that ends behind a leaf; the number of nodes: none does. What it takes grows with the
// logarithm of how far that is.
func (t *Tree) Seek(nodes []int32, from int, leaf int32) int {
	for step := 1; from < len(nodes) && t.hi[nodes[from]] <= leaf; step *= 2 {
		next := from + step
		if next >= len(nodes) || t.hi[nodes[next]] > leaf {
			rest := nodes[from+1 : min(next, len(nodes))]
			at, _ := slices.BinarySearchFunc(rest, leaf, func(u, leaf int32) int {
				return cmp.Compare(t.hi[u], leaf+1)
			})
			return from + 1 + at
		}
		from = next
	}
	return from
}

// Related tells whether one of the two covers the other.
func (t *Tree) Related(a, b int32) bool { return t.Covers(a, b) || t.Covers(b, a) }

// Label names a node.
func (t *Tree) Label(u int32) string { return t.dict.Label(u) }

// Node finds a node by its label.
func (t *Tree) Node(label string) (int32, bool) { return t.dict.ID(label) }

// Dict names all nodes; its first Leaves() entries are the leaves.
func (t *Tree) Dict() *dataset.Dictionary { return t.dict }

// LeafDict names the leaves: the dictionary of datasets bound to this tree.
func (t *Tree) LeafDict() *dataset.Dictionary { return t.leaves }

// Path is u and its ancestors, up to the root.
func (t *Tree) Path(u int32) []int32 {
	var path []int32
	for ; u >= 0; u = t.parent[u] {
		path = append(path, u)
	}
	return path
}

// Without is the tree without some leaves; inner nodes that lose all their leaves go too. It serves
// to take sensitive items out of a hierarchy that lists them. Labels that it does not have are
// ignored; one of a group is an error: in the published file the item could not be told from the
// group. At least one leaf must stay.
func (t *Tree) Without(labels []string) (*Tree, error) {
	var bad dataset.Faults
	drop := make([]bool, t.Nodes())
	found := false
	for _, l := range labels {
		u, ok := t.Node(l)
		switch {
		case !ok:
		case t.IsLeaf(u):
			drop[u], found = true, true
		default:
			bad.Addf(0, "sensitive item %q is a group of the hierarchy: "+
				"list the items themselves", l)
		}
	}
	if !found || bad.Any() {
		return t, bad.Err("")
	}
	if !slices.Contains(drop[:t.Leaves()], false) {
		return nil, errors.New("all items of the hierarchy are listed as sensitive: nothing is " +
			"left that could be known; list only those that must not be inferred")
	}
	b := NewBuilder()
	for leaf := range int32(t.Leaves()) {
		if drop[leaf] {
			continue
		}
		path := t.Path(leaf)
		names := make([]string, len(path))
		for i, u := range path {
			names[i] = t.Label(u)
		}
		if err := b.Path(names, 0); err != nil {
			return nil, err
		}
	}
	return b.Build(BuildOptions{})
}

// assemble numbers the nodes. parent refers to positions in labels; children keep the order of
// their positions.
func assemble(labels []string, parent []int32) (*Tree, error) {
	n := len(labels)
	start, children := childLists(parent)
	root := int32(slices.Index(parent, -1))

	order := make([]int32, 0, n) // inner nodes in postorder
	var leaves []int32
	type frame struct{ node, next int32 }
	stack := []frame{{root, start[root]}}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next < start[f.node+1] {
			child := children[f.next]
			f.next++
			stack = append(stack, frame{child, start[child]})
			continue
		}
		if start[f.node] == start[f.node+1] {
			leaves = append(leaves, f.node)
		} else {
			order = append(order, f.node)
		}
		stack = stack[:len(stack)-1]
	}

	id := make([]int32, n)
	names := make([]string, n)
	for i, old := range slices.Concat(leaves, order) {
		id[old], names[i] = int32(i), labels[old]
	}
	t := &Tree{parent: make([]int32, n)}
	for old, p := range parent {
		if p < 0 {
			t.parent[id[old]] = -1
		} else {
			t.parent[id[old]] = id[p]
		}
	}
	var err error
	if t.dict, err = dataset.NewDictionary(names); err != nil {
		return nil, err
	}
	if t.leaves, err = dataset.NewDictionary(names[:len(leaves):len(leaves)]); err != nil {
		return nil, err
	}
	t.derive()
	return t, nil
}

// derive fills everything that follows from the parents of numbered nodes.
func (t *Tree) derive() {
	n := t.Nodes()
	t.childStart, t.children = childLists(t.parent)
	t.lo, t.hi = make([]int32, n), make([]int32, n)
	t.depth, t.height = make([]int32, n), make([]int32, n)
	for u := range int32(n) {
		if t.IsLeaf(u) {
			t.lo[u], t.hi[u] = u, u+1
			continue
		}
		t.lo[u], t.hi[u] = int32(n), -1
		for _, c := range t.Children(u) {
			t.lo[u], t.hi[u] = min(t.lo[u], t.lo[c]), max(t.hi[u], t.hi[c])
			t.height[u] = max(t.height[u], t.height[c]+1)
		}
	}
	for u := int32(n) - 2; u >= 0; u-- {
		t.depth[u] = t.depth[t.parent[u]] + 1
	}
	if t.Height(t.Root()) > deep {
		t.deriveJumps()
	}
	for u := range int32(n) {
		slices.SortFunc(
			t.children[t.childStart[u]:t.childStart[u+1]],
			func(a, b int32) int { return int(t.lo[a] - t.lo[b]) },
		)
	}
}

// deep is a height above which nodes know one far above them.
const deep = 16

// deriveJumps fills in, for each node, the parent or one far above it, such that the way up to any
// node takes steps logarithmic in its length (Myers, "An applicative random-access stack", 1983).
func (t *Tree) deriveJumps() {
	t.jump = make([]int32, t.Nodes())
	t.jump[t.Root()] = t.Root()
	for u := t.Root() - 1; u >= 0; u-- { // parents before children
		p := t.parent[u]
		far := t.jump[p]
		farther := t.jump[far]
		if t.depth[p]-t.depth[far] == t.depth[far]-t.depth[farther] {
			t.jump[u] = farther
		} else {
			t.jump[u] = p
		}
	}
}

// childLists turns parents into children in CSR form, each list in ascending order.
func childLists(parent []int32) (start, children []int32) {
	start = make([]int32, len(parent)+1)
	for _, p := range parent {
		if p >= 0 {
			start[p+1]++
		}
	}
	for i := range parent {
		start[i+1] += start[i]
	}
	children = make([]int32, start[len(parent)])
	next := slices.Clone(start)
	for u, p := range parent {
		if p >= 0 {
			children[next[p]] = int32(u)
			next[p]++
		}
	}
	return start, children
}
