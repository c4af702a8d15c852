package nonreciprocal

import (
	"slices"

	"mingle/anonymize/order"
	"mingle/privacy"
)

// cahd's groups: blocks of l records with different labels, each of records near its first one in
// a sequence (G. Ghinita, P. Kalnis, Y. Tao, "Anonymous publication of sensitive transactional
// data", TKDE 2011). It is here to compare with.
//
// Which records come together depends on their labels. Somebody who knows all records and how
// groups are made may learn a label from that alone: see blocks.go for what does not have this
// fault.

// labelIDs numbers the labels in order of occurrence and counts them.
func labelIDs(labels []string) (ids []int32, counts []int32) {
	known := map[string]int32{}
	ids = make([]int32, len(labels))
	for i, l := range labels {
		id, ok := known[l]
		if !ok {
			id = int32(len(known))
			known[l] = id
			counts = append(counts, 0)
		}
		ids[i] = id
		counts[id]++
	}
	return ids, counts
}

// checkLabels tells which label is on more than 1/l of the records, and on how many too many.
func checkLabels(labels []string, l int) error {
	counts := map[string]int{}
	worst := ""
	for _, s := range labels {
		counts[s]++
		if c := counts[s]; c > counts[worst] || c == counts[worst] && s < worst {
			worst = s
		}
	}
	most, n := counts[worst], len(labels)
	if most*l > n {
		return privacy.Infeasiblef("l (%d) cannot be reached: label %q is on %d of %d records, "+
			"%d more than the %d that 1/%d of them allows",
			l, worst, most, n, most-n/l, n/l, l)
	}
	return nil
}

// blockMaker takes blocks off a sequence of records from its front.
type blockMaker struct {
	labels []int32
	m      *order.Distances
	window int
	// the record after each in what is left of the sequence; n stands before the first, -1 after
	// the last
	next    []int32
	prev    []int32   // the record before each
	left    []int32   // of each label: how many records are left
	byLabel [][]int32 // of each label: its records in the order of the sequence
	blocks  int32     // still to make
	size    int
	taken   []bool // record
	inBlock []int32
	round   int32 // inBlock[label] == round: the block has it
}

// makeBlocks divides a sequence of records into blocks of at least size records with different
// labels, each of records near its first one. There must be no label on more than n/size records.
//
// A block begins with the first record left and takes the nearest of the window records left after
// it. A label that is on as many records as there are blocks to make must be in every one of them.
// Counting shows that there are never more such labels than the block may take, and that the last
// block can take all that is left. (The look-ahead is that of Ghinita, Kalnis, Tao, TKDE 2011:
// what is left must stay feasible.)
func makeBlocks(sequence, labels, counts []int32, size int, m *order.Distances) [][]int32 {
	n := len(sequence)
	b := &blockMaker{
		labels: labels, m: m, window: 4 * size,
		next: make([]int32, n+1), prev: make([]int32, n+1),
		left: slices.Clone(counts), byLabel: make([][]int32, len(counts)),
		blocks: int32(n / size), size: size, taken: make([]bool, n), inBlock: make(
			[]int32, len(counts),
		),
	}
	at := int32(n)
	for _, u := range sequence {
		b.next[at], b.prev[u] = u, at
		at = u
		b.byLabel[labels[u]] = append(b.byLabel[labels[u]], u)
	}
	b.next[at] = -1
	out := make([][]int32, 0, b.blocks)
	for b.blocks > 1 {
		out = append(out, b.block())
		b.blocks--
	}
	var last []int32
	for u := b.next[n]; u >= 0; u = b.next[u] {
		last = append(last, u)
	}
	return append(out, last)
}

// block takes one block.
func (b *blockMaker) block() []int32 {
	b.round++
	first := b.next[len(b.taken)]
	block := []int32{b.take(first)}
	for s, c := range b.left {
		if c == b.blocks && b.inBlock[s] != b.round {
			block = append(block, b.take(b.nearestOf(int32(s), first)))
		}
	}
	for len(block) < b.size {
		u := b.nearest(first)
		if u < 0 {
			break
		}
		block = append(block, b.take(u))
	}
	return block
}

func (b *blockMaker) take(u int32) int32 {
	b.taken[u] = true
	b.left[b.labels[u]]--
	b.inBlock[b.labels[u]] = b.round
	b.next[b.prev[u]] = b.next[u]
	if b.next[u] >= 0 {
		b.prev[b.next[u]] = b.prev[u]
	}
	return u
}

// nearest is the record nearest to u among the first of the sequence whose label is not in the
// block.
func (b *blockMaker) nearest(u int32) int32 {
	best, least := int32(-1), int32(0)
	looked := 0
	for v := b.next[len(b.taken)]; v >= 0 && looked < b.window; v = b.next[v] {
		if b.inBlock[b.labels[v]] == b.round {
			continue
		}
		looked++
		if d := b.m.Between(u, v); best < 0 || d < least {
			best, least = v, d
		}
	}
	return best
}

// nearestOf is the record nearest to u among the first ones with a label.
func (b *blockMaker) nearestOf(label, u int32) int32 {
	list := b.byLabel[label]
	for b.taken[list[0]] {
		list = list[1:]
	}
	b.byLabel[label] = list
	best, least := int32(-1), int32(0)
	looked := 0
	for _, v := range list {
		if b.taken[v] {
			continue
		}
		if looked++; looked > b.window {
			break
		}
		if d := b.m.Between(u, v); best < 0 || d < least {
			best, least = v, d
		}
	}
	return best
}
