package nonreciprocal

import (
	"context"
	"math/bits"
	"math/rand/v2"
)

// What annealing a graph is bounded by: tries for each edge, four for each other edge, and for all edges of all blocks.
const (
	edgeTries    = 1_000
	allEdgeTries = 50_000_000
)

// ballotCooling is how the graph of a block with so many edges, of all so many, is annealed. It begins where an item more
// that is flipped is taken with probability 1/e.
func ballotCooling(edges, all int) cooling {
	return cooling{min(min(edgeTries, 4*edges)*edges, int(float64(allEdgeTries)/float64(all)*float64(edges))), annealedFlip, annealedFlip / 10}
}

// annealedFlip is how many items of distance an item more that is flipped is worth here. It is more than flipWeight, which
// follows: what distance there is to gain without a flip improve finds as well.
const annealedFlip = 64

// anneal lets random pairs of edges exchange their slots, as improve does, but for the worse as well, the seldomer the
// worse it is and the longer it has gone on. If in the end the sum of flips and distances is not less than it was, what was
// is restored. Nothing random in it is a secret.
func (b *ballot) anneal(ctx context.Context, seed uint64, c cooling) error {
	before, slots := b.total(), append([]int32(nil), b.slots...)
	rng := rand.NewPCG(seed, 2)
	for t := range c.temperatures(256) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for range 256 {
			b.try(rng, t)
		}
	}
	if b.total() > before {
		copy(b.slots, slots)
		b.open(b.slots)
		return nil
	}
	for v := range int32(b.n) {
		b.count(v)
	}
	return nil
}

// try tries one exchange at a temperature, and returns how much it gained. No record leaves its own slot.
func (b *ballot) try(rng *rand.PCG, t float64) int32 {
	r := rng.Uint64()
	e, f := int(below(r, len(b.slots))), int(below(r<<32, len(b.slots)))
	p, v, q, w := int32(e/b.l), b.slots[e], int32(f/b.l), b.slots[f]
	if p == v || q == w || b.joined[int(q)*b.n+int(v)] || b.joined[int(p)*b.n+int(w)] {
		return 0
	}
	gain := b.between(p, v) + b.between(q, w) - b.between(p, w) - b.between(q, v)
	gain += annealedFlip * (b.gain(v, p, q) + b.gain(w, q, p))
	if -gain > int32(t*patience[rng.Uint64()&(1<<12-1)]) {
		return 0
	}
	b.slots[e], b.slots[f] = w, v
	b.joined[int(p)*b.n+int(v)], b.joined[int(q)*b.n+int(w)] = false, false
	b.joined[int(p)*b.n+int(w)], b.joined[int(q)*b.n+int(v)] = true, true
	b.replace(v, p, q)
	b.replace(w, q, p)
	return gain
}

// replace counts a preimage of a slot in place of another. What is kept of relief is not renewed.
func (b *ballot) replace(v, out, in int32) {
	own, o, i := b.row(b.own, v), b.row(b.own, out), b.row(b.own, in)
	full, over := b.row(b.full, v), b.row(b.over, v)
	limit := int32(b.l / 2)
	for w := range own {
		votes := b.votes[(int(v)*b.words+w)*64:][:64]
		for x := o[w] ^ i[w]; x != 0; x &= x - 1 {
			k := bits.TrailingZeros64(x) & 63
			votes[k] += int32((i[w]^own[w])>>k&1)*2 - 1
			full[w] &^= 1 << k
			over[w] &^= 1 << k
			switch votes[k] {
			case limit:
				full[w] |= 1 << k
			case limit + 1:
				over[w] |= 1 << k
			}
		}
	}
}

// total is annealedFlip times the flips of all slots, and the sum of distances.
func (b *ballot) total() int64 {
	sum := int64(0)
	for e, v := range b.slots {
		sum += int64(b.between(int32(e/b.l), v))
	}
	for _, votes := range b.votes {
		if int(votes) > b.l/2 {
			sum += annealedFlip
		}
	}
	return sum
}
