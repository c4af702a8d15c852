package verify

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"mingle/dataset"
	"mingle/privacy"
)

// knowledgeLimit bounds the check of all knowledge one by one: combinations times 64-transaction words.
const knowledgeLimit = 4e9

// original checks local recoding against an adversary who knows original items: for every set J of at most m items of an
// original transaction, at least k published transactions have each of them or a node above it.
//
// That follows from what was checked before. Proof. The published line of that transaction has, for each item of J, a
// node at or above it (lines.go). Choose one for each: a combination of at most m nodes that occurs, so at least k
// published transactions have it (itemsets.go), and each of them matches J. Where items may be missing, J may match
// nothing; if a line matches it, the same argument holds. On small data it is checked one by one nevertheless.
//
// Diversity against that adversary does not follow in the same way: the transactions that match J are a union over
// such choices, and shares of a union of overlapping sets can exceed those of each. It does follow when no line has a
// node and an ancestor of it, because then a line allows one choice only and the union is disjoint; see nestedDiversity.
func (j *judgement) original(ctx context.Context) error {
	if j.f.Recoding == "global" || j.in.Promise.NegativeKnowledge {
		return nil // in a global recoding combinations of items are combinations of nodes; negative looks at all knowledge
	}
	p := j.in.Promise
	if j.sens == nil {
		p.L = 0
	}
	if j.in.Original != nil {
		a := j.adversary(p, false)
		if a.cost() <= j.limit {
			j.note("local recoding: knowledge of original items was checked one combination after the other")
			return j.run(ctx, a)
		}
	}
	j.note("local recoding: that combinations of original items match no fewer than k transactions follows from the published lines covering the original ones and from their own combinations")
	if p.Diverse() && j.nested {
		return j.nestedDiversity(ctx, p)
	}
	return nil
}

// nestedDiversity checks diversity against knowledge of original items where lines have nodes and ancestors of them.
// A line matches J exactly when its topmost nodes do. Those are an antichain, so what matches J is a disjoint union over
// combinations of topmost nodes: if each of these is diverse, so is the union. That is sufficient, and quick; where it
// fails, knowledge is checked one by one.
func (j *judgement) nestedDiversity(ctx context.Context, p privacy.KM) error {
	p.K = 1 // support has been checked, and the search must not end at what is rare
	found, _, err := checkItemsets(ctx, j.crew, topmost(j.in), j.sens, p)
	if err != nil || found.count == 0 {
		return err
	}
	a := j.adversary(j.in.Promise, false)
	if cost := a.cost(); cost > j.limit {
		return fmt.Errorf("diversity against knowledge of original items cannot be checked: some lines publish items at several levels, and %.2g steps would be needed (the limit is %.2g)", cost, j.limit)
	}
	return j.run(ctx, a)
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

// negative checks knowledge of items that a person has or has not (terrovitis-2011, section 5.1): knowledge that some
// original transaction satisfies is matched by no published transaction or by at least k.
//
// A published node above an item does not exclude that item. So a negated item is knowledge only where the item is
// published as itself: the negation of any other matches every published transaction, and leaving it out gives smaller
// knowledge that matches the same. What may be left then is no knowledge at all, which matches everybody.
func (j *judgement) negative(ctx context.Context) error {
	if !j.in.Promise.NegativeKnowledge {
		return nil
	}
	p := j.in.Promise
	if j.sens == nil {
		p.L = 0
	}
	a := j.adversary(p, true)
	if cost := a.cost(); cost > j.limit {
		return fmt.Errorf("negative knowledge cannot be checked: %d statements (items a person has or has not), up to %d at once, over %d transactions need %.2g steps, and the limit is %.2g; use a smaller domain or a smaller m",
			len(a.statements), min(p.M, len(a.statements)), j.in.Published.Len(), cost, j.limit)
	}
	if j.in.Original == nil {
		j.note("negative knowledge was checked without the original: every combination of statements counts as knowledge somebody may have")
	}
	if n := j.in.Published.Len(); n > 0 && n < p.K {
		nothing := &shelf{}
		nothing.add(nil, -1, n, p.K)
		j.breach(nothing.count, j.spell(nothing, KindKnowledge)...)
	}
	return j.run(ctx, a)
}

// adversary is someone who makes statements about items, and what they match.
type adversary struct {
	promise    privacy.KM
	mayBeNone  bool // knowledge may match nothing at all
	statements []statement
	all        []uint64   // all original transactions; nil: the original is not given
	published  []uint64   // all published transactions
	sensitive  [][]uint64 // by sensitive item: the published transactions that have it
}

// statement is that a person has an item, or has it not.
type statement struct {
	code  int32    // 2*item, plus 1 when negated
	true_ []uint64 // original transactions of which it is true; nil: the original is not given
	match []uint64 // published transactions that match it
}

func bitset(n int) []uint64 { return make([]uint64, (n+63)/64) }

func ones(n int) []uint64 {
	b := bitset(n)
	for i := range n {
		b[i/64] |= 1 << (i % 64)
	}
	return b
}

// cost estimates the work: combinations times words.
func (a *adversary) cost() float64 {
	n, total := len(a.statements), 0.0
	combinations := 1.0
	for i := 1; i <= min(a.promise.M, n) && !math.IsInf(total, 1); i++ {
		combinations *= float64(n-i+1) / float64(i)
		total += combinations
	}
	return total * float64(len(a.published)+len(a.all)+len(a.sensitive)*len(a.published))
}

// adversary lists the statements. Bit sets are made only when they are few enough to be used.
func (j *judgement) adversary(p privacy.KM, negative bool) *adversary {
	in := j.in
	a := &adversary{promise: p, mayBeNone: in.MaySuppress || negative || in.Original == nil, published: ones(in.Published.Len())}
	if in.Original != nil {
		a.all = ones(in.Original.Len())
	}
	if p.Diverse() {
		a.sensitive = make([][]uint64, j.sens.Dict().Len())
	}
	used := in.Published.Supports()
	for _, x := range j.knowable(used) {
		a.statements = append(a.statements, statement{code: 2 * x})
		if negative && used[x] > 0 {
			a.statements = append(a.statements, statement{code: 2*x + 1})
		}
	}
	if a.cost() <= j.limit {
		a.fill(j)
	}
	return a
}

// knowable are the items that statements can be about: those of the original or, without it, one for each published node
// that is the lowest above some item. Items with the same lowest node in use match the same transactions.
func (j *judgement) knowable(used []int) []int32 {
	var items []int32
	if j.in.Original != nil {
		for x, n := range j.in.Original.Supports() {
			if n > 0 || used[x] > 0 {
				items = append(items, int32(x))
			}
		}
		return items
	}
	seen := make([]bool, len(used))
	for x := range int32(j.in.Tree.Leaves()) {
		u := x
		for u >= 0 && used[u] == 0 {
			u = j.in.Tree.Parent(u)
		}
		if u >= 0 && !seen[u] {
			seen[u] = true
			items = append(items, x)
		}
	}
	return items
}

// fill makes the bit sets.
func (a *adversary) fill(j *judgement) {
	nodes := tids(j.in.Published, j.in.Tree.Nodes())
	var items [][]uint64
	if j.in.Original != nil {
		items = tids(j.in.Original, j.in.Tree.Leaves())
	}
	if a.sensitive != nil {
		a.sensitive = tids(j.sens, j.sens.Dict().Len())
	}
	for i := range a.statements {
		s := &a.statements[i]
		x := s.code >> 1
		s.match = bitset(j.in.Published.Len())
		if s.code&1 == 1 {
			complement(s.match, a.published, nodes[x])
		} else {
			for u := x; u >= 0; u = j.in.Tree.Parent(u) {
				union(s.match, nodes[u])
			}
		}
		if items != nil {
			s.true_ = bitset(j.in.Original.Len())
			if s.code&1 == 1 {
				complement(s.true_, a.all, items[x])
			} else {
				union(s.true_, items[x])
			}
		}
	}
}

// tids are the transactions of each item; nil for an item of none.
func tids(d *dataset.Dataset, n int) [][]uint64 {
	out := make([][]uint64, n)
	for i := range d.Len() {
		for _, u := range d.Tx(i) {
			if out[u] == nil {
				out[u] = bitset(d.Len())
			}
			out[u][i/64] |= 1 << (i % 64)
		}
	}
	return out
}

func union(to, b []uint64) {
	for i, w := range b {
		to[i] |= w
	}
}

func complement(to, all, b []uint64) {
	copy(to, all)
	for i, w := range b {
		to[i] &^= w
	}
}

// meet sets to to the intersection and returns its size.
func meet(to, a, b []uint64) int {
	n := 0
	for i, w := range a {
		to[i] = w & b[i]
		n += bits.OnesCount64(to[i])
	}
	return n
}

// run checks all knowledge of at most m statements, first statements in parallel.
func (j *judgement) run(ctx context.Context, a *adversary) error {
	seekers := make([]*seeker, j.crew.workers)
	for i := range seekers {
		seekers[i] = &seeker{adversary: a, ctx: ctx}
	}
	err := j.crew.run(ctx, "knowledge", len(a.statements), func(worker, i int) {
		seekers[worker].add(nil, a.all, a.published, i)
	})
	found := &shelf{}
	for _, s := range seekers {
		found.merge(&s.found)
		j.f.Itemsets += s.counted
	}
	j.breach(found.count, j.spell(found, KindKnowledge)...)
	return err
}

// seeker is one worker's state.
type seeker struct {
	*adversary
	ctx     context.Context
	found   shelf
	counted int64
	truths  [][]uint64
	matches [][]uint64
}

// add checks the knowledge with statement i more, and everything beyond it with later statements.
func (s *seeker) add(knowledge []int32, truth, match []uint64, i int) {
	st := &s.statements[i]
	if n := len(knowledge); n > 0 && knowledge[n-1]>>1 == st.code>>1 || s.ctx.Err() != nil {
		return // to have and not to have an item is not knowledge
	}
	depth := len(knowledge)
	for len(s.matches) <= depth {
		s.matches = append(s.matches, make([]uint64, len(s.published)))
		s.truths = append(s.truths, make([]uint64, len(s.all)))
	}
	t := s.truths[depth]
	if s.all != nil && meet(t, truth, st.true_) == 0 {
		return // nobody knows this, nor anything beyond it
	}
	m := s.matches[depth]
	n := meet(m, match, st.match)
	if n == 0 && s.mayBeNone {
		return
	}
	s.counted++
	knowledge = append(slices.Clip(knowledge), st.code)
	if n < s.promise.K {
		s.found.add(knowledge, -1, n, s.promise.K)
		return
	}
	s.ratios(knowledge, m, n)
	if len(knowledge) < s.promise.M {
		for next := i + 1; next < len(s.statements); next++ {
			s.add(knowledge, t, m, next)
		}
	}
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
