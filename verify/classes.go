package verify

import (
	"math/bits"
	"slices"

	"mingle/privacy"
)

// rows are lines in compressed sparse form, each a set of small item numbers with a weight: how many transactions it
// stands for. When diversity is checked, each row also has a tally: how many of them have each sensitive item.
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

// classes are distinct rows with an index, and the part of them in which a breach can be.
//
// A row is open when some combination inside it may be a breach. It is not open, and nothing needs to be enumerated
// for its sake, when both
//
//	(1) its weight, or the total weight of the rows that contain it, is at least k, and
//	(2) for each sensitive item s, l times its tally of s is at most its weight.
//
// Proof that a breach lies inside an open row. Let J be rare. Each row R that contains J has sup(R) ≤ sup(J) < k, since
// whatever contains R contains J: all of them fail (1). Let J break diversity for s. The rows that contain J are distinct and
// sup(J) is the sum of their weights, sup(J and s) the sum of their tallies. If each kept (2), summing would give
// l·sup(J and s) ≤ sup(J). So one of them fails (2). Hence only combinations of open rows are enumerated, while supports
// are counted over all rows; an item that no open row has need not be counted at all. Leaving such items out makes rows
// equal, and equal rows are merged: that loses nothing, because supports of combinations of the other items stay the same.
//
// The same holds in a projection, the rows that contain a given prefix cut down to the items behind it: the combinations
// with that prefix have the same supports there.
type classes struct {
	rows
	label   []int32 // item number -> node
	open    []bool
	anyOpen bool
	at      []ref // for each item, where it stands
	atStart []uint32
}

// ref is an occurrence of an item: the row, and the position in rows.items right behind it.
type ref struct {
	row  int32
	next uint32
}

func (c *classes) refs(item int32) []ref { return c.at[c.atStart[item]:c.atStart[item+1]] }

// classify builds the index of distinct rows and finds the open ones. size is the largest combination to be checked:
// closing rows by what contains them pays for large ones only.
func classify(r *rows, label []int32, p privacy.KM, size int) *classes {
	c := &classes{rows: *r, label: label}
	c.index()
	c.open = make([]bool, len(c.weight))
	for i := range c.open {
		light := int(c.weight[i]) < p.K && (size < 4 || !c.covered(c.row(i), p.K))
		c.open[i] = light || !c.diverse(i, p)
		c.anyOpen = c.anyOpen || c.open[i]
	}
	return c
}

func (c *classes) diverse(i int, p privacy.KM) bool {
	for _, t := range c.tallies(i) {
		if int(t.count)*p.L > int(c.weight[i]) {
			return false
		}
	}
	return true
}

// covered tells whether the rows that contain set weigh k or more. It gives up where that takes long: a row that is open
// without need costs time, not soundness.
func (c *classes) covered(set []int32, k int) bool {
	const long = 4096
	return len(c.refs(c.rarest(set))) <= long && c.support(set, k) >= k
}

// rarest is the item of a set that is in the fewest rows.
func (c *classes) rarest(set []int32) int32 {
	return slices.MinFunc(set, func(a, b int32) int { return len(c.refs(a)) - len(c.refs(b)) })
}

// support is the total weight of the rows that contain set; counting ends when it reaches enough.
func (c *classes) support(set []int32, enough int) int {
	total := 0
	for _, at := range c.refs(c.rarest(set)) {
		if contains(c.row(int(at.row)), set) {
			if total += int(c.weight[at.row]); total >= enough {
				break
			}
		}
	}
	return total
}

// contains tells whether a sorted row has all of a sorted set.
func contains(row, set []int32) bool {
	for _, z := range row {
		if len(set) == 0 || z > set[0] {
			break
		}
		if z == set[0] {
			set = set[1:]
		}
	}
	return len(set) == 0
}

func (c *classes) index() {
	c.atStart = make([]uint32, len(c.label)+1)
	for _, z := range c.items {
		c.atStart[z+1]++
	}
	for z := range c.label {
		c.atStart[z+1] += c.atStart[z]
	}
	c.at = make([]ref, len(c.items))
	next := slices.Clone(c.atStart)
	for i := range c.weight {
		for pos := c.start[i]; pos < c.start[i+1]; pos++ {
			z := c.items[pos]
			c.at[next[z]] = ref{int32(i), pos + 1}
			next[z]++
		}
	}
}

// mergeRows folds equal rows into one, in the order of their first appearance, adding weights and tallies. Empty rows
// are dropped.
func mergeRows(r *rows) *rows {
	f := newFolder(len(r.weight))
	of := make([]int32, len(r.weight)) // row -> merged row; -1: empty
	for i, w := range r.weight {
		of[i] = f.add(r.row(i), w)
	}
	if r.tallyStart != nil {
		f.addTallies(r, of)
	}
	return &f.rows
}

// folder merges rows as they come in.
type folder struct {
	rows
	table []int32 // by hash: a merged row, plus one; 0: none
}

// newFolder makes room for n different rows; there may be more.
func newFolder(n int) *folder {
	return &folder{rows{start: []uint32{0}}, make([]int32, 1<<bits.Len(uint(2*n)))}
}

// add adds a row and returns which of the merged rows it went into; -1: it is empty.
func (f *folder) add(row []int32, weight int32) int32 {
	if len(row) == 0 {
		return -1
	}
	if 2*len(f.weight) >= len(f.table) {
		f.table = make([]int32, 2*len(f.table))
		for i := range f.weight {
			f.table[f.slot(f.row(i))] = int32(i + 1)
		}
	}
	at := f.slot(row)
	if f.table[at] == 0 {
		f.items = append(f.items, row...)
		f.start = append(f.start, uint32(len(f.items)))
		f.weight = append(f.weight, 0)
		f.table[at] = int32(len(f.weight))
	}
	i := f.table[at] - 1
	f.weight[i] += weight
	return i
}

// slot is where a row is in the table, or where it would be put.
func (f *folder) slot(row []int32) int {
	at := hash(row) & uint64(len(f.table)-1)
	for f.table[at] != 0 && !slices.Equal(f.row(int(f.table[at]-1)), row) {
		at = (at + 1) & uint64(len(f.table)-1)
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

// sumTallies sorts tallies, folds those of one item and returns how many are left in front.
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
