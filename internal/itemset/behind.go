package itemset

import (
	"context"
	"slices"

	"mingle/internal/par"
)

// behindCounter counts what extends a path by one node, on one goroutine.
type behindCounter struct {
	of      *fromCut
	bits    []uint64 // by row
	count   []int32  // by number; all zero between uses
	touched []int32  // what was counted
}

// clear makes the bits of all rows zero.
func (b *behindCounter) clear() {
	words := (b.of.rows.len() + 63) / 64
	if cap(b.bits) < words {
		b.bits = make([]uint64, words)
		return
	}
	b.bits = b.bits[:words]
	clear(b.bits)
}

// having are the rows with a node below z, or z; not to be changed.
func (b *behindCounter) having(z int32) []int32 {
	c := b.of
	if c.atCut[z] {
		return c.with.Of(z)
	}
	b.clear()
	total := 0
	var mark func(z int32)
	mark = func(z int32) {
		if c.atCut[z] {
			total += len(c.with.Of(z))
			for _, i := range c.with.Of(z) {
				b.bits[i>>6] |= 1 << (i & 63)
			}
			return
		}
		for _, below := range c.children[z] {
			mark(below)
		}
	}
	mark(z)
	return appendBits(make([]int32, 0, min(total, c.rows.len())), b.bits)
}

// countBehind counts the nodes at the cut that stand behind the last node of a path, at least up to
// K, given the rows that have the path.
func (b *behindCounter) countBehind(last int32, in []int32) {
	c := b.of
	b.touched = b.touched[:0]
	if c.isMuch(in) {
		b.countEach(last, in)
		return
	}
	count, touched, r := b.count, b.touched, &c.rows
	for len(in) > 0 {
		some := in[:min(fetched, len(in))]
		in = in[len(some):]
		r.fetch(some)
		for _, i := range some {
			weight := r.weights[i]
			for _, z := range r.row(uint32(i)) {
				if z >= last {
					break
				}
				before := count[z]
				count[z] = before + weight
				if before == 0 {
					touched = append(touched, z)
				}
			}
		}
	}
	b.touched = touched
}

// isMuch tells whether so many rows are looked at that it takes less to look for K of them among
// those of each node.
func (c *fromCut) isMuch(in []int32) bool {
	all := float64(c.rows.len())
	share := float64(len(in)) / all
	return float64(c.nodesAtCut)*float64(c.K)/share < share*float64(len(c.rows.ids))/4
}

// countEach looks through the rows of each node before last until K are among the given ones.
func (b *behindCounter) countEach(last int32, in []int32) {
	c := b.of
	b.clear()
	for _, i := range in {
		b.bits[i>>6] |= 1 << (i & 63)
	}
	for z := range last {
		if !c.atCut[z] {
			continue
		}
		n := int32(0)
		for _, i := range c.with.Of(z) {
			if b.bits[i>>6]&(1<<(i&63)) != 0 {
				if n += c.rows.weights[i]; n >= int32(c.K) {
					break
				}
			}
		}
		if n > 0 {
			b.count[z] = n
			b.touched = append(b.touched, z)
		}
	}
}

// counted is what a goroutine found behind a first node.
type counted struct{ numbers, counts []int32 }

// pairsAhead goes through the pairs with a first node, one first node after the other, the last
// first. What stands behind the next few is counted at once on several goroutines: to take nodes
// out of the walk changes no count.
func (c *fromCut) pairsAhead(first []int32) {
	counters := make(chan *behindCounter, c.Workers)
	for range c.Workers {
		counters <- &behindCounter{of: c, count: make([]int32, len(c.nodes))}
	}
	size := batch * c.Workers
	for done := 0; done < len(first) && c.ctx.Err() == nil; {
		if done%recodeEvery == 0 {
			c.recode()
		}
		n := min(size, len(first)-done, recodeEvery-done%recodeEvery)
		found := make([]counted, n)
		par.Each(c.ctx, c.Workers, n, func(_ context.Context, i int) error {
			if z := first[len(first)-1-done-i]; c.isActive(z) {
				b := <-counters
				found[i] = b.behind(z)
				counters <- b
			}
			return nil
		})
		for i := 0; i < n && c.ctx.Err() == nil; i++ {
			if c.Progress != nil {
				c.Progress(done+i, len(first))
			}
			if z := first[len(first)-1-done-i]; c.isActive(z) {
				c.take(found[i])
				c.repairCounted([]int32{z})
			}
		}
		done += n
	}
}

// behind is what stands behind a first node.
func (b *behindCounter) behind(z int32) counted {
	b.countBehind(z, b.having(z))
	out := counted{slices.Clone(b.touched), make([]int32, len(b.touched))}
	for i, y := range b.touched {
		out.counts[i] = b.count[y]
	}
	for _, y := range b.touched {
		b.count[y] = 0
	}
	return out
}

// take makes what was counted elsewhere its own.
func (b *behindCounter) take(f counted) {
	b.touched = append(b.touched[:0], f.numbers...)
	for i, y := range f.numbers {
		b.count[y] = f.counts[i]
	}
}
