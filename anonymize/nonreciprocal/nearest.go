package nonreciprocal

import (
	"context"
	"math"
	"slices"
)

// builder makes a regular graph edge by edge. Nodes are 0..n-1; dist measures them.
type builder struct {
	n, degree int
	dist      func(u, v int32) int32

	slots []int32 // of record u: slots[u*degree : u*degree+out[u]]
	dists []int32 // their distances
	out   []int32
	pre   []int32 // records that match slot v: pre[v*degree : v*degree+in[v]]
	away  []int32 // their distances
	in    []int32

	// working space of swap: marks of the slots of u, of the records of v, and of those whose
	// distance to v is known, which is in toSlot
	slotsOf, recordsOf, known marks
	toSlot                    []int32
}

// marks are some nodes, which are forgotten at once.
type marks struct {
	round int32
	last  []int32 // by node: the last round in which it was marked
}

func newMarks(n int) marks { return marks{last: make([]int32, n)} }

// set marks some nodes and no others.
func (m *marks) set(nodes []int32) {
	if m.round == math.MaxInt32 {
		clear(m.last)
		m.round = 0
	}
	m.round++
	for _, u := range nodes {
		m.last[u] = m.round
	}
}

func (m *marks) has(u int32) bool { return m.last[u] == m.round }

func newBuilder(n, degree int, dist func(u, v int32) int32) *builder {
	return &builder{
		n: n, degree: degree, dist: dist,
		slots: make([]int32, n*degree), dists: make([]int32, n*degree), out: make([]int32, n),
		pre: make([]int32, n*degree), away: make([]int32, n*degree), in: make([]int32, n),
		slotsOf: newMarks(n), recordsOf: newMarks(n), known: newMarks(n), toSlot: make([]int32, n),
	}
}

func (b *builder) row(u int32) []int32 {
	return b.slots[int(u)*b.degree : int(u)*b.degree+int(b.out[u])]
}

func (b *builder) preimages(v int32) []int32 {
	return b.pre[int(v)*b.degree : int(v)*b.degree+int(b.in[v])]
}

func (b *builder) connected(u, v int32) bool { return slices.Contains(b.row(u), v) }

func (b *builder) connect(u, v, dist int32) {
	at := int(u)*b.degree + int(b.out[u])
	b.slots[at], b.dists[at] = v, dist
	b.out[u]++
	at = int(v)*b.degree + int(b.in[v])
	b.pre[at], b.away[at] = u, dist
	b.in[v]++
}

func (b *builder) disconnect(u, v int32) {
	at := slices.Index(b.row(u), v)
	last := int(b.out[u]) - 1
	begin := int(u) * b.degree
	b.slots[begin+at], b.dists[begin+at] = b.slots[begin+last], b.dists[begin+last]
	b.out[u]--
	pre := b.preimages(v)
	at, last, begin = slices.Index(pre, u), len(pre)-1, int(v)*b.degree
	b.pre[begin+at], b.away[begin+at] = b.pre[begin+last], b.away[begin+last]
	b.in[v]--
}

// tryConnect connects u to slot v if both have room and are not connected.
func (b *builder) tryConnect(u, v, dist int32) {
	if int(b.out[u]) < b.degree && int(b.in[v]) < b.degree && !b.connected(u, v) {
		b.connect(u, v, dist)
	}
}

// greedy takes the pairs of lists by ascending distance, both ways each, as long as there is room.
// names translates the nodes of lists to those of the graph. Among pairs of the same distance
// every node has its turn once before any has it twice.
func (b *builder) greedy(lists *neighbourLists, names []int32) {
	var buckets [][]int32 // by distance: nodes whose next pair is at that distance
	next := make([]int32, len(names))
	file := func(i int32) {
		_, dists := lists.of(i)
		if int(next[i]) == len(dists) {
			return
		}
		d := int(dists[next[i]])
		for len(buckets) <= d {
			buckets = append(buckets, nil)
		}
		buckets[d] = append(buckets[d], i)
	}
	for i := range int32(len(names)) {
		file(i)
	}
	for d := 0; d < len(buckets); d++ {
		for at := 0; at < len(buckets[d]); at++ {
			i := buckets[d][at]
			ids, _ := lists.of(i)
			u, v := names[i], names[ids[next[i]]]
			b.tryConnect(u, v, int32(d))
			b.tryConnect(v, u, int32(d))
			if next[i]++; int(b.out[u]) < b.degree || int(b.in[u]) < b.degree {
				file(i)
			}
		}
		buckets[d] = nil
	}
}

// open are the nodes that have room left as records or as slots.
func (b *builder) open() []int32 {
	var out []int32
	for u := range int32(b.n) {
		if int(b.out[u]) < b.degree || int(b.in[u]) < b.degree {
			out = append(out, u)
		}
	}
	return out
}

// complete makes the graph regular: an open record gets the nearest open slot that it is not
// connected to, and where it is connected to all of them the shortest augmenting path is taken. As
// long as degree ≤ n there always is one: the edges are a flow in the complete bipartite graph,
// which has a regular one.
func (b *builder) complete(ctx context.Context) error {
	var records, slots []int32
	for u := range int32(b.n) {
		for range b.degree - int(b.out[u]) {
			records = append(records, u)
		}
		for range b.degree - int(b.in[u]) {
			slots = append(slots, u)
		}
	}
	for _, u := range records {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		best := -1
		least := int32(0)
		for i, v := range slots {
			if b.connected(u, v) {
				continue
			}
			if d := b.dist(u, v); best < 0 || d < least {
				best, least = i, d
			}
		}
		if best >= 0 {
			b.connect(u, slots[best], least)
			slots = slices.Delete(slots, best, best+1)
			continue
		}
		v := b.augment(u)
		i := slices.Index(slots, v)
		slots = slices.Delete(slots, i, i+1)
	}
	return nil
}

// augment gives record u one edge more, by the shortest path that alternates between edges to add
// and edges to remove, and returns the slot that filled up by it.
func (b *builder) augment(u int32) int32 {
	from := make([]int32, b.n) // the record a slot was reached from, by an edge to add
	via := make([]int32, b.n)  // the slot a record was reached from, by an edge to remove
	waiting := make([]int32, b.n)
	for v := range waiting {
		waiting[v] = int32(v)
	}
	reached := make([]bool, b.n)
	reached[u] = true
	for queue := []int32{u}; len(queue) > 0; queue = queue[1:] {
		x := queue[0]
		kept := waiting[:0]
		for _, v := range waiting {
			if b.connected(x, v) {
				kept = append(kept, v)
				continue
			}
			from[v] = x
			if int(b.in[v]) < b.degree {
				b.flip(u, v, from, via)
				return v
			}
			for _, y := range b.preimages(v) {
				if !reached[y] {
					reached[y], via[y] = true, v
					queue = append(queue, y)
				}
			}
		}
		waiting = kept
	}
	panic("no augmenting path: the degree is more than the number of records")
}

// flip applies the path from u that ends at slot v, from its end on.
func (b *builder) flip(u, v int32, from, via []int32) {
	for {
		x := from[v]
		if x != u {
			b.disconnect(x, via[x])
		}
		b.connect(x, v, b.dist(x, v))
		if x == u {
			return
		}
		v = via[x]
	}
}

// swapSearch swaps the slots of pairs of records wherever that lessens the sum of distances: each
// record in turn tries to leave its farthest slot for one near it. At most rounds times over all
// records, fewer when a round gains less than a thousandth.
func (b *builder) swapSearch(ctx context.Context, lists *neighbourLists, rounds int) error {
	total := int64(0)
	for _, c := range b.dists {
		total += int64(c)
	}
	for range rounds {
		gain := int64(0)
		for u := range int32(b.n) {
			if u&0xff == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			gain += int64(b.swap(u, lists))
		}
		if total -= gain; gain*1000 <= total {
			return nil
		}
	}
	return nil
}

// swap lets u leave its farthest slot v for a nearer w, and a record x that matches w take v, the
// best way there is. It returns how much the sum of distances fell.
func (b *builder) swap(u int32, lists *neighbourLists) int32 {
	own := b.dists[int(u)*b.degree : (int(u)+1)*b.degree]
	farthest := slices.Max(own)
	v := b.row(u)[slices.Index(own, farthest)]
	ids, dists := lists.of(u)
	best := int32(0)
	var x, w int32
	b.slotsOf.set(b.row(u))
	b.recordsOf.set(b.preimages(v))
	b.known.set(nil)
	for i, c := range ids {
		if dists[i] >= farthest {
			break
		}
		if b.slotsOf.has(c) {
			continue
		}
		away := b.away[int(c)*b.degree:]
		for j, y := range b.preimages(c) {
			most := farthest - dists[i] + away[j] - best // v must be nearer to y than this
			if most <= 0 || b.recordsOf.has(y) {
				continue
			}
			if !b.known.has(y) {
				b.known.last[y], b.toSlot[y] = b.known.round, b.dist(y, v)
			}
			if d := b.toSlot[y]; d < most {
				best += most - d
				x, w = y, c
			}
		}
	}
	if best > 0 {
		b.disconnect(u, v)
		b.disconnect(x, w)
		b.connect(u, w, b.dist(u, w))
		b.connect(x, v, b.dist(x, v))
	}
	return best
}
