package continuous

import "mingle/dataset/bag"

// postings is the data by value: the records of any span of values are one contiguous run.
type postings struct {
	data  *bag.Bags
	start []int32 // records of value v are rec[start[v]:start[v+1]], one entry an occurrence
	rec   []int32

	seen  []int32 // marks records; an entry counts when it is epoch
	epoch int32

	held map[int32]*holders // by the lowest value of a segment
	sets []records
}

func newPostings(b *bag.Bags) *postings {
	n := len(b.Terms())
	p := &postings{
		data: b, start: make([]int32, n+1), rec: make([]int32, b.Occurrences()),
		seen: make([]int32, b.Len()), held: map[int32]*holders{},
	}
	for _, v := range b.Items() {
		p.start[v+1]++
	}
	for v := range n {
		p.start[v+1] += p.start[v]
	}
	next := append([]int32(nil), p.start[:n]...)
	for i := range b.Len() {
		for _, v := range b.Record(i) {
			p.rec[next[v]] = int32(i)
			next[v]++
		}
	}
	return p
}

// of are the records of a span of values, with repeats, by ascending value.
func (p *postings) of(s span) []int32 { return p.rec[p.start[s.lo]:p.start[s.hi+1]] }

// once tells, and remembers until the next forget, whether a record comes up for the first time.
func (p *postings) once(rec int32) bool {
	if p.seen[rec] == p.epoch {
		return false
	}
	p.seen[rec] = p.epoch
	return true
}

// forget makes all records new again.
func (p *postings) forget() {
	p.epoch++
	if p.epoch < 0 {
		clear(p.seen)
		p.epoch = 1
	}
}

// rarest is the position of the span with the fewest postings.
func (p *postings) rarest(box []span) int {
	best := 0
	for i := range box {
		if len(p.of(box[i])) < len(p.of(box[best])) {
			best = i
		}
	}
	return best
}

// support counts the records that contain a box, up to limit. Spans of the box are equal or
// disjoint; a record contains it when every span that stands c times in the box holds at least c
// of its values.
func (p *postings) support(box []span, limit int) int {
	first := p.rarest(box)
	p.sets = p.sets[:0]
	// simple: the sets, and the postings gone through, tell all
	simple, frequent := len(box) > 1, p.isFrequent(box[first])
	for i, sp := range box {
		if repeated(box, i) || len(box) == 1 {
			continue
		}
		times := timesIn(box, sp)
		switch {
		case p.isFrequent(sp) && times == 1:
			p.sets = append(p.sets, p.holdersOf(sp).one)
		case p.isFrequent(sp):
			p.sets = append(p.sets, p.holdersOf(sp).twice)
			simple = simple && times == 2
		default:
			simple = simple && sp == box[first] && times == 1
		}
	}
	rest := box
	if simple {
		rest = nil
	}
	if frequent && len(box) > 1 {
		return p.inAll(p.sets, rest, limit)
	}
	return p.containing(p.of(box[first]), p.sets, rest, limit)
}

// timesIn is how often a span stands in a box.
func timesIn(box []span, sp span) int {
	n := 0
	for _, o := range box {
		if o == sp {
			n++
		}
	}
	return n
}

// containing counts the distinct records of a list that are in every set and, where box is given,
// contain it, up to limit.
func (p *postings) containing(list []int32, sets []records, box []span, limit int) int {
	p.forget()
	n := 0
next:
	for _, rec := range list {
		for _, h := range sets {
			if !h.has(rec) {
				continue next
			}
		}
		if p.once(rec) && (box == nil || p.contains(rec, box)) {
			if n++; n >= limit {
				break
			}
		}
	}
	return n
}

func (p *postings) contains(rec int32, box []span) bool {
	values := p.data.Record(int(rec))
	for i, s := range box {
		if repeated(box, i) {
			continue
		}
		needed := timesIn(box, s)
		if countIn(values, s, needed) < needed {
			return false
		}
	}
	return true
}

// countIn counts the values of an ascending record inside a span, up to limit.
func countIn(values []int32, s span, limit int) int {
	const long = 16
	lo := 0
	if len(values) > long {
		hi := len(values)
		for lo < hi {
			if mid := (lo + hi) / 2; values[mid] < s.lo {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
	}
	n := 0
	for _, v := range values[lo:] {
		if v > s.hi {
			break
		}
		if v >= s.lo {
			if n++; n == limit {
				break
			}
		}
	}
	return n
}
