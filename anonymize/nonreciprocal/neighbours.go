package nonreciprocal

import (
	"context"
	"math/rand/v2"
	"slices"

	"mingle/anonymize/order"
	"mingle/dataset"
)

// search says how hard near neighbours are searched for: up to allPairs records every pair is
// measured; beyond, those near each other in so many Gray orders, and then passes of NN-descent
// are made over so many neighbours each.
type search struct{ allPairs, orders, passes, passed int }

// The search among all records, and that among those left over, again and again fewer.
var (
	thorough = search{allPairs: 10_000, orders: 6, passes: 4, passed: 12}
	quick    = search{allPairs: 2_000, orders: 6, passes: 1, passed: 6}
)

// grayWindow is how far to look to either side in a Gray order.
const grayWindow = 8

// neighbourLists are the nearest nodes known of every node, by distance and then by number; a node
// is not in its own list.
type neighbourLists struct {
	width int
	ids   []int32 // of node u: ids[u*width : u*width+count[u]]
	dists []int32
	since []uint8 // the pass in which each was found
	count []int32
	pass  uint8
}

func newNeighbourLists(n, width int) *neighbourLists {
	return &neighbourLists{
		width, make([]int32, n*width), make([]int32, n*width), make([]uint8, n*width),
		make([]int32, n), 0,
	}
}

// of are the neighbours of u and their distances.
func (l *neighbourLists) of(u int32) (ids, dists []int32) {
	begin, end := int(u)*l.width, int(u)*l.width+int(l.count[u])
	return l.ids[begin:end], l.dists[begin:end]
}

// wants tells whether a node at that distance would get into u's list, if it is not there.
func (l *neighbourLists) wants(u int32, dist int32) bool {
	c := int(l.count[u])
	return c < l.width || l.width > 0 && dist < l.dists[int(u)*l.width+c-1]
}

// offer puts v into u's list if it is near enough and not there.
func (l *neighbourLists) offer(u, v, dist int32) {
	if !l.wants(u, dist) {
		return
	}
	ids, dists := l.of(u)
	if slices.Contains(ids, v) {
		return
	}
	if len(ids) < l.width {
		l.count[u]++
		ids, dists = l.of(u)
	}
	at := len(ids) - 1
	since := l.since[int(u)*l.width:][:len(ids)]
	for at > 0 && (dists[at-1] > dist || dists[at-1] == dist && ids[at-1] > v) {
		ids[at], dists[at], since[at] = ids[at-1], dists[at-1], since[at-1]
		at--
	}
	ids[at], dists[at], since[at] = v, dist, l.pass
}

// fresh are, of the first entries of u's list, those found in the last pass.
func (l *neighbourLists) fresh(u int32, most int) []uint8 {
	begin := int(u) * l.width
	return l.since[begin : begin+min(most, int(l.count[u]))]
}

// neighbours finds the nearest other nodes of every node, at most width each: exactly up to
// how.allPairs nodes, else nearly.
func neighbours(
	ctx context.Context, data *dataset.Dataset, width int, how search, workers int,
) (*neighbourLists, error) {
	n, m := data.Len(), order.NewDistances(data)
	lists := newNeighbourLists(n, min(width, max(0, n-1)))
	if n <= how.allPairs {
		return lists, inBlocks(ctx, n, workers, func() func(int) {
			return func(i int) {
				for v := range int32(n) {
					if v != int32(i) {
						lists.offer(int32(i), v, m.Between(int32(i), v))
					}
				}
			}
		})
	}
	// of no consequence for privacy: it decides which neighbours are found
	rng := rand.New(rand.NewPCG(uint64(n), 0))
	for o := range how.orders {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := lists.lookAround(
			ctx, order.Gray(data, itemOrder(data, o, rng)), m, workers,
		); err != nil {
			return nil, err
		}
	}
	for range how.passes {
		next, err := lists.descent(ctx, m, how.passed, workers)
		if err != nil {
			return nil, err
		}
		lists = next
	}
	return lists, nil
}

// itemOrder are the item orders whose Gray orders are searched: by support both ways, then random
// ones. The Gray order of sparse data under a random item order is that of their minhashes, most
// significant first.
func itemOrder(data *dataset.Dataset, o int, rng *rand.Rand) []int32 {
	if o < 2 {
		return order.ByFrequency(data, o == 1)
	}
	rank := make([]int32, data.Dict().Len())
	for i, p := range rng.Perm(len(rank)) {
		rank[i] = int32(p)
	}
	return rank
}

// lookAround offers every node those around it in an order.
func (l *neighbourLists) lookAround(
	ctx context.Context, sequence []int32, m *order.Distances, workers int,
) error {
	n := len(sequence)
	return inBlocks(ctx, n, workers, func() func(int) {
		return func(p int) {
			u := sequence[p]
			for q := max(0, p-grayWindow); q <= min(n-1, p+grayWindow); q++ {
				if v := sequence[q]; v != u && l.wants(u, m.AtLeast(u, v)) {
					l.offer(u, v, m.Between(u, v))
				}
			}
		}
	})
}

// descent is a pass of NN-descent: it makes lists from these in which every node was also offered
// the neighbours of its neighbours, and of those whose neighbour it is, except for those it was
// offered in an earlier pass (Dong, Moses, Li, "Efficient k-nearest neighbor graph construction
// for generic similarity measures", WWW 2011, without sampling). Every list is made from the old
// ones alone, so the result does not depend on workers.
func (l *neighbourLists) descent(
	ctx context.Context, m *order.Distances, passed, workers int,
) (*neighbourLists, error) {
	n := len(l.count)
	next := &neighbourLists{
		l.width, slices.Clone(l.ids), slices.Clone(l.dists), slices.Clone(l.since),
		slices.Clone(l.count), l.pass + 1,
	}
	of := l.reversed(passed)
	err := inBlocks(ctx, n, workers, func() func(int) {
		seen := make([]int32, n) // by node: 1 + the last node it was offered to
		return func(i int) {
			u := int32(i)
			seen[u] = u + 1
			own, _ := l.of(u)
			for _, v := range own {
				seen[v] = u + 1
			}
			since := l.fresh(u, passed)
			for j, v := range own[:len(since)] {
				next.offerFrom(l, u, v, since[j] == l.pass, passed, seen, m)
			}
			for _, v := range of.Slots(u) {
				isNew := v < 0
				if isNew {
					v = ^v
				}
				if seen[v] != u+1 {
					seen[v] = u + 1
					if isNew && next.wants(u, m.AtLeast(u, v)) {
						next.offer(u, v, m.Between(u, v))
					}
				}
				next.offerFrom(l, u, v, isNew, passed, seen, m)
			}
		}
	})
	return next, err
}

// offerFrom offers u the first neighbours that v has in old; if v itself is not new to u, only
// those that are new to v.
func (l *neighbourLists) offerFrom(
	old *neighbourLists, u, v int32, isNew bool, passed int, seen []int32, m *order.Distances,
) {
	since := old.fresh(v, passed)
	theirs, _ := old.of(v)
	for j, s := range since {
		w := theirs[j]
		if !isNew && s != old.pass || seen[w] == u+1 {
			continue
		}
		seen[w] = u + 1
		if l.wants(u, m.AtLeast(u, w)) {
			l.offer(u, w, m.Between(u, w))
		}
	}
}

// reversed tells for every node in whose lists it is among the first, at most that many of them;
// ^v for those v that have it there since the last pass.
func (l *neighbourLists) reversed(passed int) *Graph {
	n := len(l.count)
	count := make([]int, n+1)
	each := func(do func(u, v int32)) {
		room := make([]int8, n)
		for u := range int32(n) {
			ids, _ := l.of(u)
			for j, s := range l.fresh(u, passed) {
				v := ids[j]
				if int(room[v]) == passed {
					continue
				}
				room[v]++
				if s == l.pass {
					do(^u, v)
				} else {
					do(u, v)
				}
			}
		}
	}
	each(func(_, v int32) { count[v+1]++ })
	for v := range n {
		count[v+1] += count[v]
	}
	g := &Graph{offsets: count, slots: make([]int32, count[n])}
	at := slices.Clone(count)
	each(func(u, v int32) {
		g.slots[at[v]] = u
		at[v]++
	})
	return g
}
