package nonreciprocal

import (
	"cmp"
	"context"
	"slices"

	"mingle/dataset"
)

// trader exchanges records between blocks so that fewer items of base sets will be flipped. It looks at nothing but how many
// records of a block have each item (flipCosts). It is for data that is too large for annealing.
type trader struct {
	d      *dataset.Dataset
	labels []int32
	blocks [][]int32
	of     []int32 // the block of each record
	cost   flipCosts

	here, there     tally
	give, take      []int32 // by item: how much the cost falls when it goes from here to there, and the other way
	touched         []int32 // the items for which these are known
	known           []bool
	inHere, inThere []bool  // by label
	changed         []int32 // by block: the last round in which it did; -1: none
}

// tally is how many records of a block have each item, and the cost of each number.
type tally struct {
	count []int32
	cost  []int32
}

// tradeRounds bounds how often every pair of near blocks is tried; tradePartners is with how many blocks one is.
const (
	tradeRounds   = 8
	tradePartners = 14
	tradeLists    = 12 // neighbours of each record that show which blocks are near
)

// trade exchanges records between near blocks as long as the cost falls. Blocks keep their sizes, and labels that differ.
func trade(ctx context.Context, d *dataset.Dataset, blocks [][]int32, labels []int32, l int, lists *neighbourLists) error {
	items, kinds := d.Dict().Len(), int(slices.Max(labels))+1
	t := &trader{
		d: d, cost: flipCosts{l: l}, labels: labels, blocks: blocks, of: make([]int32, d.Len()),
		here: tally{count: make([]int32, items)}, there: tally{count: make([]int32, items)},
		give: make([]int32, items), take: make([]int32, items), known: make([]bool, items),
		inHere: make([]bool, kinds), inThere: make([]bool, kinds), changed: slices.Repeat([]int32{-1}, len(blocks)),
	}
	for i, block := range blocks {
		for _, u := range block {
			t.of[u] = int32(i)
		}
	}
	for round := range int32(tradeRounds) {
		gain := int64(0)
		for i := range int32(len(blocks)) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			gain += t.offer(i, round, lists)
		}
		if gain == 0 {
			return nil
		}
	}
	return nil
}

// offer tries a block with the blocks near it, if either has changed since it last did.
func (t *trader) offer(home, round int32, lists *neighbourLists) int64 {
	t.add(&t.here, t.inHere, t.blocks[home])
	gain := int64(0)
	for _, to := range t.near(home, lists) {
		if max(t.changed[home], t.changed[to]) < round-1 {
			continue
		}
		t.add(&t.there, t.inThere, t.blocks[to])
		if g := t.exchange(home, to); g > 0 {
			gain += g
			t.changed[home], t.changed[to] = round, round
		}
		t.remove(&t.there, t.inThere, t.blocks[to])
	}
	t.remove(&t.here, t.inHere, t.blocks[home])
	return gain
}

// near are the blocks that most near neighbours of a block's records are in.
func (t *trader) near(home int32, lists *neighbourLists) []int32 {
	count := map[int32]int{}
	for _, u := range t.blocks[home] {
		ids, _ := lists.of(u)
		for _, v := range ids[:min(len(ids), tradeLists)] {
			if t.of[v] != home {
				count[t.of[v]]++
			}
		}
	}
	var out []int32
	for b := range count {
		out = append(out, b)
	}
	slices.SortFunc(out, func(a, b int32) int { return cmp.Or(count[b]-count[a], int(a-b)) })
	return out[:min(len(out), tradePartners)]
}

func (t *trader) add(to *tally, labels []bool, block []int32) {
	to.cost = t.cost.of(len(block))
	for _, u := range block {
		labels[t.labels[u]] = true
		for _, it := range t.d.Tx(int(u)) {
			to.count[it]++
		}
	}
}

func (t *trader) remove(from *tally, labels []bool, block []int32) {
	for _, u := range block {
		labels[t.labels[u]] = false
		for _, it := range t.d.Tx(int(u)) {
			from.count[it] = 0
		}
	}
}

// exchange lets each record of one block change places with the record of the other that lessens the cost most.
func (t *trader) exchange(home, to int32) int64 {
	for _, b := range [][]int32{t.blocks[home], t.blocks[to]} {
		for _, u := range b {
			t.price(t.d.Tx(int(u)))
		}
	}
	total := int64(0)
	for i, u := range t.blocks[home] {
		best, at := t.best(u, t.blocks[to])
		if best <= 0 {
			continue
		}
		v := t.blocks[to][at]
		t.blocks[home][i], t.blocks[to][at] = v, u
		t.of[u], t.of[v] = to, home
		t.swap(u, v)
		total += int64(best)
	}
	for _, it := range t.touched {
		t.known[it] = false
	}
	t.touched = t.touched[:0]
	return total
}

// price finds what giving and taking items changes, for those not known yet.
func (t *trader) price(items []int32) {
	for _, it := range items {
		if t.known[it] {
			continue
		}
		t.known[it] = true
		t.touched = append(t.touched, it)
		h, o := int(t.here.count[it]), int(t.there.count[it])
		here, there := t.here.cost, t.there.cost
		// where a count cannot fall or rise the item is not given or taken
		t.give[it] = here[h] - here[max(0, h-1)] + there[o] - there[min(len(there)-1, o+1)]
		t.take[it] = here[h] - here[min(len(here)-1, h+1)] + there[o] - there[max(0, o-1)]
	}
}

// best is the record of the other block that u should change places with, and by how much the cost falls.
func (t *trader) best(u int32, others []int32) (gain int32, at int) {
	mine := t.d.Tx(int(u))
	all := int32(0)
	for _, it := range mine { // what both have is not given: taking it costs what giving it brought
		all += t.give[it]
		t.take[it], t.give[it] = -t.give[it], t.take[it]
	}
	for j, v := range others {
		if t.labels[u] != t.labels[v] && (t.inThere[t.labels[u]] || t.inHere[t.labels[v]]) {
			continue
		}
		g := all
		for _, it := range t.d.Tx(int(v)) {
			g += t.take[it]
		}
		if g > gain {
			gain, at = g, j
		}
	}
	for _, it := range mine {
		t.take[it], t.give[it] = t.give[it], -t.take[it]
	}
	return gain, at
}

// swap counts u there and v here.
func (t *trader) swap(u, v int32) {
	t.inHere[t.labels[u]], t.inThere[t.labels[v]] = false, false
	t.inHere[t.labels[v]], t.inThere[t.labels[u]] = true, true
	for _, it := range t.d.Tx(int(u)) {
		t.here.count[it]--
		t.there.count[it]++
		t.known[it] = false
	}
	for _, it := range t.d.Tx(int(v)) {
		t.here.count[it]++
		t.there.count[it]--
		t.known[it] = false
	}
	t.price(t.d.Tx(int(u)))
	t.price(t.d.Tx(int(v)))
}
