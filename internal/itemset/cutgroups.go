package itemset

import (
	"context"
	"slices"
)

// bytesAProjected is what an occurrence takes in the rows that are projected, at most: its rank
// there and in the rows with equal ones merged, its place, and its share of what a row takes.
const bytesAProjected = 32

// FirstParts is for cuts of so many nodes that their sets cannot be counted in cells, at data of so
// many occurrences: nil is for others. There it costs less to look for rare sets anew, at a cut
// that avoids some, than to look for all of them. The rarest nodes of a cut are in most rare sets,
// and in few transactions. So the nodes are in parts, in the order of their supports, given here;
// each part occurs some times as often as the one before. FirstParts is where each ends. What is
// listed are the sets whose rarest node is in the first part that has any.
func FirstParts[N int32 | int](supports []N, size, occurrences int) (ends []int) {
	const least, times = 64, 4 // the first part is one of so many of all that occurs
	cells := unboundedCells(occurrences)
	if chosen(len(supports), size, cells) <= cells {
		return nil
	}
	all := int64(0)
	for _, n := range supports {
		all += int64(n)
	}
	before, share := int64(0), max(1, all/least)
	for r, n := range supports[:len(supports)-1] {
		if before += int64(n); before > share {
			ends = append(ends, r+1)
			for before > share {
				share *= times
			}
		}
	}
	return append(ends, len(supports))
}

// project lists the rare sets of a view by projections. With a bound on memory its nodes are dealt
// into groups, the rarest first, and only what stands in a transaction from a node of the group on
// is held. The bound is that of the index.
func (c *Cuts) project(ctx context.Context, v *View, cut []int32, s Search) (*Rare, error) {
	g := newGrouper(c, v, cut, s.Size)
	parts := FirstParts(v.support, s.Size, c.data.Occurrences)
	all := make([]found, len(v.nodes))
	some := false
	for _, last := range g.groups(ctx, c.index.bound/bytesAProjected, parts) {
		g.load(ctx, last, c.having(v.nodes[g.first:last]))
		v.project()
		if v.find(ctx, s, g.first, last, all); ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		some = some || slices.ContainsFunc(all[g.first:last], func(f found) bool {
			return len(f.sets) > 0
		})
		if some && slices.Contains(parts, last) {
			break
		}
		g.first = last
	}
	return v.list(s.Size, all), nil
}

// grouper makes the rows of a view for one group of nodes after the other.
type grouper struct {
	data  *Data
	view  *View
	size  int
	to    []int32 // item -> rank; -1: it has none
	row   []int32
	first int // rank in the view from which on the next group is
}

func newGrouper(c *Cuts, v *View, cut []int32, size int) *grouper {
	g := &grouper{data: &c.data, view: v, size: size, to: make([]int32, c.data.Items)}
	rank := slices.Repeat([]int32{-1}, c.index.tree.nodes())
	for r, u := range v.nodes {
		rank[u] = int32(r)
	}
	for it := range g.to {
		g.to[it] = rank[cut[it]]
	}
	return g
}

// tx is what transaction i has of the ranks from first on, ascending; nil: none is before last.
func (g *grouper) tx(i, last int) []int32 {
	g.row = g.row[:0]
	least := int32(last)
	for _, it := range g.data.Tx(i) {
		if r := g.to[it]; r >= int32(g.first) {
			g.row = append(g.row, r)
			least = min(least, r)
		}
	}
	if int(least) == last {
		return nil
	}
	slices.Sort(g.row)
	return slices.Compact(g.row)
}

// groups is before which rank each group ends, such that no more than most occurrences are held for
// it, or it has one node, and each part is some groups. 0: each part is one group. No parts: all
// nodes are one.
func (g *grouper) groups(ctx context.Context, most int64, parts []int) (ends []int) {
	all := len(g.view.nodes)
	if parts == nil {
		parts = []int{all}
	}
	if most <= 0 {
		return parts
	}
	behind := make([]int64, all) // by rank: what stands in transactions from it on
	for i := range g.data.Len {
		if ended(ctx, i) {
			break
		}
		row := g.tx(i, all)
		for at, r := range row {
			behind[r] += int64(len(row) - at)
		}
	}
	held := int64(0)
	for r, n := range behind {
		if held > 0 && held+n > most || slices.Contains(parts, r) {
			ends = append(ends, r)
			held = 0
		}
		held += n
	}
	return append(ends, all)
}

// load makes the view's rows for the group of nodes from the first on, before the last, of the
// transactions that are marked; nil: all are.
func (g *grouper) load(ctx context.Context, last int, marked []uint64) {
	rows := &rows{start: make([]uint32, 1)}
	if g.data.Units != nil {
		rows.units = []int32{}
	}
	for i := range g.data.Len {
		if ended(ctx, i) {
			break
		}
		if marked != nil && marked[i/64]&(1<<(i%64)) == 0 {
			continue
		}
		row := g.tx(i, last)
		if len(row) < g.size {
			continue
		}
		rows.ids = append(rows.ids, row...)
		rows.close(g.data.weight(i))
		if g.data.Units != nil {
			rows.units = append(rows.units, g.data.Units[i])
		}
	}
	g.view.rows, g.view.txs = rows, nil
}
