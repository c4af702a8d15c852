package count

import (
	"context"
	"slices"
)

// maxTriangle is the largest number of pair counters a worker uses at once; wider projections are projected once more.
const maxTriangle = 1 << 22

// finder looks for the rare sets of one first item at a time.
type finder struct {
	view   *View
	k      int32
	size   int
	limit  int
	sets   []int32 // found, as ranks
	full   bool
	prefix []int32

	levels   []level
	count    []int32 // by rank, all zero between uses
	local    []int32 // rank -> position among a projection's ranks
	triangle []int32
}

// level is the working space of one length of prefix.
type level struct {
	rows    rows
	merger  *merger
	touched []int32 // ranks that occur
	start   []uint32
	places  []occurrence
}

func newFinder(v *View, s Search) *finder {
	f := &finder{view: v, k: int32(s.K), size: s.Size, limit: s.Limit}
	f.count = make([]int32, len(v.nodes))
	f.local = make([]int32, len(v.nodes))
	f.levels = make([]level, s.Size+1)
	for i := range f.levels {
		f.levels[i].merger = newMerger(0)
	}
	return f
}

// from finds the sets whose rarest item is r.
func (f *finder) from(ctx context.Context, r int32) {
	f.sets, f.full, f.prefix = f.sets[:0], false, append(f.prefix[:0], r)
	if f.size == 1 {
		if f.view.support[r] < f.k {
			f.report(nil)
		}
		return
	}
	f.extend(ctx, f.view.txs, f.view.places[f.view.first[r]:f.view.first[r+1]])
}

// extend finds the sets that begin with the prefix, given its places in some rows.
func (f *finder) extend(ctx context.Context, in *rows, places []occurrence) {
	if f.full || ctx.Err() != nil {
		return
	}
	left := f.size - len(f.prefix)
	if left == 1 {
		f.lastItem(in, places)
		return
	}
	l := &f.levels[len(f.prefix)]
	if !f.project(l, in, places, left) {
		return
	}
	if n := len(l.touched); left == 2 && n*(n-1)/2 <= maxTriangle {
		f.lastPair(l)
		return
	}
	l.index(f.count)
	for i, r := range l.touched {
		if own := l.places[l.start[i]:l.start[i+1]]; len(own) > 0 {
			f.prefix = append(f.prefix, r)
			f.extend(ctx, &l.rows, own)
			f.prefix = f.prefix[:len(f.prefix)-1]
		}
	}
}

// lastItem counts extensions by one.
func (f *finder) lastItem(in *rows, places []occurrence) {
	l := &f.levels[len(f.prefix)]
	l.touched = l.touched[:0]
	for _, p := range places {
		w := in.weights[p.tx]
		for _, r := range in.ranks[p.pos:in.start[p.tx+1]] {
			if f.count[r] == 0 {
				l.touched = append(l.touched, r)
			}
			f.count[r] += w
		}
	}
	rare := l.touched[:0]
	for _, r := range l.touched {
		if f.count[r] < f.k {
			rare = append(rare, r)
		}
		f.count[r] = 0
	}
	slices.Sort(rare)
	for _, r := range rare {
		f.report([]int32{r})
	}
}

// project makes l the rows that follow the prefix, those of at least so many ranks, equal ones merged. It reports whether
// anything rare can be in them.
func (f *finder) project(l *level, in *rows, places []occurrence, least int) bool {
	l.rows.reset()
	l.merger.reset(len(places))
	for _, p := range places {
		if row := in.ranks[p.pos:in.start[p.tx+1]]; len(row) >= least {
			l.merger.add(&l.rows, row, in.weights[p.tx])
		}
	}
	l.touched = l.touched[:0]
	for _, r := range l.rows.ranks {
		if f.count[r] == 0 {
			f.count[r] = 1
			l.touched = append(l.touched, r)
		}
	}
	for _, r := range l.touched {
		f.count[r] = 0
	}
	slices.Sort(l.touched)
	return slices.ContainsFunc(l.rows.weights, func(w int32) bool { return w < f.k })
}

// index lists the places of every touched rank. scratch is by rank and all zero.
func (l *level) index(scratch []int32) {
	l.start = append(l.start[:0], make([]uint32, len(l.touched)+1)...)
	for i, r := range l.touched {
		scratch[r] = int32(i)
	}
	for _, r := range l.rows.ranks {
		l.start[scratch[r]+1]++
	}
	for i := range l.touched {
		l.start[i+1] += l.start[i]
	}
	next := slices.Clone(l.start)
	l.places = slices.Grow(l.places[:0], len(l.rows.ranks))[:len(l.rows.ranks)]
	for i := range uint32(l.rows.len()) {
		for pos := l.rows.start[i]; pos < l.rows.start[i+1]; pos++ {
			at := scratch[l.rows.ranks[pos]]
			l.places[next[at]] = occurrence{pos + 1, i}
			next[at]++
		}
	}
	for _, r := range l.touched {
		scratch[r] = 0
	}
}

// lastPair counts extensions by two in a triangle over the ranks of the projection.
func (f *finder) lastPair(l *level) {
	n := len(l.touched)
	for i, r := range l.touched {
		f.local[r] = int32(i)
	}
	cells := n * (n - 1) / 2
	if cap(f.triangle) < cells {
		f.triangle = make([]int32, cells)
	}
	tri := f.triangle[:cells]
	clear(tri)
	row := make([]int32, 0, 64)
	for i := range uint32(l.rows.len()) {
		row = row[:0]
		for _, r := range l.rows.row(i) {
			row = append(row, f.local[r])
		}
		w := l.rows.weights[i]
		for b, hi := range row {
			base := tri[hi*(hi-1)/2:]
			for _, lo := range row[:b] {
				base[lo] += w
			}
		}
	}
	f.readTriangle(l, tri)
}

// readTriangle reports the rare pairs in the order of their first, then second rank.
func (f *finder) readTriangle(l *level, tri []int32) {
	cell := 0
	for hi := range l.touched {
		for lo := range hi {
			if c := tri[cell]; c > 0 && c < f.k {
				f.report([]int32{l.touched[lo], l.touched[hi]})
			}
			cell++
		}
	}
}

// report notes a rare set: the prefix and what follows.
func (f *finder) report(rest []int32) {
	if f.limit > 0 && len(f.sets) >= f.limit*f.size {
		f.full = true
		return
	}
	f.sets = append(append(f.sets, f.prefix...), rest...)
}
