// Package itemset counts and finds sets of items, for the algorithms. Package verify must not
// import it: the judge counts for itself.
//
// On the nodes of a hierarchy:
//
//   - [Index] answers the support of one set at a time.
//   - [Walk] visits the count tree of terrovitis-2008 in its order, while nodes leave it.
//   - [View] lists all rare sets of one size at a cut.
//   - [Sets] visits every set that occurs, as long as its caller wants the larger ones.
//
// On items alone, by bitmaps over projections:
//
//   - [Maximal] visits the maximal frequent sets.
//   - [FindSafe] visits the minimal sets that are rare or imply too much, and counts the others.
//
// It knows transactions and trees by their numbers only, and imports neither dataset nor hierarchy.
package itemset

import (
	"context"
	"slices"
)

// Data is the transactions to count in.
type Data struct {
	Len   int                 // transactions
	Items int                 // the ids of items are below
	Tx    func(i int) []int32 // items, ascending and distinct; valid until the next call
	// Reader makes a Tx for a goroutine of its own; nil: there is only the one.
	Reader func() func(i int) []int32
	// Occurrences is the sum of the transactions' lengths; 0: it is not known.
	Occurrences int
	Weights     []int32 // how many records each transaction stands for; nil: one
	// Units has the unit of every transaction of a unit that has several; -1: the transaction
	// counts by its weight. nil: transactions are counted, not units. See units.go.
	Units []int32
}

func (d *Data) weight(i int) int32 {
	if d.Weights == nil {
		return 1
	}
	return d.Weights[i]
}

// rows are weighted transactions one after another. What the ids are is their user's: items, or
// ranks of nodes.
type rows struct {
	start   []uint32 // row i is ids[start[i]:start[i+1]], ascending
	ids     []int32
	weights []int32
	units   []int32 // see Data; nil: rows are counted
}

func (r *rows) len() int             { return len(r.weights) }
func (r *rows) row(i uint32) []int32 { return r.ids[r.start[i]:r.start[i+1]] }

// longest is the number of items of the longest row.
func (r *rows) longest() (n int) {
	for i := range r.weights {
		n = max(n, len(r.row(uint32(i))))
	}
	return n
}

// fetched is how many rows are fetched at once.
const fetched = 32

// fetch looks at the ends and the weights of some rows that are not empty. A loop over the items of
// scattered rows waits for one row after the other, since it cannot foresee where each ends. This
// loop can be foreseen, and so they come from memory side by side. The sum keeps the compiler from
// leaving it out.
//
//go:noinline
func (r *rows) fetch(some []int32) (sum int32) {
	for _, i := range some {
		sum += r.ids[r.start[i]] + r.ids[r.start[i+1]-1] + r.weights[i]
	}
	return sum
}

// fetchAt is fetch for the rows with some places, of which each is behind an item.
//
//go:noinline
func (r *rows) fetchAt(places []Place) (sum int32) {
	for _, p := range places {
		sum += r.ids[p.pos-1] + r.ids[r.start[p.Tx]] + r.weights[p.Tx]
	}
	return sum
}

func (r *rows) reset() {
	r.start, r.ids, r.weights = append(r.start[:0], 0), r.ids[:0], r.weights[:0]
	r.units = r.units[:0]
}

func (r *rows) close(weight int32) {
	r.start = append(r.start, uint32(len(r.ids)))
	r.weights = append(r.weights, weight)
}

// Place is where the last element of a set stands in a transaction: what stands at pos and after
// extends the set.
type Place struct{ pos, Tx uint32 }

// whole is the places of the empty set.
func (r *rows) whole() []Place {
	out := make([]Place, r.len())
	for i := range out {
		out[i] = Place{r.start[i], uint32(i)}
	}
	return out
}

// behind is what extends a set in the transaction of one of its places.
func (r *rows) behind(p Place) []int32 { return r.ids[p.pos:r.start[p.Tx+1]] }

// weigh is the support of a set, given its places.
func (r *rows) weigh(at []Place) int {
	if r.units != nil {
		return weighUnits(r.units, r.weights, at)
	}
	total := 0
	for _, p := range at {
		total += int(r.weights[p.Tx])
	}
	return total
}

// projection is the working space for one size of sets: what extends a set by one element.
type projection struct {
	count   []int32 // by id; all zero between uses
	last    []int32 // by id, the stamp of the unit counted last; nil or all zero between uses
	touched []int32 // the ids that occur, in any order
	places  []Place
}

// countWeights counts the support of every extension of a set.
func (p *projection) countWeights(in *rows, at []Place) {
	if in.units != nil {
		p.countUnits(in, at)
		return
	}
	p.touched = p.touched[:0]
	for _, o := range at {
		weight := in.weights[o.Tx]
		for _, e := range in.behind(o) {
			if p.count[e] == 0 {
				p.touched = append(p.touched, e)
			}
			p.count[e] += weight
		}
	}
}

// countRows counts the transactions of every extension of a set.
func (p *projection) countRows(in *rows, at []Place) {
	p.touched = p.touched[:0]
	for _, o := range at {
		for _, e := range in.behind(o) {
			if p.count[e] == 0 {
				p.touched = append(p.touched, e)
			}
			p.count[e]++
		}
	}
}

// below takes the extensions that were counted, ascending, of which fewer than k were and that keep
// accepts. The counts are zero afterwards.
func (p *projection) below(k int32, keep func(id int32) bool) []int32 {
	out := p.touched[:0]
	for _, e := range p.touched {
		if p.count[e] < k && (keep == nil || keep(e)) {
			out = append(out, e)
		}
		p.count[e] = 0
		if p.last != nil {
			p.last[e] = 0
		}
	}
	slices.Sort(out)
	return out
}

// child is an extension, and where its places end in the projection's list.
type child struct{ id, end int32 }

// skipped marks extensions that keep does not accept.
const skipped = -1

// distribute lists the places of the extensions that keep accepts (nil: of all), in ascending order
// of the extensions. countRows has counted how many each has. The counts are zero afterwards.
func (p *projection) distribute(in *rows, at []Place, keep func(id int32) bool) []child {
	slices.Sort(p.touched)
	children := make([]child, 0, len(p.touched))
	total := int32(0)
	for _, e := range p.touched {
		n := p.count[e]
		p.count[e] = skipped
		if keep == nil || keep(e) {
			p.count[e] = total
			total += n
			children = append(children, child{e, total})
		}
	}
	p.places = slices.Grow(p.places[:0], int(total))[:total]
	for _, o := range at {
		for pos := o.pos; pos < in.start[o.Tx+1]; pos++ {
			e := in.ids[pos]
			if next := p.count[e]; next != skipped {
				p.places[next] = Place{pos + 1, o.Tx}
				p.count[e]++
			}
		}
	}
	for _, e := range p.touched {
		p.count[e] = 0
	}
	return children
}

// deduplicator makes equal rows one, by hashing. Rows keep the order in which they first came.
type deduplicator struct {
	slots []uint32 // row number + 1
	mask  uint64
}

// reset makes room for so many rows.
func (d *deduplicator) reset(rows int) {
	size := 16
	for size < 2*rows {
		size *= 2
	}
	if size > len(d.slots) {
		d.slots = make([]uint32, size)
	}
	d.mask = uint64(size - 1)
	clear(d.slots[:size])
}

// add appends a row, or adds to the weight of an equal one.
func (d *deduplicator) add(to *rows, row []int32, weight int32) {
	for slot := hashRow(row) & d.mask; ; slot = (slot + 1) & d.mask {
		n := d.slots[slot]
		if n == 0 {
			to.ids = append(to.ids, row...)
			to.close(weight)
			d.slots[slot] = uint32(to.len())
			return
		}
		if slices.Equal(to.row(n-1), row) {
			to.weights[n-1] += weight
			return
		}
	}
}

func hashRow(row []int32) uint64 {
	h := uint64(len(row))
	for _, r := range row {
		h = (h ^ uint64(uint32(r))) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}

// ended tells, in a loop over many transactions, whether the context has ended; it looks now and
// then.
func ended(ctx context.Context, i int) bool { return i%4096 == 0 && ctx.Err() != nil }
