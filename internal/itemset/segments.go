package itemset

import (
	"context"
	"slices"

	"mingle/internal/par"
)

// segment is some transactions as sets of numbers, and where each number that is not kept stands in
// them.
type segment struct {
	rows
	at placeLists
}

// segmentOccurrences is how many occurrences a segment has, on average, at most: with their places
// 12 MB.
const segmentOccurrences = 1 << 20

// cellCounter counts sets of numbers into one table of cells, whatever the number of workers: each
// counts whole blocks, those of one largest number.
type cellCounter struct {
	cellTable
	ctx     context.Context
	size    int
	numbers int // the numbers are below
	kept    int // sets of smaller numbers alone are not counted
	workers int
	// told with how many numbers have been counted; nil: nobody listens
	progress func(done, total int)
	// called with the cells of a block when it is counted; nil: nothing is
	counted func(block []int32)
}

// add adds the sets of some segments, block by block: what is counted for one largest number stays
// in the processor's cache. last says that there are no more segments.
func (c *cellCounter) add(segments []*segment, last bool) {
	const step = 64
	all := c.numbers - c.kept
	for from := 0; from < all && c.ctx.Err() == nil; from += step {
		if c.progress != nil {
			c.progress(from, all)
		}
		blocks := min(step, all-from)
		// the largest first: they take longest
		par.Each(c.ctx, min(c.workers, blocks), blocks, func(_ context.Context, i int) error {
			c.addBlock(segments, c.numbers-1-from-i, last)
			return nil
		})
	}
}

// addBlock adds the sets with a largest number.
func (c *cellCounter) addBlock(segments []*segment, largest int, last bool) {
	base := c.choose[c.size][largest]
	for _, s := range segments {
		for some := range slices.Chunk(s.at.Of(int32(largest)), fetched) {
			s.fetchAt(some)
			for _, p := range some {
				c.cellTable.add(s.ids[s.start[p.Tx]:p.pos-1], c.size-1, base, s.weights[p.Tx])
			}
		}
	}
	if last && c.counted != nil {
		c.counted(c.cells[base:c.choose[c.size][largest+1]])
	}
}

// cellReader counts transactions as they are read, a segment a worker at a time.
type cellReader struct {
	cellCounter
	data    *Data
	to      []int32  // item -> its number; -1: it has none
	segment int64    // occurrences
	only    []uint64 // the transactions that may have a set to be counted, as bits; nil: all
	// how many sets an item of a row may be in, on average, and how many sets there must be in all;
	// 0: that does not matter
	mostSets, leastSets int64
	readers             []*segmentReader
}

// run counts them, and tells whether it has: there may be too many sets, or too few.
func (c *cellReader) run() bool {
	d := c.data
	workers := max(1, c.workers)
	if d.Reader == nil {
		workers = 1
	}
	for len(c.readers) < workers {
		c.readers = append(c.readers, newSegmentReader(d))
	}
	segments := make([]*segment, workers)
	for i := range segments {
		c.readers[i].begin(c)
		segments[i] = &c.readers[i].segment
	}
	// all workers read, also where one could read everything
	fitting := int(c.segment * int64(d.Len) / int64(d.Occurrences))
	lines := max(1, min((d.Len+workers-1)/workers, fitting))
	for from := 0; from < d.Len; from += workers * lines {
		if c.progress != nil {
			c.progress(int(int64(from)*int64(c.numbers)/int64(d.Len)), c.numbers)
		}
		par.Each(c.ctx, workers, workers, func(_ context.Context, i int) error {
			at := min(d.Len, from+i*lines)
			c.readers[i].read(at, min(d.Len, at+lines))
			return nil
		})
		next := min(d.Len, from+workers*lines)
		if c.ctx.Err() != nil || !c.fits(c.readers[:workers], from == 0, next) {
			return false
		}
		silent := c.cellCounter
		silent.progress = nil
		silent.add(segments, next == d.Len)
	}
	return c.ctx.Err() == nil
}

// fits tells whether there are neither too many sets nor too few, as far as is known when so many
// transactions have been read.
func (c *cellReader) fits(readers []*segmentReader, first bool, read int) bool {
	items, sets := int64(0), int64(0)
	for _, r := range readers {
		items, sets = items+r.items, sets+r.sets
	}
	if c.mostSets > 0 && sets > c.mostSets*items {
		return false
	}
	return !first || float64(sets)*float64(c.data.Len)/float64(read) >= float64(c.leastSets)
}

// segmentReader makes segments, on one goroutine.
type segmentReader struct {
	of *cellReader
	segment
	tx   func(i int) []int32
	seen marks // numbers of the transaction that is read

	items int64 // of the rows so far
	sets  int64 // that are to be counted, of the same
}

func newSegmentReader(d *Data) *segmentReader {
	r := &segmentReader{tx: d.Tx}
	if d.Reader != nil {
		r.tx = d.Reader()
	}
	return r
}

// begin makes it ready to read for a table.
func (r *segmentReader) begin(of *cellReader) {
	r.of, r.items, r.sets = of, 0, 0
	r.seen = newMarks(of.numbers)
}

// read makes the segment of the transactions from one on, before another.
func (r *segmentReader) read(from, to int) {
	c := r.of
	r.reset()
	for i := from; i < to && !ended(c.ctx, i); i++ {
		if c.only != nil && c.only[i>>6]>>(i&63)&1 == 0 {
			continue
		}
		for _, it := range r.tx(i) {
			if z := c.to[it]; z >= 0 {
				r.seen.add(z)
			}
		}
		begin := len(r.ids)
		r.ids = r.seen.drain(r.ids, 0)
		if n := len(r.ids); n-begin < c.size || int(r.ids[n-1]) < c.kept {
			r.ids = r.ids[:begin] // it has no set
			continue
		}
		r.close(c.data.weight(i))
		r.measure(r.ids[begin:])
	}
	r.segment.at.fillFrom(&r.rows, int32(c.kept), c.numbers)
}

// measure adds what a row has.
func (r *segmentReader) measure(row []int32) {
	c := r.of
	if c.mostSets == 0 {
		return
	}
	old := 0
	if c.kept > 0 {
		old, _ = slices.BinarySearch(row, int32(c.kept))
	}
	r.items += int64(len(row))
	most := c.mostSets*r.items + 1
	r.sets = min(most, r.sets+chosen(len(row), c.size, most)-chosen(old, c.size, most))
}
