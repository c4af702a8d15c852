package itemset

import (
	"cmp"
	"context"
	"slices"

	"mingle/internal/par"
)

// View is data as a cut publishes it, ready to be searched for rare itemsets: nodes are ranks in
// the order of ascending support, so that projections on first items are short. Memory: 4 bytes an
// occurrence at the cut, and 12 more where sets are not counted in cells. It is not safe for
// concurrent use.
type View struct {
	nodes   []int32 // rank -> node
	support []int32 // rank -> records
	rows    *rows   // of all transactions, in their order
	longest int

	// for what is not counted in cells; made when it is first asked for
	txs    *rows      // those that the cut makes equal are one
	places placeLists // by rank
	all    []int32    // every rank
}

// NewView recodes the data of an index by a cut: the node of every leaf, in leaf order. It does so
// on at most so many goroutines.
func NewView(x *Index, cut []int32, workers int) *View {
	v := &View{}
	v.rankNodes(x, cut)
	v.rows = v.recode(x, workers)
	for i := range uint32(v.rows.len()) {
		v.longest = max(v.longest, len(v.rows.row(i)))
	}
	return v
}

// project prepares the view for projections.
func (v *View) project() {
	if v.txs != nil {
		return
	}
	if v.txs = merge(v.rows); v.txs.len() == v.rows.len() {
		v.txs = v.rows
	}
	v.all = identity(len(v.nodes))
	v.places.fillFrom(v.txs, 0, len(v.nodes))
}

// rankNodes orders the nodes of the cut that occur by support, then by id.
func (v *View) rankNodes(x *Index, cut []int32) {
	for i, u := range cut {
		if (i == 0 || u != cut[i-1]) && x.Occurs(u) {
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

// recode makes the rows of all transactions, in ranges side by side. Filled rank by rank, they come
// out sorted.
func (v *View) recode(x *Index, workers int) *rows {
	all := &rows{start: make([]uint32, x.n+1), weights: x.weights, units: x.units}
	if all.weights == nil {
		all.weights = slices.Repeat([]int32{1}, x.n)
	}
	x.unite(slices.Clone(v.nodes), workers)
	tids := make([][]int32, len(v.nodes))
	for r, u := range v.nodes {
		tids[r] = x.Tids(u)
	}
	inRanges(tids, x.n, workers, func(_, _ int32, lists [][]int32) {
		for _, list := range lists {
			for _, i := range list {
				all.start[i+1]++
			}
		}
	})
	for i := range x.n {
		all.start[i+1] += all.start[i]
	}
	all.ids = make([]int32, all.start[x.n])
	inRanges(tids, x.n, workers, func(from, to int32, lists [][]int32) {
		next := slices.Clone(all.start[from:to])
		for r, list := range lists {
			for _, i := range list {
				all.ids[next[i-from]] = int32(r)
				next[i-from]++
			}
		}
	})
	return all
}

// fewestInRange is how many transactions one goroutine is given at least.
const fewestInRange = 1 << 12

// inRanges calls f for ranges of n transactions, side by side, with what ascending lists have of
// each.
func inRanges(
	lists [][]int32, n, workers int, f func(from, to int32, within [][]int32),
) {
	ranges := min(workers, n/fewestInRange+1)
	_ = par.Each(context.Background(), workers, ranges, func(_ context.Context, at int) error {
		from, to := int32(n*at/ranges), int32(n*(at+1)/ranges)
		within := make([][]int32, len(lists))
		for r, list := range lists {
			a, _ := slices.BinarySearch(list, from)
			b, _ := slices.BinarySearch(list, to)
			within[r] = list[a:b]
		}
		f(from, to, within)
		return nil
	})
}

// merge makes equal rows one; empty ones are left out.
func merge(all *rows) *rows {
	var d deduplicator
	d.reset(all.len())
	out := &rows{ids: make([]int32, 0, len(all.ids)), start: make([]uint32, 1, all.len()+1)}
	if all.units != nil {
		out.units = make([]int32, 0, all.len())
	}
	for i := range uint32(all.len()) {
		switch row := all.row(i); {
		case len(row) == 0:
		case all.units != nil:
			d.addOf(out, row, all.units[i], all.weights[i])
		default:
			d.add(out, row, all.weights[i])
		}
	}
	return out
}

// Nodes is the number of nodes that occur.
func (v *View) Nodes() int { return len(v.nodes) }

// Longest is the length of the longest transaction.
func (v *View) Longest() int { return v.longest }

// Sets is how many sets of size nodes the records have, those of each record counted: what counting
// them one by one would take.
func (v *View) Sets(size int) int64 {
	total := int64(0)
	for i := range uint32(v.rows.len()) {
		total += choose(len(v.rows.row(i)), size)
	}
	return total
}

// choose is n over size, or a large number where that is more.
func choose(n, size int) int64 {
	const most = 1 << 40
	sets := int64(1)
	for i := range size {
		if sets = sets * int64(n-i) / int64(i+1); sets > most {
			return most
		}
	}
	return sets
}
