package itemset

import (
	"context"
	"fmt"
	"slices"
)

// Paths counts the paths of one length of the count tree in a part of the data, where the order of
// the tree is that of the whole: for data that lie in several places, whose counts are added up.
type Paths struct {
	Data  Data    // items are leaves of Tree
	Tree  *Tree   // ids of nodes are those of Order
	To    []int32 // the node at the cut for every leaf
	Order []int32 // the nodes at and above the cut, without the root: rank -> node
	Size  int
	With  []int32 // nodes; sets with none of them are left out; none: no set is
}

// wanted tells of each rank whether With has its node; nil: all sets are counted.
func (p Paths) wanted() []bool {
	if len(p.With) == 0 {
		return nil
	}
	with := make([]bool, p.Tree.nodes())
	for _, u := range p.With {
		with[u] = true
	}
	out := make([]bool, len(p.Order))
	for r, u := range p.Order {
		out[r] = with[u]
	}
	return out
}

// lacking tells whether a path has no rank that is wanted.
func lacking(wanted []bool, path []int32) bool {
	return wanted != nil && !slices.ContainsFunc(path, func(r int32) bool { return wanted[r] })
}

// Each calls do for every set of Size pairwise unrelated nodes that occurs, with its support, in
// lexicographic order of ranks; where units are counted the support may be 0. do must not keep the
// ranks. It ends early, with the cause, when ctx
// does. Memory: 4 bytes for every pair of a transaction and a node above one of its items, and 8
// more for every node of a path but the last.
func (p Paths) Each(ctx context.Context, do func(ranks []int32, support int32)) error {
	w := &Walk{
		Source: Source{Data: p.Data, To: p.To}, tree: p.Tree, nodes: p.Order,
		rank: slices.Repeat([]int32{-1}, p.Tree.nodes()),
	}
	for r, u := range p.Order {
		w.rank[u] = int32(r)
	}
	if err := w.unranked(); err != nil {
		return err
	}
	w.seen = newMarks(len(w.nodes))
	c := &pathCount{
		Walk: w, ctx: ctx, do: do, size: p.Size, wanted: p.wanted(),
		depth: make([]projection, p.Size),
	}
	for d := range c.depth {
		c.depth[d].count = make([]int32, len(w.nodes))
	}
	c.rows = w.expand(ctx, 0)
	if ctx.Err() == nil {
		c.extend(make([]int32, 0, p.Size), c.rows.whole())
	}
	return context.Cause(ctx)
}

// unranked refuses data with a node that has no rank: other data than those that were ranked.
func (w *Walk) unranked() error {
	for it, occurs := range w.Data.occurring() {
		for u := w.To[it]; occurs && u != w.tree.root(); u = w.tree.parent[u] {
			if w.rank[u] < 0 {
				return fmt.Errorf("node %d occurs, and was not counted before", u)
			}
		}
	}
	return nil
}

// pathCount is one count under way.
type pathCount struct {
	*Walk
	*rows
	ctx   context.Context
	do    func(ranks []int32, support int32)
	size  int
	depth []projection // one a path length

	wanted []bool // by rank; see Paths.With
}

func (c *pathCount) extend(path []int32, at []Place) {
	p := &c.depth[len(path)]
	if len(path)+1 == c.size {
		c.last(path, p, at)
		return
	}
	p.countRows(c.rows, at)
	begin := int32(0)
	for _, child := range p.distribute(c.rows, at, c.unrelated(path)) {
		if c.ctx.Err() != nil {
			return
		}
		c.extend(append(path, child.id), p.places[begin:child.end])
		begin = child.end
	}
}

// last counts the extensions of a path by its last node.
func (c *pathCount) last(path []int32, p *projection, at []Place) {
	p.countWeights(c.rows, at)
	slices.Sort(p.touched)
	unrelated, lacks := c.unrelated(path), lacking(c.wanted, path)
	for _, e := range p.touched {
		if (!lacks || c.wanted[e]) && unrelated(e) {
			c.do(append(path, e), p.count[e])
		}
		p.count[e] = 0
		if p.last != nil {
			p.last[e] = 0
		}
	}
}
