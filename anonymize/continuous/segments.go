package continuous

import "mingle/dataset/bag"

// span is a run of distinct values, both ends included, by their ids.
type span struct{ lo, hi int32 }

func (s span) join(o span) span { return span{min(s.lo, o.lo), max(s.hi, o.hi)} }

func (s span) overlaps(o span) bool { return s.lo <= o.hi && o.lo <= s.hi }

// segments is a global recoding under way: a partition of the distinct values into runs, which
// only ever merge. A run of one value is published as that value, a longer one as the range of its
// ends.
type segments struct {
	pos    []float64 // of each value in the active domain, 0 to 1
	before []int64   // before[v]: occurrences of values below v; the last entry counts all
	up     []int32   // union-find; the root of a segment is its lowest value
	tail   []int32   // highest value of the segment, at its root

	// sums holds the NCP of every segment at its root, as a Fenwick tree: the loss inside any span
	// in O(log n).
	sums  []float64
	width func(s span) float64 // share of the active domain that publishing s as one range covers

	merged func(from, into int32) // told the roots when segments merge; nil: nobody asks
}

func newSegments(b *bag.Bags) *segments {
	n := len(b.Terms())
	s := &segments{
		pos: b.Positions(), before: make([]int64, n+1),
		up: make([]int32, n), tail: make([]int32, n),
		sums: make([]float64, n+1),
	}
	for _, v := range b.Items() {
		s.before[v+1]++
	}
	for v := range n {
		s.before[v+1] += s.before[v]
		s.up[v], s.tail[v] = int32(v), int32(v)
	}
	s.width = func(sp span) float64 { return s.pos[sp.hi] - s.pos[sp.lo] }
	return s
}

func (s *segments) values() int32 { return int32(len(s.up)) }

// root is the lowest value of v's segment.
func (s *segments) root(v int32) int32 {
	for s.up[v] != v {
		s.up[v] = s.up[s.up[v]]
		v = s.up[v]
	}
	return v
}

// of is the segment of a value.
func (s *segments) of(v int32) span {
	r := s.root(v)
	return span{r, s.tail[r]}
}

// loss is the NCP of publishing a span as one range, weighted by its share of all occurrences.
func (s *segments) loss(sp span) float64 {
	if sp.lo == sp.hi {
		return 0
	}
	return s.width(sp) * float64(s.occurrences(sp)) / float64(s.before[len(s.before)-1])
}

func (s *segments) occurrences(sp span) int64 { return s.before[sp.hi+1] - s.before[sp.lo] }

// lossWithin is the NCP of the segments that make up a span.
func (s *segments) lossWithin(sp span) float64 { return s.lossBelow(sp.hi+1) - s.lossBelow(sp.lo) }

func (s *segments) lossBelow(v int32) float64 {
	sum := 0.0
	for i := v; i > 0; i &= i - 1 {
		sum += s.sums[i]
	}
	return sum
}

func (s *segments) addLoss(v int32, amount float64) {
	for i := int(v) + 1; i < len(s.sums); i += i & -i {
		s.sums[i] += amount
	}
}

// merge makes a span, which must begin and end with a segment, one segment.
func (s *segments) merge(sp span) {
	for v := sp.lo; v <= sp.hi; {
		end := s.tail[v]
		if l := s.loss(span{v, end}); l != 0 {
			s.addLoss(v, -l)
		}
		s.up[v] = sp.lo
		if v != sp.lo && s.merged != nil {
			s.merged(v, sp.lo)
		}
		v = end + 1
	}
	s.tail[sp.lo] = sp.hi
	if l := s.loss(sp); l != 0 {
		s.addLoss(sp.lo, l)
	}
}

// split divides a segment behind value at.
func (s *segments) split(sp span, at int32) (left, right span) {
	left, right = span{sp.lo, at}, span{at + 1, sp.hi}
	s.addLoss(sp.lo, -s.loss(sp))
	for _, part := range []span{left, right} {
		for v := part.lo; v <= part.hi; v++ {
			s.up[v] = part.lo
		}
		s.tail[part.lo] = part.hi
		s.addLoss(part.lo, s.loss(part))
	}
	return left, right
}

// all lists the segments in ascending order.
func (s *segments) all() []span {
	var out []span
	for v := int32(0); v < s.values(); v = s.tail[v] + 1 {
		out = append(out, span{v, s.tail[v]})
	}
	return out
}

// widen widens the spans of a box, in place, to whole segments, and makes spans that meet one:
// what publishing the box means for a global recoding.
func (s *segments) widen(box []span) {
	for i := range box {
		box[i] = span{s.root(box[i].lo), s.of(box[i].hi).hi}
	}
	for again := true; again; {
		again = false
		for i := range box {
			for j := range i {
				if box[i] != box[j] && box[i].overlaps(box[j]) {
					both := box[i].join(box[j])
					box[i], box[j], again = both, both, true
				}
			}
		}
	}
}

// extra is what publishing a box of whole segments adds to the NCP.
func (s *segments) extra(box []span) float64 {
	sum := 0.0
	for i, sp := range box {
		if !repeated(box, i) {
			sum += s.loss(sp) - s.lossWithin(sp)
		}
	}
	return sum
}

// apply publishes a box of whole segments.
func (s *segments) apply(box []span) {
	for i, sp := range box {
		if !repeated(box, i) && s.of(sp.lo) != sp {
			s.merge(sp)
		}
	}
}

// repeated tells whether the same span stands earlier in the box.
func repeated(box []span, i int) bool {
	for _, earlier := range box[:i] {
		if earlier == box[i] {
			return true
		}
	}
	return false
}

// terms are what every value is published as.
func (s *segments) terms(b *bag.Bags) []bag.Term {
	out := make([]bag.Term, s.values())
	for _, sp := range s.all() {
		t := bag.Term{Lo: b.Terms()[sp.lo].Lo, Hi: b.Terms()[sp.hi].Lo}
		for v := sp.lo; v <= sp.hi; v++ {
			out[v] = t
		}
	}
	return out
}
