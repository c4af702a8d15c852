package dataset

import (
	"context"
	"slices"

	"mingle/internal/par"
)

// Merged is a dataset in which identical transactions are one with a weight. Its transactions are
// distinct and in lexicographic order of ids, so it does not depend on the order of the original.
type Merged struct {
	*Dataset
	Weights []int32 // how many original transactions each stands for; nil: one, nothing is merged
	Of      []int32 // original transaction -> merged transaction; nil: the same
	// Units are those of transactions of units that have several, one after the other; -1: the
	// transaction stands for Weights units. nil: transactions are counted. See MergeUnits.
	Units []int32
}

// Unmerged is a dataset with every transaction by itself: what to count on where there is no room
// for a merged copy.
func Unmerged(d *Dataset) *Merged { return &Merged{Dataset: d} }

// Weight is how many original transactions merged transaction i stands for.
func (m *Merged) Weight(i int) int32 {
	if m.Weights == nil {
		return 1
	}
	return m.Weights[i]
}

// Merge makes identical transactions one. Counting on the result and multiplying by the weights is
// counting on the original; on click-streams that alone halves the work.
//
// Transactions are dealt out by their first item in one pass; each deal is sorted by a number made
// of as many of the next items as fit, and where these agree by as many after them, and so on
// (radix sort from the left; Bentley and Sedgewick, Fast Algorithms for Sorting and Searching
// Strings, SODA 1997). What transactions have in common is looked at once. 4 bytes a transaction,
// and 12 for those of the largest deal of each worker.
func Merge(d *Dataset) *Merged { return MergeBy(d, 1) }

// MergeBy is Merge on at most so many goroutines; the result is the same.
func MergeBy(d *Dataset, workers int) *Merged {
	d = d.Flat()
	of := make([]int32, d.Len())
	parts := mergeParts(dealt(d), d.Len(), workers)
	each := func(do func(p *mergePart)) {
		par.Each(context.Background(), workers, len(parts), func(_ context.Context, i int) error {
			do(parts[i])
			return nil
		})
	}
	each(func(p *mergePart) { p.sort(d, of) })
	n, occurrences := 0, 0
	for _, p := range parts {
		p.before, p.start = int32(n), uint32(occurrences)
		n, occurrences = n+len(p.first), occurrences+p.occurrences
	}
	out := &Dataset{
		dict: d.dict, items: make([]int32, occurrences), offsets: make([]uint32, n+1),
		counted: &counted{},
	}
	m := &Merged{Dataset: out, Weights: make([]int32, n), Of: of}
	each(func(p *mergePart) { p.put(d, m) })
	return m
}

// mergePart is some deals that follow one another, and what they were merged to.
type mergePart struct {
	deals       [][]int32 // of transactions
	first       []int32   // of each merged transaction, one that it was made from
	weights     []int32
	occurrences int

	before int32 // merged transactions of the parts before, and where the first item goes
	start  uint32
}

// partsAWorker is how many parts there are for a worker: so many that the last ones end together.
const partsAWorker = 8

// mergeParts cuts the deals of n transactions into parts of about the same size.
func mergeParts(deals [][]int32, n, workers int) (parts []*mergePart) {
	most := max(1, n/(partsAWorker*max(1, workers)))
	for len(deals) > 0 {
		size, end := 0, 0
		for end < len(deals) && (end == 0 || size+len(deals[end]) <= most) {
			size += len(deals[end])
			end++
		}
		parts = append(parts, &mergePart{deals: deals[:end]})
		deals = deals[end:]
	}
	return parts
}

// sort merges the transactions of the part; of gets their numbers in it.
func (p *mergePart) sort(d *Dataset, of []int32) {
	largest := 0
	for _, deal := range p.deals {
		largest = max(largest, len(deal))
	}
	s := newDealSorter(d, largest, func(group []int32) {
		for _, tx := range group {
			of[tx] = int32(len(p.first))
		}
		p.first = append(p.first, group[0])
		p.weights = append(p.weights, int32(len(group)))
		p.occurrences += len(d.Tx(int(group[0])))
	})
	for _, deal := range p.deals {
		if len(deal) > 0 && d.isEmpty(deal[0]) {
			s.same(deal)
		} else {
			s.sort(deal, s.keys, 1)
		}
	}
}

// put writes what was merged to its place.
func (p *mergePart) put(d *Dataset, m *Merged) {
	copy(m.Weights[p.before:], p.weights)
	end, offsets := p.start, m.offsets[p.before+1:]
	for some := range slices.Chunk(p.first, fetched) {
		if !d.isEmpty(some[0]) { // there is one at most, the first
			d.fetch(some)
		}
		for i, tx := range some {
			end += uint32(copy(m.items[end:], d.Tx(int(tx))))
			offsets[i] = end
		}
		offsets = offsets[len(some):]
	}
	for _, deal := range p.deals {
		for _, tx := range deal {
			m.Of[tx] += p.before
		}
	}
}

// dealt deals the transactions out by their first item: deal 0 are those without items, deal i+1
// those that begin with i. d is not packed.
func dealt(d *Dataset) [][]int32 {
	ends := make([]int32, d.dict.Len()+2)
	first := func(i int) int32 {
		if d.isEmpty(int32(i)) {
			return 0
		}
		return d.items[d.offsets[i]] + 1
	}
	for i := range d.Len() {
		ends[first(i)+1]++
	}
	for f := 1; f < len(ends); f++ {
		ends[f] += ends[f-1]
	}
	all, next := make([]int32, d.Len()), slices.Clone(ends)
	for i := range d.Len() {
		f := first(i)
		all[next[f]] = int32(i)
		next[f]++
	}
	deals := make([][]int32, 0, len(ends)-1)
	for f := range len(ends) - 1 {
		deals = append(deals, all[ends[f]:ends[f+1]])
	}
	return deals
}
