package coherence

import (
	"math/bits"
	"slices"
)

// joiner is one worker's state. Its universe is the items that occur with the first one, numbered
// in order.
type joiner struct {
	p      int
	byItem []uint64 // by position
	all    uint64

	local    []int32 // position -> 1 + number in the universe
	universe []int32 // number -> position
	words    int
	start    []int32 // rows: numbers, ascending
	flat     []int32
	bits     []uint64
	own      []uint64 // counts by number
	union    []uint64 // number -> neighbours
	stamp    []int32
	now      int32
	touched  []int32
	path     []int32 // numbers behind the first item
	levels   []*buckets
}

// at is a row of the universe and the position in it where the rest begins.
type at struct{ row, next int32 }

// buckets are rows by the next item.
type buckets struct {
	start []int32
	refs  []at
}

// open makes the universe of the first item: the items in its rows behind a position, as far as
// they are wanted (nil: all).
func (j *joiner) open(o *occurring, first, after int32, wanted []bool) {
	if len(j.local) < len(o.items) {
		j.local = make([]int32, len(o.items))
		j.byItem = make([]uint64, len(o.items))
	}
	j.p = o.p
	j.universe, j.path = j.universe[:0], j.path[:0]
	j.start, j.flat = append(j.start[:0], 0), j.flat[:0]
	for _, r := range o.having[first] {
		row := o.row(r)
		for i := len(row) - 1; i >= 0 && row[i] > after; i-- {
			x := row[i]
			if x == first || wanted != nil && !wanted[x] {
				continue
			}
			if j.local[x] == 0 {
				j.local[x] = 1
				j.universe = append(j.universe, x)
			}
			if o.p > 2 {
				j.flat = append(j.flat, x)
			}
		}
		if n := int32(len(j.flat)); n > j.start[len(j.start)-1] {
			slices.Reverse(j.flat[j.start[len(j.start)-1]:])
			j.start = append(j.start, n)
		}
	}
	slices.Sort(j.universe)
	if o.p == 2 { // which items occur with the first is all that is asked: one row says it
		j.flat = append(j.flat, j.universe...)
		j.start = append(j.start, int32(len(j.flat)))
	}
	for i, x := range j.universe {
		j.local[x] = int32(i) + 1
	}
	for i, x := range j.flat {
		j.flat[i] = j.local[x] - 1
	}
	for _, x := range j.universe {
		j.local[x] = 0
	}
	j.reset(len(j.universe))
}

// reset makes room for the counts of a universe, and, where pairs are counted, its rows as bits.
func (j *joiner) reset(m int) {
	j.words = (m + 63) / 64
	j.own = zeroed(j.own, m)
	j.stamp = slices.Grow(j.stamp[:0], m)[:m]
	clear(j.stamp)
	j.now = 0
	if j.p < 3 {
		return
	}
	if need := m * j.words; cap(j.union) < need {
		j.union = make([]uint64, need)
	}
	j.union = j.union[:cap(j.union)]
	j.bits = zeroed(j.bits, (len(j.start)-1)*j.words)
	for r := range len(j.start) - 1 {
		row := j.bits[r*j.words : (r+1)*j.words]
		for _, x := range j.row(int32(r)) {
			row[x>>6] |= 1 << (x & 63)
		}
	}
}

func zeroed(s []uint64, n int) []uint64 {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

func (j *joiner) row(r int32) []int32 { return j.flat[j.start[r]:j.start[r+1]] }

// close files the counts of the universe; the first item is in all of them, and occurs alone.
func (j *joiner) close(first int32, sets uint64) {
	for i, n := range j.own {
		j.byItem[j.universe[i]] += n
	}
	j.byItem[first] += sets
	j.all += sets
}

// everything refers to all rows of the universe.
func (j *joiner) everything() (refs []at) {
	for r := range len(j.start) - 1 {
		refs = append(refs, at{int32(r), 0})
	}
	return refs
}

// extend counts the sets of the first item, the path, and one to more items behind it; it returns
// their number.
func (j *joiner) extend(refs []at, more int) uint64 {
	switch {
	case more == 0 || len(refs) == 0:
		return 0
	case more == 1:
		return j.one(refs)
	case more == 2:
		return j.two(refs)
	}
	sets := uint64(0)
	b := j.bucket(refs, more)
	for x := range len(j.universe) {
		if from, to := b.start[x], b.start[x+1]; from < to {
			sets += j.behind(b.refs[from:to], int32(x), more)
		}
	}
	return sets
}

// behind counts the sets that go on with x: the one that ends there, and those that go further.
func (j *joiner) behind(refs []at, x int32, more int) uint64 {
	j.path = append(j.path, x)
	n := 1 + j.extend(refs, more-1)
	j.path = j.path[:len(j.path)-1]
	j.own[x] += n
	return n
}

// bucket sorts the rows by each of their items, with the rest behind it.
func (j *joiner) bucket(refs []at, more int) *buckets {
	for len(j.levels) <= more {
		j.levels = append(j.levels, &buckets{})
	}
	b := j.levels[more]
	m := len(j.universe)
	b.start = slices.Grow(b.start[:0], m+2)[:m+2]
	clear(b.start)
	for _, a := range refs {
		for _, x := range j.row(a.row)[a.next:] {
			b.start[x+2]++
		}
	}
	for x := range m {
		b.start[x+2] += b.start[x+1]
	}
	// b.start[x+1] is now where the rows of x begin; filling them moves it to where they end,
	// which is where x+1 begins.
	n := int(b.start[m+1])
	b.refs = slices.Grow(b.refs[:0], n)[:n]
	for _, a := range refs {
		row := j.row(a.row)
		for k := int(a.next); k < len(row); k++ {
			to := &b.start[row[k]+1]
			b.refs[*to] = at{a.row, int32(k) + 1}
			*to++
		}
	}
	return b
}

// one counts single items behind the path.
func (j *joiner) one(refs []at) uint64 {
	j.now++
	n := uint64(0)
	for _, a := range refs {
		for _, x := range j.row(a.row)[a.next:] {
			if j.stamp[x] != j.now {
				j.stamp[x] = j.now
				j.own[x]++
				n++
			}
		}
	}
	return n
}

// two counts single items and pairs behind the path, on the graph of the items.
func (j *joiner) two(refs []at) uint64 {
	j.now++
	j.touched = j.touched[:0]
	lowest := 0
	if len(j.path) > 0 {
		lowest = int(j.path[len(j.path)-1] >> 6)
	}
	for _, a := range refs {
		row := j.bits[int(a.row)*j.words+lowest : (int(a.row)+1)*j.words]
		for _, x := range j.row(a.row)[a.next:] {
			to := j.union[int(x)*j.words+lowest:][:len(row)]
			if j.stamp[x] != j.now {
				j.stamp[x] = j.now
				j.touched = append(j.touched, x)
				copy(to, row)
				continue
			}
			for i, w := range row {
				to[i] |= w
			}
		}
	}
	pairs := uint64(0)
	for _, x := range j.touched {
		near := uint64(j.neighbours(x, lowest)) - 1
		j.own[x] += near + 1
		pairs += near
	}
	return uint64(len(j.touched)) + pairs/2
}

// neighbours counts the items behind the path that x is joined with, x itself included.
func (j *joiner) neighbours(x int32, lowest int) int {
	u := j.union[int(x)*j.words+lowest : (int(x)+1)*j.words]
	n := 0
	for _, w := range u {
		n += bits.OnesCount64(w)
	}
	if len(j.path) > 0 {
		last := uint(j.path[len(j.path)-1] & 63)
		n -= bits.OnesCount64(u[0] & (1<<(last+1) - 1))
	}
	return n
}

// share is extend for every parts-th of the items that may follow the first, starting with one of
// them.
func (j *joiner) share(part, parts, more int) uint64 {
	if parts == 1 {
		return j.extend(j.everything(), more)
	}
	sets := uint64(0)
	b := j.bucket(j.everything(), more)
	for x := part; x < len(j.universe); x += parts {
		sets += j.behind(b.refs[b.start[x]:b.start[x+1]], int32(x), more)
	}
	return sets
}
