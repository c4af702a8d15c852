package dataset

import (
	"cmp"
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
// of the next two items, and where these agree by the two after them, and so on (radix sort from
// the left; Bentley and Sedgewick, Fast Algorithms for Sorting and Searching Strings, SODA 1997).
// What transactions have in common is looked at once. 16 bytes a transaction.
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
	deals       [][]keyed
	first       []int32 // of each merged transaction, one that it was made from
	weights     []int32
	occurrences int

	before int32 // merged transactions of the parts before, and where the first item goes
	start  uint32
}

// partsAWorker is how many parts there are for a worker: so many that the last ones end together.
const partsAWorker = 8

// mergeParts cuts the deals of n transactions into parts of about the same size.
func mergeParts(deals [][]keyed, n, workers int) (parts []*mergePart) {
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
	same := func(deal []keyed) {
		for _, e := range deal {
			of[e.tx] = int32(len(p.first))
		}
		p.first = append(p.first, deal[0].tx)
		p.weights = append(p.weights, int32(len(deal)))
		p.occurrences += len(d.Tx(int(deal[0].tx)))
	}
	for _, deal := range p.deals {
		d.sortDeal(deal, 1, same)
	}
}

// put writes what was merged to its place.
func (p *mergePart) put(d *Dataset, m *Merged) {
	copy(m.Weights[p.before:], p.weights)
	end := p.start
	for i, tx := range p.first {
		end += uint32(copy(m.items[end:], d.Tx(int(tx))))
		m.offsets[int(p.before)+i+1] = end
	}
	for _, deal := range p.deals {
		for _, e := range deal {
			m.Of[e.tx] += p.before
		}
	}
}

// sortDeal hands groups of identical transactions to same, in lexicographic order. The transactions
// of the deal agree before position at.
func (d *Dataset) sortDeal(deal []keyed, at int, same func([]keyed)) {
	for len(deal) > 0 {
		if len(deal) == 1 {
			same(deal)
			return
		}
		for i := range deal {
			deal[i].key = pairKey(d.Tx(int(deal[i].tx)), at)
		}
		slices.SortFunc(deal, func(x, y keyed) int { return cmp.Compare(x.key, y.key) })
		at += 2
		for deal[0].key != deal[len(deal)-1].key {
			n := 1
			for deal[n].key == deal[0].key {
				n++
			}
			d.sortRun(deal[:n], at, same)
			deal = deal[n:]
		}
		if uint32(deal[0].key) == 0 {
			same(deal)
			return
		}
	}
}

// sortRun goes on with transactions that agree before position at; where they end before it, they
// are identical.
func (d *Dataset) sortRun(run []keyed, at int, same func([]keyed)) {
	if uint32(run[0].key) == 0 {
		same(run)
		return
	}
	d.sortDeal(run, at, same)
}

// keyed is a transaction with two of its items, each plus one and 0 where there is none: the order
// of the keys is the lexicographic order of the pairs.
type keyed struct {
	key uint64
	tx  int32
}

func pairKey(tx []int32, at int) (key uint64) {
	if len(tx) > at {
		key = uint64(tx[at]+1) << 32
	}
	if len(tx) > at+1 {
		key |= uint64(tx[at+1] + 1)
	}
	return key
}

// dealt deals the transactions out by their first item: deal 0 are those without items, deal i+1
// those that begin with i.
func dealt(d *Dataset) [][]keyed {
	ends := make([]int, d.dict.Len()+2)
	first := func(i int) int {
		if tx := d.Tx(i); len(tx) > 0 {
			return int(tx[0]) + 1
		}
		return 0
	}
	for i := range d.Len() {
		ends[first(i)+1]++
	}
	for f := 1; f < len(ends); f++ {
		ends[f] += ends[f-1]
	}
	all, next := make([]keyed, d.Len()), slices.Clone(ends)
	for i := range d.Len() {
		f := first(i)
		all[next[f]].tx = int32(i)
		next[f]++
	}
	deals := make([][]keyed, 0, len(ends)-1)
	for f := range len(ends) - 1 {
		deals = append(deals, all[ends[f]:ends[f+1]])
	}
	return deals
}
