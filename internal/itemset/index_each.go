package itemset

import (
	"context"
	"slices"

	"mingle/internal/par"
)

// upToEach is upTo for the first of some sets of nodes, two at least in each, on at most so many
// goroutines: as many sets as the bound lets be prepared at once, one at least. When the context
// ends there may be none.
func (x *Index) upToEach(ctx context.Context, sets [][]int32, k, workers int) []int {
	sets = x.prepareEach(sets, workers)
	out := make([]int, len(sets))
	const piece = 8
	err := par.Each(ctx, workers, (len(sets)+piece-1)/piece, func(_ context.Context, n int) error {
		for i := n * piece; i < min(len(sets), (n+1)*piece); i++ {
			out[i] = x.prepared(sets[i], k)
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return out
}

// ask calls do with upTo for each of some sets, one after the other. It ends early, with the cause,
// when ctx does.
func (x *Index) ask(
	ctx context.Context, sets [][]int32, k, workers int, do func(i, n int),
) error {
	for at := 0; at < len(sets); {
		found := x.upToEach(ctx, sets[at:min(len(sets), at+mostAsked)], k, workers)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for _, n := range found {
			do(at, n)
			at++
		}
	}
	return nil
}

// prepareEach is prepare for the first of some sets.
func (x *Index) prepareEach(sets [][]int32, workers int) [][]int32 {
	x.forget()
	var nodes []int32
	seen := map[int32]bool{}
	bytes := x.bytes
	for n, set := range sets {
		before := len(nodes)
		for _, u := range set {
			if !seen[u] {
				seen[u] = true
				nodes = append(nodes, u)
				bytes += x.room(u)
			}
		}
		if x.bound > 0 && bytes > x.bound && n > 0 {
			sets, nodes = sets[:n], nodes[:before]
			break
		}
	}
	x.unite(nodes, workers)
	return sets
}

// unite makes what the nodes do not have, all different, side by side.
func (x *Index) unite(nodes []int32, workers int) {
	nodes = slices.DeleteFunc(nodes, func(u int32) bool {
		return x.bitmap[u] != nil || x.list[u] != nil
	})
	scratches := make(chan []uint64, workers)
	scratches <- x.scratch
	_ = par.Each(context.Background(), workers, len(nodes), func(_ context.Context, n int) error {
		var scratch []uint64
		select {
		case scratch = <-scratches:
		default:
			scratch = make([]uint64, len(x.scratch))
		}
		x.makeFor(nodes[n], scratch)
		scratches <- scratch
		return nil
	})
	for _, u := range nodes {
		x.keep(u)
	}
}

// room is how many bytes are made for a node that has nothing yet.
func (x *Index) room(u int32) int64 {
	switch {
	case x.bitmap[u] != nil || x.list[u] != nil:
		return 0
	case x.frequent(u):
		return 8 * int64(len(x.scratch))
	}
	return 4 * int64(x.size[u])
}
