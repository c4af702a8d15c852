package itemset

import (
	"context"
	"math"
	"slices"

	"mingle/internal/par"
)

// cellsAnOccurrence is how many cells a table may have for each occurrence in the data, where it is
// filled from the transactions as they are read: 16 bytes. Rows at the cut and their places, which
// are not made then, take 12, and those of a table as much again.
const cellsAnOccurrence = 4

// streams tells whether all sets can be counted in one table while the transactions are read, with
// no rows held.
func (c *fromCut) streams() bool {
	n, d := len(c.nodes), &c.Data
	if d.Occurrences == 0 || d.Units != nil || n*c.K >= manyOf {
		return false
	}
	most := cellsAnOccurrence * float64(d.Occurrences)
	// of transactions with so many items in all, those of one length have the fewest sets
	sets := chosen(d.Occurrences/d.Len, c.M, math.MaxInt32)
	most = min(most, cellsASet*float64(d.Len)*float64(sets))
	if c.Bound > 0 {
		most = min(most, float64(c.Bound)/16)
	}
	return chosen(n, c.M, int64(most)) <= int64(most)
}

// markCut notes which nodes are at the cut.
func (c *fromCut) markCut() {
	for it, occurs := range c.Data.occurring() {
		if u := c.at(int32(it)); occurs && u != c.tree.root() {
			c.atCut[c.number(u)] = true
		}
	}
}

// stream is table for all sets, filled as the transactions are read.
func (c *fromCut) stream() {
	behind := identity(len(c.nodes))
	copy(c.local, behind)
	t := c.newTable(nil, behind, c.M)
	t.read()
	for z := range c.local {
		c.local[z] = -1
	}
	t.walk()
}

// segment is some transactions at the cut, and where each node stands in them.
type segment struct {
	rows
	at placeLists
}

// segmentOccurrences is how many occurrences a segment has, on average: with their places 12 MB.
const segmentOccurrences = 1 << 20

// read fills the table, a segment a worker at a time.
func (t *supportTable) read() {
	d := &t.Data
	workers := max(1, t.Workers)
	if d.Reader == nil {
		workers = 1
	}
	lines := max(1, int(t.segment*int64(d.Len)/int64(d.Occurrences)))
	readers := make([]*segmentReader, workers)
	segments := make([]*segment, workers)
	for i := range readers {
		readers[i] = t.newReader()
		segments[i] = &readers[i].segment
	}
	for from := 0; from < d.Len; from += workers * lines {
		if t.Progress != nil {
			t.Progress(int(int64(from)*int64(len(t.behind))/int64(d.Len)), len(t.behind))
		}
		par.Each(t.ctx, workers, workers, func(_ context.Context, i int) error {
			at := min(d.Len, from+i*lines)
			readers[i].read(at, min(d.Len, at+lines))
			return nil
		})
		if t.ctx.Err() != nil {
			return
		}
		t.count(segments, from+workers*lines >= d.Len)
	}
}

// segmentReader makes segments, on one goroutine.
type segmentReader struct {
	*supportTable
	segment
	tx   func(i int) []int32
	to   []int32 // item -> number of its node at the cut; -1: the root
	seen []int32 // node -> the transaction that it was met in last, plus one
	all  []int32 // identity
}

func (t *supportTable) newReader() *segmentReader {
	r := &segmentReader{supportTable: t, tx: t.Data.Tx, all: identity(len(t.nodes))}
	if t.Data.Reader != nil {
		r.tx = t.Data.Reader()
	}
	r.to = make([]int32, t.Data.Items)
	for it := range r.to {
		r.to[it] = -1
		if u := t.at(int32(it)); u != t.tree.root() && t.rank[u] >= 0 {
			r.to[it] = t.number(u)
		}
	}
	r.seen = make([]int32, len(t.nodes))
	return r
}

// read makes the segment of the transactions from one on, before another.
func (r *segmentReader) read(from, to int) {
	r.reset()
	for i := from; i < to && !ended(r.ctx, i); i++ {
		begin := len(r.ids)
		for _, it := range r.tx(i) {
			if z := r.to[it]; z >= 0 && r.seen[z] != int32(i+1) {
				r.seen[z] = int32(i + 1)
				r.ids = append(r.ids, z)
			}
		}
		if len(r.ids)-begin >= r.size {
			slices.Sort(r.ids[begin:])
			r.close(r.Data.weight(i))
		} else {
			r.ids = r.ids[:begin] // it has no set
		}
	}
	r.segment.at.fill(&r.rows, len(r.all), r.all)
}
