package nonreciprocal

import (
	"context"
	"math/bits"
	"slices"
)

// Blocks for l-diversity, within which the labels are exchanged.
//
// The adversary knows all records, and how a release is made, but not the labels. The labels of a
// block are given to its slots by a random permutation, so what could tell of them is only the
// choice of the blocks. That choice is made such that each record of a block has each label of the
// block with the same probability, and no label is on more than 1/l of it.
//
// A block is divided into parts of consecutive records of a sequence that is known without the
// labels.
//
//  1. Into how many parts depends on how often the block has each label, and on nothing else of
//     the labels.
//  2. If no part has a label on more than 1/l of its records, all of them are divided further.
//  3. The others are grouped until that holds. Groups are made by how often each part has each
//     label, all parts being treated alike; only parts of the same number of records are grouped.
//     What was grouped is not divided further.
//  4. Where the parts cannot be all of one size, the sequence is closed to a ring that begins at a
//     secret random record, and the last part is larger. If this part has a label too often, or
//     all others together have, the block is not divided, and where the ring began is never seen.
//
// Why this gives nothing away. Take a final block with its multiset of labels. Exchanging labels
// within one of its parts changes no decision. If it is a group, then exchanging the labels of two
// of its parts as a whole gives the same groups with the same probability; if it is a block of
// step 4 that was not divided, then moving all labels along the ring does. Either way these
// exchanges lead from every record of the block to every other, and decisions outside of the block
// see only its multiset. So every record of the block has each label with the same probability,
// which is its share in the block. docs/algorithms/nonreciprocal.md has the proof,
// TestSoakNoLabelIsLikelier enumerates it.
//
// Two labels of a block are not independent: that a block was not divided tells that labels are
// unevenly spread in it.

// mostParts bounds into how many parts a block is divided. What is grouped is then not too far
// apart.
const mostParts = 64

// mostGrowth is by how much, in multiples of l, the block that a record ends in may be expected to
// grow because parts cannot stand alone, if there is a choice. Of 1, 2, 3 and 5 it made the
// smallest blocks of labels drawn from uniform, geometric and one-sided distributions.
const mostGrowth = 2

type divider struct {
	ctx    context.Context
	l      int
	labels []int32         // of each record
	intN   func(n int) int // a secret number below n, uniform
	blocks [][]int32
}

// exchangeable divides the records of a sequence into blocks of at least l records such that no
// label is on more than 1/l of a block, as is said above. No label may be on more than 1/l of all
// records. It looks for the end of ctx before each division.
//
// Time O(n log n); memory 40 bytes a record.
func exchangeable(
	ctx context.Context, sequence, labels []int32, l int, intN func(n int) int,
) ([][]int32, error) {
	d := &divider{ctx: ctx, l: l, labels: labels, intN: intN}
	d.divide(sequence)
	return d.blocks, context.Cause(ctx)
}

// divide divides a block.
func (d *divider) divide(block []int32) {
	if d.ctx.Err() != nil {
		return
	}
	switch size := d.partSize(block); {
	case size == 0:
		d.blocks = append(d.blocks, block)
	case d.isEven(len(block)):
		d.separate(cut(block, size))
	default:
		d.divideOdd(block, size)
	}
}

// isEven tells whether blocks of n records are divided into equal parts again and again.
func (d *divider) isEven(n int) bool { return n%d.l == 0 && bits.OnesCount(uint(n/d.l)) == 1 }

// divideOdd divides a block into parts of a size and one that is larger.
func (d *divider) divideOdd(block []int32, size int) {
	first := d.intN(len(block))
	ring := slices.Concat(block[first:], block[:first])
	equal := (len(ring)/size - 1) * size
	if !d.tallyOf(ring[:equal]).fits() || !d.tallyOf(ring[equal:]).fits() {
		d.blocks = append(d.blocks, block)
		return
	}
	d.separate(cut(ring[:equal], size))
	d.divide(ring[equal:])
}

// cut cuts records into parts of a size.
func cut(records []int32, size int) [][]int32 {
	return slices.Collect(slices.Chunk(records, size))
}

// separate divides parts of one size further, those that stand alone, and makes blocks of the
// others.
func (d *divider) separate(parts [][]int32) {
	tallies := make([]*tally, len(parts))
	fit := true
	for i, part := range parts {
		tallies[i] = d.tallyOf(part)
		fit = fit && tallies[i].fits()
	}
	if fit {
		for _, part := range parts {
			d.divide(part)
		}
		return
	}
	for i := len(parts) - 1; i > 0; i-- {
		j := d.intN(i + 1)
		parts[i], parts[j] = parts[j], parts[i]
		tallies[i], tallies[j] = tallies[j], tallies[i]
	}
	for _, g := range group(tallies) {
		if len(g) == 1 {
			d.divide(parts[g[0]])
			continue
		}
		var block []int32
		for _, i := range g {
			block = append(block, parts[i]...)
		}
		d.blocks = append(d.blocks, block)
	}
}

// tally is how many records of a part have each label.
type tally struct {
	l     int
	count map[int32]int
	over  []int32 // the labels on more than 1/l of it: fewer than l
	size  int
}

func (d *divider) tallyOf(records []int32) *tally {
	t := &tally{l: d.l, count: make(map[int32]int), size: len(records)}
	for _, u := range records {
		t.count[d.labels[u]]++
	}
	for _, u := range records {
		if label := d.labels[u]; t.count[label]*t.l > t.size && !slices.Contains(t.over, label) {
			t.over = append(t.over, label)
		}
	}
	return t
}

// fits tells whether a part can stand alone.
func (t *tally) fits() bool { return len(t.over) == 0 }

// excessWith is by how many records a part and another are together too small for their commonest
// label; 0: they can stand alone. A label that is on more than 1/l of both is on more than 1/l of
// one.
func (t *tally) excessWith(o *tally) int {
	most := 0
	for _, label := range t.over {
		most = max(most, t.count[label]+o.count[label])
	}
	for _, label := range o.over {
		most = max(most, t.count[label]+o.count[label])
	}
	return max(0, most*t.l-t.size-o.size)
}

// add adds another part.
func (t *tally) add(o *tally) {
	for label, c := range o.count {
		t.count[label] += c
	}
	t.size += o.size
	for _, label := range o.over {
		if !slices.Contains(t.over, label) {
			t.over = append(t.over, label)
		}
	}
	t.over = slices.DeleteFunc(t.over, func(label int32) bool {
		return t.count[label]*t.l <= t.size
	})
}

// group joins parts until all groups can stand alone, which all parts together must. It looks at
// nothing but the tallies and their order: if the order is random then the parts are treated
// alike. A group that cannot stand alone takes the smallest other one with which it can, rather
// one that cannot stand alone itself; or else the one with which it lacks least.
func group(tallies []*tally) [][]int {
	groups := make([][]int, len(tallies))
	for i := range groups {
		groups[i] = []int{i}
	}
	for {
		i := slices.IndexFunc(tallies, func(t *tally) bool { return !t.fits() })
		if i < 0 {
			return groups
		}
		best, least := -1, [3]int{}
		for j, t := range tallies {
			if j == i {
				continue
			}
			rank := [3]int{tallies[i].excessWith(t), t.size, 0}
			if t.fits() {
				rank[2] = 1
			}
			if best < 0 || slices.Compare(rank[:], least[:]) < 0 {
				best, least = j, rank
			}
		}
		tallies[i].add(tallies[best])
		groups[i] = append(groups[i], groups[best]...)
		tallies, groups = slices.Delete(tallies, best, best+1), slices.Delete(groups, best, best+1)
	}
}
