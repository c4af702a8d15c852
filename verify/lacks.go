package verify

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"mingle/dataset"
)

// lacks checks what somebody knows who knows nodes that a person's line publishes and items that
// the person lacks, together at most m (see negative): one set T of nodes after the other, and for
// each the sets N of leaves that may break the promise with it.
//
// Nearly all N cannot. A line of T is excluded by N if some node of it has no own leaf outside N.
// So to each leaf of N add up, over the sets of own leaves with it, the lines of T in which a node
// has just these: N excludes no more lines than the sum of that. If the largest such sums of
// m - |T| leaves leave k lines, and l times as many as have any sensitive item, then every N does.
// Else N is put together from the heaviest leaf on, as long as what may follow can break the
// promise; what is left is counted line by line.
//
// What matters of T is found in a pass over its lines, so the work is that of counting sets of m
// nodes, where nothing is close to breaking the promise.
type lacks struct {
	in      KMInput
	k, l, m int
	lines   *dataset.Dataset
	owned   [][]int32        // by line: the sets of at most m own leaves of its nodes
	sets    []*ownLeaves     // these sets
	sens    *dataset.Dataset // nil: there are no sensitive items
	silent  []bool           // by line: no share is taken of it (see silent); nil: of all
	limit   float64
	steps   atomic.Int64 // words and lines that were looked at while sets N were put together
	counted atomic.Int64
}

// lacksNodes checks all T and N. If there is more to look at than the limit allows it refuses,
// whatever has been found: what that is depends on which worker stopped first.
func (j *judgement) lacksNodes(ctx context.Context, sets []*ownLeaves) error {
	p := j.in.Promise
	l := &lacks{
		in: j.in, k: p.K, l: p.L, m: p.M, lines: j.in.Published.Flat(), sets: sets, sens: j.sens,
		silent: j.silent(),
		owned:  make([][]int32, j.in.Published.Len()), limit: j.limit,
	}
	for id, s := range sets {
		for _, line := range s.found {
			l.owned[line] = append(l.owned[line], int32(id))
		}
	}
	w := &walk{
		ids: j.in.Tree.Nodes(), records: l.lines.Len(), record: l.lines.Tx,
		k: 1, most: p.M - 1, // what is rare was found among the sets of nodes
		look: func() look { return newLacker(ctx, l).look },
	}
	found, _, err := w.run(ctx, j.pool, "knowledge")
	if err != nil {
		return err
	}
	if l.exhausted() {
		return tooMuch("negative knowledge cannot be checked: more than %.2g steps would be "+
			"needed; use a smaller m", l.limit)
	}
	j.f.Itemsets += l.counted.Load()
	j.f.breach(found.count, j.spell(found, KindKnowledge)...)
	return nil
}

func (l *lacks) exhausted() bool { return float64(l.steps.Load()) > l.limit }

// lacker is one worker's state. What is by set, by leaf or by sensitive item is zero between looks.
type lacker struct {
	*lacks
	ctx   context.Context
	has   []int32   // claims: what the lines at hand publish
	rest  int       // how many leaves may be lacked beside
	count []int32   // by own set: the lines in which a node has just these
	met   []int32   // the sets that are counted
	sum   []int32   // by leaf: the sum of that over the sets with it
	heavy []int32   // the leaves that have one; heaviest first where it matters
	at    [][]int32 // by own set: where in the lines these are
	with  []int32   // by sensitive item: the lines that have it
	quiet int       // the silent lines at hand: they publish no node, so nothing excludes them
	told  []int32   // the sensitive items that are counted
	bits  [][]uint64
	match [][]uint64 // by how many leaves are lacked: the lines that are left
}

func newLacker(ctx context.Context, l *lacks) *lacker {
	a := &lacker{
		lacks: l, ctx: ctx,
		count: make([]int32, len(l.sets)), at: make([][]int32, len(l.sets)),
		sum: make([]int32, l.in.Tree.Leaves()),
	}
	if l.sens != nil {
		a.with = make([]int32, l.sens.Dict().Len())
		a.bits = make([][]uint64, l.sens.Dict().Len())
	}
	return a
}

// look looks at the sets N for one T, and tells whether to go on with what extends T.
func (a *lacker) look(found *witnesses, nodes []int32, in []holder) bool {
	if len(in) < a.k {
		return false // that is a breach already
	}
	if a.exhausted() {
		return false
	}
	a.rest = a.m - len(nodes)
	a.weigh(in)
	a.counted.Add(int64(len(a.heavy)))
	a.quiet = a.silentIn(in)
	need := a.need(a.mostWith(in))
	if slack := len(in) - need; slack >= 0 && a.mayExclude(slack) {
		a.has = a.has[:0]
		for _, u := range nodes {
			a.has = append(a.has, claimOf(u, hasNode))
		}
		a.locate(in)
		a.further(found, 0, len(in), need, 0)
		for _, id := range a.met {
			a.at[id] = a.at[id][:0]
		}
	}
	a.forget()
	return true
}

// need is how many lines must be left where so many of them have one sensitive item.
func (a *lacker) need(with int) int { return max(a.k, a.l*with+a.quiet) }

// silentIn is how many of some lines are silent.
func (a *lacker) silentIn(in []holder) (n int) {
	if a.silent == nil {
		return 0
	}
	for _, h := range in {
		if a.silent[h.record] {
			n++
		}
	}
	return n
}

// weigh counts the own sets of some lines that may be lacked, and adds up those of each leaf.
func (a *lacker) weigh(in []holder) {
	for _, h := range in {
		for _, id := range a.owned[h.record] {
			if len(a.sets[id].leaves) > a.rest {
				continue
			}
			if a.count[id] == 0 {
				a.met = append(a.met, id)
			}
			a.count[id]++
		}
	}
	for _, id := range a.met {
		for _, x := range a.sets[id].leaves {
			if a.sum[x] == 0 {
				a.heavy = append(a.heavy, x)
			}
			a.sum[x] += a.count[id]
		}
	}
}

// mayExclude tells whether leaves may be lacked that exclude more than so many lines. If so, the
// heaviest come first from now on.
func (a *lacker) mayExclude(lines int) bool {
	most := int32(0)
	for _, x := range a.heavy {
		most = max(most, a.sum[x])
	}
	if int(most)*min(a.rest, len(a.heavy)) <= lines {
		return false
	}
	slices.SortFunc(a.heavy, func(x, y int32) int {
		return cmp.Or(cmp.Compare(a.sum[y], a.sum[x]), cmp.Compare(x, y))
	})
	return a.heaviest(0, a.rest) > lines
}

// mostWith is in how many of some lines the most frequent sensitive item is.
func (a *lacker) mostWith(in []holder) int {
	if a.sens == nil {
		return 0
	}
	most := int32(0)
	for _, h := range in {
		for _, s := range a.sens.Tx(int(h.record)) {
			if a.with[s] == 0 {
				a.told = append(a.told, s)
			}
			a.with[s]++
			most = max(most, a.with[s])
		}
	}
	return int(most)
}

// heaviest is the sum of n leaves from the i-th heaviest on, or of all that there are.
func (a *lacker) heaviest(i, n int) (sum int) {
	for _, x := range a.heavy[i:min(i+n, len(a.heavy))] {
		sum += int(a.sum[x])
	}
	return sum
}

// locate finds in which of some lines the own sets, and the sensitive items, are.
func (a *lacker) locate(in []holder) {
	for _, s := range a.told {
		a.bits[s] = slices.Grow(a.bits[s][:0], (len(in)+63)/64)[:(len(in)+63)/64]
		clear(a.bits[s])
	}
	for n, h := range in {
		for _, id := range a.owned[h.record] {
			if a.count[id] > 0 {
				a.at[id] = append(a.at[id], int32(n))
			}
		}
		if a.sens != nil {
			for _, s := range a.sens.Tx(int(h.record)) {
				a.bits[s][n/64] |= 1 << (n % 64)
			}
		}
	}
	a.room(0)
	a.match[0] = onesIn(a.match[0], len(in))
}

func (a *lacker) room(depth int) {
	for len(a.match) <= depth {
		a.match = append(a.match, nil)
	}
}

// further lacks one leaf more, from the i-th heaviest on, and then others. So many lines are left
// by what is lacked already, and the promise needs so many of them.
func (a *lacker) further(found *witnesses, depth, left, need, i int) {
	for ; a.heaviest(i, a.rest-depth) > left-need; i++ {
		if a.ctx.Err() != nil || a.exhausted() {
			return
		}
		if depth > 0 { // one leaf beside nodes is counted already
			a.counted.Add(1)
		}
		x := a.heavy[i]
		a.has = append(a.has, claimOf(x, lacksItem))
		if n := a.exclude(depth, x); n > 0 && !a.breaks(found, depth, n) {
			a.further(found, depth+1, n, a.need(a.mostLeft(depth+1)), i+1)
		}
		a.has = a.has[:len(a.has)-1]
	}
}

// exclude leaves the lines that do not need leaf x, the last one that is lacked, and returns how
// many these are.
func (a *lacker) exclude(depth int, x int32) (left int) {
	a.room(depth + 1)
	to := append(a.match[depth+1][:0], a.match[depth]...)
	a.match[depth+1] = to
	steps := len(to)
	for _, id := range a.met {
		if s := a.sets[id]; slices.Contains(s.leaves, x) && s.lackedBut(x, a.has) {
			for _, n := range a.at[id] {
				to[n/64] &^= 1 << (n % 64)
			}
			steps += len(a.at[id])
		}
	}
	a.steps.Add(int64(steps + len(a.met)))
	for _, w := range to {
		left += bits.OnesCount64(w)
	}
	return left
}

// breaks files what too few lines are left by, or what tells a sensitive item.
func (a *lacker) breaks(found *witnesses, depth, left int) bool {
	if left < a.k {
		found.add(a.has, -1, left, a.k)
		return true
	}
	before, left := found.count, left-a.quiet
	for _, s := range a.told {
		if with := a.l * a.leftWith(depth+1, s); with > left {
			found.add(a.has, s, left, with)
		}
	}
	return found.count > before
}

// mostLeft is in how many of the lines that are left the most frequent sensitive item is.
func (a *lacker) mostLeft(depth int) (most int) {
	for _, s := range a.told {
		most = max(most, a.leftWith(depth, s))
	}
	return most
}

func (a *lacker) leftWith(depth int, s int32) (n int) {
	a.steps.Add(int64(len(a.bits[s])))
	for i, w := range a.bits[s] {
		n += bits.OnesCount64(w & a.match[depth][i])
	}
	return n
}

// forget makes what was counted zero again.
func (a *lacker) forget() {
	for _, id := range a.met {
		a.count[id] = 0
	}
	for _, x := range a.heavy {
		a.sum[x] = 0
	}
	for _, s := range a.told {
		a.with[s] = 0
	}
	a.met, a.heavy, a.told = a.met[:0], a.heavy[:0], a.told[:0]
}
