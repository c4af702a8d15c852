package global

// Negative knowledge: terrovitis-2011, section 5.1, corrected.
//
// Knowledge is a set T of nodes that a person's transaction publishes and a set N of leaves that
// the person lacks, together at most m. A published node stands for a leaf below it, so N excludes
// the transactions that publish a node all of whose leaves are in N, and no others. The paper looks
// at nodes of one leaf only; a group of two leaves is excluded by lacking both.
//
// Only the nodes that N excludes matter, so N may be taken as the leaves below nodes U at the cut.
// Sets of T and U, of |T| items and as many as there are leaves below U, are to be matched by 0 or
// at least k transactions, and with diversity tell no sensitive item. For one T, U excludes no more
// transactions than the sum, over its nodes, of those of T that publish the node. So where the
// largest such sums leave enough, nothing that is lacked beside T matters, and that is nearly
// everywhere; else U is put together from the node with the largest sum on.
//
// Lifting never lowers the number of matches. Proof. Let T and U be at a lifted cut, matched by
// some transaction, and N be the leaves below U. Choose for each node in T a node below it at the
// cut before, of those that the transaction publishes. The transactions that published these and
// had nothing of N still match; there are k by then. So the root keeps what any cut does. Diversity
// may be lost by lifting, so passes are repeated until one finds nothing.

import (
	"cmp"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
)

// absence looks at what a person may lack beside what is published.
type absence struct {
	*state
	in anonymize.Input
	do func(kn knowledge) bool
	// the nodes of at most m leaves that the merged transactions publish at the cut, one
	// transaction after the other, and where each begins
	nodes []int32
	start []int
	sum   []int // by node: how many of the transactions at hand publish it; zero between uses
	// heavy are the nodes that have one; those with the largest sums first where it matters
	heavy []int32
	lacks []int32 // nodes
}

func (s *state) newAbsence(
	in anonymize.Input, at *dataset.Dataset, do func(kn knowledge) bool,
) *absence {
	a := &absence{
		state: s, in: in, do: do, start: make([]int, 1, at.Len()+1),
		sum: make([]int, s.tree.Nodes()),
	}
	for _, tx := range at.All() {
		for _, u := range tx {
			if s.tree.LeafCount(u) <= in.Promise.M {
				a.nodes = append(a.nodes, u)
			}
		}
		a.start = append(a.start, len(a.nodes))
	}
	return a
}

// of are the nodes that may be lacked of a transaction that publishes them.
func (a *absence) of(i int32) []int32 { return a.nodes[a.start[i]:a.start[i+1]] }

// all are the numbers of all transactions.
func (a *absence) all() []int32 {
	out := make([]int32, len(a.start)-1)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// beside calls do with what may be lacked beside published nodes, given the transactions that
// publish them all, and does not hide. It is false where do has said to end.
func (a *absence) beside(nodes, txs []int32) (goOn bool) {
	rest := a.in.Promise.M - len(nodes)
	total := 0
	for _, i := range txs {
		w := int(a.merged.Weight(int(i)))
		total += w
		for _, u := range a.of(i) {
			if a.sum[u] == 0 {
				a.heavy = append(a.heavy, u)
			}
			a.sum[u] += w
		}
	}
	goOn = true
	if spare := a.spare(txs, total); a.mayExclude(rest, spare) {
		a.lacks = a.lacks[:0]
		goOn = a.further(slices.Clone(nodes), txs, rest, spare, 0)
	}
	for _, u := range a.heavy {
		a.sum[u] = 0
	}
	a.heavy = a.heavy[:0]
	return goOn
}

// spare is how many of some transactions, which hide, may be excluded, whichever these are.
func (a *absence) spare(txs []int32, total int) int {
	spare := total - a.in.Promise.K
	if a.diversity != nil && spare > 0 {
		spare = min(spare, a.diversity.Spare(txs, a.merged.Weights, nil))
	}
	return spare
}

// mayExclude tells whether up to so many nodes may be lacked that exclude more than spare
// transactions. If so, those with the largest sums come first from now on.
func (a *absence) mayExclude(nodes, spare int) bool {
	most := 0
	for _, u := range a.heavy {
		most = max(most, a.sum[u])
	}
	if most*min(nodes, len(a.heavy)) <= spare {
		return false
	}
	slices.SortFunc(a.heavy, func(u, v int32) int {
		return cmp.Or(cmp.Compare(a.sum[v], a.sum[u]), cmp.Compare(u, v))
	})
	return a.heaviest(0, nodes) > spare
}

// heaviest is the sum of n nodes from the i-th on, or of all that there are.
func (a *absence) heaviest(i, n int) (sum int) {
	for _, u := range a.heavy[i:min(i+n, len(a.heavy))] {
		sum += a.sum[u]
	}
	return sum
}

// further lacks one node more beside published ones, from the i-th on, and then others, with up to
// so many leaves. txs match what is known so far, and hide if no more than spare are left out.
func (a *absence) further(nodes, txs []int32, leaves, spare, i int) (goOn bool) {
	for ; i < len(a.heavy) && a.heaviest(i, leaves) > spare; i++ {
		u := a.heavy[i]
		if a.tree.LeafCount(u) > leaves || a.inactive[u] {
			continue
		}
		left, total := a.without(txs, u)
		if total == 0 {
			continue
		}
		a.lacks = append(a.lacks, u)
		if !a.hides(a.in, left, nil) {
			goOn = a.do(knowledge{nodes: slices.Concat(nodes, a.lacks), published: len(nodes)})
		} else {
			goOn = a.further(nodes, left, leaves-a.tree.LeafCount(u), a.spare(left, total), i+1)
		}
		a.lacks = a.lacks[:len(a.lacks)-1]
		switch {
		case !goOn:
			return false
		case a.anyInactive(nodes) || a.anyInactive(a.lacks):
			return true
		}
	}
	return true
}

// without are those of some transactions that do not publish u, and how many they stand for.
func (a *absence) without(txs []int32, u int32) (left []int32, total int) {
	for _, i := range txs {
		if _, has := slices.BinarySearch(a.of(i), u); !has {
			left = append(left, i)
			total += int(a.merged.Weight(int(i)))
		}
	}
	return left, total
}

// knowledge is of nodes: the first published ones are those in a transaction, and the transaction
// has nothing below the others; and of sensitive items of the transaction.
type knowledge struct {
	nodes     []int32
	published int
	told      []int32
}

// read is the knowledge that a set of the data at a cut stands for, with known sensitive items or
// without.
func (s *state) read(set []int32) knowledge {
	first := int32(s.tree.Nodes())
	nodes, _ := slices.BinarySearch(set, first)
	kn := knowledge{nodes: slices.Clone(set[:nodes]), published: nodes}
	for _, x := range set[nodes:] {
		kn.told = append(kn.told, x-first)
	}
	return kn
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
