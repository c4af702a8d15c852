package generate

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// Complete makes transactions of items alone from a release over its own labels: every group of a
// line becomes one item below it, each of [hierarchy.Tree.Likely] as likely as another: in a line
// that also has labels below the group, an item below a child of the group that has none of these,
// where there is one. Items stay as they are, and so do labels that the tree does not have.
//
// It is a function of the release and the seed, so it tells no more of the original than the
// release does; and what it seems to tell beyond that is made up.
func Complete(
	t *hierarchy.Tree, published *dataset.Dataset, seed uint64,
) (*dataset.Dataset, error) {
	c := completion{
		tree: t, r: rand.New(rand.NewPCG(seed, 0)), node: make([]int32, published.Dict().Len()),
	}
	labels := slices.Clone(t.LeafDict().Labels())
	for x, label := range published.Dict().Labels() {
		u, is := t.Node(label)
		if !is {
			u = -1 - int32(len(labels)) // beyond the leaves
			labels = append(labels, label)
		}
		c.node[x] = u
	}
	dict, err := dataset.NewDictionary(labels)
	if err != nil {
		return nil, err
	}
	b := dataset.NewBuilder(dict)
	lines := published.Cursor()
	for i := range published.Len() {
		b.Add(c.line(lines.Tx(i)))
	}
	return b.Finish()
}

// completion draws the items of lines.
type completion struct {
	tree  *hierarchy.Tree
	r     *rand.Rand
	node  []int32 // by label of the release: its node; below 0: -1 minus the id of what stays
	nodes []int32 // of the line
	spans []hierarchy.Span
	out   []int32
}

// line is the completion of a line, in an array that the next one uses again.
func (c *completion) line(tx []int32) []int32 {
	c.nodes, c.out = c.nodes[:0], c.out[:0]
	for _, x := range tx {
		if u := c.node[x]; u >= 0 {
			c.nodes = append(c.nodes, u)
		} else {
			c.out = append(c.out, -1-u)
		}
	}
	slices.SortFunc(c.nodes, c.before)
	for at := range c.nodes {
		c.out = append(c.out, c.leaf(at))
	}
	return c.out
}

// before is the order from the left to the right, and from above to below. It is of the tree, so
// the order of the labels in the file decides nothing.
func (c *completion) before(u, v int32) int {
	from, to := c.tree.Range(u)
	first, last := c.tree.Range(v)
	return cmp.Or(
		cmp.Compare(from, first), cmp.Compare(last, to), c.tree.Depth(u)-c.tree.Depth(v),
	)
}

// leaf draws an item that a node of the line may stand for.
func (c *completion) leaf(at int) int32 {
	c.spans = c.tree.Likely(c.nodes, c.nodes[at], c.spans[:0])
	n := int32(0)
	for _, s := range c.spans {
		n += s.To - s.From
	}
	drawn := c.r.Int32N(n)
	for _, s := range c.spans {
		if drawn < s.To-s.From {
			return s.From + drawn
		}
		drawn -= s.To - s.From
	}
	panic("generate: a node without leaves")
}
