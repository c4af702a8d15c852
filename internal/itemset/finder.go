package itemset

import (
	"context"
	"slices"
)

// maxTriangle is the largest number of pair counters a worker uses at once; wider projections are
// projected once more.
const maxTriangle = 1 << 22

// finder looks for the rare sets of one first item at a time.
type finder struct {
	view  *View
	k     int32
	size  int
	limit int
	found
	full   bool
	prefix []int32

	levels   []level
	last     projection
	local    []int32 // rank -> its number among a projection's ranks
	triangle []int32
	met      []int32 // of the triangle, where units are counted: stamps
}

// level is the working space of one length of prefix.
type level struct {
	rows    rows
	equal   deduplicator
	touched []int32 // ranks that occur, ascending
	places  placeLists
}

func newFinder(v *View, s Search) *finder {
	return &finder{
		view: v, k: int32(s.K), size: s.Size, limit: s.Limit, levels: make([]level, s.Size+1),
		last: projection{count: make([]int32, len(v.nodes))}, local: make([]int32, len(v.nodes)),
	}
}

// from finds the sets whose rarest item is r.
func (f *finder) from(ctx context.Context, r int32) {
	f.sets, f.supports = f.sets[:0], f.supports[:0]
	f.full, f.prefix = false, append(f.prefix[:0], r)
	if f.size == 1 {
		if f.view.support[r] < f.k {
			f.report(f.view.support[r])
		}
		return
	}
	f.extend(ctx, f.view.txs, f.view.places.Of(r))
}

// extend finds the sets that begin with the prefix, given its places in some rows.
func (f *finder) extend(ctx context.Context, in *rows, places []Place) {
	if f.full || ctx.Err() != nil {
		return
	}
	left := f.size - len(f.prefix)
	if left == 1 {
		f.last.countWeights(in, places)
		for _, r := range f.last.below(f.k, nil) {
			f.report(0, r)
		}
		return
	}
	l := &f.levels[len(f.prefix)]
	if left == 2 && in.units == nil && f.pairsAsTheyAre(l, in, places) {
		return
	}
	if !f.project(l, in, places, left) {
		return
	}
	for i, r := range l.touched {
		f.local[r] = int32(i)
	}
	if n := len(l.touched); left == 2 && n*(n-1)/2 <= maxTriangle {
		f.lastPair(l)
		return
	}
	l.places.fill(&l.rows, len(l.touched), f.local)
	for i, r := range l.touched {
		if own := l.places.Of(int32(i)); len(own) > 0 {
			f.prefix = append(f.prefix, r)
			f.extend(ctx, &l.rows, own)
			f.prefix = f.prefix[:len(f.prefix)-1]
		}
	}
}

// pairsAnItem is how many pairs an item of a row may be in for it to be quicker to count them than
// to find equal rows by hash, which takes some tens of steps an item.
const pairsAnItem = 8

// pairsAsTheyAre counts extensions by two in a triangle without merging equal rows first. It
// returns false, and does nothing, where rows are long or the triangle has more cells than there is
// to count.
func (f *finder) pairsAsTheyAre(l *level, in *rows, places []Place) bool {
	items, pairs := 0, 0
	for _, p := range places {
		n := len(in.behind(p))
		items, pairs = items+n, pairs+n*(n-1)/2
	}
	if pairs > pairsAnItem*items {
		return false
	}
	first := f.prefix[len(f.prefix)-1] + 1 // what is behind is of this rank or above
	n := len(f.view.nodes) - int(first)
	cells := n * (n - 1) / 2
	if cells > maxTriangle || cells > cellsASet*pairs {
		return false
	}
	l.touched = append(l.touched[:0], f.view.all[first:]...)
	tri := f.emptied(cells)
	for _, p := range places {
		addPairs(tri, in.behind(p), first, in.weights[p.Tx])
	}
	f.readTriangle(l, tri, tri)
	return true
}

// emptied is a triangle of so many cells of zero.
func (f *finder) emptied(cells int) []int32 {
	if cap(f.triangle) < cells {
		f.triangle = make([]int32, cells)
	}
	tri := f.triangle[:cells]
	clear(tri)
	return tri
}

// addPairs counts the pairs of a row of numbers, which count from first on.
func addPairs(tri, row []int32, first, weight int32) {
	for at, hi := range row {
		hi -= first
		base := tri[hi*(hi-1)/2:]
		for _, lo := range row[:at] {
			base[lo-first] += weight
		}
	}
}

// project makes l the rows that follow the prefix, those of at least so many ranks, equal ones
// merged. It reports whether anything rare can be in them.
func (f *finder) project(l *level, in *rows, places []Place, least int) bool {
	l.rows.reset()
	l.equal.reset(len(places))
	if in.units != nil && l.rows.units == nil {
		l.rows.units = []int32{}
	}
	for _, p := range places {
		switch row := in.behind(p); {
		case len(row) < least:
		case in.units != nil:
			l.equal.addOf(&l.rows, row, in.units[p.Tx], in.weights[p.Tx])
		default:
			l.equal.add(&l.rows, row, in.weights[p.Tx])
		}
	}
	l.touched = l.touched[:0]
	for _, r := range l.rows.ids {
		if f.last.count[r] == 0 {
			f.last.count[r] = 1
			l.touched = append(l.touched, r)
		}
	}
	for _, r := range l.touched {
		f.last.count[r] = 0
	}
	slices.Sort(l.touched)
	return slices.ContainsFunc(l.rows.weights, func(w int32) bool { return w < f.k })
}

// lastPair counts extensions by two in a triangle over the ranks of the projection.
func (f *finder) lastPair(l *level) {
	n := len(l.touched)
	tri := f.emptied(n * (n - 1) / 2)
	if l.rows.units != nil {
		f.lastPairOfUnits(l, tri)
		return
	}
	row := make([]int32, 0, 64)
	for i := range uint32(l.rows.len()) {
		row = row[:0]
		for _, r := range l.rows.row(i) {
			row = append(row, f.local[r])
		}
		addPairs(tri, row, 0, l.rows.weights[i])
	}
	f.readTriangle(l, tri, tri)
}

// lastPairOfUnits is lastPair where units are counted.
func (f *finder) lastPairOfUnits(l *level, tri []int32) {
	if cap(f.met) < len(tri) {
		f.met = make([]int32, len(tri))
	}
	met := f.met[:len(tri)]
	clear(met)
	row := make([]int32, 0, 64)
	for i := range uint32(l.rows.len()) {
		row = row[:0]
		for _, r := range l.rows.row(i) {
			row = append(row, f.local[r])
		}
		unit, weight := l.rows.units[i], l.rows.weights[i]
		for b, hi := range row {
			base := hi * (hi - 1) / 2
			for _, lo := range row[:b] {
				countUnit(&tri[base+lo], &met[base+lo], unit, weight)
			}
		}
	}
	f.readTriangle(l, tri, met)
}

// readTriangle reports the rare pairs in the order of their first, then second rank. What occurs is
// not zero in met.
func (f *finder) readTriangle(l *level, tri, met []int32) {
	cell := 0
	for hi := range l.touched {
		for lo := range hi {
			if tri[cell] < f.k && met[cell] > 0 {
				f.report(tri[cell], l.touched[lo], l.touched[hi])
			}
			cell++
		}
	}
}

// report notes a rare set: the prefix and what follows, and its support; 0: that is not known.
func (f *finder) report(support int32, rest ...int32) {
	if f.limit > 0 && len(f.supports) >= f.limit {
		f.full = true
		return
	}
	f.sets = append(append(f.sets, f.prefix...), rest...)
	f.supports = append(f.supports, support)
}
