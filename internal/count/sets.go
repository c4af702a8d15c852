package count

import (
	"context"
	"slices"

	"mingle/dataset"
)

// Next is what to do after a set was visited.
type Next int

const (
	Descend Next = iota // visit the sets that contain this one
	Skip                // leave them out
	Stop                // end
)

// Sets visits every set of at most m items that occurs in d, depth first, items ascending. visit gets the set and the
// transactions that contain it, ascending, and must keep neither. Memory is 8 bytes an item occurrence for each item of the set being
// visited. It ends early, with the cause, when ctx does.
func Sets(ctx context.Context, d *dataset.Dataset, m int, visit func(set, txs []int32) Next) error {
	d = d.Flat()
	s := &setWalk{d: d, ctx: ctx, visit: visit, levels: make([]setLevel, m)}
	for i := range s.levels {
		s.levels[i].at = make([]uint32, d.Dict().Len())
	}
	txs, pos := make([]int32, d.Len()), make([]uint32, d.Len())
	for i := range d.Len() {
		txs[i], pos[i] = int32(i), uint32(d.Start(i))
	}
	s.extend(make([]int32, 0, m), txs, pos)
	return context.Cause(ctx)
}

type setWalk struct {
	d       *dataset.Dataset
	ctx     context.Context
	visit   func(set, txs []int32) Next
	levels  []setLevel
	stopped bool
}

// setLevel is the working space of one set size: the occurrences of all extensions, sorted by extension.
type setLevel struct {
	at      []uint32 // by item; all zero between uses
	touched []int32
	txs     []int32
	pos     []uint32 // what stands at pos and after extends the set
}

func (s *setWalk) extend(set, txs []int32, pos []uint32) {
	if len(set) == len(s.levels) {
		return
	}
	l := &s.levels[len(set)]
	s.count(l, txs, pos)
	ends := s.distribute(l, txs, pos)
	begin := uint32(0)
	for i, e := range l.touched {
		if s.ctx.Err() != nil {
			s.stopped = true
		}
		if s.stopped {
			return
		}
		child := append(set, e)
		switch s.visit(child, l.txs[begin:ends[i]]) {
		case Descend:
			s.extend(child, l.txs[begin:ends[i]], l.pos[begin:ends[i]])
		case Stop:
			s.stopped = true
		}
		begin = ends[i]
	}
}

func (s *setWalk) count(l *setLevel, txs []int32, pos []uint32) {
	l.touched = l.touched[:0]
	items := s.d.Items()
	for i, tx := range txs {
		for _, e := range items[pos[i]:s.d.Start(int(tx)+1)] {
			if l.at[e] == 0 {
				l.touched = append(l.touched, e)
			}
			l.at[e]++
		}
	}
	slices.Sort(l.touched)
}

// distribute sorts the occurrences by extension and says where those of each end. l.at is zero afterwards.
func (s *setWalk) distribute(l *setLevel, txs []int32, pos []uint32) (ends []uint32) {
	total := uint32(0)
	ends = make([]uint32, len(l.touched))
	for i, e := range l.touched {
		l.at[e], total = total, total+l.at[e]
		ends[i] = total
	}
	l.txs = slices.Grow(l.txs[:0], int(total))[:total]
	l.pos = slices.Grow(l.pos[:0], int(total))[:total]
	items := s.d.Items()
	for i, tx := range txs {
		for p := pos[i]; p < uint32(s.d.Start(int(tx)+1)); p++ {
			at := &l.at[items[p]]
			l.txs[*at], l.pos[*at] = tx, p+1
			*at++
		}
	}
	for _, e := range l.touched {
		l.at[e] = 0
	}
	return ends
}
