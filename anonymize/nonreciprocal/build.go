package nonreciprocal

import (
	"context"
	"math/rand/v2"
	"slices"

	"mingle/anonymize/order"
)

// structure says which records each slot is made from.
type structure struct {
	// votes are the records whose majority is the base of each slot. nil: those of its block.
	votes *Graph
	// blocks hold the records that match each other's slots. nil: a record matches the slots it
	// votes for.
	blocks [][]int32
}

// build decides which records each slot is made from. By k the matches are those of a regular
// graph. By l they are blocks whose labels are exchanged (blocks.go), and only the bases come from
// the graph, which knows nothing of labels.
func (in Input) build(ctx context.Context, stats *Stats, rng *rand.Rand) (structure, error) {
	need := in.Promise.Matches()
	m := order.NewDistances(in.Data)
	var s structure
	var err error
	if in.Algorithm == NR && in.Graph == NearestGraph {
		if s.votes, err = Nearest(ctx, in.Data, need, in); err != nil || !in.Promise.Diverse() {
			return s, err
		}
	}
	sequence, err := in.sequence(ctx, m, stats)
	if err != nil {
		return s, err
	}
	if in.Algorithm == CAHD {
		// no label: all different
		labels, counts := sequence, slices.Repeat([]int32{1}, len(sequence))
		if in.Promise.Diverse() {
			labels, counts = labelIDs(in.Labels)
		}
		in.report("blocks")
		s.blocks = makeBlocks(sequence, labels, counts, need, m)
		return s, nil
	}
	if in.Graph == RingGraph {
		s.votes = Ring(sequence, need)
	}
	if in.Promise.Diverse() {
		in.report("blocks")
		labels, _ := labelIDs(in.Labels)
		s.blocks, err = exchangeable(ctx, sequence, labels, need, rng.IntN)
	}
	return s, err
}
