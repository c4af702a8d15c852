package verify

import (
	"context"
	"math/bits"
	"slices"
)

// negative checks knowledge of items that a person does not have (terrovitis-2011, section 5.1,
// corrected), on the release alone: for every set T of published nodes and every set N of leaves,
// together at most m, the lines that publish all of T and in which every node keeps an own leaf
// (see nesting) outside N number 0 or at least k. With l-diversity at most 1/l of them have any
// sensitive item.
//
// These are the lines that publish T and come from some original without the leaves of N: an
// original that has of every node one own leaf outside N is published so, and where a node keeps
// none, no original is.
//
// Knowledge of items that a person has and has not follows. Proof. Let J be the former, N the
// latter, and let the person's line publish J as T. The lines counted for T and N match the
// knowledge, too: each has an original without N, and adding the items of J to it changes no line,
// since T is at or above them all. They include the person's line, so they are at least k. No line
// is among them that publishes something above T in its place: those would be decoys.
//
// Diversity against J and N does not follow where a line publishes nodes below each other, as in
// [judgement.original]; it is looked at there for every J.
func (j *judgement) negative(ctx context.Context) error {
	if !j.in.Promise.NegativeKnowledge {
		return nil
	}
	p := j.in.Promise
	if j.sens == nil {
		p.L = 0
	}
	if j.in.MaySuppress {
		j.f.note("negative knowledge was checked as if every item of the hierarchy might be " +
			"published: it does not hold against somebody who knows which items are suppressed")
	}
	if n := j.in.Published.Len(); n > 0 && n < p.K {
		nothing := &witnesses{}
		nothing.add(nil, -1, n, p.K)
		j.f.breach(nothing.count, j.spell(nothing, KindKnowledge)...)
	}
	sets, err := j.ownSets(ctx)
	if err != nil {
		return err
	}
	if err := j.lacksNodes(ctx, sets); err != nil || !p.Diverse() || !j.nested {
		return err
	}
	items := j.newAdversary(p)
	items.about, items.ratiosOnly = hasItem, true
	items.statements = j.itemsAndNodes()
	return j.runNegative(ctx, items, j.lacked(sets))
}

// itemsAndNodes lists what a person may have, where items may be published as several nodes: such
// items, and for each of the others the node that it is published as.
func (j *judgement) itemsAndNodes() []statement {
	var out []statement
	used := j.in.Published.Supports()
	seen := make([]bool, len(used))
	for x := range int32(j.in.Tree.Leaves()) {
		u := j.lowestUsed(x, used)
		if u < 0 {
			continue
		}
		if up := j.in.Tree.Parent(u); up >= 0 && j.lowestUsed(up, used) >= 0 {
			out = append(out, statement{claim: claim(claimOf(x, hasItem))})
		} else if !seen[u] {
			seen[u] = true
			out = append(out, statement{claim: claim(claimOf(u, hasNode))})
		}
	}
	return out
}

// runNegative checks what an adversary knows who may also say what a person lacks. It refuses what
// would take too long.
func (j *judgement) runNegative(ctx context.Context, a *adversary, lacked []statement) error {
	a.mayBeNone = true
	a.statements = append(a.statements, lacked...)
	if steps := a.steps(); steps > j.limit {
		return tooMuch("negative knowledge cannot be checked against l-diversity where lines "+
			"publish items at several levels: %d statements (what a person has or has not), up "+
			"to %d at once, over %d transactions need %.2g steps, and the limit is %.2g; use a "+
			"global recoding, a smaller domain or a smaller m",
			len(a.statements), min(a.promise.M, len(a.statements)), j.in.Published.Len(), steps,
			j.limit)
	}
	a.fill(j)
	return j.run(ctx, a)
}

// ownLeaves is a set of own leaves of a node, of at most m, and the lines in which a node has just
// these: who lacks them all is none of these lines.
type ownLeaves struct {
	leaves []int32 // ascending
	found  []int32 // the lines, ascending
	lines  lineSet // the same, where statements are made of it
}

// lacked lists the statements that a person lacks an item, for the items that a set of at most m
// own leaves has: no other tells anything.
func (j *judgement) lacked(sets []*ownLeaves) []statement {
	var out []statement
	for _, x := range leavesIn(sets) {
		out = append(out, statement{claim: claim(claimOf(x, lacksItem))})
	}
	for _, s := range sets {
		s.lines = newLineSet(s.found, j.in.Published.Len())
		last := s.leaves[len(s.leaves)-1]
		at, _ := slices.BinarySearchFunc(out, last,
			func(s statement, x int32) int { return int(s.claim.node() - x) })
		out[at].lacks = append(out[at].lacks, s)
	}
	return out
}

// leavesIn are the leaves of all sets, ascending.
func leavesIn(sets []*ownLeaves) []int32 {
	var out []int32
	for _, s := range sets {
		out = append(out, s.leaves...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ownSets finds all sets of at most m own leaves, in the order of their first appearance.
func (j *judgement) ownSets(ctx context.Context) ([]*ownLeaves, error) {
	var out []*ownLeaves
	known := map[string]*ownLeaves{}
	n := newNesting(j.in.Tree)
	lines := j.in.Published.Cursor()
	var leaves []int32
	for i := range j.in.Published.Len() {
		if i%linesPerTask == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		n.arrange(lines.Tx(i))
		for at, own := range n.own {
			if own < 1 || own > j.in.Promise.M {
				continue
			}
			leaves = n.leavesOf(at, leaves[:0])
			id := key(leaves)
			s := known[id]
			if s == nil {
				s = &ownLeaves{leaves: slices.Clone(leaves)}
				known[id] = s
				out = append(out, s)
			}
			if len(s.found) == 0 || s.found[len(s.found)-1] != int32(i) {
				s.found = append(s.found, int32(i))
			}
		}
	}
	return out, nil
}

// without sets to to the lines of match that do not need an item of those that are lacked by now,
// and returns how many these are.
func (st *statement) without(to, match []uint64, knowledge []int32) int {
	copy(to, match)
	for _, s := range st.lacks {
		if s.lackedBut(st.claim.node(), knowledge) {
			s.lines.removeFrom(to)
		}
	}
	n := 0
	for _, w := range to {
		n += bits.OnesCount64(w)
	}
	return n
}

// lackedBut tells whether knowledge has that all leaves but x are lacked.
func (s *ownLeaves) lackedBut(x int32, knowledge []int32) bool {
	for _, y := range s.leaves {
		if y != x && !slices.Contains(knowledge, claimOf(y, lacksItem)) {
			return false
		}
	}
	return true
}
