package nonreciprocal

import (
	"context"
	"slices"

	"mingle/internal/order"
)

// refiner moves records between blocks. The cost of a block is what a graph of its own in which every record takes its l-1
// nearest would cost: the sum over its records of the l-1 smallest distances to others of the block, their reach.
type refiner struct {
	l      int
	labels []int32
	m      *order.Distances
	blocks []*measured
	of     []int32 // the block of each record
	at     []int32 // its position there

	nearest         []int32 // room for the smallest distances
	entering, going []int32 // room for the distances of a record to a block
	one, back       measured
}

// measured is a block with its distances.
type measured struct {
	records []int32
	dist    []int32 // of positions p and q: dist[p*len(records)+q]
	reach   []int64 // of each position: the sum of its l-1 smallest distances
	last    []int32 // and the largest of these
}

// row are the distances of position p.
func (b *measured) row(p int) []int32 { return b.dist[p*len(b.records) : (p+1)*len(b.records)] }

// refineRounds bounds how often every record is tried, nearBlocks in how many blocks each time.
const (
	refineRounds = 6
	nearBlocks   = 6
)

// refine moves records to blocks that their nearest neighbours are in, as long as the sum of costs falls: into a block
// that does not have their label, or in exchange for the record there that has it. Blocks keep at least l records with
// different labels. lists are near neighbours of the records.
func refine(ctx context.Context, blocks [][]int32, labels []int32, l int, m *order.Distances, lists *neighbourLists) error {
	n := len(labels)
	r := &refiner{l: l, labels: labels, m: m, of: make([]int32, n), at: make([]int32, n)}
	total := int64(0)
	for i, records := range blocks {
		b := &measured{records: records}
		r.blocks = append(r.blocks, b)
		r.place(int32(i))
		for _, u := range records {
			b.dist = append(b.dist, r.distances(nil, u, records)...)
		}
		total += r.count(b)
	}
	for range refineRounds {
		gain := int64(0)
		for u := range int32(n) {
			if u&0xff == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			gain += r.settle(u, lists)
		}
		if total -= gain; gain*500 <= total {
			break
		}
	}
	for i, b := range r.blocks {
		blocks[i] = b.records
	}
	return nil
}

// place notes where the records of a block are.
func (r *refiner) place(block int32) {
	for p, u := range r.blocks[block].records {
		r.of[u], r.at[u] = block, int32(p)
	}
}

// distances appends those of u to records.
func (r *refiner) distances(to []int32, u int32, records []int32) []int32 {
	for _, v := range records {
		to = append(to, r.m.Between(u, v))
	}
	return to
}

// count finds the reach of every record of a block, and returns the block's cost.
func (r *refiner) count(b *measured) int64 {
	b.reach, b.last = b.reach[:0], b.last[:0]
	total := int64(0)
	for p := range b.records {
		reach, last := r.reachIn(b.row(p), p)
		b.reach, b.last = append(b.reach, reach), append(b.last, last)
		total += reach
	}
	return total
}

// settle tries record u in the blocks of its near neighbours and takes the first that lessens the cost; it returns by
// how much.
func (r *refiner) settle(u int32, lists *neighbourLists) int64 {
	home := r.of[u]
	if r.blocks[home].reach[r.at[u]] == 0 {
		return 0
	}
	leaving := r.leave(u)
	ids, _ := lists.of(u)
	var tried [nearBlocks]int32
	count := 0
	for _, v := range ids {
		to := r.of[v]
		if to == home || slices.Contains(tried[:count], to) {
			continue
		}
		if count == nearBlocks {
			break
		}
		tried[count] = to
		count++
		if gain := r.try(u, to, leaving); gain > 0 {
			return gain
		}
	}
	return 0
}

// try moves u to a block, in exchange for the record of its label there if there is one, if that lessens the cost. Before
// anything is counted exactly, bounds that look at each record once must leave hope. leaving is r.leave(u).
func (r *refiner) try(u, to int32, leaving int64) int64 {
	home, there := r.blocks[r.of[u]], r.blocks[to]
	rival := slices.IndexFunc(there.records, func(v int32) bool { return r.labels[v] == r.labels[u] })
	if rival < 0 && len(home.records) == r.l {
		return 0
	}
	r.entering = r.distances(r.entering[:0], u, there.records)
	hope := leaving + r.enter(r.entering, there, rival)
	if hope > 0 && rival >= 0 {
		v := there.records[rival]
		r.going = r.distances(r.going[:0], v, home.records)
		hope += r.leave(v) + r.enter(r.going, home, int(r.at[u]))
	}
	if hope <= 0 {
		return 0
	}
	if rival < 0 {
		r.without(&r.one, home, int(r.at[u]))
		r.with(&r.back, there, u, r.entering)
	} else {
		r.replaced(&r.one, home, int(r.at[u]), there.records[rival], r.going)
		r.replaced(&r.back, there, rival, u, r.entering)
	}
	return r.move(r.of[u], to)
}

// leave is the most that the cost can fall when u leaves its block: its own reach, less what those lose at least that
// have it among their nearest.
func (r *refiner) leave(u int32) int64 {
	b, at := r.blocks[r.of[u]], int(r.at[u])
	gain := b.reach[at]
	for p, d := range b.row(at) {
		if p != at {
			gain -= max(0, int64(b.last[p]-d))
		}
	}
	return gain
}

// enter is the most that the cost can fall when a record at these distances enters a block and the one at position without
// leaves it.
func (r *refiner) enter(dist []int32, b *measured, without int) int64 {
	reach, _ := r.reachIn(dist, without)
	gain := -reach
	for p, d := range dist {
		if p != without {
			gain += max(0, int64(b.last[p]-d))
		}
	}
	return gain
}

// move puts the blocks that are tried in place if the exact cost falls.
func (r *refiner) move(home, to int32) int64 {
	gain := int64(0)
	for _, b := range []*measured{r.blocks[home], r.blocks[to]} {
		for _, reach := range b.reach {
			gain += reach
		}
	}
	if gain -= r.count(&r.one) + r.count(&r.back); gain <= 0 {
		return 0
	}
	*r.blocks[home], r.one = r.one, *r.blocks[home]
	*r.blocks[to], r.back = r.back, *r.blocks[to]
	r.place(home)
	r.place(to)
	return gain
}

// replaced makes of b the block with record u, at these distances, in place of the one at position p.
func (r *refiner) replaced(out, b *measured, p int, u int32, dist []int32) {
	n := len(b.records)
	out.records, out.dist = append(out.records[:0], b.records...), append(out.dist[:0], b.dist...)
	out.records[p] = u
	for q, d := range dist {
		out.dist[p*n+q], out.dist[q*n+p] = d, d
	}
	out.dist[p*n+p] = 0
}

// without makes of b the block without the record at position p.
func (r *refiner) without(out, b *measured, p int) {
	out.records, out.dist = append(out.records[:0], b.records[:p]...), out.dist[:0]
	out.records = append(out.records, b.records[p+1:]...)
	for q := range b.records {
		if q != p {
			row := b.row(q)
			out.dist = append(append(out.dist, row[:p]...), row[p+1:]...)
		}
	}
}

// with makes of b the block with record u, at these distances, after its own.
func (r *refiner) with(out, b *measured, u int32, dist []int32) {
	out.records, out.dist = append(append(out.records[:0], b.records...), u), out.dist[:0]
	for q, d := range dist {
		out.dist = append(append(out.dist, b.row(q)...), d)
	}
	out.dist = append(append(out.dist, dist...), 0)
}

// reachIn is the sum of the l-1 smallest of the distances, one position left out, and the largest of them.
func (r *refiner) reachIn(dist []int32, without int) (sum int64, last int32) {
	r.nearest = r.nearest[:0]
	for p, d := range dist {
		if p == without {
			continue
		}
		at := len(r.nearest)
		if at == r.l-1 {
			if at--; d >= r.nearest[at] {
				continue
			}
		} else {
			r.nearest = append(r.nearest, 0)
		}
		for at > 0 && r.nearest[at-1] > d {
			r.nearest[at] = r.nearest[at-1]
			at--
		}
		r.nearest[at] = d
	}
	for _, d := range r.nearest {
		sum += int64(d)
	}
	if len(r.nearest) == r.l-1 {
		last = r.nearest[r.l-2]
	}
	return sum, last
}
