package verify

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"mingle/dataset"
	"mingle/privacy"
)

// original checks local recoding against an adversary who knows original items: for every set J of
// at most m items of an original transaction, at least k published transactions have each of them
// or a node above it.
//
// That follows from what was checked before. Proof. The published line of that transaction has, for
// each item of J, a node at or above it (lines.go). Choose one for each: a combination of at most m
// nodes that occurs, so at least k published transactions have it (itemsets.go), and each of them
// matches J. Where items may be missing, J may match nothing; if a line matches it, the same
// argument holds. On small data it is checked one by one nevertheless.
//
// Diversity against that adversary does not follow in the same way: the transactions that match J
// are a union over such choices, and shares of a union of overlapping sets can exceed those of
// each. It does follow when no line has a node and an ancestor of it, because then a line allows
// one choice only and the union is disjoint; see nestedDiversity.
func (j *judgement) original(ctx context.Context) error {
	if j.f.Recoding == "global" || j.in.Promise.NegativeKnowledge {
		// in a global recoding combinations of items are combinations of nodes; negative looks at
		// more
		return nil
	}
	p := j.in.Promise
	if j.sens == nil {
		p.L = 0
	}
	if j.in.Original != nil {
		a := j.adversary(p)
		if a.steps() <= j.limit {
			j.f.note("local recoding: knowledge of original items was checked one combination " +
				"after the other")
			return j.run(ctx, a)
		}
	}
	j.f.note("local recoding: that combinations of original items match no fewer than k " +
		"transactions follows from the published lines covering the original ones and from " +
		"their own combinations")
	switch {
	case p.Diverse() && j.sharesAddUp():
		j.f.note("local recoding: shares of persons with a sensitive item add up, whatever items " +
			"are known")
	case p.Persons && (p.Diverse() || p.PersonShare > 0 && j.nested):
		if err := j.checkUnions(ctx, plainly); err != nil {
			return err
		}
		j.f.note("local recoding: shares of persons were counted for all items that may be known " +
			"and could break them")
	case p.Diverse() && j.nested:
		return j.nestedDiversity(ctx, p)
	}
	return nil
}

// nestedDiversity checks diversity against knowledge of original items where lines have nodes and
// ancestors of them. A line matches J exactly when its topmost nodes do. Those are an antichain, so
// what matches J is a disjoint union over combinations of topmost nodes: if each of these is
// diverse, so is the union. That is sufficient, and quick; where it fails, the unions below what
// fails are looked at (unions.go).
func (j *judgement) nestedDiversity(ctx context.Context, p privacy.KM) error {
	p.K = 1 // support has been checked, and the search must not end at what is rare
	found, _, err := checkItemsets(ctx, j.pool, topmost(j.in), j.sens, p)
	if err != nil || found.count == 0 {
		return err
	}
	return j.checkUnions(ctx, plainly)
}

// topmost is the published data without the nodes that stand below another of the same line.
func topmost(in KMInput) *dataset.Dataset {
	b := dataset.NewBuilder(in.Published.Dict())
	has := make([]int, in.Tree.Nodes())
	var tx []int32
	lines := in.Published.Cursor()
	for i := range in.Published.Len() {
		for _, u := range lines.Tx(i) {
			has[u] = i + 1
		}
		tx = tx[:0]
		for _, u := range lines.Tx(i) {
			a := in.Tree.Parent(u)
			for a >= 0 && has[a] != i+1 {
				a = in.Tree.Parent(a)
			}
			if a < 0 {
				tx = append(tx, u)
			}
		}
		b.Add(tx)
	}
	return b.Build()
}

// claim is what is said of a person: a node, and what of it.
type claim int32

// What is claimed of a node: that the person has the item (a leaf), has it not, or has something
// that is published as the node.
const (
	hasItem = iota
	lacksItem
	hasNode
	claims // how many there are

	anything = -1
)

func claimOf(node int32, what int) int32 { return node*claims + int32(what) }

func (c claim) node() int32 { return int32(c) / claims }
func (c claim) what() int   { return int(c) % claims }

// adversary is someone who makes statements about a person, and what published lines match them.
type adversary struct {
	promise    privacy.KM
	mayBeNone  bool // knowledge may match nothing at all
	ratiosOnly bool // support is not looked at
	about      int  // knowledge without such a claim was looked at before; anything: it was not
	statements []statement
	words      int        // of a bit set of published lines
	all        []uint64   // all original transactions; nil: they are not looked at
	published  []uint64   // all published lines
	sensitive  [][]uint64 // by sensitive item: the published lines that have it
	person     []int32    // of each published line; nil: lines are counted, not persons
}

// statement is what is claimed of a person. Statements that the person has something come before
// those of what is lacked.
type statement struct {
	claim claim
	true_ []uint64     // original transactions of which it is true; nil: they are not looked at
	match []uint64     // published lines that match it; nil: lacks says which do not
	lacks []*ownLeaves // where an item is lacked: the sets of own leaves of which it is the last
}

// knowledgeLimit bounds the check of all knowledge one by one: combinations times 64-transaction
// words. bitsetLimit bounds the words of one bit set of each statement: three of each are 48 MB.
const (
	knowledgeLimit = 4e9
	bitsetLimit    = 1 << 21
)

// steps estimates the work: combinations times words. It is without end where the bit sets would be
// too large.
func (a *adversary) steps() float64 {
	n, total := len(a.statements), 0.0
	if float64(n)*float64(a.words) > bitsetLimit {
		return math.Inf(1)
	}
	combinations := 1.0
	for i := 1; i <= min(a.promise.M, n) && !math.IsInf(total, 1); i++ {
		combinations *= float64(n-i+1) / float64(i)
		total += combinations
	}
	return total * float64(a.words+len(a.all)+len(a.sensitive)*a.words)
}

// adversary lists statements about items that a person of the original has. Bit sets are made only
// when they are few enough to be used.
func (j *judgement) adversary(p privacy.KM) *adversary {
	in := j.in
	a := j.newAdversary(p)
	a.mayBeNone = in.MaySuppress
	a.all = ones(in.Original.Len())
	for x, n := range in.Original.Supports() {
		if n > 0 {
			a.statements = append(a.statements, statement{claim: claim(claimOf(int32(x), hasItem))})
		}
	}
	if a.steps() > j.limit {
		return a
	}
	a.fill(j)
	items := tids(in.Original, in.Tree.Leaves())
	for i := range a.statements {
		s := &a.statements[i]
		s.true_ = bitset(in.Original.Len())
		union(s.true_, items[s.claim.node()])
	}
	return a
}

// newAdversary is one without statements.
func (j *judgement) newAdversary(p privacy.KM) *adversary {
	n := j.in.Published.Len()
	a := &adversary{
		promise: p, about: anything, published: ones(n), words: (n + 63) / 64, person: j.person,
	}
	if p.Diverse() {
		a.sensitive = make([][]uint64, j.sens.Dict().Len())
	}
	return a
}

// lowestUsed is the lowest node in use at or above an item, or -1.
func (j *judgement) lowestUsed(x int32, used []int) int32 {
	for x >= 0 && used[x] == 0 {
		x = j.in.Tree.Parent(x)
	}
	return x
}

// fill makes the bit sets of the published lines that match what a person has.
func (a *adversary) fill(j *judgement) {
	nodes := tids(j.in.Published, j.in.Tree.Nodes())
	if a.sensitive != nil {
		a.sensitive = tids(j.sens, j.sens.Dict().Len())
	}
	for i := range a.statements {
		s := &a.statements[i]
		u := s.claim.node()
		switch s.claim.what() {
		case hasNode:
			s.match = nodes[u]
		case hasItem:
			s.match = bitset(j.in.Published.Len())
			for ; u >= 0; u = j.in.Tree.Parent(u) {
				union(s.match, nodes[u])
			}
		}
	}
}

// run checks all knowledge of at most m statements.
func (j *judgement) run(ctx context.Context, a *adversary) error {
	found, err := j.search(ctx, a)
	j.f.breach(found.count, j.spell(found, KindKnowledge)...)
	return err
}

// search finds what knowledge of at most m statements breaks, first statements in parallel.
func (j *judgement) search(ctx context.Context, a *adversary) (*witnesses, error) {
	seekers := make([]*seeker, j.pool.workers)
	for i := range seekers {
		seekers[i] = &seeker{adversary: a, ctx: ctx}
	}
	err := j.pool.run(ctx, "knowledge", len(a.statements), func(worker, i int) {
		seekers[worker].add(nil, a.all, a.published, i)
	})
	found := &witnesses{}
	for _, s := range seekers {
		found.merge(&s.found)
		j.f.Itemsets += s.counted
	}
	return found, err
}

// seeker is one worker's state.
type seeker struct {
	*adversary
	ctx     context.Context
	found   witnesses
	counted int64
	truths  [][]uint64
	matches [][]uint64
	some    []int32 // working space of last
	stamps
}

// add checks the knowledge with statement i more, and everything beyond it with later statements.
func (s *seeker) add(knowledge []int32, truth, match []uint64, i int) {
	st := &s.statements[i]
	lacks := st.claim.what() == lacksItem
	if s.ctx.Err() != nil || lacks && slices.Contains(knowledge,
		claimOf(st.claim.node(), hasItem)) {
		return // to have and not to have an item is not knowledge
	}
	depth := len(knowledge)
	for len(s.matches) <= depth {
		s.matches = append(s.matches, make([]uint64, s.words))
		s.truths = append(s.truths, make([]uint64, len(s.all)))
	}
	t := s.truths[depth]
	if s.all != nil && meet(t, truth, st.true_) == 0 {
		return // nobody knows this, nor anything beyond it
	}
	m := s.matches[depth]
	var n int
	if lacks {
		n = st.without(m, match, knowledge)
	} else {
		n = meet(m, match, st.match)
	}
	if n == 0 && s.mayBeNone {
		return
	}
	s.counted++
	knowledge = append(slices.Clip(knowledge), int32(st.claim))
	support := n
	if s.person != nil {
		support = s.personsIn(m, nil, s.person)
	}
	if s.isNew(knowledge) {
		if support < s.promise.K && !s.ratiosOnly {
			w := witness{nodes: knowledge, beside: -1, support: support, needed: s.promise.K}
			if s.person != nil {
				w.of = ofPersons
			}
			s.found.file(w)
			return
		}
		s.ratios(knowledge, m, n)
		if s.person != nil {
			s.ratiosOfPersons(knowledge, m, support)
			s.shareOfOne(knowledge, m, n)
		}
	} else if support < s.promise.K {
		return
	}
	switch {
	case len(knowledge) == s.promise.M-1 && s.onlySupports():
		s.last(knowledge, t, m, i+1)
	case len(knowledge) < s.promise.M:
		for next := i + 1; next < len(s.statements); next++ {
			s.add(knowledge, t, m, next)
		}
	}
}

// isNew tells whether knowledge was not looked at before.
func (s *seeker) isNew(knowledge []int32) bool {
	return s.about == anything || slices.ContainsFunc(knowledge, func(code int32) bool {
		return claim(code).what() == s.about
	})
}

func (s *seeker) ratios(knowledge []int32, match []uint64, n int) {
	for item, has := range s.sensitive {
		with := 0
		for i, w := range has {
			with += bits.OnesCount64(w & match[i])
		}
		if with*s.promise.L > n {
			s.found.add(knowledge, int32(item), n, with*s.promise.L)
		}
	}
}
