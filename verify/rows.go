package verify

import (
	"math/bits"
	"slices"
)

// rows are lines in compressed sparse form, each a set of small item numbers with a weight: how
// many transactions it stands for. When diversity is checked, each row also has a tally: how many
// of them have each sensitive item.
type rows struct {
	items  []int32
	start  []uint32
	weight []int32

	tallyStart []uint32 // nil: diversity is not checked
	tally      []tally
}

type tally struct{ sensitive, count int32 }

func (r *rows) row(i int) []int32 { return r.items[r.start[i]:r.start[i+1]] }

func (r *rows) tallies(i int) []tally {
	if r.tallyStart == nil {
		return nil
	}
	return r.tally[r.tallyStart[i]:r.tallyStart[i+1]]
}

// mergeRows makes one of equal rows, in the order of their first appearance, adding weights and
// tallies. Empty rows are dropped.
func mergeRows(r *rows) *rows {
	d := newDeduplicator(len(r.weight))
	of := make([]int32, len(r.weight)) // row -> merged row; -1: empty
	for i, w := range r.weight {
		of[i] = d.add(r.row(i), w)
	}
	if r.tallyStart != nil {
		d.addTallies(r, of)
	}
	return &d.rows
}

// deduplicator merges equal rows as they come in.
type deduplicator struct {
	rows
	table []int32 // by hash: a merged row, plus one; 0: none
}

// newDeduplicator makes room for n different rows; there may be more.
func newDeduplicator(n int) *deduplicator {
	return &deduplicator{rows{start: []uint32{0}}, make([]int32, 1<<bits.Len(uint(2*n)))}
}

// add adds a row and returns which of the merged rows it went into; -1: it is empty.
func (d *deduplicator) add(row []int32, weight int32) int32 {
	if len(row) == 0 {
		return -1
	}
	if 2*len(d.weight) >= len(d.table) {
		d.table = make([]int32, 2*len(d.table))
		for i := range d.weight {
			d.table[d.slot(d.row(i))] = int32(i + 1)
		}
	}
	at := d.slot(row)
	if d.table[at] == 0 {
		d.items = append(d.items, row...)
		d.start = append(d.start, uint32(len(d.items)))
		d.weight = append(d.weight, 0)
		d.table[at] = int32(len(d.weight))
	}
	i := d.table[at] - 1
	d.weight[i] += weight
	return i
}

// slot is where a row is in the table, or where it would be put.
func (d *deduplicator) slot(row []int32) int {
	at := hash(row) & uint64(len(d.table)-1)
	for d.table[at] != 0 && !slices.Equal(d.row(int(d.table[at]-1)), row) {
		at = (at + 1) & uint64(len(d.table)-1)
	}
	return int(at)
}

// hash spreads rows over a table; equality is always tested.
func hash(row []int32) uint64 {
	h := uint64(len(row))
	for _, z := range row {
		h = (h ^ uint64(z)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// addTallies sums the tallies of the rows that became one.
func (r *rows) addTallies(from *rows, of []int32) {
	order := make([]int32, 0, len(of))
	for i, to := range of {
		if to >= 0 {
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return int(of[a] - of[b]) })
	r.tallyStart = []uint32{0}
	for len(order) > 0 {
		begin := len(r.tally)
		same := of[order[0]]
		for ; len(order) > 0 && of[order[0]] == same; order = order[1:] {
			r.tally = append(r.tally, from.tallies(int(order[0]))...)
		}
		r.tally = r.tally[:begin+sumTallies(r.tally[begin:])]
		r.tallyStart = append(r.tallyStart, uint32(len(r.tally)))
	}
}

// sumTallies sorts tallies, adds up those of one item and returns how many are left in front.
func sumTallies(all []tally) int {
	slices.SortFunc(all, func(a, b tally) int { return int(a.sensitive - b.sensitive) })
	n := 0
	for _, t := range all {
		if n > 0 && all[n-1].sensitive == t.sensitive {
			all[n-1].count += t.count
			continue
		}
		all[n] = t
		n++
	}
	return n
}
