package hierarchy

import (
	"fmt"
	"slices"
)

// Cut maps every leaf to itself or to one ancestor such that the images are an antichain: what one
// global recoding publishes. See terrovitis-2008, section 3.1.
type Cut struct {
	tree *Tree
	of   []int32
}

// BottomCut generalizes nothing.
func BottomCut(t *Tree) *Cut {
	c := &Cut{tree: t, of: make([]int32, t.Leaves())}
	for i := range c.of {
		c.of[i] = int32(i)
	}
	return c
}

// NewCut makes the cut that consists of the given nodes. They must be an antichain that covers all
// leaves.
func NewCut(t *Tree, nodes []int32) (*Cut, error) {
	if t == nil {
		return nil, errNoTree
	}
	c := &Cut{tree: t, of: slices.Repeat([]int32{-1}, t.Leaves())}
	for _, u := range nodes {
		if u < 0 || int(u) >= t.Nodes() {
			return nil, fmt.Errorf("not a cut: there is no node %d, only 0 to %d", u, t.Root())
		}
		lo, hi := t.Range(u)
		for leaf := lo; leaf < hi; leaf++ {
			if c.of[leaf] >= 0 {
				return nil, fmt.Errorf(
					"not a cut: %q is below both %q and %q", t.Label(leaf), t.Label(c.of[leaf]),
					t.Label(u),
				)
			}
			c.of[leaf] = u
		}
	}
	if i := slices.Index(c.of, -1); i >= 0 {
		return nil, fmt.Errorf("not a cut: no node covers %q", t.Label(int32(i)))
	}
	return c, nil
}

// Topmost is the highest node above each leaf that is as asked; without one, the leaf itself.
func (t *Tree) Topmost(is func(u int32) bool) []int32 {
	of := make([]int32, t.Nodes())
	for u := int32(t.Nodes()) - 1; u >= 0; u-- {
		switch up := t.Parent(u); {
		case up >= 0 && of[up] >= 0:
			of[u] = of[up]
		case t.IsLeaf(u) || is(u):
			of[u] = u
		default:
			of[u] = -1
		}
	}
	return of[:t.Leaves()]
}

// Tree is the hierarchy the cut goes through.
func (c *Cut) Tree() *Tree { return c.tree }

// Of is the node that leaf is published as.
func (c *Cut) Of(leaf int32) int32 { return c.of[leaf] }

// Map is the node of every leaf. The caller must not change it.
func (c *Cut) Map() []int32 { return c.of }

// Nodes are the nodes of the cut, in leaf order.
func (c *Cut) Nodes() []int32 { return slices.Compact(slices.Clone(c.of)) }

// Lift moves the cut up to node u: all leaves below u are published as u.
func (c *Cut) Lift(u int32) {
	lo, hi := c.tree.Range(u)
	for leaf := lo; leaf < hi; leaf++ {
		c.of[leaf] = u
	}
}

// Alive tells whether u is at the cut or above it: no leaf below u is published higher than u.
func (c *Cut) Alive(u int32) bool { return c.tree.Covers(u, c.of[c.tree.lo[u]]) }
