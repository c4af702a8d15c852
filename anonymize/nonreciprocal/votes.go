package nonreciprocal

import (
	"context"
	"math/bits"

	"mingle/dataset"
)

// flipWeight is how many items of distance an item more that is flipped in a base set is worth.
const flipWeight = 16

// ballot improves the graph of a block by what its slots will publish. An item of a slot is flipped if more than half of the
// preimages differ in it from the record the slot was built for, which is one of them (see recode). Nodes are the positions
// in the block.
//
// Items that all records of the block have are left out. Exchanges are judged by bitmaps: replacing a preimage changes
// every vote by one at most, so all that matters of the votes is which items are at the limit, on either side.
type ballot struct {
	n, l   int
	words  int
	own    []uint64 // the bitmap of each record
	dist   []int32  // of p and q: dist[p*n+q]
	slots  []int32  // of record p: slots[p*l:(p+1)*l]
	joined []bool   // record p matches slot v: joined[p*n+v]

	votes  []int32  // of each slot and item: the preimages that differ
	full   []uint64 // of each slot: items that one vote more would flip
	over   []uint64 // and that one vote less would flip back
	relief []int32  // flips that slot v would lose at most if preimage p left it: relief[v*n+p]
	gains  []int32  // room: by how much the flips of a slot fall if a preimage is replaced by each record
}

func newBallot(d *dataset.Dataset, block []int32, l int) *ballot {
	n := len(block)
	b := &ballot{n: n, l: l, dist: make([]int32, n*n)}
	b.encode(d, block)
	for p := range int32(n) {
		for q := range int32(n) {
			x, y := b.row(b.own, p), b.row(b.own, q)
			for w := range x {
				b.dist[int(p)*n+int(q)] += int32(bits.OnesCount64(x[w] ^ y[w]))
			}
		}
	}
	return b
}

// encode makes the bitmaps.
func (b *ballot) encode(d *dataset.Dataset, block []int32) {
	count := map[int32]int{}
	var items []int32 // in order of occurrence
	for _, u := range block {
		for _, it := range d.Tx(int(u)) {
			if count[it]++; count[it] == 1 {
				items = append(items, it)
			}
		}
	}
	at := map[int32]int{}
	for _, it := range items {
		if count[it] < b.n {
			at[it] = len(at)
		}
	}
	b.words = (len(at) + 63) / 64
	b.own = make([]uint64, b.n*b.words)
	for p, u := range block {
		row := b.row(b.own, int32(p))
		for _, it := range d.Tx(int(u)) {
			if i, varies := at[it]; varies {
				row[i>>6] |= 1 << (i & 63)
			}
		}
	}
}

func (b *ballot) row(of []uint64, p int32) []uint64 {
	return of[int(p)*b.words : (int(p)+1)*b.words]
}

func (b *ballot) between(p, q int32) int32 { return b.dist[int(p)*b.n+int(q)] }

// open counts the votes in a graph of degree l, given by its slots. They are changed by anneal and improve.
func (b *ballot) open(slots []int32) {
	b.slots, b.joined = slots, make([]bool, b.n*b.n)
	b.votes = make([]int32, b.n*b.words*64)
	b.full, b.over = make([]uint64, b.n*b.words), make([]uint64, b.n*b.words)
	b.relief, b.gains = make([]int32, b.n*b.n), make([]int32, b.n)
	for e, v := range b.slots {
		b.joined[e/b.l*b.n+int(v)] = true
		b.vote(v, int32(e/b.l), 1)
	}
	for v := range int32(b.n) {
		b.count(v)
	}
}

// vote adds preimage p to the votes at slot v, or takes it from them.
func (b *ballot) vote(v, p, by int32) {
	mine, theirs := b.row(b.own, v), b.row(b.own, p)
	for w := range mine {
		votes := b.votes[(int(v)*b.words+w)*64:][:64]
		for x := mine[w] ^ theirs[w]; x != 0; x &= x - 1 {
			votes[bits.TrailingZeros64(x)&63] += by
		}
	}
}

// count finds the items of slot v that are at the limit.
func (b *ballot) count(v int32) {
	full, over := b.row(b.full, v), b.row(b.over, v)
	for w := range full {
		full[w], over[w] = 0, 0
		for i, votes := range b.votes[(int(v)*b.words+w)*64:][:64] {
			switch int(votes) {
			case b.l / 2:
				full[w] |= 1 << i
			case b.l/2 + 1:
				over[w] |= 1 << i
			}
		}
	}
	own := b.row(b.own, v)
	for p := range int32(b.n) {
		relief := 0
		for w, x := range b.row(b.own, p) {
			relief += bits.OnesCount64(over[w] & (x ^ own[w]))
		}
		b.relief[int(v)*b.n+int(p)] = int32(relief)
	}
}

// gain is by how much the flips of slot v fall when preimage out is replaced by another.
func (b *ballot) gain(v, out, in int32) int32 {
	own, o, i, full, over := b.row(b.own, v), b.row(b.own, out), b.row(b.own, in), b.row(b.full, v), b.row(b.over, v)
	sum := 0
	for w := range own {
		changed := o[w] ^ i[w]
		sum += bits.OnesCount64(over[w]&changed&(o[w]^own[w])) - bits.OnesCount64(full[w]&changed&(i[w]^own[w]))
	}
	return int32(sum)
}

// improve lets pairs of edges exchange their slots as long as that lessens the flips, or the distances for the same: each
// edge in turn with the best other one, at most rounds times. No record leaves its own slot.
func (b *ballot) improve(ctx context.Context, rounds int) error {
	for range rounds {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		moved := false
		for e := range b.slots {
			if f := b.partner(e); f >= 0 {
				b.exchange(e, f)
				moved = true
			}
		}
		if !moved {
			return nil
		}
	}
	return nil
}

// partner is the edge that it is best to exchange slots with, -1 if there is none.
func (b *ballot) partner(e int) int {
	p, v := int32(e/b.l), b.slots[e]
	if p == v {
		return -1
	}
	for q := range int32(b.n) {
		if !b.joined[int(q)*b.n+int(v)] {
			b.gains[q] = flipWeight*b.gain(v, p, q) + b.between(p, v) - b.between(q, v)
		}
	}
	best, partner := int32(0), -1
	for q := range int32(b.n) {
		if b.joined[int(q)*b.n+int(v)] {
			continue
		}
		for j, w := range b.slots[int(q)*b.l : (int(q)+1)*b.l] {
			if q == w || b.joined[int(p)*b.n+int(w)] {
				continue
			}
			gain := b.gains[q] + b.between(q, w) - b.between(p, w)
			if gain+flipWeight*b.relief[int(w)*b.n+int(q)] <= best {
				continue
			}
			if gain += flipWeight * b.gain(w, q, p); gain > best {
				best, partner = gain, int(q)*b.l+j
			}
		}
	}
	return partner
}

// exchange gives each of two edges the slot of the other.
func (b *ballot) exchange(e, f int) {
	p, v, q, w := int32(e/b.l), b.slots[e], int32(f/b.l), b.slots[f]
	b.slots[e], b.slots[f] = w, v
	for _, x := range []struct {
		record, slot int32
		by           int32
	}{{p, v, -1}, {q, w, -1}, {p, w, 1}, {q, v, 1}} {
		b.joined[int(x.record)*b.n+int(x.slot)] = x.by > 0
		b.vote(x.slot, x.record, x.by)
	}
	b.count(v)
	b.count(w)
}
