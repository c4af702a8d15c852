package itemset

import (
	"fmt"
	"slices"
)

// Tally counts what Paths counts, where there are few nodes: all sets have a cell in one table, and
// transactions are counted as they come, in any number of calls. Units are not counted.
//
// Nodes have numbers here: their ranks from the other end. So the cells from the last to the first
// are the sets in lexicographic order of ranks.
type Tally struct {
	cellTable
	tree  *Tree
	order []int32
	size  int
	up    []int32 // number -> that of the parent; -1: the root
	at    []int32 // leaf -> the number at the cut; -1: the root, -2: it has no rank
	seen  marks
	row   []int32
	path  []int32

	wanted []bool // by rank; see Paths.With
}

// NewTally has an empty table for the nodes of p.Order; p.Data is not looked at. nil: the table
// would have more than 64 MB.
func NewTally(p Paths) *Tally {
	n := len(p.Order)
	if chosen(n, p.Size, mostCells) > mostCells {
		return nil
	}
	t := &Tally{
		tree: p.Tree, order: p.Order, size: p.Size, up: make([]int32, n),
		at: make([]int32, p.Tree.leaves), seen: newMarks(n), path: make([]int32, 0, p.Size),
		wanted: p.wanted(),
	}
	t.choose = chooseTable(n, p.Size)
	number := slices.Repeat([]int32{-2}, p.Tree.nodes())
	number[p.Tree.root()] = -1
	for rank, u := range p.Order {
		number[u] = int32(n - 1 - rank)
	}
	for u, z := range number {
		if z >= 0 {
			t.up[z] = number[p.Tree.parent[u]]
		}
	}
	for leaf, u := range p.To {
		t.at[leaf] = number[u]
	}
	return t
}

// Cells is how many sets there may be.
func (t *Tally) Cells() int { return t.choose[t.size][len(t.order)] }

// Add counts a transaction of leaves. Between two calls of Drain there are at most 2^31 - 1.
func (t *Tally) Add(leaves []int32) error {
	for _, leaf := range leaves {
		z := t.at[leaf]
		for z >= 0 && t.seen.add(z) {
			z = t.up[z]
		}
		if z < -1 {
			t.row = t.seen.drain(t.row[:0], 0)
			return fmt.Errorf("a node at or above leaf %d occurs, and was not counted before", leaf)
		}
	}
	if t.cells == nil {
		t.cells = make([]int32, t.Cells())
	}
	t.row = t.seen.drain(t.row[:0], 0)
	t.add(t.row, t.size, 0, 1)
	return nil
}

// Drain calls do as Paths.Each does for all that was added, and forgets it.
func (t *Tally) Drain(do func(ranks []int32, support int32)) {
	if t.cells != nil {
		t.drain(len(t.order), t.size, 0, do)
		clear(t.cells)
	}
}

// drain goes through the sets of the path and size more nodes with numbers under below.
func (t *Tally) drain(below, size, base int, do func(ranks []int32, support int32)) {
	end, lacks := len(t.path), lacking(t.wanted, t.path)
	for x := below - 1; x >= size-1; x-- {
		if size == 1 && t.cells[base+x] == 0 {
			continue
		}
		rank := int32(len(t.order) - 1 - x)
		if size == 1 && lacks && !t.wanted[rank] || t.relates(rank) {
			continue
		}
		t.path = append(t.path, rank)
		if size == 1 {
			do(t.path, t.cells[base+x])
		} else {
			t.drain(x, size-1, base+t.choose[size][x], do)
		}
		t.path = t.path[:end]
	}
}

// relates tells whether a node is above or below one of the path.
func (t *Tally) relates(rank int32) bool {
	for _, other := range t.path {
		if t.tree.related(t.order[rank], t.order[other]) {
			return true
		}
	}
	return false
}
