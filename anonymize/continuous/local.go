// Local: top-down local recoding of bags of numbers by splitting ranges, record by record. It is
// not in the paper.
//
// Every occurrence is published as a range, first a wide one. A range is split in two where that
// saves most; the records that hold it publish its parts instead, except those for which that
// would make a bag of at most m published terms rare: they stay behind with the wide range. Which
// ones is found by peeling (see exchange.go), as for k-cores. Every step leaves every bag of at
// most m published terms that occurs in at least k records, so the release is valid at any moment,
// and it never loses more than the recoding it started from.
//
// Published terms of different records overlap: the promise is on what is published, term by term
// (condition (a) for local recoding). It starts from one range over the domain; should that end
// with more loss than acd has, it starts anew from the result of acd, so that it never loses more.
//
// Complexity: each split of a range visits the bags of at most m terms, with that range among
// them, of the records that hold it. Memory: 8 bytes for each bag of at most m-1 other terms of
// these records, record by record. Both are bounded (see bounds.go): a range that would take more
// is left as it is.

package continuous

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"

	"mingle/anonymize"
	"mingle/dataset/bag"
	"mingle/internal/par"
	"mingle/release"
)

// local is top-down local recoding.
func (in Input) local(ctx context.Context) (*release.Ranges, error) {
	top := newSegments(in.Data)
	if n := top.values(); n > 0 {
		top.merge(span{0, n - 1})
	}
	best, cut, err := in.besideACD(ctx, top)
	if err != nil {
		return nil, err
	}
	start := newSegments(in.Data)
	for lo := int32(0); lo < start.values(); {
		hi := lo
		for hi+1 < start.values() && cut.Map[hi+1] == cut.Map[lo] {
			hi++
		}
		start.merge(span{lo, hi})
		lo = hi + 1
	}
	other := newLocal(in, start)
	if best.loss() <= other.loss() {
		return best.release(), nil
	}
	if err := other.run(ctx); err != nil {
		return nil, err
	}
	return other.release(), nil
}

// besideACD specialises from some ranges and runs acd, side by side where there are workers for it.
// Of acd it is told how far it is once the other has ended.
func (in Input) besideACD(
	ctx context.Context, from *segments,
) (*recoding, *release.Ranges, error) {
	var cut *release.Ranges
	var turn sync.Mutex
	ended := false
	quiet := in
	if in.Progress != nil {
		quiet.Progress = func(p anonymize.Progress) {
			turn.Lock()
			defer turn.Unlock()
			if ended {
				in.Progress(p)
			}
		}
	}
	l := newLocal(in, from)
	err := par.Each(ctx, min(2, par.Workers(in.Workers)), 2,
		func(ctx context.Context, i int) (err error) {
			if i == 1 {
				cut, err = quiet.acd(ctx)
				return err
			}
			err = l.run(ctx)
			turn.Lock()
			defer turn.Unlock()
			ended = true
			return err
		})
	return l, cut, err
}

// recoding is a local recoding under way.
type recoding struct {
	in   Input
	data *bag.Bags
	seg  *segments // positions and losses of values; its segments are where the recoding started
	k, m int

	spans   []span  // of the nodes; node ids are in the order of creation
	node    []int32 // of every occurrence
	holders [][]int32
	tries   []int // by node: splits that have been tried

	// How far it is: every occurrence is divided as often as halving the values would take, or
	// ends before. By node: how often its occurrences were divided, and how many it has.
	depth, times []int
	levels, done int

	bounds   bounds
	near     beside   // of the node that is divided
	exchange exchange // the same
	numbers  *numbers
}

func newLocal(in Input, seg *segments) *recoding {
	l := &recoding{
		in: in, data: in.Data, seg: seg, k: in.Promise.K, m: in.size(),
		node: make([]int32, in.Data.Occurrences()), numbers: newNumbers(),
		levels: bits.Len(uint(seg.values())), bounds: in.bounds(),
	}
	id := make([]int32, seg.values())
	for _, sp := range seg.all() {
		n := l.add(sp, 0)
		for v := sp.lo; v <= sp.hi; v++ {
			id[v] = n
		}
	}
	for i := range l.data.Len() {
		for pos := l.data.Start(i); pos < l.data.Start(i+1); pos++ {
			n := id[l.data.Items()[pos]]
			l.node[pos] = n
			l.hold(n, int32(i))
		}
	}
	return l
}

func (l *recoding) add(sp span, depth int) int32 {
	l.spans = append(l.spans, sp)
	l.holders = append(l.holders, nil)
	l.tries = append(l.tries, 0)
	l.depth, l.times = append(l.depth, depth), append(l.times, 0)
	return int32(len(l.spans) - 1)
}

// hold notes that a record, the same or a later one, has a node once more.
func (l *recoding) hold(node, rec int32) {
	l.times[node]++
	if h := l.holders[node]; len(h) == 0 || h[len(h)-1] != rec {
		l.holders[node] = append(h, rec)
	}
}

// loss is the NCP of the recoding.
func (l *recoding) loss() float64 {
	sum := 0.0
	for _, n := range l.node {
		sum += l.seg.width(l.spans[n])
	}
	return sum
}

func (l *recoding) release() *release.Ranges {
	terms := make([]bag.Term, len(l.spans))
	for i, sp := range l.spans {
		terms[i] = bag.Term{Lo: l.data.Terms()[sp.lo].Lo, Hi: l.data.Terms()[sp.hi].Lo}
	}
	out := release.LocalRanges(l.data, terms, l.node)
	out.Warnings = l.bounds.warnings()
	return out
}

// maxTries is how often a node is split anew for the records that stayed behind.
const maxTries = 6

// run splits nodes, those of the largest loss first in each round, until no split changes anything.
func (l *recoding) run(ctx context.Context) error {
	var todo []int32
	for n := range l.spans {
		todo = append(todo, int32(n))
	}
	for len(todo) > 0 {
		var next []int32
		l.byLoss(todo)
		for _, n := range todo {
			l.in.report("splitting ranges record by record",
				int64(l.done), int64(l.levels*len(l.node)))
			parts, err := l.split(ctx, n)
			if err != nil {
				return err
			}
			if !slices.Contains(parts, n) {
				l.done += l.times[n] * max(0, l.levels-l.depth[n])
			}
			next = append(next, parts...)
		}
		todo = next
	}
	return nil
}

func (l *recoding) byLoss(nodes []int32) {
	loss := map[int32]float64{}
	for _, n := range nodes {
		loss[n] = l.seg.width(l.spans[n]) * float64(len(l.holders[n]))
	}
	slices.SortFunc(nodes, func(a, b int32) int {
		return cmp.Or(cmp.Compare(loss[b], loss[a]), int(a-b))
	})
}

// split divides a node at the first of its cuts where that changes anything, and returns the nodes
// to go on with.
func (l *recoding) split(ctx context.Context, n int32) ([]int32, error) {
	if l.spans[n].lo == l.spans[n].hi || len(l.holders[n]) == 0 {
		return nil, nil
	}
	values, times := l.valuesOf(n)
	cuts := l.cuts(values)
	if len(cuts) == 0 || !l.bounds.allow(l.bagsBeside(n, times)) {
		return nil, nil
	}
	if err := l.standBeside(ctx, n); err != nil {
		return nil, err
	}
	x := &l.exchange
	x.begin(&l.near, times, l.k)
	for _, at := range cuts {
		l.tries[n]++
		changed, err := divide(ctx, x, values, at)
		if err != nil {
			return nil, err
		}
		if changed {
			parts := l.publish(x, n, values, at)
			if l.tries[n] < maxTries && len(l.holders[n]) > 0 {
				parts = append(parts, n)
			}
			return parts, nil
		}
	}
	return nil, nil
}

// cuts are the places where a node may be split, the most promising first: where it saves most, in
// the widest gap, and in the middle of the occurrences. Each is the last value of the lower part.
func (l *recoding) cuts(values []int32) []int32 {
	values = sorted(values)
	first, last := values[0], values[len(values)-1]
	if first == last {
		return nil
	}
	saves, gap, middle := int32(-1), int32(-1), int32(-1)
	mostSaved, widest := 0.0, 0.0
	for i := 1; i < len(values); i++ {
		a, b := values[i-1], values[i]
		if a == b {
			continue
		}
		below := l.seg.width(span{first, last}) - l.seg.width(span{first, a})
		above := l.seg.width(span{first, last}) - l.seg.width(span{b, last})
		if i >= l.k && len(values)-i >= l.k {
			saved := below*float64(i) + above*float64(len(values)-i)
			if saves < 0 || saved > mostSaved {
				saves, mostSaved = a, saved
			}
			if g := l.seg.width(span{a, b}); gap < 0 || g > widest {
				gap, widest = a, g
			}
		}
		if middle < 0 && i >= len(values)/2 {
			middle = a
		}
	}
	var out []int32
	for _, at := range []int32{saves, gap, middle} {
		if at >= 0 && !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	return out
}

// sorted copies values in ascending order. Where they lie close together they are counted.
func sorted(values []int32) []int32 {
	lowest, highest := slices.Min(values), slices.Max(values)
	if int(highest-lowest) > len(values) {
		return slices.Sorted(slices.Values(values))
	}
	times := make([]int32, highest-lowest+1)
	for _, v := range values {
		times[v-lowest]++
	}
	out := make([]int32, 0, len(values))
	for i, n := range times {
		for range n {
			out = append(out, lowest+int32(i))
		}
	}
	return out
}

// divide publishes the occurrences of a node, whose values are given record by record, as one of
// two parts, in as many records as can be: both parts at once where possible, then each part by
// itself in the records that stayed behind. It tells whether any does.
func divide(ctx context.Context, x *exchange, values []int32, at int32) (bool, error) {
	next := 0
	for i := range x.low {
		times := x.low[i] + x.high[i]
		x.low[i], x.high[i] = 0, 0
		for _, v := range values[next : next+int(times)] {
			if v <= at {
				x.low[i]++
			} else {
				x.high[i]++
			}
		}
		next += int(times)
	}
	changed := false
	for _, to := range []parts{lowPart | highPart, lowPart, highPart} {
		moved, err := x.run(ctx, to)
		if err != nil {
			return false, err
		}
		changed = changed || moved
	}
	return changed, nil
}

// publish makes nodes of the two parts of a node, as tight as its values allow, and publishes what
// an exchange came to. It returns those in use.
func (l *recoding) publish(x *exchange, n int32, values []int32, at int32) (used []int32) {
	low, high := hulls(values, at)
	to := [2]int32{l.add(low, l.depth[n]+1), l.add(high, l.depth[n]+1)}
	l.holders[n], l.times[n] = nil, 0
	for i, rec := range x.near.records {
		nodes := l.nodesOf(rec)
		for pos, v := range l.data.Record(int(rec)) {
			if nodes[pos] != n {
				continue
			}
			if part := x.parts[i]; v <= at && part&lowPart != 0 {
				nodes[pos] = to[0]
			} else if v > at && part&highPart != 0 {
				nodes[pos] = to[1]
			}
			l.hold(nodes[pos], rec)
		}
	}
	for _, part := range to {
		if len(l.holders[part]) > 0 {
			used = append(used, part)
		}
		if l.depth[n] < l.levels {
			l.done += l.times[part]
		}
	}
	return used
}

// hulls are the tightest ranges of values up to one of them, and above it.
func hulls(values []int32, at int32) (low, high span) {
	low, high = span{math.MaxInt32, -1}, span{math.MaxInt32, -1}
	for _, v := range values {
		if v <= at {
			low = low.join(span{v, v})
		} else {
			high = high.join(span{v, v})
		}
	}
	return low, high
}

// nodesOf is what a record is published as, value by value.
func (l *recoding) nodesOf(rec int32) []int32 {
	return l.node[l.data.Start(int(rec)):l.data.Start(int(rec)+1)]
}

// valuesOf lists the values that are published as a node, record by record, and how many each
// record has.
func (l *recoding) valuesOf(n int32) (values, times []int32) {
	for _, rec := range l.holders[n] {
		before, nodes := len(values), l.nodesOf(rec)
		for i, v := range l.data.Record(int(rec)) {
			if nodes[i] == n {
				values = append(values, v)
			}
		}
		times = append(times, int32(len(values)-before))
	}
	return values, times
}
