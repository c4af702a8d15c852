package local

import (
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/release"
)

// recoding is a local recoding that keeps the promise, between two steps.
type recoding struct {
	tree   *hierarchy.Tree
	merged *dataset.Merged

	nodes []int32 // by occurrence: the node it is published as
	// sets are the published sets, ascending, laid out as the items are: a set is never larger than
	// its transaction. sizes are their sizes.
	sets, sizes []int32
	// publishers[u] are the transactions that publish u, in no particular order but the same in
	// every run.
	publishers [][]int32

	refused *refusals // nil: nothing is
	loss    int64     // NCP times |I| times all occurrences
}

// newRecoding publishes every transaction that has an item as the root.
func newRecoding(t *hierarchy.Tree, merged *dataset.Merged, refused *refusals) *recoding {
	r := &recoding{
		tree: t, merged: merged, refused: refused,
		nodes:      slices.Repeat([]int32{t.Root()}, merged.Occurrences()),
		sets:       make([]int32, merged.Occurrences()),
		sizes:      make([]int32, merged.Len()),
		publishers: make([][]int32, t.Nodes()),
	}
	for i := range int32(merged.Len()) {
		if n := len(merged.Tx(int(i))); n > 0 {
			r.include(i, t.Root())
			r.loss += r.penalty(t.Root()) * int64(n) * int64(merged.Weights[i])
		}
	}
	return r
}

// clone is the same, to be changed for itself.
func (r *recoding) clone() *recoding {
	c := *r
	c.nodes, c.sets, c.sizes = slices.Clone(r.nodes), slices.Clone(r.sets), slices.Clone(r.sizes)
	c.publishers = make([][]int32, len(r.publishers))
	for u, txs := range r.publishers {
		c.publishers[u] = slices.Clone(txs)
	}
	return &c
}

// published is the set that transaction i publishes.
func (r *recoding) published(i int32) []int32 {
	start := r.merged.Start(int(i))
	return r.sets[start : start+int(r.sizes[i])]
}

// publishes tells whether transaction i publishes u.
func (r *recoding) publishes(i, u int32) bool {
	_, is := slices.BinarySearch(r.published(i), u)
	return is
}

// include publishes a node besides what transaction i publishes.
func (r *recoding) include(i, v int32) {
	r.publishers[v] = append(r.publishers[v], i)
	set := r.sets[r.merged.Start(int(i)):]
	at := r.sizes[i]
	r.sizes[i]++
	for ; at > 0 && set[at-1] > v; at-- {
		set[at] = set[at-1]
	}
	set[at] = v
}

// exclude takes u out of what transaction i publishes; the caller takes i out of u's publishers.
func (r *recoding) exclude(i, u int32) {
	set := r.published(i)
	at := len(set) - 1
	for carry := set[at]; carry != u; {
		at--
		set[at], carry = carry, set[at]
	}
	r.sizes[i]--
}

// longTransaction is from how many items on a binary search is quicker than looking at all.
const longTransaction = 32

// below are the items of transaction i that are below u, and the nodes they are published as.
func (r *recoding) below(i, u int32) (items, nodes []int32) {
	tx := r.merged.Tx(int(i))
	nodes = r.nodes[r.merged.Start(int(i)):]
	lo, hi := r.tree.Range(u)
	from := 0
	if len(tx) > longTransaction {
		from, _ = slices.BinarySearch(tx, lo)
	}
	for from < len(tx) && tx[from] < lo {
		from++
	}
	to := from
	for to < len(tx) && tx[to] < hi {
		to++
	}
	return tx[from:to], nodes[from:to]
}

// descent is a child of a node u that has items which some transaction publishes as u.
type descent struct {
	node  int32
	child int32 // which of the children asked about it is
	items int32 // how many
	taken bool  // they are published as the child now
}

// descents appends those of some children of u, given from left to right, that have items which
// transaction i publishes as u; others tells whether it publishes further items as u.
func (r *recoding) descents(
	i, u int32, children []int32, out []descent,
) (_ []descent, others bool) {
	items, nodes := r.below(i, u)
	first, c := len(out), 0
	for j, leaf := range items {
		if nodes[j] != u {
			continue
		}
		for c < len(children) && r.ends(children[c]) <= leaf {
			c++
		}
		switch {
		case c == len(children) || !r.tree.Covers(children[c], leaf):
			others = true
		case len(out) > first && out[len(out)-1].node == children[c]:
			out[len(out)-1].items++
		default:
			out = append(out, descent{children[c], int32(c), 1, true})
		}
	}
	return out, others
}

// ends is the leaf after the last below a node.
func (r *recoding) ends(u int32) int32 {
	_, hi := r.tree.Range(u)
	return hi
}

// penalty of one occurrence published as u, times |I|.
func (r *recoding) penalty(u int32) int64 {
	if r.tree.IsLeaf(u) {
		return 0
	}
	return int64(r.tree.LeafCount(u))
}

// generalize publishes what is published as one of some nodes below u as u. With all nodes below a
// child of u, or below u, that keeps the promise: a set with u is then in all transactions that it,
// or the same set with a node below in place of u, was in, so in k or more. Other sets are in the
// transactions they were in or, with one of the nodes, in none.
func (r *recoding) generalize(nodes []int32, u int32) {
	for _, v := range nodes {
		for _, i := range r.publishers[v] {
			_, at := r.below(i, v)
			for j, w := range at {
				if w == v {
					at[j] = u
					r.loss += (r.penalty(u) - r.penalty(v)) * int64(r.merged.Weights[i])
				}
			}
			r.exclude(i, v)
			if !r.publishes(i, u) {
				r.include(i, u)
			}
		}
		r.publishers[v] = r.publishers[v][:0]
	}
}

// release is the recoding of the data that the transactions were merged from.
func (r *recoding) release(data *dataset.Dataset) *release.Generalized {
	nodes := make([]int32, 0, data.Occurrences())
	for _, of := range r.merged.Of {
		nodes = append(nodes, r.nodes[r.merged.Start(int(of)):r.merged.Start(int(of)+1)]...)
	}
	return release.Local(r.tree, data, nodes)
}
