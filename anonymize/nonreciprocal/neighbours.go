package nonreciprocal

import (
	"context"
	"math/rand/v2"
	"slices"

	"mingle/dataset"
	"mingle/internal/order"
)

// allPairs is up to how many records every pair is measured; above it, near neighbours are searched for.
const allPairs = 10_000

// The search for near neighbours: how many Gray orders, how far to look to either side in each, how often lists are
// passed on between neighbours, and how many neighbours of how many neighbours are looked at then.
const (
	grayOrders  = 6
	grayWindow  = 8
	passes      = 4
	passedLists = 12
	passedItems = 12
)

// neighbourLists are the nearest nodes known of every node, by distance and then by number; a node is not in its own list.
type neighbourLists struct {
	width int
	ids   []int32 // of node u: ids[u*width : u*width+count[u]]
	dists []int32
	count []int32
}

func newNeighbourLists(n, width int) *neighbourLists {
	return &neighbourLists{width, make([]int32, n*width), make([]int32, n*width), make([]int32, n)}
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
	for at > 0 && (dists[at-1] > dist || dists[at-1] == dist && ids[at-1] > v) {
		ids[at], dists[at] = ids[at-1], dists[at-1]
		at--
	}
	ids[at], dists[at] = v, dist
}

// neighbours finds the nearest other nodes of every node, at most width each: exactly up to allPairs nodes, else nearly.
// dist measures two nodes of data.
func neighbours(ctx context.Context, data *dataset.Dataset, m *order.Distances, width, workers int) (*neighbourLists, error) {
	n := data.Len()
	lists := newNeighbourLists(n, min(width, max(0, n-1)))
	if n <= allPairs {
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
	rng := rand.New(rand.NewPCG(uint64(n), 0)) // of no consequence for privacy: it decides which neighbours are found
	for o := range grayOrders {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := lists.lookAround(ctx, order.Gray(data, itemOrder(data, o, rng)), m, workers); err != nil {
			return nil, err
		}
	}
	for range passes {
		next, err := lists.passOn(ctx, m, workers)
		if err != nil {
			return nil, err
		}
		lists = next
	}
	return lists, nil
}

// itemOrder are the item orders whose Gray orders are searched: by support both ways, then random ones. The Gray order
// of sparse data under a random item order is that of their minhashes, most significant first.
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
func (l *neighbourLists) lookAround(ctx context.Context, sequence []int32, m *order.Distances, workers int) error {
	n := len(sequence)
	return inBlocks(ctx, n, workers, func() func(int) {
		return func(p int) {
			u := sequence[p]
			for q := max(0, p-grayWindow); q <= min(n-1, p+grayWindow); q++ {
				if v := sequence[q]; v != u {
					l.offer(u, v, m.Between(u, v))
				}
			}
		}
	})
}

// passOn makes lists from these in which every node was also offered the neighbours of its neighbours, and of those whose
// neighbour it is (Dong, Moses, Li, "Efficient k-nearest neighbor graph construction for generic similarity measures",
// WWW 2011, without sampling). Every list is made from the old ones alone, so the result does not depend on workers.
func (l *neighbourLists) passOn(ctx context.Context, m *order.Distances, workers int) (*neighbourLists, error) {
	n := len(l.count)
	next := &neighbourLists{l.width, slices.Clone(l.ids), slices.Clone(l.dists), slices.Clone(l.count)}
	of := l.reversed()
	err := inBlocks(ctx, n, workers, func() func(int) {
		seen := make([]int32, n) // by node: 1 + the last node it was offered to
		return func(i int) {
			u := int32(i)
			seen[u] = u + 1
			own, _ := l.of(u)
			for _, v := range own {
				seen[v] = u + 1
			}
			for _, via := range [][]int32{own[:min(len(own), passedLists)], of.Slots(u)} {
				for _, v := range via {
					theirs, _ := l.of(v)
					for _, w := range append([]int32{v}, theirs[:min(len(theirs), passedItems)]...) {
						if seen[w] == u+1 && w != v {
							continue
						}
						seen[w] = u + 1
						next.offer(u, w, m.Between(u, w))
					}
				}
			}
		}
	})
	return next, err
}

// reversed tells for every node in whose lists it is among the first, at most passedLists of them.
func (l *neighbourLists) reversed() *Graph {
	n := len(l.count)
	count := make([]int, n+1)
	each := func(do func(u, v int32)) {
		room := make([]int8, n)
		for u := range int32(n) {
			ids, _ := l.of(u)
			for _, v := range ids[:min(len(ids), passedItems)] {
				if room[v] < passedLists {
					room[v]++
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
