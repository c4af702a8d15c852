package zdd

import (
	"context"
	"math/big"
	"math/bits"
)

// Counts are exact numbers of itemsets: of those that contain each item, and of all.
type Counts struct {
	ByItem []big.Int
	All    big.Int
}

// NewCounts are zeros for so many items.
func NewCounts(items int) Counts { return Counts{ByItem: make([]big.Int, items)} }

// Clone is a copy.
func (c *Counts) Clone() Counts {
	out := NewCounts(len(c.ByItem))
	for it := range c.ByItem {
		out.ByItem[it].Set(&c.ByItem[it])
	}
	out.All.Set(&c.All)
	return out
}

// Add adds sign, 1 or -1, times other numbers.
func (c *Counts) Add(byItem []uint64, all uint64, sign int) {
	var x big.Int
	op := (*big.Int).Add
	if sign < 0 {
		op = (*big.Int).Sub
	}
	for it, n := range byItem {
		if n > 0 {
			op(&c.ByItem[it], &c.ByItem[it], x.SetUint64(n))
		}
	}
	op(&c.All, &c.All, x.SetUint64(all))
}

// Sub takes other numbers away.
func (c *Counts) Sub(o Counts) {
	for it := range c.ByItem {
		c.ByItem[it].Sub(&c.ByItem[it], &o.ByItem[it])
	}
	c.All.Sub(&c.All, &o.All)
}

// pass is one count over a family.
type pass struct {
	*Family
	ctx   context.Context
	takes []bool // by position: sets with this item count
	// width is how many numbers a node has: of sets of 0, 1, ... items; or 1, of sets of any size.
	width int
	shift int // by how many of these numbers a set moves up that takes one item more
}

// Count counts the sets of at most length items (0: any) whose items are all wanted, but for the
// empty set. The result has a number for every item below items.
func (f *Family) Count(
	ctx context.Context, items, length int, wanted func(item int32) bool,
) (Counts, error) {
	if length >= len(f.items) {
		length = 0
	}
	p := &pass{Family: f, ctx: ctx, takes: make([]bool, len(f.items))}
	p.width, p.shift = length+1, min(1, length)
	for i, it := range f.items {
		p.takes[i] = wanted(it)
	}
	c, fits := p.small(items)
	if !fits && ctx.Err() == nil {
		c = p.big(items)
	}
	return c, context.Cause(ctx)
}

// stopped looks at the context now and then.
func (p *pass) stopped(n int) bool { return n&0xffff == 0 && p.ctx.Err() != nil }

// small counts in 64 bits. It fails where the sets in all are more: then so may be every other
// number here, each of which counts some of them.
func (p *pass) small(items int) (Counts, bool) {
	w := p.width
	down, ok := p.down()
	if !ok {
		return Counts{}, false
	}
	up := make([]uint64, len(p.x)*w) // sets above a node, by size
	up[int(p.root)*w] = 1
	byItem := make([]uint64, items)
	for n := int(p.root); n > 1 && !p.stopped(n); n-- {
		own := up[n*w : (n+1)*w]
		for i, c := range own {
			up[int(p.lo[n])*w+i] += c
		}
		if !p.takes[p.x[n]] {
			continue
		}
		hi, item := int(p.hi[n])*w, p.items[p.x[n]]
		if p.shift == 0 {
			up[hi] += own[0]
			byItem[item] += own[0] * down[hi]
			continue
		}
		room := uint64(0) // sets below hi that leave room for the rest
		for i := w - 2; i >= 0; i-- {
			up[hi+i+1] += own[i]
			room += down[hi+w-2-i]
			byItem[item] += own[i] * room
		}
	}
	c, all := NewCounts(items), uint64(0)
	for _, n := range down[int(p.root)*w : int(p.root+1)*w] {
		all += n
	}
	c.Add(byItem, all-1, 1)
	return c, true
}

// down counts the sets below each node, by size; it fails where there are too many for 64 bits.
func (p *pass) down() ([]uint64, bool) {
	w := p.width
	down := make([]uint64, len(p.x)*w)
	down[w] = 1
	over := uint64(0)
	for n := 2; n < len(p.x) && !p.stopped(n); n++ {
		lo, hi := int(p.lo[n])*w, int(p.hi[n])*w
		copy(down[n*w:(n+1)*w], down[lo:lo+w])
		if !p.takes[p.x[n]] {
			continue
		}
		for i := p.shift; i < w; i++ {
			sum, carry := bits.Add64(down[n*w+i], down[hi+i-p.shift], 0)
			down[n*w+i] = sum
			over |= carry
		}
	}
	sum := uint64(0)
	for _, c := range down[int(p.root)*w : int(p.root+1)*w] {
		var carry uint64
		sum, carry = bits.Add64(sum, c, 0)
		over |= carry
	}
	return down, over == 0
}

// big is small in numbers of any size.
func (p *pass) big(items int) Counts {
	w := p.width
	down, up := make([]big.Int, len(p.x)*w), make([]big.Int, len(p.x)*w)
	down[w].SetInt64(1)
	for n := 2; n < len(p.x) && !p.stopped(n); n++ {
		lo, hi := int(p.lo[n])*w, int(p.hi[n])*w
		for i := range w {
			down[n*w+i].Set(&down[lo+i])
			if p.takes[p.x[n]] && i >= p.shift {
				down[n*w+i].Add(&down[n*w+i], &down[hi+i-p.shift])
			}
		}
	}
	c := NewCounts(items)
	up[int(p.root)*w].SetInt64(1)
	var x big.Int
	for n := int(p.root); n > 1 && !p.stopped(n); n-- {
		lo, hi := int(p.lo[n])*w, int(p.hi[n])*w
		for i := range w {
			up[lo+i].Add(&up[lo+i], &up[n*w+i])
			if !p.takes[p.x[n]] || i+p.shift >= w {
				continue
			}
			up[hi+i+p.shift].Add(&up[hi+i+p.shift], &up[n*w+i])
			item := &c.ByItem[p.items[p.x[n]]]
			for j := range w - i - p.shift {
				item.Add(item, x.Mul(&up[n*w+i], &down[hi+j]))
			}
		}
	}
	for i := range w {
		c.All.Add(&c.All, &down[int(p.root)*w+i])
	}
	c.All.Sub(&c.All, big.NewInt(1))
	return c
}
