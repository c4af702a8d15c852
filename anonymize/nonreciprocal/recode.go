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

// recode decides what every slot publishes (xue-2012 section 4, fifth step). An item is in the
// base where more than half of its voters have it. It is uncertain where a record that matches the
// slot differs from the base. The threshold is the largest Hamming distance of the base to a
// record that matches. Where exactly half of the voters have an item, the record the slot was
// built for decides (ties are "resolved arbitrarily" in the paper); it is a record like any other,
// no more likely to be the true match than any other.
//
// By k, and in the groups of cahd, the voters are the records that match, as in the paper. By l
// they are as many as l, found without the labels, and the records of the slot's block match: what
// the block adds for the sake of the labels does not change the base.
func recode(ctx context.Context, d *dataset.Dataset, s structure, workers int) (*recoded, error) {
	n := d.Len()
	out := &recoded{
		base: make([][]int32, n), uncertain: make([][]int32, n), threshold: make([]int32, n),
	}
	var voters *Graph
	if s.votes != nil {
		voters = s.votes.Preimages()
	}
	blocks, shared := s.blockOf(n), make([]items, len(s.blocks))
	err := inBlocks(ctx, len(s.blocks), workers, func() func(i int) {
		v := newVoter(d)
		return func(i int) { shared[i] = v.items(s.blocks[i]) }
	})
	if err != nil {
		return nil, err
	}
	err = inBlocks(ctx, n, workers, func() func(i int) {
		v := newVoter(d)
		return func(i int) {
			own := int32(i)
			var votes []int32
			if voters != nil {
				votes = voters.Slots(own)
			}
			if blocks == nil {
				out.base[i] = v.majority(votes, own)
				out.uncertain[i], out.threshold[i] = v.differences(
					out.base[i], votes, v.items(votes),
				)
				return
			}
			block := s.blocks[blocks[i]]
			if voters == nil {
				votes = block
			}
			out.base[i] = v.majority(votes, own)
			out.uncertain[i], out.threshold[i] = v.differences(
				out.base[i], block, shared[blocks[i]],
			)
		}
	})
	return out, err
}

// blockOf is the number of each record's block; nil where there are none.
func (s structure) blockOf(n int) []int32 {
	if s.blocks == nil {
		return nil
	}
	of := make([]int32, n)
	for i, block := range s.blocks {
		for _, u := range block {
			of[u] = int32(i)
		}
	}
	return of
}

// voter makes one slot at a time.
type voter struct {
	d          *dataset.Dataset
	votes      []int32 // by item; 0 outside of a method
	candidates []int32 // items with votes
	list       []int32
	inBase     []bool // by item; false outside of a method
}

func newVoter(d *dataset.Dataset) *voter {
	return &voter{d: d, votes: make([]int32, d.Dict().Len()), inBase: make([]bool, d.Dict().Len())}
}

// tally counts how many of the records have each item; the candidates are those that one has,
// ascending.
func (v *voter) tally(records []int32) {
	v.candidates = v.candidates[:0]
	for _, u := range records {
		for _, it := range v.d.Tx(int(u)) {
			if v.votes[it]++; v.votes[it] == 1 {
				v.candidates = append(v.candidates, it)
			}
		}
	}
	slices.Sort(v.candidates)
}

func (v *voter) clear() {
	for _, it := range v.candidates {
		v.votes[it] = 0
	}
}

// majority are the items that more than half of the voters have.
func (v *voter) majority(voters []int32, own int32) []int32 {
	v.tally(voters)
	v.list = v.list[:0]
	all := int32(len(voters))
	for _, it := range v.candidates {
		if votes := v.votes[it]; 2*votes > all || 2*votes == all && has(v.d.Tx(int(own)), it) {
			v.list = append(v.list, it)
		}
	}
	v.clear()
	return slices.Clone(v.list)
}

// items are what records have.
type items struct {
	some []int32 // what one of them has, ascending
	all  []bool  // of each of these: all have it
}

func (v *voter) items(records []int32) items {
	v.tally(records)
	out := items{slices.Clone(v.candidates), make([]bool, len(v.candidates))}
	for i, it := range out.some {
		out.all[i] = v.votes[it] == int32(len(records))
	}
	v.clear()
	return out
}

// mostMeasured is the size of the largest block whose records are all measured. In larger ones,
// which come only of labels that are on nearly 1/l of all records, the threshold is the number of
// uncertain items: no record can differ in more.
const mostMeasured = 10_000

// differences are the items in which one of the records differs from a base, and the most in which
// one does. what are the items of the records.
func (v *voter) differences(base, records []int32, what items) (
	uncertain []int32, threshold int32,
) {
	for _, it := range base {
		v.inBase[it] = true
	}
	v.list = v.list[:0]
	for i, it := range what.some {
		if !v.inBase[it] || !what.all[i] {
			v.list = append(v.list, it)
		}
	}
	sorted := len(v.list)
	for _, it := range base {
		if !has(what.some, it) { // a voter has it, and no record that matches
			v.list = append(v.list, it)
		}
	}
	if len(v.list) > sorted {
		slices.Sort(v.list)
	}
	if threshold = int32(len(v.list)); len(records) <= mostMeasured {
		threshold = v.farthest(base, records)
	}
	for _, it := range base {
		v.inBase[it] = false
	}
	return slices.Clone(v.list), threshold
}

// farthest is the largest Hamming distance of a base, whose items are marked, to one of the
// records.
func (v *voter) farthest(base, records []int32) int32 {
	most := 0
	for _, u := range records {
		items := v.d.Tx(int(u))
		common := 0
		for _, it := range items {
			if v.inBase[it] {
				common++
			}
		}
		most = max(most, len(base)+len(items)-2*common)
	}
	return int32(most)
}

func has(tx []int32, it int32) bool {
	_, found := slices.BinarySearch(tx, it)
	return found
}

// inBlocks calls the function that start makes for a goroutine of its own with every i below n, in
// blocks of up to 256.
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
