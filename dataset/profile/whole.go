package profile

import (
	"math/bits"
	"slices"

	"mingle/internal/projection"
)

// mostParting is by how many items transactions are parted at most.
const mostParting = 8

// room is what is done at once.
type room struct {
	rests int // gathered at once, unless one item has more
	// Sets of rows are made of each item once, and met for each row that is looked for. So many
	// rows take about four times as long as the sets. More are parted by their next item first.
	inSets int
}

var usualRoom = room{rests: projection.MostRests, inSets: 256}

// contained counts the transactions that begin with the itemset before p and are contained in no
// other.
func (w *walk) contained(p part, depth int) error {
	l := w.level(depth)
	if !w.project(p, 0, l) {
		return w.step()
	}
	asked := 0
	for _, is := range l.asked {
		if is {
			asked++
		}
	}
	if asked <= w.u.room.inSets || depth >= mostParting {
		w.bySets(l)
		return w.step()
	}
	return w.parted(l, depth)
}

// parted looks at the transactions by the item that comes next in them. One that ends here is
// contained in another, as no two are equal.
func (w *walk) parted(l *level, depth int) error {
	if l.next == nil {
		l.next = make([]bool, len(w.at))
	}
	var next []int32
	for i, asked := range l.asked {
		if row := l.Row(i); asked && len(row) > 0 && !l.next[row[0]] {
			l.next[row[0]] = true
			next = append(next, row[0])
		}
	}
	err := w.space.Each(&l.Level, 0, l.next, func(_ int32, rests []projection.Rest) error {
		return w.contained(l.part(rests), depth+1)
	})
	for _, it := range next {
		l.next[it] = false
	}
	return err
}

// bySets counts the rows that are looked for and contained in no other, by the sets of rows that
// have their items. These take a bit for each row and item: not more than there are occurrences, as
// the items of a row are more frequent than the one that all rows have.
func (w *walk) bySets(l *level) {
	words := (l.Len() + 63) / 64
	var items []int32
	for _, it := range l.Items() {
		if w.at[it] == none {
			w.at[it] = len(items) * words
			items = append(items, it)
		}
	}
	w.sets = slices.Grow(w.sets[:0], len(items)*words)[:len(items)*words]
	clear(w.sets)
	for i := range l.Len() {
		for _, it := range l.Row(i) {
			w.sets[w.at[it]+i/64] |= 1 << (i % 64)
		}
	}
	for i, asked := range l.asked {
		if asked && w.alone(l.Row(i), l.Len()) {
			w.u.count.Add(1)
		}
	}
	for _, it := range items {
		w.at[it] = none
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
