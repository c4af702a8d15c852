package nonreciprocal

import (
	"context"
	"slices"
	"sync/atomic"

	"mingle/internal/order"
)

// build makes the generalization graph.
func (in Input) build(ctx context.Context, stats *Stats) (*Graph, error) {
	stats.Degree, stats.Graph = in.Promise.Matches(), in.Graph
	if in.Algorithm == CAHD {
		stats.Graph = "groups"
	}
	m := order.NewDistances(in.Data)
	if in.Algorithm == NR && in.Graph == NearestGraph && !in.Promise.Diverse() {
		return Nearest(ctx, in.Data, stats.Degree, in)
	}
	sequence, err := in.sequence(ctx, m, stats)
	if err != nil {
		return nil, err
	}
	if in.Algorithm == NR && !in.Promise.Diverse() {
		return Ring(sequence, stats.Degree), nil
	}
	blocks, err := in.blocks(ctx, sequence, m)
	if err != nil {
		return nil, err
	}
	if in.Algorithm == CAHD {
		return Groups(len(sequence), blocks), nil
	}
	return in.joinBlocks(ctx, blocks, m)
}

// blockFactor is the size of blocks over l that the nearest graph begins with, where the labels allow it. More gives each
// record more to choose from, and takes its block from farther away: 3 is best or near it on all data measured.
const blockFactor = 3

// ballotRounds bounds how often every edge of a block is tried.
const ballotRounds = 20

// blocks divides the records for l-diversity, or into groups of k for cahd without labels. Groups, and blocks for the
// ring, are of l records: with larger ones a ring only gets wider.
func (in Input) blocks(ctx context.Context, sequence []int32, m *order.Distances) ([][]int32, error) {
	need := in.Promise.Matches()
	labels, counts := sequence, slices.Repeat([]int32{1}, len(sequence)) // no label: all different
	if in.Promise.Diverse() {
		labels, counts = labelIDs(in.Labels)
	}
	nearest := in.Algorithm == NR && in.Graph == NearestGraph
	size := need
	if nearest {
		size = min(blockFactor*need, len(sequence)/int(slices.Max(counts)))
	}
	var near *neighbourLists
	if nearest {
		in.Progress("neighbours", 0, 0)
		var err error
		if near, err = neighbours(ctx, in.Data, listWidth*need, thorough, in.Workers); err != nil {
			return nil, err
		}
	}
	in.Progress("blocks", 0, 0)
	blocks := makeBlocks(sequence, labels, counts, size, m, near)
	if !nearest {
		return blocks, nil
	}
	in.Progress("refine", 0, 0)
	if err := refine(ctx, blocks, labels, need, m, near); err != nil {
		return nil, err
	}
	in.Progress("exchange", 0, 0)
	items := in.Data.Dict().Len()
	if c, ok := coolingFor(len(labels), items, len(blocks)*(items+len(counts)), need); ok {
		return anneal(ctx, in.Data, blocks, labels, need, near, c)
	}
	return blocks, trade(ctx, in.Data, blocks, labels, need, near)
}

// joinBlocks makes a regular graph within every block.
func (in Input) joinBlocks(ctx context.Context, blocks [][]int32, m *order.Distances) (*Graph, error) {
	l := in.Promise.L
	slots := make([]int32, in.Data.Len()*l)
	join := in.nearestInBlock
	if in.Graph == RingGraph {
		join = func(ctx context.Context, block []int32) (*Graph, error) { return greedyInBlock(ctx, block, l, m) }
	}
	var fault atomic.Pointer[error]
	err := inBlocks(ctx, len(blocks), in.Workers, func() func(int) {
		return func(i int) {
			g, err := join(ctx, blocks[i])
			if err != nil {
				fault.Store(&err)
				return
			}
			for p, u := range blocks[i] {
				for j, q := range g.Slots(int32(p)) {
					slots[int(u)*l+j] = blocks[i][q]
				}
			}
		}
	})
	if err == nil && fault.Load() != nil {
		err = *fault.Load()
	}
	return regular(in.Data.Len(), l, slots), err
}

// greedyInBlock is algorithm 2 of xue-2012 within a block, where all labels differ.
func greedyInBlock(ctx context.Context, block []int32, l int, m *order.Distances) (*Graph, error) {
	labels := make([]int32, len(block))
	for p := range labels {
		labels[p] = int32(p)
	}
	return Greedy(ctx, labels, l, func(p, q int32) int32 { return m.Between(block[p], block[q]) })
}

// nearestInBlock is a graph of small distances in a block, all pairs being measured, and then of few flips.
func (in Input) nearestInBlock(ctx context.Context, block []int32) (*Graph, error) {
	n, l := len(block), in.Promise.L
	ballot := newBallot(in.Data, block, l)
	b := newBuilder(n, l, ballot.between)
	lists := newNeighbourLists(n, n-1)
	names := make([]int32, n)
	for u := range int32(n) {
		names[u] = u
		b.join(u, u, 0)
		for v := range int32(n) {
			if v != u {
				lists.offer(u, v, ballot.between(u, v))
			}
		}
	}
	b.greedy(lists, names)
	if err := b.complete(ctx); err != nil {
		return nil, err
	}
	g := b.graph()
	ballot.open(g.slots)
	if err := ballot.anneal(ctx, uint64(block[0]), ballotCooling(n*l, in.Data.Len()*l)); err != nil {
		return nil, err
	}
	return g, ballot.improve(ctx, ballotRounds)
}
