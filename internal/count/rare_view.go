package count

import (
	"cmp"
	"slices"
)

// View is merged data as a cut publishes it, ready to be searched for rare itemsets: nodes are ranks in the order of
// ascending support, so that projections on first items are short; transactions that the cut makes equal are one.
// Memory: 12 bytes an occurrence at the cut.
type View struct {
	nodes   []int32 // rank -> node
	support []int32 // rank -> original transactions
	txs     *rows
	longest int

	// where each rank stands: places[first[r]:first[r+1]]
	first  []uint32
	places []occurrence
}

// rows are weighted transactions of ascending ranks.
type rows struct {
	start   []uint32
	ranks   []int32
	weights []int32
}

func (r *rows) len() int             { return len(r.weights) }
func (r *rows) row(i uint32) []int32 { return r.ranks[r.start[i]:r.start[i+1]] }
func (r *rows) reset() {
	r.start, r.ranks, r.weights = append(r.start[:0], 0), r.ranks[:0], r.weights[:0]
}

// NewView recodes the data of an index by a cut: the node of every leaf, in leaf order.
func NewView(x *Index, cut []int32) *View {
	v := &View{}
	v.rankNodes(x, cut)
	all := v.recode(x)
	if v.txs = merge(all); v.txs.len() == all.len() {
		v.txs = all
	}
	for i := range uint32(v.txs.len()) {
		v.longest = max(v.longest, len(v.txs.row(i)))
	}
	v.index()
	return v
}

// rankNodes orders the nodes of the cut that occur by support, then by id.
func (v *View) rankNodes(x *Index, cut []int32) {
	for i, u := range cut {
		if (i == 0 || u != cut[i-1]) && x.NodeSupport(u) > 0 {
			v.nodes = append(v.nodes, u)
		}
	}
	slices.SortFunc(v.nodes, func(a, b int32) int {
		return cmp.Or(cmp.Compare(x.NodeSupport(a), x.NodeSupport(b)), cmp.Compare(a, b))
	})
	v.support = make([]int32, len(v.nodes))
	for r, u := range v.nodes {
		v.support[r] = int32(x.NodeSupport(u))
	}
}

// recode makes the rows of all transactions. Filled rank by rank, they come out sorted.
func (v *View) recode(x *Index) *rows {
	n := len(x.weights)
	all := &rows{start: make([]uint32, n+1), weights: x.weights}
	for _, u := range v.nodes {
		for _, i := range x.Tids(u) {
			all.start[i+1]++
		}
	}
	for i := range n {
		all.start[i+1] += all.start[i]
	}
	all.ranks = make([]int32, all.start[n])
	next := slices.Clone(all.start[:n])
	for r, u := range v.nodes {
		for _, i := range x.Tids(u) {
			all.ranks[next[i]] = int32(r)
			next[i]++
		}
	}
	return all
}

// merge folds equal rows, empty ones left out.
func merge(all *rows) *rows {
	m := newMerger(all.len())
	out := &rows{ranks: make([]int32, 0, len(all.ranks)), start: make([]uint32, 1, all.len()+1)}
	for i := range uint32(all.len()) {
		if row := all.row(i); len(row) > 0 {
			m.add(out, row, all.weights[i])
		}
	}
	return out
}

// index lists the places of every rank.
func (v *View) index() {
	v.first = make([]uint32, len(v.nodes)+1)
	for _, r := range v.txs.ranks {
		v.first[r+1]++
	}
	for r := range v.nodes {
		v.first[r+1] += v.first[r]
	}
	v.places = make([]occurrence, len(v.txs.ranks))
	next := slices.Clone(v.first)
	for i := range uint32(v.txs.len()) {
		for pos := v.txs.start[i]; pos < v.txs.start[i+1]; pos++ {
			r := v.txs.ranks[pos]
			v.places[next[r]] = occurrence{pos + 1, i}
			next[r]++
		}
	}
}

// Nodes is the number of nodes that occur.
func (v *View) Nodes() int { return len(v.nodes) }

// Transactions is the number of distinct transactions.
func (v *View) Transactions() int { return v.txs.len() }

// Longest is the length of the longest transaction.
func (v *View) Longest() int { return v.longest }

// merger folds equal rows by hashing. Rows keep the order in which they first came.
type merger struct {
	slots []uint32 // row number + 1
	mask  uint64
}

func newMerger(rows int) *merger {
	size := 16
	for size < 2*rows {
		size *= 2
	}
	return &merger{make([]uint32, size), uint64(size - 1)}
}

// reset makes room for so many rows.
func (m *merger) reset(rows int) {
	size := 16
	for size < 2*rows {
		size *= 2
	}
	if size > len(m.slots) {
		m.slots = make([]uint32, size)
	}
	m.mask = uint64(size - 1)
	clear(m.slots[:size])
}

// add appends a row, or adds to the weight of an equal one.
func (m *merger) add(to *rows, row []int32, weight int32) {
	h := uint64(len(row))
	for _, r := range row {
		h = (h ^ uint64(uint32(r))) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	for slot := h & m.mask; ; slot = (slot + 1) & m.mask {
		n := m.slots[slot]
		if n == 0 {
			to.ranks = append(to.ranks, row...)
			to.start = append(to.start, uint32(len(to.ranks)))
			to.weights = append(to.weights, weight)
			m.slots[slot] = uint32(to.len())
			return
		}
		if slices.Equal(to.row(n-1), row) {
			to.weights[n-1] += weight
			return
		}
	}
}
