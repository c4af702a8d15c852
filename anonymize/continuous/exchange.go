package continuous

import (
	"context"
	"slices"
)

// exchange publishes occurrences of one node as one of its two parts, in all records in which that
// leaves nothing rare.
//
// Every record that holds the node is a candidate at first. Then candidates are taken out until
// nothing is rare:
//
//	(1) a gained bag that would be in fewer than k records: all candidates that gain it stay
//	    behind;
//	(2) a lost bag that would be left in some records, but fewer than k: as many candidates that
//	    lose it stay behind as make k again. There are as many, for before the exchange the bag
//	    was in at least k.
//
// The set of candidates only shrinks, so this ends.
//
// A bag is one of the node and its parts, a mix, and one of what stands beside them. What changes
// for a record depends on the mixes alone, so these are compared, not all its bags.
type exchange struct {
	near  *beside
	k     int32
	mixes []mix // by size
	upTo  []int // mixes[:upTo[s]] have at most s terms

	// support of bag b beside mixes[i] is support[base[b]+i]: how many records would have it if
	// all candidates that are left took part.
	base    []int
	support []int32
	queued  []bool
	queue   []mixture

	// By record: occurrences of the node up to the cut and above it, and how they are published.
	low, high []int32
	parts     []parts
	moving    []bool // candidates that are left
	to        parts  // what candidates are to publish
	left      int    // candidates
}

// mix is how often the node and its two parts stand in a bag or a record.
type mix [3]int32

func (a mix) within(b mix) bool { return a[0] <= b[0] && a[1] <= b[1] && a[2] <= b[2] }

// difference is 1 where a mix is in the second of two alone, -1 where it is in the first alone.
func (a mix) difference(was, will mix) (by int32) {
	if a.within(was) {
		by--
	}
	if a.within(will) {
		by++
	}
	return by
}

func (a mix) size() int { return int(a[0] + a[1] + a[2]) }

// parts is the set of parts that a record publishes in place of the node.
type parts uint8

const (
	lowPart parts = 1 << iota
	highPart
)

// mixture is a bag and a mix beside it.
type mixture struct{ bag, mix int32 }

// begin takes the records that hold a node, and how often each does.
func (x *exchange) begin(near *beside, times []int32, k int) {
	n := len(near.records)
	x.near, x.k, x.low, x.high = near, int32(k), times, zeros(x.high, n)
	x.parts, x.moving = zeros(x.parts, n), zeros(x.moving, n)
	x.upTo, x.mixes = zeros(x.upTo, near.m+1), x.mixes[:0]
	most := int(slices.Max(times)) // no record has a larger mix
	for size := 1; size <= near.m; size++ {
		for a := int32(0); size <= most && a <= int32(size); a++ {
			for b := range int32(size+1) - a {
				x.mixes = append(x.mixes, mix{int32(size) - a - b, a, b})
			}
		}
		x.upTo[size] = len(x.mixes)
	}
	x.base = x.base[:0]
	total := 0
	for _, size := range near.size {
		x.base = append(x.base, total)
		total += x.upTo[near.m-int(size)]
	}
	x.support, x.queued = zeros(x.support, total), zeros(x.queued, total)
	for i := range n {
		x.count(i, mix{}, x.mixOf(i, 0))
	}
}

// mixOf is what a record holds when it publishes some parts.
func (x *exchange) mixOf(i int, p parts) (out mix) {
	if p&lowPart != 0 {
		out[1] = x.low[i]
	} else {
		out[0] = x.low[i]
	}
	if p&highPart != 0 {
		out[2] = x.high[i]
	} else {
		out[0] += x.high[i]
	}
	return out
}

// run lets candidates publish more parts and tells whether any does.
func (x *exchange) run(ctx context.Context, to parts) (bool, error) {
	x.to, x.left, x.queue = to, 0, x.queue[:0]
	for i := range x.parts {
		if i%1024 == 0 && ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		was, will := x.mixOf(i, x.parts[i]), x.mixOf(i, x.parts[i]|to)
		if x.moving[i] = was != will; x.moving[i] {
			x.left++
			x.count(i, was, will)
		}
	}
	if x.left == 0 {
		return false, nil
	}
	for bag, base := range x.base {
		for i := range x.upTo[x.near.m-int(x.near.size[bag])] {
			x.look(base+i, int32(bag), int32(i))
		}
	}
	for at := 0; at < len(x.queue); at++ {
		if at%1024 == 0 && ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		x.leaveOut(x.queue[at])
	}
	for i, moving := range x.moving {
		if moving {
			x.parts[i] |= to
		}
	}
	return x.left > 0, nil
}

// count counts a record out of the bags that it has with one mix alone, and into those that it has
// with the other alone.
func (x *exchange) count(i int, was, will mix) {
	for n, mix := range x.mixes {
		if by := mix.difference(was, will); by != 0 {
			for _, bag := range x.near.of(i, x.near.m-mix.size()) {
				x.support[x.base[bag]+n] += by
			}
		}
	}
}

// look queues a bag that is rare; its support is the one given by its place.
func (x *exchange) look(at int, bag, mix int32) {
	if n := x.support[at]; 0 < n && n < x.k && !x.queued[at] {
		x.queued[at] = true
		x.queue = append(x.queue, mixture{bag, mix})
	}
}

// leaveOut takes out candidates until a bag is not rare: those that gain it, then some of those
// that lose it.
func (x *exchange) leaveOut(p mixture) {
	at, mix := x.base[p.bag]+int(p.mix), x.mixes[p.mix]
	x.queued[at] = false
	for _, by := range []int32{1, -1} {
		for _, i := range x.near.ownersOf(p.bag) {
			if n := x.support[at]; n == 0 || n >= x.k {
				return
			}
			if !x.moving[i] {
				continue
			}
			was, will := x.mixOf(int(i), x.parts[i]), x.mixOf(int(i), x.parts[i]|x.to)
			if mix.difference(was, will) == by {
				x.stay(int(i))
			}
		}
	}
}

// stay takes a candidate out: it keeps what it would have lost and does not gain.
func (x *exchange) stay(i int) {
	x.moving[i] = false
	x.left--
	was, will := x.mixOf(i, x.parts[i]), x.mixOf(i, x.parts[i]|x.to)
	for n, mix := range x.mixes {
		by := mix.difference(will, was)
		if by == 0 {
			continue
		}
		for _, bag := range x.near.of(i, x.near.m-mix.size()) {
			at := x.base[bag] + n
			x.support[at] += by
			x.look(at, bag, int32(n))
		}
	}
}
