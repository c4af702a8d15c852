package nonreciprocal

import (
	"context"
	"slices"
	"sync/atomic"

	"mingle/dataset"
	"mingle/internal/par"
)

// recoded are the slots with their contents, in the order of the records they were built for.
type recoded struct {
	base, uncertain [][]int32
	threshold       []int32
}

// recode decides what every slot publishes from its preimages (xue-2012 section 4, fifth step): an item is in the base
// where more than half of the preimages have it, and uncertain where some have it and some have not; the threshold is
// the largest Hamming distance of the base to a preimage. Where exactly half have it, the record the slot was built for
// decides (ties are "resolved arbitrarily" in the paper); it is a record like any other, no more likely to be the true
// match than any other preimage.
func recode(ctx context.Context, d *dataset.Dataset, g *Graph, workers int) (*recoded, error) {
	pre := g.Preimages()
	n := g.Len()
	out := &recoded{base: make([][]int32, n), uncertain: make([][]int32, n), threshold: make([]int32, n)}
	err := inBlocks(ctx, n, workers, func() func(i int) {
		v := newVoter(d)
		return func(i int) {
			out.base[i], out.uncertain[i], out.threshold[i] = v.vote(pre.Slots(int32(i)), int32(i))
		}
	})
	return out, err
}

// voter counts votes for one slot at a time.
type voter struct {
	d               *dataset.Dataset
	votes           []int32 // by item; 0 outside of vote
	candidates      []int32 // items with votes
	base, uncertain []int32
}

func newVoter(d *dataset.Dataset) *voter {
	return &voter{d: d, votes: make([]int32, d.Dict().Len())}
}

func (v *voter) vote(preimages []int32, own int32) (base, uncertain []int32, threshold int32) {
	v.candidates, v.base, v.uncertain = v.candidates[:0], v.base[:0], v.uncertain[:0]
	for _, u := range preimages {
		for _, it := range v.d.Tx(int(u)) {
			if v.votes[it]++; v.votes[it] == 1 {
				v.candidates = append(v.candidates, it)
			}
		}
	}
	slices.Sort(v.candidates)
	all := int32(len(preimages))
	for _, it := range v.candidates {
		votes := v.votes[it]
		if 2*votes > all || 2*votes == all && has(v.d.Tx(int(own)), it) {
			v.base = append(v.base, it)
		}
		if votes < all {
			v.uncertain = append(v.uncertain, it)
		}
	}
	for _, it := range v.candidates {
		v.votes[it] = 0
	}
	base, uncertain = slices.Clone(v.base), slices.Clone(v.uncertain)
	for _, u := range preimages {
		threshold = max(threshold, v.distance(base, v.d.Tx(int(u))))
	}
	return base, uncertain, threshold
}

// distance is the size of the symmetric difference.
func (v *voter) distance(a, b []int32) int32 {
	common := int32(0)
	for _, it := range a {
		v.votes[it] = 1
	}
	for _, it := range b {
		common += v.votes[it]
	}
	for _, it := range a {
		v.votes[it] = 0
	}
	return int32(len(a)) + int32(len(b)) - 2*common
}

func has(tx []int32, it int32) bool {
	_, found := slices.BinarySearch(tx, it)
	return found
}

// inBlocks calls the function that start makes for a goroutine of its own with every i below n, in blocks of up to 256.
func inBlocks(ctx context.Context, n, workers int, start func() func(i int)) error {
	block := max(1, min(256, n/(16*max(1, workers))))
	var next atomic.Int64
	var group par.Group
	for range max(1, min(workers, (n+block-1)/block)) {
		group.Go(func() {
			do := start()
			for ctx.Err() == nil {
				begin := int(next.Add(int64(block))) - block
				if begin >= n {
					return
				}
				for i := begin; i < min(n, begin+block); i++ {
					do(i)
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}
