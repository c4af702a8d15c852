package profile

import (
	"context"
	"slices"

	"mingle/internal/projection"
)

// walk is what one worker needs to extend items by more frequent ones, and those again.
type walk struct {
	u     *uniqueness
	whole bool // transactions are looked for by all their items

	space  *projection.Space
	counts []int32  // by item; all zero between uses
	marked []bool   // by item; all false between uses
	marks  []int32  // which are marked
	at     []int    // by item; all none between uses
	sets   []uint64 // of rows, for each of some items
	levels []*level // by depth
	ctx    context.Context
	steps  int
}

// level is what is left behind an itemset: what of the rows that have it is of use.
type level struct {
	projection.Level
	of    []int32 // by row: its merged transaction
	asked []bool  // by row: whether it is looked for
	next  []bool  // by item; all false between uses
}

// part are the rests behind an itemset. Those of whole transactions have a level above.
type part struct {
	rows  *projection.Rows
	of    []int32 // nil: rows are merged transactions
	asked []bool  // nil: of all
	rests []projection.Rest
}

const none = -1

func newWalk(ctx context.Context, u *uniqueness) *walk {
	n := len(u.after)
	w := &walk{
		u: u, ctx: ctx, space: projection.NewSpace(n, u.room.rests),
		counts: make([]int32, n), marked: make([]bool, n), at: make([]int, n),
	}
	for it := range w.at {
		w.at[it] = none
	}
	return w
}

// extend adds depth items to the itemset before p, and marks what is singled out.
func (w *walk) extend(p part, depth int) error {
	if depth == 1 {
		w.single(p)
		return w.step()
	}
	l := w.level(depth)
	if !w.project(p, depth, l) {
		return w.step()
	}
	return w.space.Each(&l.Level, depth-1, nil, func(_ int32, rests []projection.Rest) error {
		return w.extend(l.part(rests), depth-1)
	})
}

// step ends the walk where nobody waits for it any more.
func (w *walk) step() error {
	if w.steps++; w.steps%1024 == 0 && w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	return nil
}

func (w *walk) level(depth int) *level {
	for len(w.levels) <= depth {
		w.levels = append(w.levels, &level{})
	}
	return w.levels[depth]
}

func (l *level) part(rests []projection.Rest) part {
	return part{rows: &l.Rows, of: l.of, asked: l.asked, rests: rests}
}

func (p part) transaction(s projection.Rest) int32 {
	if p.of == nil {
		return s.Row
	}
	return p.of[s.Row]
}

// asks tells whether the transaction of a rest is looked for here.
func (w *walk) asks(p part, s projection.Rest) bool {
	if p.asked != nil && !p.asked[s.Row] || w.whole && s.From != 1 {
		return false
	}
	return w.u.open(p.transaction(s))
}

// single finds the transactions that are the only ones with some item of the rests.
func (w *walk) single(p part) {
	if !slices.ContainsFunc(p.rests, func(s projection.Rest) bool { return w.asks(p, s) }) {
		return
	}
	for _, s := range p.rests {
		for _, it := range p.rows.Rest(s) {
			w.counts[it]++
		}
	}
	once := func(it int32) bool { return w.counts[it] == 1 }
	for _, s := range p.rests {
		if w.asks(p, s) && slices.ContainsFunc(p.rows.Rest(s), once) {
			w.u.find(p.transaction(s))
		}
	}
	for _, s := range p.rests {
		for _, it := range p.rows.Rest(s) {
			w.counts[it] = 0
		}
	}
}

// project makes rows of rests, without the items that no row has that is looked for, and without
// rows of fewer than least items. It is false where no row is looked for.
func (w *walk) project(p part, least int, l *level) bool {
	l.Clear()
	l.of, l.asked = l.of[:0], l.asked[:0]
	any := false
	for _, s := range p.rests {
		if w.asks(p, s) {
			any = true
			w.mark(p.rows.Rest(s))
		}
	}
	if !any {
		return false
	}
	for _, s := range p.rests {
		if l.Add(p.rows.Rest(s), w.marked, least) {
			l.of = append(l.of, p.transaction(s))
			l.asked = append(l.asked, w.asks(p, s))
		}
	}
	w.unmark()
	return true
}

func (w *walk) mark(items []int32) {
	for _, it := range items {
		if !w.marked[it] {
			w.marked[it] = true
			w.marks = append(w.marks, it)
		}
	}
}

func (w *walk) unmark() {
	for _, it := range w.marks {
		w.marked[it] = false
	}
	w.marks = w.marks[:0]
}
