package partition

import (
	"cmp"
	"slices"
	"strings"

	"mingle/dataset"
)

// Where shares of persons count, the lines of a person are a block that no border goes through. A
// person's items are then published by one cut, that of a part, and parts have different persons:
// l times the persons with a sensitive item, among those with what is known, is at most the latter
// in every part, so it is in all of them. The lines of nobody are blocks of one line.
//
// Blocks stand in the order of their first lines in Gray order. No border is between persons whose
// lines are all the same, sensitive items too, so that the order of the input does not matter.

// block is lines that stay together.
type block struct {
	lines []int32
	keys  []lineKey // of the lines, ascending
}

// lineKey is what a line is ordered by: the place of its items in Gray order, its sensitive items.
type lineKey struct {
	place     int32
	sensitive string
}

func compareKeys(a, b lineKey) int {
	return cmp.Or(cmp.Compare(a.place, b.place), strings.Compare(a.sensitive, b.sensitive))
}

// keepPersons puts all lines into an order in which those of a person follow one another.
func (r *localRecoding) keepPersons() {
	place := make([]int32, len(r.order))
	for at, tx := range r.order {
		place[tx] = int32(at)
	}
	blocks := r.blocks(place)
	slices.SortStableFunc(blocks, func(a, b *block) int {
		return slices.CompareFunc(a.keys, b.keys, compareKeys)
	})
	r.merged = dataset.Unmerged(r.in.Data)
	r.order, r.inside = nil, nil
	for i, b := range blocks {
		same := i > 0 && slices.Equal(b.keys, blocks[i-1].keys)
		for n, line := range b.lines {
			r.order = append(r.order, line)
			r.inside = append(r.inside, n > 0 || same)
		}
	}
}

// blocks are the lines of each person, and each line of nobody by itself; place is that of merged
// transactions.
func (r *localRecoding) blocks(place []int32) []*block {
	var out []*block
	of := map[int32]*block{}
	for i, p := range r.in.Persons {
		b := of[p]
		if b == nil || p < 0 {
			b = &block{}
			of[p], out = b, append(out, b)
		}
		b.lines = append(b.lines, int32(i))
	}
	for _, b := range out {
		key := func(i int32) lineKey {
			labels := slices.Sorted(slices.Values(r.in.Sensitive.Labels(int(i))))
			return lineKey{place[r.merged.Of[i]], strings.Join(labels, "\x00")}
		}
		slices.SortStableFunc(b.lines, func(x, y int32) int { return compareKeys(key(x), key(y)) })
		for _, i := range b.lines {
			b.keys = append(b.keys, key(i))
		}
	}
	return out
}

// mayCut tells whether a border may be before a place of the order.
func (r *localRecoding) mayCut(at int) bool {
	return r.inside == nil || at >= len(r.inside) || !r.inside[at]
}

// mergedOf is the merged transaction of an original one.
func (r *localRecoding) mergedOf(i int) int32 {
	if r.merged.Of == nil {
		return int32(i)
	}
	return r.merged.Of[i]
}
