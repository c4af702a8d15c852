package profile

import (
	"context"
	"math/bits"
	"slices"
)

// walk is what one worker needs to extend items by more frequent ones, and those again.
type walk struct {
	u     *uniqueness
	whole bool // transactions are looked for by all their items

	counts []int32  // by item; all zero between uses
	marked []bool   // by item; all false between uses
	at     []int    // by item; all none between uses
	sets   []uint64 // of rows, for each of some items
	levels []*level // by depth
	ctx    context.Context
	steps  int
}

// level is the working space of one depth.
type level struct {
	rows  rows
	items []itemCount
	rests []rest
}

type itemCount struct {
	item int32
	n    int
}

const (
	none        = -1
	mostParting = 8
)

// room is what is done at once.
type room struct {
	rests int // gathered at once, unless one item has more
	// Sets of rows are made of each item once, and met for each row that is looked for. So many
	// rows take about four times as long as the sets. More are parted by their next item first, at
	// most mostParting times.
	inSets int
}

var usualRoom = room{rests: 1 << 20, inSets: 256}

func newWalk(ctx context.Context, u *uniqueness) *walk {
	n := len(u.after)
	w := &walk{
		u: u, ctx: ctx, counts: make([]int32, n), marked: make([]bool, n), at: make([]int, n),
	}
	for it := range w.at {
		w.at[it] = none
	}
	return w
}

// extend adds depth items to a combination that the rests follow, and marks what is singled out.
func (w *walk) extend(r *rows, rests []rest, depth int) error {
	if depth == 1 {
		w.mark(r, rests)
		return w.step()
	}
	l := w.level(depth)
	if !w.project(r, rests, depth, &l.rows) {
		return w.step()
	}
	return w.each(l, depth-1, func(rests []rest) error { return w.extend(&l.rows, rests, depth-1) })
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

// asks tells whether the transaction of a rest is looked for here.
func (w *walk) asks(r *rows, s rest) bool {
	if r.asked != nil && !r.asked[s.row] || w.whole && s.from != 1 {
		return false
	}
	return w.u.open(r.transaction(s.row))
}

// mark finds the transactions that are the only ones with some item of the rests.
func (w *walk) mark(r *rows, rests []rest) {
	if !slices.ContainsFunc(rests, func(s rest) bool { return w.asks(r, s) }) {
		return
	}
	for _, s := range rests {
		for _, it := range r.rest(s) {
			w.counts[it]++
		}
	}
	once := func(it int32) bool { return w.counts[it] == 1 }
	for _, s := range rests {
		if w.asks(r, s) && slices.ContainsFunc(r.rest(s), once) {
			w.u.find(r.transaction(s.row))
		}
	}
	for _, s := range rests {
		for _, it := range r.rest(s) {
			w.counts[it] = 0
		}
	}
}

// project makes rows of rests, without the items that no row has that is looked for, and without
// rows of fewer than least items. It is false where no row is looked for.
func (w *walk) project(r *rows, rests []rest, least int, out *rows) bool {
	out.clear()
	any := false
	for _, s := range rests {
		if w.asks(r, s) {
			any = true
			for _, it := range r.rest(s) {
				w.marked[it] = true
			}
		}
	}
	if !any {
		return false
	}
	for _, s := range rests {
		from := len(out.items)
		for _, it := range r.rest(s) {
			if w.marked[it] {
				out.items = append(out.items, it)
			}
		}
		if len(out.items)-from < least {
			out.items = out.items[:from]
			continue
		}
		out.of = append(out.of, r.transaction(s.row))
		out.start = append(out.start, len(out.items))
		out.asked = append(out.asked, w.asks(r, s))
	}
	for _, s := range rests {
		if w.asks(r, s) {
			for _, it := range r.rest(s) {
				w.marked[it] = false
			}
		}
	}
	return true
}

// each hands over the rests of each item that has so many items behind it, some items at a time. Of
// whole transactions these are the items that come next in one that is looked for.
func (w *walk) each(l *level, behind int, do func(rests []rest) error) error {
	w.count(l, behind)
	for items := l.items; len(items) > 0; {
		n, some := 0, 0
		for some < len(items) && (some == 0 || n+items[some].n <= w.u.room.rests) {
			w.at[items[some].item] = n
			n += items[some].n
			some++
		}
		l.rests = slices.Grow(l.rests[:0], n)[:n]
		w.gather(l, behind)
		for _, it := range items[:some] {
			w.at[it.item] = none
		}
		for rests := l.rests; some > 0; some-- {
			if err := do(rests[:items[0].n]); err != nil {
				return err
			}
			rests, items = rests[items[0].n:], items[1:]
		}
	}
	return nil
}

// count counts the rows that each item is to be looked at in.
func (w *walk) count(l *level, behind int) {
	for i, asked := range l.rows.asked {
		if row := l.rows.row(int32(i)); w.whole && asked && len(row) > 0 {
			w.marked[row[0]] = true
		}
	}
	l.items = l.items[:0]
	for i := range l.rows.asked {
		row := l.rows.row(int32(i))
		for _, it := range row[:max(0, len(row)-behind)] {
			if w.whole && !w.marked[it] {
				continue
			}
			if w.counts[it]++; w.counts[it] == 1 {
				l.items = append(l.items, itemCount{item: it})
			}
		}
	}
	for i, it := range l.items {
		l.items[i].n = int(w.counts[it.item])
		w.counts[it.item], w.marked[it.item] = 0, false
	}
}

// gather puts the rests of items from the places on that these have.
func (w *walk) gather(l *level, behind int) {
	for i := range l.rows.asked {
		row := l.rows.row(int32(i))
		for at, it := range row[:max(0, len(row)-behind)] {
			if to := w.at[it]; to != none {
				l.rests[to] = rest{int32(i), int32(at) + 1}
				w.at[it]++
			}
		}
	}
}

// contained counts the transactions that begin with a combination, which the rests follow, and are
// contained in no other.
func (w *walk) contained(r *rows, rests []rest, depth int) error {
	l := w.level(depth)
	if !w.project(r, rests, 0, &l.rows) {
		return w.step()
	}
	asked := 0
	for _, is := range l.rows.asked {
		if is {
			asked++
		}
	}
	if asked > w.u.room.inSets && depth < mostParting {
		// a row that ends here is contained in another one, as no two are equal
		return w.each(l, 0, func(rests []rest) error {
			return w.contained(&l.rows, rests, depth+1)
		})
	}
	w.bySets(l)
	return w.step()
}

// bySets counts the rows that are looked for and contained in no other, by the sets of rows that
// have their items. These take a bit for each row and item: not more than there are occurrences, as
// the items of a row are more frequent than the one that all rows have.
func (w *walk) bySets(l *level) {
	n := len(l.rows.asked)
	words := (n + 63) / 64
	l.items = l.items[:0]
	for _, it := range l.rows.items {
		if w.at[it] == none {
			w.at[it] = len(l.items) * words
			l.items = append(l.items, itemCount{item: it})
		}
	}
	w.sets = slices.Grow(w.sets[:0], len(l.items)*words)[:len(l.items)*words]
	clear(w.sets)
	for i := range n {
		for _, it := range l.rows.row(int32(i)) {
			w.sets[w.at[it]+i/64] |= 1 << (i % 64)
		}
	}
	for i, asked := range l.rows.asked {
		if asked && w.alone(l.rows.row(int32(i)), n) {
			w.u.count.Add(1)
		}
	}
	for _, it := range l.items {
		w.at[it.item] = none
	}
}

// alone tells whether only one of n rows has all items.
func (w *walk) alone(items []int32, n int) bool {
	found := 0
	for word := 0; word*64 < n; word++ {
		in := ^uint64(0)
		if left := n - word*64; left < 64 {
			in = 1<<left - 1
		}
		for _, it := range items {
			if in &= w.sets[w.at[it]+word]; in == 0 {
				break
			}
		}
		if found += bits.OnesCount64(in); found > 1 {
			return false
		}
	}
	return true
}
