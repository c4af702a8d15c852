// Package core is local recoding against an adversary who runs the algorithm in mind: a core of
// transactions in full detail, and all others in groups of at least k that publish one and the same
// set of nodes. It is not from a paper; docs/algorithms/core.md says why no release of this promise
// can do much else.
//
//  1. Peeling. The core is the largest set of transactions such that every set of at most m items
//     of one of them is in at least k of them, as a k-core is found.
//  2. Splitting. The others begin as one group at the root. A group is split at a node c below a
//     node u that it publishes: into those that have items at u below c only, those that have
//     others at u too, and those that have none below c. The first publish c in place of u, the
//     second c and u, the third what they did. The split that gains most NCP is made, as long as
//     one gains.
//  3. Exchanging. Transactions move to other groups, or change places with others, where that loses
//     less.
//
// Transactions are treated alike: all choices are made among distinct transactions and by what is
// in them, ties by the order of the hierarchy. A permutation of the input permutes the release.
//
// Time: peeling looks at the sets of at most m items of the transactions that are left, of which no
// more than a bound are counted; a split is linear in the group's occurrences times the height;
// exchanges end with a bound on work in proportion to the occurrences. Memory: the counted sets, at
// most 300 MB, and some 50 bytes an occurrence.
package core

import (
	"context"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
	"mingle/release"
)

// Algorithm is core. It is for promises against the adversary "algorithm" alone: items may stand at
// a node though a child above them has labels, which is a matter of the default adversary only.
// Effort multiplies the bound on the work that exchanges may take.
type Algorithm struct{ anonymize.Budget }

// Name is "core".
func (Algorithm) Name() string { return "core" }

// Traits implements anonymize.Algorithm. It is symmetric: the release meets the condition by
// construction, and transactions are treated alike.
func (Algorithm) Traits() anonymize.Traits {
	n := anonymize.Need{Each: 120, Tables: 300 << 20}
	return anonymize.Traits{
		Symmetric: true, KeepsBest: true, Need: n.Always, Refuses: func(p privacy.KM) string {
			if p.AgainstAlgorithm() {
				return ""
			}
			return "is for the adversary \"algorithm\" alone (--adversary algorithm)"
		},
	}
}

// Anonymize implements anonymize.Algorithm. The release has the group of every transaction in
// Parts; those of the core are in none (-1).
func (a Algorithm) Anonymize(
	ctx context.Context, in anonymize.Input,
) (*release.Generalized, error) {
	if err := in.CheckFor(a); err != nil {
		return nil, err
	}
	within, cancel := a.Within(ctx)
	defer cancel()
	s := newState(in)
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	if err := a.Fault(ctx, s.exchange(within, a.Times())); err != nil {
		return nil, err
	}
	return s.release(), nil
}

// state is a release under way.
type state struct {
	in      anonymize.Input
	tree    *hierarchy.Tree
	penalty []int64 // by node: the loss of an occurrence published as it, times |I|
	merged  *dataset.Merged
	k       int
	of      []int32  // by merged transaction: its group; inCore; none: not decided yet
	groups  []*group // nil: it is no more
	sets    *countTree
}

// inCore and none stand for a group.
const (
	inCore = -1
	none   = -2
)

// group is merged transactions, ascending, that publish the same nodes.
type group struct {
	txs    []int32
	weight int
	labels []int32 // ascending
	loss   int64   // times |I|
}

func newState(in anonymize.Input) *state {
	s := &state{in: in, tree: in.Tree, merged: dataset.Merge(in.Data), k: in.Promise.K}
	s.penalty = make([]int64, s.tree.Nodes())
	for u := range int32(s.tree.Nodes()) {
		s.penalty[u] = s.tree.Penalty(u)
	}
	s.of = slices.Repeat([]int32{none}, s.merged.Len())
	return s
}

// begin makes the first release: the core, and groups of the rest.
func (s *state) begin(ctx context.Context) error {
	if err := s.peel(ctx); err != nil {
		return err
	}
	var rest []int32
	for t, g := range s.of {
		if g == none {
			rest = append(rest, int32(t))
		}
	}
	for s.weightOf(rest) < s.k && len(rest) > 0 { // too few to hide by themselves
		rest = s.dissolve(rest)
	}
	return s.split(ctx, rest)
}

// dissolve takes from the core the transactions that are most like the first that has to leave, and
// whoever cannot stay without them.
func (s *state) dissolve(rest []int32) []int32 {
	best, least := int32(-1), 0
	for t, g := range s.of {
		if o := int32(t); g == inCore && len(s.tx(o)) > 0 {
			if apart := s.weight(o) * s.apart(o, rest[0]); best < 0 || apart < least {
				best, least = o, apart
			}
		}
	}
	s.leave(best)
	s.peelOn()
	rest = rest[:0]
	for t, g := range s.of {
		if g == none {
			rest = append(rest, int32(t))
		}
	}
	return rest
}

// apart is the number of items that only one of two transactions has.
func (s *state) apart(a, b int32) int {
	x, y := s.tx(a), s.tx(b)
	n := len(x) + len(y)
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] < y[0]:
			x = x[1:]
		case x[0] > y[0]:
			y = y[1:]
		default:
			x, y, n = x[1:], y[1:], n-2
		}
	}
	return n
}

func (s *state) tx(t int32) []int32 { return s.merged.Tx(int(t)) }

func (s *state) weight(t int32) int { return int(s.merged.Weight(int(t))) }

func (s *state) weightOf(txs []int32) (sum int) {
	for _, t := range txs {
		sum += s.weight(t)
	}
	return sum
}

// form makes a group of transactions.
func (s *state) form(l *labeller, txs []int32) *group {
	slices.Sort(txs)
	g := &group{txs: txs, weight: s.weightOf(txs)}
	l.begin()
	for _, t := range txs {
		l.add(s.tx(t), s.merged.Weight(int(t)))
	}
	g.labels, g.loss = l.labels()
	slices.Sort(g.labels)
	return g
}

// put enters a group under a number.
func (s *state) put(n int32, g *group) {
	s.groups[n] = g
	for _, t := range g.txs {
		s.of[t] = n
	}
}

// release is the release of the state.
func (s *state) release() *release.Generalized {
	nodes := make([]int32, s.in.Data.Occurrences())
	out := release.Local(s.tree, s.in.Data, nodes)
	out.Parts = make([]int32, s.in.Data.Len())
	for i := range s.in.Data.Len() {
		n := s.of[s.merged.Of[i]]
		out.Parts[i] = n
		for j, leaf := range s.in.Data.Tx(i) {
			if n != inCore {
				leaf = s.above(s.groups[n].labels, leaf)
			}
			nodes[s.in.Data.Start(i)+j] = leaf
		}
	}
	return out
}

// above is the lowest node of a group at or above a leaf.
func (s *state) above(labels []int32, u int32) int32 {
	for {
		if _, ok := slices.BinarySearch(labels, u); ok {
			return u
		}
		u = s.tree.Parent(u)
	}
}
