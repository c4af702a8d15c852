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
//
// Ranges that are not worthwhile are left as they are; with 0 all are.
func narrow(ctx context.Context, in Input, seg *segments, post *postings, worth float64) error {
	n := newNarrower(seg, post, in.Promise.K, in.size())
	todo := seg.all()
	slices.SortStableFunc(todo, func(a, b span) int { return cmp.Compare(seg.loss(b), seg.loss(a)) })
	for i, sp := range todo {
		if sp.lo == sp.hi || !seg.worthwhile(sp, worth) {
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

	// The records of the range that is being split, by slot.
	slot    []int32 // record -> slot; valid for the records of the range
	slotAt  []int32 // the slots of the range's postings, one after another
	xy      []xy
	bags    []int32 // numbers of its distinct bags of other segments, of sizes 0 to m-1
	bagsEnd []int32 // slot s, size z: bags up to bagsEnd[s*m+z]

	// Bags of other segments: the empty one is 0, those of one segment follow, larger ones are numbered as they come.
	single []int32 // by root: its number, 0: none yet
	roots  []int32 // numbered in single
	larger map[string]int32
	last   int32

	// counts[bag*pairs+pair]: records with that bag beside a pair, so many values of X and so many of Y.
	counts []int32
	pair   [][]int32
	pairs  int32
	rare   int // counts between 0 and k

	fields []byte
	others []int32
}

// xy is how many of a record's values are in X, and in Y.
type xy struct{ x, y int32 }

func newNarrower(seg *segments, post *postings, k, m int) *narrower {
	n := &narrower{
		seg: seg, post: post, k: int32(k), m: m,
		slot: make([]int32, post.data.Len()), single: make([]int32, seg.values()),
	}
	for x := 0; x <= m; x++ {
		n.pair = append(n.pair, nil)
		for y := 0; x+y <= m; y++ {
			n.pair[x] = append(n.pair[x], n.pairs)
			n.pairs++
		}
	}
	return n
}

// narrow splits segments as often as they can be.
func (n *narrower) narrow(ctx context.Context, todo ...span) error {
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
	first := n.post.start[sp.lo]
	for v := sp.lo; v < sp.hi; v++ {
		if v%256 == 0 && ctx.Err() != nil {
			return 0, false, context.Cause(ctx)
		}
		for _, slot := range n.slotAt[n.post.start[v]-first : n.post.start[v+1]-first] {
			n.move(slot)
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
	for _, r := range n.roots {
		n.single[r] = 0
	}
	n.roots, n.larger, n.last = n.roots[:0], map[string]int32{}, 0
	n.slotAt, n.xy, n.bags, n.bagsEnd = n.slotAt[:0], n.xy[:0], n.bags[:0], n.bagsEnd[:0]
	n.post.forget()
	for _, rec := range n.post.of(sp) {
		if !n.post.once(rec) {
			n.slotAt = append(n.slotAt, n.slot[rec])
			continue
		}
		n.others = n.others[:0]
		inside := int32(0)
		for _, v := range n.post.data.Record(int(rec)) {
			if v < sp.lo || v > sp.hi {
				n.others = append(n.others, n.seg.root(v))
			} else {
				inside++
			}
		}
		n.slot[rec] = int32(len(n.xy))
		n.slotAt = append(n.slotAt, n.slot[rec])
		n.xy = append(n.xy, xy{0, inside})
		for size := range n.m {
			n.subBags(n.others, size)
			n.bagsEnd = append(n.bagsEnd, int32(len(n.bags)))
		}
	}
	n.counts = append(n.counts[:0], make([]int32, int(n.last+1)*int(n.pairs))...)
	n.rare = 0
	for s := range int32(len(n.xy)) {
		for y := 1; y <= min(int(n.xy[s].y), n.m); y++ {
			n.add(s, 0, y, 1)
		}
	}
}

// subBags lists the distinct bags of the given size of ascending roots, after the bag in fields.
func (n *narrower) subBags(from []int32, size int) {
	if size == 0 {
		n.bags = append(n.bags, n.number())
		return
	}
	for i, r := range from {
		if i > 0 && from[i-1] == r {
			continue
		}
		n.fields = append(n.fields, byte(r), byte(r>>8), byte(r>>16), byte(r>>24))
		n.subBags(from[i+1:], size-1)
		n.fields = n.fields[:len(n.fields)-4]
	}
}

// number is that of the bag in fields.
func (n *narrower) number() int32 {
	switch len(n.fields) {
	case 0:
		return 0
	case 4:
		r := int32(n.fields[0]) | int32(n.fields[1])<<8 | int32(n.fields[2])<<16 | int32(n.fields[3])<<24
		if n.single[r] == 0 {
			n.last++
			n.single[r] = n.last
			n.roots = append(n.roots, r)
		}
		return n.single[r]
	}
	id, ok := n.larger[string(n.fields)]
	if !ok {
		n.last++
		id = n.last
		n.larger[string(n.fields)] = id
	}
	return id
}

// move takes one value of a record from Y to X: bags with all y of Y are lost, those with one more of X are new.
func (n *narrower) move(slot int32) {
	at := &n.xy[slot]
	x, y := int(at.x), int(at.y)
	for i := 0; i <= min(x, n.m-y); i++ {
		n.add(slot, i, y, -1)
	}
	x, y = x+1, y-1
	for i := 0; i <= min(y, n.m-x); i++ {
		n.add(slot, x, i, 1)
	}
	at.x, at.y = int32(x), int32(y)
}

// add counts a record in or out for its bags with x of X and y of Y.
func (n *narrower) add(slot int32, x, y int, by int32) {
	first := slot * int32(n.m)
	begin := int32(0)
	if first > 0 {
		begin = n.bagsEnd[first-1]
	}
	pair := n.pair[x][y]
	for _, bag := range n.bags[begin:n.bagsEnd[first+int32(n.m-x-y)]] {
		at := &n.counts[bag*n.pairs+pair]
		was := *at
		*at += by
		n.rare += isRare(*at, n.k) - isRare(was, n.k)
	}
}

func isRare(count, k int32) int {
	if 0 < count && count < k {
		return 1
	}
	return 0
}
