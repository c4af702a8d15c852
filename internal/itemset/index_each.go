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
				if !x.isMade(u) {
					bytes += x.room(u)
				}
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
	nodes = slices.DeleteFunc(nodes, x.isMade)
	for len(x.scratch) < min(workers, len(nodes)) {
		x.scratch = append(x.scratch, make([]uint64, x.words()))
	}
	_ = par.EachIn(context.Background(), workers, len(nodes),
		func(w int) []uint64 { return x.scratch[w] },
		func(_ context.Context, scratch []uint64, n int) error {
			x.makeFor(nodes[n], scratch)
			return nil
		})
	for _, u := range nodes {
		x.keep(u)
	}
}
