package nonreciprocal

import (
	"context"
	"slices"

	"mingle/internal/order"
)

// refiner moves records between blocks. The cost of a block is what a graph of its own in which every record takes its l-1
// nearest would cost: the sum over its records of the l-1 smallest distances to others of the block, their reach.
type refiner struct {
	l      int
	labels []int32
	m      *order.Distances
	blocks [][]int32
	of     []int32 // the block of each record
	reach  []int64 // of each record in its block: the sum of its l-1 smallest distances
	last   []int32 // and the largest of these

	nearest   []int32 // room for the smallest distances
	one, back []int32 // room for blocks that are tried
}

// refineRounds bounds how often every record is tried, nearBlocks in how many blocks each time.
const (
	refineRounds = 6
	nearBlocks   = 6
)

// refine moves records to blocks that their nearest neighbours are in, as long as the sum of costs falls: into a block
// that does not have their label, or in exchange for the record there that has it. Blocks keep at least l records with
// different labels. lists are near neighbours of the records.
func refine(ctx context.Context, blocks [][]int32, labels []int32, l int, m *order.Distances, lists *neighbourLists) error {
	n := len(labels)
	r := &refiner{
		l: l, labels: labels, m: m, blocks: blocks,
		of: make([]int32, n), reach: make([]int64, n), last: make([]int32, n),
	}
	total := int64(0)
	for i := range blocks {
		total += r.measure(int32(i))
	}
	for range refineRounds {
		gain := int64(0)
		for u := range int32(n) {
			if u&0xff == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			gain += r.settle(u, lists)
		}
		if total -= gain; gain*500 <= total {
			return nil
		}
	}
	return nil
}

// measure notes where the records of a block are and how far they reach, and returns the block's cost.
func (r *refiner) measure(block int32) int64 {
	total := int64(0)
	for _, u := range r.blocks[block] {
		r.of[u] = block
		r.reach[u], r.last[u] = r.reachIn(u, r.blocks[block], -1)
		total += r.reach[u]
	}
	return total
}

// settle tries record u in the blocks of its near neighbours and takes the first that lessens the cost; it returns by
// how much.
func (r *refiner) settle(u int32, lists *neighbourLists) int64 {
	home := r.of[u]
	if r.reach[u] == 0 {
		return 0
	}
	leaving := r.leave(u)
	ids, _ := lists.of(u)
	var tried [nearBlocks]int32
	count := 0
	for _, v := range ids {
		to := r.of[v]
		if to == home || slices.Contains(tried[:count], to) {
			continue
		}
		if count == nearBlocks {
			break
		}
		tried[count] = to
		count++
		if gain := r.try(u, to, leaving); gain > 0 {
			return gain
		}
	}
	return 0
}

// try moves u to a block, in exchange for the record of its label there if there is one, if that lessens the cost. Before
// anything is counted exactly, bounds that look at each record once must leave hope. leaving is r.leave(u).
func (r *refiner) try(u, to int32, leaving int64) int64 {
	home := r.of[u]
	rival := int32(-1)
	for _, v := range r.blocks[to] {
		if r.labels[v] == r.labels[u] {
			rival = v
		}
	}
	hope := leaving + r.enter(u, to, rival)
	if hope > 0 && rival >= 0 {
		hope += r.leave(rival) + r.enter(rival, home, u)
	}
	if hope <= 0 || rival < 0 && len(r.blocks[home]) == r.l {
		return 0
	}
	return r.move(u, rival, home, to)
}

// leave is the most that the cost can fall when u leaves its block: its own reach, less what those lose at least that
// have it among their nearest.
func (r *refiner) leave(u int32) int64 {
	gain := r.reach[u]
	for _, v := range r.blocks[r.of[u]] {
		if v != u {
			gain -= max(0, int64(r.last[v]-r.m.Between(u, v)))
		}
	}
	return gain
}

// enter is the most that the cost can fall when u enters a block and the record without leaves it.
func (r *refiner) enter(u, block, without int32) int64 {
	reach, _ := r.reachIn(u, r.blocks[block], without)
	gain := -reach
	for _, v := range r.blocks[block] {
		if v != without {
			gain += max(0, int64(r.last[v]-r.m.Between(u, v)))
		}
	}
	return gain
}

// move exchanges u and the rival, or moves u where rival is -1, if the exact cost falls.
func (r *refiner) move(u, rival, home, to int32) int64 {
	swap := func(dst, block []int32, out, in int32) []int32 {
		dst = dst[:0]
		for _, v := range block {
			if v != out {
				dst = append(dst, v)
			}
		}
		if in >= 0 {
			dst = append(dst, in)
		}
		return dst
	}
	r.one, r.back = swap(r.one, r.blocks[home], u, rival), swap(r.back, r.blocks[to], rival, u)
	gain := int64(0)
	for _, b := range [][]int32{r.blocks[home], r.blocks[to]} {
		for _, v := range b {
			gain += r.reach[v]
		}
	}
	for _, b := range [][]int32{r.one, r.back} {
		for _, v := range b {
			reach, _ := r.reachIn(v, b, -1)
			if gain -= reach; gain <= 0 {
				return 0
			}
		}
	}
	r.blocks[home], r.blocks[to] = slices.Clone(r.one), slices.Clone(r.back)
	r.measure(home)
	r.measure(to)
	return gain
}

// reachIn is the sum of the l-1 smallest distances of u to the records of a block, itself and one other left out, and
// the largest of them.
func (r *refiner) reachIn(u int32, block []int32, without int32) (sum int64, last int32) {
	r.nearest = r.nearest[:0]
	for _, v := range block {
		if v == u || v == without {
			continue
		}
		d := r.m.Between(u, v)
		at := len(r.nearest)
		if at == r.l-1 {
			if at--; d >= r.nearest[at] {
				continue
			}
		} else {
			r.nearest = append(r.nearest, 0)
		}
		for at > 0 && r.nearest[at-1] > d {
			r.nearest[at] = r.nearest[at-1]
			at--
		}
		r.nearest[at] = d
	}
	for _, d := range r.nearest {
		sum += int64(d)
	}
	if len(r.nearest) == r.l-1 {
		last = r.nearest[r.l-2]
	}
	return sum, last
}
