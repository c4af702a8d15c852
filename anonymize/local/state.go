package local

import (
	"math"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/release"
)

// state is a local recoding that keeps the promise, between two steps. An item of a transaction is published as the lowest
// node above it that the transaction publishes, so the published sets say it all.
type state struct {
	tree   *hierarchy.Tree
	merged *dataset.Merged
	k, m   int
	div    *diversity // nil: none asked

	pub []int32 // published sets, ascending, laid out as the items are: a set is never larger than its transaction
	len []int32 // their sizes
	who [][]int32
	// who[u] are the transactions that publish u, in no particular order but the same in every run

	work   int64   // in times a count is raised
	enough int64   // work after which no step is begun
	index  *index  // shared
	steps  int32   // steps so far
	seen   []int32 // by transaction: the last step that gathered it by its items, negative: it stops publishing the step's node

	arena  arena   // of the step under way
	child  []int32 // by node: which of those that the step opens it is, plus one; zero between steps
	marked []bool  // by node; false between uses
	stamp  []int32 // by node: the last transaction that marked it; working space of open
}

// handled is the work of gathering a node of a published set, about.
const handled = 8

func newState(in anonymize.Input, merged *dataset.Merged, div *diversity, x *index) *state {
	return &state{
		index: x, seen: make([]int32, merged.Len()),
		tree: in.Tree, merged: merged, div: div,
		k: in.Promise.K, m: min(in.Promise.M, max(1, in.Data.MaxLen())),
		pub:   make([]int32, merged.Occurrences()),
		len:   make([]int32, merged.Len()),
		who:   make([][]int32, in.Tree.Nodes()),
		child: make([]int32, in.Tree.Nodes()), marked: make([]bool, in.Tree.Nodes()),
		stamp: slices.Repeat([]int32{-1}, in.Tree.Nodes()), enough: math.MaxInt64,
	}
}

// begin publishes every transaction that has an item as one node.
func (s *state) begin(root int32) {
	for i := range int32(s.merged.Len()) {
		if len(s.merged.Tx(int(i))) > 0 {
			s.publish(i, []int32{root})
			s.who[root] = append(s.who[root], i)
		}
	}
}

// published is the set that transaction i publishes.
func (s *state) published(i int32) []int32 {
	start := s.merged.Start(int(i))
	return s.pub[start : start+int(s.len[i])]
}

// publish replaces the set that transaction i publishes.
func (s *state) publish(i int32, set []int32) {
	start := s.merged.Start(int(i))
	s.len[i] = int32(copy(s.pub[start:s.merged.Start(int(i)+1)], set))
}

// kid is a node below a node u whose items, in some transaction, are published as u.
type kid struct {
	node  int32
	items int32 // how many
}

// open appends those of the nodes below u, given from left to right, that have items which transaction i publishes as u,
// with their number; others tells whether it publishes further items as u.
func (s *state) open(i, u int32, below []int32, out []kid) (kids []kid, others bool) {
	for _, v := range s.published(i) {
		s.stamp[v] = i
	}
	tx := s.merged.Tx(int(i))
	lo, hi := s.tree.Range(u)
	at, _ := slices.BinarySearch(tx, lo)
	first, c := len(out), 0
	for ; at < len(tx) && tx[at] < hi; at++ {
		if s.publishedBelow(tx[at], u, i) {
			continue
		}
		for c < len(below) && s.ends(below[c]) <= tx[at] {
			c++
		}
		switch {
		case c == len(below) || !s.tree.Covers(below[c], tx[at]):
			others = true
		case len(out) > first && out[len(out)-1].node == below[c]:
			out[len(out)-1].items++
		default:
			out = append(out, kid{below[c], 1})
		}
	}
	for _, v := range s.published(i) {
		s.stamp[v] = -1
	}
	return out, others
}

// ends is the leaf after the last below a node.
func (s *state) ends(u int32) int32 {
	_, hi := s.tree.Range(u)
	return hi
}

// publishedBelow tells whether a leaf is published lower than u in transaction i, whose published nodes are stamped.
func (s *state) publishedBelow(leaf, u, i int32) bool {
	for v := leaf; v != u; v = s.tree.Parent(v) {
		if s.stamp[v] == i {
			return true
		}
	}
	return false
}

// loss of one occurrence published as u, times |I|.
func (s *state) loss(u int32) int64 {
	if s.tree.IsLeaf(u) {
		return 0
	}
	return int64(s.tree.LeafCount(u))
}

// cost is NCP(D) times |I| times all occurrences.
func (s *state) cost() int64 {
	total := int64(0)
	s.eachOccurrence(func(i int32, _ int, u int32) { total += s.loss(u) * int64(s.merged.Weights[i]) })
	return total
}

// eachOccurrence calls f with every merged transaction, the position of an item in it, and the node it is published as.
func (s *state) eachOccurrence(f func(i int32, j int, u int32)) {
	for i := range int32(s.merged.Len()) {
		for _, v := range s.published(i) {
			s.stamp[v] = i
		}
		for j, leaf := range s.merged.Tx(int(i)) {
			u := leaf
			for s.stamp[u] != i {
				u = s.tree.Parent(u)
			}
			f(i, j, u)
		}
		for _, v := range s.published(i) {
			s.stamp[v] = -1
		}
	}
}

func (s *state) release(in anonymize.Input) *release.Generalized {
	at := make([]int32, s.merged.Occurrences())
	s.eachOccurrence(func(i int32, j int, u int32) { at[s.merged.Start(int(i))+j] = u })
	nodes := make([]int32, 0, in.Data.Occurrences())
	for _, of := range s.merged.Of {
		nodes = append(nodes, at[s.merged.Start(int(of)):s.merged.Start(int(of)+1)]...)
	}
	return release.Local(in.Tree, in.Data, nodes)
}
