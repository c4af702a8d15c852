package global

// Negative knowledge: terrovitis-2011, section 5.1, corrected.
//
// Knowledge is a set T of nodes that a person's transaction publishes and a set N of leaves that
// the person lacks, together at most m. A published node stands for a leaf below it, so N excludes
// the transactions that publish a node all of whose leaves are in N, and no others. The paper looks
// at nodes of one leaf only; a group of two leaves is excluded by lacking both.
//
// Only the nodes that N excludes matter, so N may be taken as the leaves below nodes U at the cut.
// The data at the cut is widened: every transaction gets, for every such node it does not publish,
// an item that stands for the absence and weighs as much as the node has leaves. Sets of T and U up
// to a weight of m must be 0 or at least k times in the widened data, and with diversity tell no
// sensitive item.
//
// Lifting never lowers the number of matches. Proof. Let T and U be at a lifted cut, matched by
// some transaction, and N be the leaves below U. Choose for each node in T a node below it at the
// cut before, of those that the transaction publishes. The transactions that published these and
// had nothing of N still match; there are k by then. So the root keeps what any cut does. Diversity
// may be lost by lifting, so passes are repeated until one finds nothing.

import (
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
)

// MaxNegativeDomain is the largest number of leaves for which negative knowledge is taken into
// account: every transaction is widened to about this many items, and sets of them are counted.
const MaxNegativeDomain = 200

// Check refuses domains that negative knowledge cannot be counted on.
func Check(in anonymize.Input) error {
	if in.Promise.NegativeKnowledge && in.Tree.Leaves() > MaxNegativeDomain {
		return privacy.Infeasiblef("negative knowledge is counted on domains of at most %d items, and the hierarchy has %d: choose partition, or leave items out",
			MaxNegativeDomain, in.Tree.Leaves())
	}
	return nil
}

// widen is the data at a cut with an item Nodes()+u for every node u in use that has at most m
// leaves and is missing.
func (s *state) widen(cut *hierarchy.Cut, m int) *dataset.Dataset {
	at := s.merged.Dataset.Recode(s.tree.Dict(), cut.Map())
	supports := at.Supports()
	var small []int32
	for _, u := range cut.Nodes() {
		if s.tree.LeafCount(u) <= m && supports[u] > 0 {
			small = append(small, u)
		}
	}
	absent := int32(s.tree.Nodes())
	b := dataset.NewBuilder(dataset.Unnamed(2 * s.tree.Nodes()))
	var tx []int32
	for i := range at.Len() {
		tx = append(tx[:0], at.Tx(i)...)
		for _, u := range small {
			if _, has := slices.BinarySearch(at.Tx(i), u); !has {
				tx = append(tx, absent+u)
			}
		}
		b.Add(tx)
	}
	return b.Build()
}

// knowledge is of nodes: the first published ones are those in a transaction, and the transaction
// has nothing below the others; and of sensitive items of the transaction.
type knowledge struct {
	nodes     []int32
	published int
	told      []int32
}

// read is the knowledge that a set of the data at a cut stands for, widened or not.
func (s *state) read(set []int32) knowledge {
	absent := int32(s.tree.Nodes())
	published, _ := slices.BinarySearch(set, absent)
	nodes, _ := slices.BinarySearch(set, 2*absent)
	kn := knowledge{nodes: slices.Clone(set[:nodes]), published: published}
	for i := published; i < nodes; i++ {
		kn.nodes[i] -= absent
	}
	for _, x := range set[nodes:] {
		kn.told = append(kn.told, x-2*absent)
	}
	return kn
}

// weight is how many items somebody knows who knows this.
func (s *state) weight(kn knowledge) int {
	w := kn.published + len(kn.told)
	for _, u := range kn.nodes[kn.published:] {
		w += s.tree.LeafCount(u)
	}
	return w
}

// matching are the merged transactions that match knowledge when its nodes are lifted: node i
// becomes to[i].
func (s *state) matching(kn knowledge, to []int32) []int32 {
	var excluded []int32
	for _, u := range to[kn.published:] {
		lacked := 0 // leaves below u
		for _, v := range kn.nodes[kn.published:] {
			if s.tree.Covers(u, v) {
				lacked += s.tree.LeafCount(v)
			}
		}
		if lacked == s.tree.LeafCount(u) {
			excluded = append(excluded, u)
		}
	}
	var out []int32
	match := func(i int32) bool {
		if (len(kn.told) == 0 || s.diversity.Has(i, kn.told)) &&
			!slices.ContainsFunc(excluded, func(u int32) bool { return s.index.Has(u, i) }) {
			out = append(out, i)
		}
		return true
	}
	published := slices.Clone(to[:kn.published])
	slices.Sort(published)
	if published = slices.Compact(published); len(published) > 0 {
		s.index.Each(published, match)
		return out
	}
	for i := range int32(s.merged.Len()) {
		match(i)
	}
	return out
}
