package itemset

import (
	"context"
	"slices"
)

// Next is what to do after a set was visited.
type Next int

const (
	Descend Next = iota // visit the sets that contain this one
	Skip                // leave them out
	Stop                // end
)

// Sets visits every set of at most m items that occurs in d, depth first, items ascending. visit
// gets the set and its places, by transaction, and must keep neither. Memory is 8 bytes an item
// occurrence for each item of the set being visited. It ends early, with the cause, when ctx does.
func Sets(ctx context.Context, d Data, m int, visit func(set []int32, at []Place) Next) error {
	s := &setWalk{rows: d.rows(), ctx: ctx, visit: visit}
	m = min(m, s.longest())
	s.levels = make([]projection, max(0, m))
	for i := range s.levels {
		s.levels[i].count = make([]int32, d.Items)
	}
	s.extend(make([]int32, 0, max(0, m)), s.whole())
	return context.Cause(ctx)
}

// rows is the data as it is.
func (d *Data) rows() *rows {
	r := &rows{
		start: make([]uint32, 1, d.Len+1), weights: make([]int32, 0, d.Len), units: unitsOf(d),
	}
	for i := range d.Len {
		r.ids = append(r.ids, d.Tx(i)...)
		r.closeOf(d.unit(i), d.weight(i))
	}
	return r
}

// AllFrequent tells whether every set of at most m items that occurs in d has a support of at least
// k. The sets of a prefix and one item more are all counted before larger ones are.
func AllFrequent(ctx context.Context, d Data, m, k int) (bool, error) {
	if m < 1 {
		return true, context.Cause(ctx)
	}
	f := &frequent{rows: d.rows(), ctx: ctx, k: int32(k)}
	f.levels = make([]projection, max(1, min(m, f.longest())))
	if f.units == nil && slices.ContainsFunc(f.weights, func(w int32) bool { return w <= 0 }) {
		f.units = slices.Repeat([]int32{noUnit}, f.len()) // what weighs nothing occurs, too
	}
	for i := range f.levels {
		f.levels[i].count = make([]int32, d.Items)
	}
	all := f.extend(0, f.whole())
	return all && ctx.Err() == nil, context.Cause(ctx)
}

// frequent looks for a set that is not.
type frequent struct {
	*rows
	ctx    context.Context
	k      int32
	levels []projection // by the size of the prefix
}

// extend tells whether all sets of a prefix of a size, given its places, and at most so many items
// more are frequent.
func (f *frequent) extend(size int, at []Place) bool {
	l := &f.levels[size]
	l.countWeights(f.rows, at)
	if len(l.below(f.k, nil)) > 0 {
		return false
	}
	if size+1 == len(f.levels) {
		return true
	}
	l.countRows(f.rows, at)
	begin := int32(0)
	for _, c := range l.distribute(f.rows, at, nil) {
		if f.ctx.Err() != nil || !f.extend(size+1, l.places[begin:c.end]) {
			return false
		}
		begin = c.end
	}
	return true
}

type setWalk struct {
	*rows
	ctx     context.Context
	visit   func(set []int32, at []Place) Next
	levels  []projection
	stopped bool
}

func (s *setWalk) extend(set []int32, at []Place) {
	if len(set) == len(s.levels) {
		return
	}
	l := &s.levels[len(set)]
	l.countRows(s.rows, at)
	begin := int32(0)
	for _, c := range l.distribute(s.rows, at, nil) {
		if s.ctx.Err() != nil {
			s.stopped = true
		}
		if s.stopped {
			return
		}
		child, places := append(set, c.id), l.places[begin:c.end]
		switch s.visit(child, places) {
		case Descend:
			s.extend(child, places)
		case Stop:
			s.stopped = true
		}
		begin = c.end
	}
}

// occurring tells of every item whether some transaction has it.
func (d *Data) occurring() []bool {
	out := make([]bool, d.Items)
	for i := range d.Len {
		for _, it := range d.Tx(i) {
			out[it] = true
		}
	}
	return out
}
