package continuous

import (
	"cmp"
	"context"
	"slices"
)

// narrow splits ranges wherever that leaves nothing rare, the split that saves most first, until no range can be split
// in two. This goes beyond the paper.
//
// A split of a range A into X and Y changes only bags that held A. For one range all its splits are tried in one go: all
// occurrences begin in Y and move to X value by value, the supports of the bags of at most m values with X or Y among
// them are kept up to date, and with them the number of those that are rare; where that is none, the split may be made.
// Splitting only makes bags rarer, so a split that was refused once stays refused, and one pass is complete.
func narrow(ctx context.Context, in Input, seg *segments, post *postings) error {
	n := &narrower{seg: seg, post: post, k: int32(in.Promise.K), m: in.size()}
	todo := seg.all()
	slices.SortStableFunc(todo, func(a, b span) int { return cmp.Compare(seg.loss(b), seg.loss(a)) })
	for i, sp := range todo {
		if sp.lo == sp.hi {
			continue
		}
		in.report("splitting ranges", int64(i), int64(len(todo)))
		if err := n.narrow(ctx, sp); err != nil {
			return err
		}
	}
	return nil
}

type narrower struct {
	seg  *segments
	post *postings
	k    int32
	m    int

	counts map[bagKey]int32
	rare   int // entries of counts between 0 and k
	others map[string]int32
	fields []byte
	reset  []int32
	state  map[int32]*divided
}

// bagKey is a bag with values of the range that is being split: how many of X, of Y, and which bag of other segments.
type bagKey struct {
	x, y  uint16
	other int32
}

// divided is a record while values of it move from Y to X.
type divided struct {
	x, y   int
	others [][]int32 // by size: the numbers of its distinct bags of other segments
}

// narrow splits a segment as often as it can be.
func (n *narrower) narrow(ctx context.Context, sp span) error {
	todo := []span{sp}
	for len(todo) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		sp := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if sp.lo == sp.hi {
			continue
		}
		at, ok, err := n.bestSplit(ctx, sp)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		left, right := n.seg.split(sp, at)
		todo = append(todo, right, left)
	}
	return nil
}

// split divides a segment behind value at.
func (s *segments) split(sp span, at int32) (left, right span) {
	left, right = span{sp.lo, at}, span{at + 1, sp.hi}
	s.pay(sp.lo, -s.loss(sp))
	for _, part := range []span{left, right} {
		for v := part.lo; v <= part.hi; v++ {
			s.up[v] = part.lo
		}
		s.tail[part.lo] = part.hi
		s.pay(part.lo, s.loss(part))
	}
	return left, right
}

// bestSplit finds the value behind which splitting saves most and leaves nothing rare.
func (n *narrower) bestSplit(ctx context.Context, sp span) (at int32, ok bool, err error) {
	n.open(sp)
	bestSaved := 0.0
	whole := n.seg.loss(sp)
	for v := sp.lo; v < sp.hi; v++ {
		if v%256 == 0 && ctx.Err() != nil {
			return 0, false, context.Cause(ctx)
		}
		for _, rec := range n.post.of(span{v, v}) {
			n.move(n.state[rec])
		}
		if n.rare > 0 {
			continue
		}
		saved := whole - n.seg.loss(span{sp.lo, v}) - n.seg.loss(span{v + 1, sp.hi})
		if !ok || saved > bestSaved {
			at, ok, bestSaved = v, true, saved
		}
	}
	return at, ok, nil
}

// open puts all occurrences of a segment into Y and counts.
func (n *narrower) open(sp span) {
	n.counts, n.others, n.state, n.rare = map[bagKey]int32{}, map[string]int32{}, map[int32]*divided{}, 0
	n.post.forget()
	for _, rec := range n.post.of(sp) {
		if !n.post.once(rec) {
			continue
		}
		d := &divided{}
		n.reset = n.reset[:0]
		for _, v := range n.post.data.Record(int(rec)) {
			if v < sp.lo || v > sp.hi {
				n.reset = append(n.reset, n.seg.root(v))
			} else {
				d.y++
			}
		}
		d.others = make([][]int32, n.m)
		n.subBags(d, n.reset, 0)
		for y := 1; y <= min(d.y, n.m); y++ {
			n.add(d, 0, y, 1)
		}
		n.state[rec] = d
	}
}

// subBags numbers the distinct bags of fewer than m of the ascending values from, after the bag in fields.
func (n *narrower) subBags(d *divided, from []int32, size int) {
	id, ok := n.others[string(n.fields)]
	if !ok {
		id = int32(len(n.others))
		n.others[string(n.fields)] = id
	}
	d.others[size] = append(d.others[size], id)
	if size+1 >= n.m {
		return
	}
	for i, r := range from {
		if i > 0 && from[i-1] == r {
			continue
		}
		n.fields = append(n.fields, byte(r), byte(r>>8), byte(r>>16), byte(r>>24))
		n.subBags(d, from[i+1:], size+1)
		n.fields = n.fields[:len(n.fields)-4]
	}
}

// move takes one value of a record from Y to X: bags with all y of Y are lost, those with one more of X are new.
func (n *narrower) move(d *divided) {
	for x := 0; x <= min(d.x, n.m-d.y); x++ {
		n.add(d, x, d.y, -1)
	}
	d.x, d.y = d.x+1, d.y-1
	for y := 0; y <= min(d.y, n.m-d.x); y++ {
		n.add(d, d.x, y, 1)
	}
}

// add counts a record in or out for its bags with x of X and y of Y.
func (n *narrower) add(d *divided, x, y int, by int32) {
	for size := 0; size+x+y <= n.m; size++ {
		for _, other := range d.others[size] {
			key := bagKey{uint16(x), uint16(y), other}
			was := n.counts[key]
			now := was + by
			n.counts[key] = now
			n.rare += isRare(now, n.k) - isRare(was, n.k)
		}
	}
}

func isRare(count, k int32) int {
	if 0 < count && count < k {
		return 1
	}
	return 0
}
