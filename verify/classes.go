package verify

import (
	"cmp"
	"slices"

	"mingle/dataset"
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

// rank numbers the nodes in use by ascending support: the projection on a rare node is small, and that on a frequent one
// has only the few nodes behind it. Ties go by node id.
func rank(d *dataset.Dataset) (label, number []int32) {
	supports := d.Supports()
	for u, n := range supports {
		if n > 0 {
			label = append(label, int32(u))
		}
	}
	slices.SortFunc(label, func(a, b int32) int { return cmp.Or(supports[a]-supports[b], int(a-b)) })
	number = make([]int32, len(supports))
	for i, u := range label {
		number[u] = int32(i)
	}
	return label, number
}

// relabel turns the non-empty lines of a dataset into rows of weight one. sensitive may be nil.
func relabel(d, sensitive *dataset.Dataset, number []int32) *rows {
	r := &rows{start: []uint32{0}}
	r.items = make([]int32, 0, d.Occurrences())
	if sensitive != nil {
		r.tallyStart = []uint32{0}
	}
	for i := range d.Len() {
		if len(d.Tx(i)) == 0 {
			continue
		}
		from := len(r.items)
		for _, u := range d.Tx(i) {
			r.items = append(r.items, number[u])
		}
		slices.Sort(r.items[from:])
		r.start = append(r.start, uint32(len(r.items)))
		r.weight = append(r.weight, 1)
		if sensitive != nil {
			for _, s := range sensitive.Tx(i) {
				r.tally = append(r.tally, tally{s, 1})
			}
			r.tallyStart = append(r.tallyStart, uint32(len(r.tally)))
		}
	}
	return r
}

// classify merges equal rows, builds the index and finds the open rows. size is the largest combination to be checked:
// closing rows by what contains them pays for large ones only.
func classify(r *rows, label []int32, p privacy.KM, size int) *classes {
	c := &classes{rows: *mergeRows(r), label: label}
	c.index()
	c.open = make([]bool, len(c.weight))
	for i := range c.open {
		light := int(c.weight[i]) < p.K && (size < 4 || c.support(c.row(i), p.K) < p.K)
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

// support is the total weight of the rows that contain set; counting ends when it reaches enough.
func (c *classes) support(set []int32, enough int) int {
	rarest := set[0]
	for _, z := range set {
		if len(c.refs(z)) < len(c.refs(rarest)) {
			rarest = z
		}
	}
	total := 0
	for _, at := range c.refs(rarest) {
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

// mergeRows folds equal rows into one, adding weights and tallies.
func mergeRows(r *rows) *rows {
	order := make([]int32, len(r.weight))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return slices.Compare(r.row(int(a)), r.row(int(b))) })
	m := &rows{start: []uint32{0}, items: make([]int32, 0, len(r.items))}
	if r.tallyStart != nil {
		m.tallyStart = []uint32{0}
	}
	for i := 0; i < len(order); {
		same := i + 1
		for same < len(order) && slices.Equal(r.row(int(order[i])), r.row(int(order[same]))) {
			same++
		}
		m.fold(r, order[i:same])
		i = same
	}
	return m
}

func (r *rows) fold(from *rows, same []int32) {
	r.items = append(r.items, from.row(int(same[0]))...)
	r.start = append(r.start, uint32(len(r.items)))
	weight := int32(0)
	begin := len(r.tally)
	for _, i := range same {
		weight += from.weight[i]
		r.tally = append(r.tally, from.tallies(int(i))...)
	}
	r.weight = append(r.weight, weight)
	if r.tallyStart == nil {
		return
	}
	all := r.tally[begin:]
	slices.SortFunc(all, func(a, b tally) int { return int(a.sensitive - b.sensitive) })
	sum := all[:0]
	for _, t := range all {
		if n := len(sum); n > 0 && sum[n-1].sensitive == t.sensitive {
			sum[n-1].count += t.count
		} else {
			sum = append(sum, t)
		}
	}
	r.tally = r.tally[:begin+len(sum)]
	r.tallyStart = append(r.tallyStart, uint32(len(r.tally)))
}
