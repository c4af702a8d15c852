package continuous

import (
	"context"
	"math/bits"
	"slices"
)

// ranked are the records as ascending ranks. Nothing changes them while they are walked.
type ranked struct {
	items []int32 // in the layout of start
	start []int32 // record i is items[start[i]:start[i+1]]
	ranks int
}

// walker visits the bags of one size in the order of the count tree, and emits those that are in
// fewer than k records. The tree is not built: it is walked depth first over projections, lists of
// (record, position) with one entry for each record that contains the path. Memory is one
// projection a level.
type walker struct {
	*ranked
	k, size int
	emit    func(rareBags)

	levels  []level
	path    []int32  // ranks
	set     []uint64 // of ranks; empty between uses
	found   rareBags
	visited int // bags
}

// rareBags are bags by their ranks, those that differ in the last one alone together: how many
// these are, the ranks that they share, and the last ones.
type rareBags []int32

// handedOn is how many numbers a list of rare bags has, about.
const handedOn = 1 << 14

// place is a record that contains the path, and the position behind the path's last value.
type place struct{ rec, next int32 }

// level holds the children of the path's end at one depth.
type level struct {
	count   []int32 // by rank; zero between uses
	touched []int32
	at      []int32
	places  []place
}

func newWalker(data *ranked, k, size int) *walker {
	w := &walker{ranked: data, k: k, size: size, levels: make([]level, size)}
	for i := range w.levels {
		w.levels[i].count = make([]int32, data.ranks)
	}
	w.set = make([]uint64, (data.ranks+63)/64)
	return w
}

// all are the places of the records that are long enough, before their first values.
func (w *walker) all() []place {
	var all []place
	for i := range len(w.start) - 1 {
		if w.start[i+1]-w.start[i] >= int32(w.size) {
			all = append(all, place{int32(i), w.start[i]})
		}
	}
	return all
}

// children are the ranks that follow the path's end, whose projection is given, and their counts.
func (w *walker) children(places []place) *level {
	lv := &w.levels[len(w.path)]
	lv.touched = lv.touched[:0]
	for _, pl := range places {
		last := int32(-1)
		for _, rank := range w.behind(pl) {
			if rank == last {
				continue
			}
			last = rank
			if lv.count[rank] == 0 {
				lv.touched = append(lv.touched, rank)
			}
			lv.count[rank]++
		}
	}
	w.sort(lv.touched)
	return lv
}

// walk visits the children of the path's end, whose projection is given.
func (w *walker) walk(ctx context.Context, places []place) {
	lv := w.children(places)
	if len(w.path)+1 == w.size {
		w.leaves(lv)
		return
	}
	w.project(lv, places)
	w.path = append(w.path, 0)
	for i, rank := range lv.touched {
		if ctx.Err() != nil {
			break
		}
		w.path[len(w.path)-1] = rank
		w.walk(ctx, lv.of(i))
	}
	w.path = w.path[:len(w.path)-1]
}

// of are the places of a child.
func (lv *level) of(child int) []place {
	if child == 0 {
		return lv.places[:lv.at[0]]
	}
	return lv.places[lv.at[child-1]:lv.at[child]]
}

// sort sorts distinct ranks, by a set of bits where they are so many that it is not long for them.
func (w *walker) sort(ranks []int32) {
	if 8*len(ranks) < len(w.set) {
		slices.Sort(ranks)
		return
	}
	for _, r := range ranks {
		w.set[r>>6] |= 1 << (r & 63)
	}
	at := 0
	for i, word := range w.set {
		for ; word != 0; word &= word - 1 {
			ranks[at] = int32(i<<6 + bits.TrailingZeros64(word))
			at++
		}
		w.set[i] = 0
	}
}

// behind are the ranks behind a place, ascending, that enough values of the record follow: what is
// too short for the values still to come leads nowhere.
func (w *walker) behind(pl place) []int32 {
	end := w.start[pl.rec+1] - int32(w.size-len(w.path)) + 1
	return w.items[pl.next:max(pl.next, end)]
}

// project sorts the places by child and clears the counts. Child i of touched ends at at[i].
func (w *walker) project(lv *level, places []place) {
	lv.at = lv.at[:0]
	total := int32(0)
	for _, rank := range lv.touched {
		n := lv.count[rank]
		lv.count[rank] = total
		total += n
	}
	lv.places = slices.Grow(lv.places[:0], int(total))[:total]
	for _, pl := range places {
		last := int32(-1)
		for i, rank := range w.behind(pl) {
			if rank != last {
				lv.places[lv.count[rank]] = place{pl.rec, pl.next + int32(i) + 1}
				lv.count[rank]++
				last = rank
			}
		}
	}
	for _, rank := range lv.touched {
		lv.at = append(lv.at, lv.count[rank])
		lv.count[rank] = 0
	}
}

// leaves looks at the bags of the size that begin with the path.
func (w *walker) leaves(lv *level) {
	w.visited += len(lv.touched)
	at := len(w.found)
	for _, rank := range lv.touched {
		n := int(lv.count[rank])
		lv.count[rank] = 0
		if n >= w.k {
			continue
		}
		if len(w.found) == at {
			w.found = append(append(w.found, 0), w.path...)
		}
		w.found = append(w.found, rank)
	}
	if len(w.found) > at {
		w.found[at] = int32(len(w.found) - at - w.size)
	}
	if len(w.found) >= handedOn {
		w.handOn()
	}
}

// handOn emits what has been found, nothing perhaps: that tells how far the walk is.
func (w *walker) handOn() {
	w.emit(w.found)
	w.found = make(rareBags, 0, len(w.found))
}

// each calls f for the bags of one beginning after the other.
func (bags rareBags) each(size int, f func(shared, last []int32) error) error {
	for len(bags) > 0 {
		shared, rest := bags[1:size], bags[size:]
		if err := f(shared, rest[:bags[0]]); err != nil {
			return err
		}
		bags = rest[bags[0]:]
	}
	return nil
}
