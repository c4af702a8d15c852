package global

// Optimal anonymization: terrovitis-2008, Algorithm 2.
//
// Breadth-first over the lattice of cuts from no generalization upwards; a cut that keeps the
// promise is a candidate and its ancestors, which lose no less, are not looked at.
//
// Deviations. A cut that loses more than the best candidate is passed over, as is one that leaves a
// known rare itemset as it was: support never falls when nodes are lifted, so below the nodes of a
// rare itemset something rare stays. Neither changes the result. Time is exponential in the domain;
// Algorithm refuses a lattice of more than MaxCuts cuts.

import (
	"context"
	"math/big"
	"slices"

	"mingle/anonymize"
	"mingle/hierarchy"
	"mingle/privacy"
	"mingle/release"
)

// OA is the optimal algorithm for small domains, the reference for the others.
type OA struct {
	// MaxCuts is the largest lattice it works on; 0 means 5,000,000. A cut visited takes some tens
	// of bytes.
	MaxCuts int64
}

// Name is "oa".
func (OA) Name() string { return "oa" }

// Cuts is the size of a hierarchy's lattice: the number of its cuts.
func Cuts(t *hierarchy.Tree) *big.Int {
	below := make([]*big.Int, t.Nodes())
	for u := range int32(t.Nodes()) {
		below[u] = big.NewInt(1)
		if t.IsLeaf(u) {
			continue
		}
		for _, c := range t.Children(u) {
			below[u].Mul(below[u], below[c])
		}
		below[u].Add(below[u], big.NewInt(1))
	}
	return below[t.Root()]
}

// Traits implements anonymize.Algorithm.
func (OA) Traits() anonymize.Traits { return anonymize.Traits{Persons: true} }

// Anonymize implements anonymize.Algorithm.
func (a OA) Anonymize(ctx context.Context, in anonymize.Input) (*release.Generalized, error) {
	return anonymize.Solve(ctx, in, a)
}

// Solve implements anonymize.Solver. A lattice that is too large is an error that gives its size.
func (a OA) Solve(ctx context.Context, p *anonymize.Problem) (*release.Generalized, error) {
	in := p.Input
	start, err := newState(p)
	if err != nil {
		return nil, err
	}
	limit := a.MaxCuts
	if limit == 0 {
		limit = 5_000_000
	}
	if size := Cuts(in.Tree); size.Cmp(big.NewInt(limit)) > 0 {
		return nil, privacy.Infeasiblef("oa would have to look at %s cuts and takes at most %d: choose exact, which finds the same optimum on large domains, or aa",
			shortInt(size), limit)
	}
	s := &lattice{state: start, in: in, seen: map[string]bool{}}
	if err := s.search(ctx); err != nil {
		return nil, err
	}
	if s.best == nil {
		return nil, privacy.Infeasiblef("no cut of the hierarchy keeps %v", in.Promise)
	}
	cut, err := hierarchy.NewCut(in.Tree, s.best.nodes(in.Tree))
	if err != nil {
		return nil, err
	}
	return release.Global(in.Data, cut), nil
}

func shortInt(n *big.Int) string {
	if n.BitLen() <= 50 {
		return n.String()
	}
	return new(big.Float).SetInt(n).Text('e', 2)
}

// point is a cut of the lattice: for each inner node, whether the cut is at it or above it. A node
// is lifted only after all inner nodes below it.
type point struct {
	lifted []bool // by node id less the number of leaves
	loss   int64
	leaves int // generalized ones
}

func (p *point) nodes(t *hierarchy.Tree) []int32 {
	var out []int32
	for u := range int32(t.Nodes()) {
		up := t.Parent(u)
		at := t.IsLeaf(u) || p.lifted[int(u)-t.Leaves()]
		if at && (up < 0 || !p.lifted[int(up)-t.Leaves()]) {
			out = append(out, u)
		}
	}
	return out
}

func (p *point) key() string {
	b := make([]byte, (len(p.lifted)+7)/8)
	for i, l := range p.lifted {
		if l {
			b[i/8] |= 1 << (i % 8)
		}
	}
	return string(b)
}

// lattice is the search under way.
type lattice struct {
	*state
	in    anonymize.Input
	seen  map[string]bool
	known [][]int32 // rare itemsets found so far
	best  *point
}

func (s *lattice) search(ctx context.Context) error {
	bottom := &point{lifted: make([]bool, s.tree.Nodes()-s.tree.Leaves())}
	for level := []*point{bottom}; len(level) > 0; {
		var up []*point
		for _, p := range level {
			s.in.Report("cuts", int64(len(s.seen)), 0)
			ok, err := s.consider(ctx, p)
			if err != nil {
				return err
			}
			if !ok {
				up = append(up, s.ancestors(p)...)
			}
		}
		level = up
	}
	return nil
}

// consider tells whether the search need not go above p, and keeps p if it is the best cut so far.
func (s *lattice) consider(ctx context.Context, p *point) (done bool, err error) {
	if s.best != nil && !better(p, s.best, s.tree) {
		return true, nil
	}
	cut, err := hierarchy.NewCut(s.tree, p.nodes(s.tree))
	if err != nil {
		return false, err
	}
	for _, rare := range s.known {
		if !slices.ContainsFunc(rare, func(u int32) bool { return !cut.Alive(u) }) {
			return false, nil
		}
	}
	ok, err := s.keeps(ctx, cut)
	if ok {
		s.best = p
	}
	return ok, err
}

// better is the order of candidates: by loss, then by generalized leaves, then by the nodes of the
// cut.
func better(a, b *point, t *hierarchy.Tree) bool {
	if a.loss != b.loss {
		return a.loss < b.loss
	}
	if a.leaves != b.leaves {
		return a.leaves < b.leaves
	}
	return slices.Compare(a.nodes(t), b.nodes(t)) < 0
}

// keeps tells whether a cut keeps the promise, and remembers a rare itemset if not.
func (s *lattice) keeps(ctx context.Context, cut *hierarchy.Cut) (bool, error) {
	ok := true
	err := s.exposed(ctx, s.in, cut, s.in.Promise.M, func(kn knowledge) bool {
		if kn.published == len(kn.nodes) && len(kn.told) == 0 &&
			!s.index.AtLeast(kn.nodes, s.in.Promise.K) {
			s.remember(kn.nodes)
		}
		ok = false
		return false
	})
	return ok, err
}

// remember keeps a rare itemset, lifted as far as it stays rare: the higher it is, the more cuts it
// rules out.
func (s *lattice) remember(set []int32) {
	rare := slices.Clone(set)
	for i := range rare {
		for {
			u := rare[i]
			up := s.tree.Parent(u)
			if up < 0 || slices.ContainsFunc(rare,
				func(v int32) bool { return v != u && s.tree.Covers(up, v) }) {
				break
			}
			rare[i] = up
			if s.index.AtLeast(rare, s.in.Promise.K) {
				rare[i] = u
				break
			}
		}
	}
	s.known = append(s.known, rare)
}

// ancestors are the immediate ancestors of p that were not met yet.
func (s *lattice) ancestors(p *point) []*point {
	var out []*point
	for i, lifted := range p.lifted {
		u := int32(i + s.tree.Leaves())
		if lifted || slices.ContainsFunc(s.tree.Children(u), func(c int32) bool {
			return !s.tree.IsLeaf(c) && !p.lifted[int(c)-s.tree.Leaves()]
		}) {
			continue
		}
		q := s.liftPoint(p, u)
		if id := q.key(); !s.seen[id] {
			s.seen[id] = true
			out = append(out, q)
		}
	}
	return out
}

func (s *lattice) liftPoint(p *point, u int32) *point {
	q := &point{lifted: slices.Clone(p.lifted), loss: p.loss + s.loss[u], leaves: p.leaves}
	q.lifted[int(u)-s.tree.Leaves()] = true
	for _, c := range s.tree.Children(u) {
		q.loss -= s.loss[c]
		if s.tree.IsLeaf(c) {
			q.leaves++
		}
	}
	return q
}
