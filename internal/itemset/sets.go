package itemset

import "context"

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
	s := &setWalk{rows: d.rows(), ctx: ctx, visit: visit, levels: make([]projection, max(0, m))}
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
// k.
func AllFrequent(ctx context.Context, d Data, m, k int) (bool, error) {
	all := true
	err := Sets(ctx, d, m, func(_ []int32, at []Place) Next {
		if all = d.support(at) >= k; all {
			return Descend
		}
		return Stop
	})
	return all, err
}

// support is the number of records of a set's places.
func (d *Data) support(at []Place) int {
	if d.Units != nil {
		return weighUnits(d.Units, d.Weights, at)
	}
	total := 0
	for _, p := range at {
		total += int(d.weight(int(p.Tx)))
	}
	return total
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
