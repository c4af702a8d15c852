package verify

import (
	"context"
	"slices"

	"mingle/dataset"
	"mingle/privacy"
)

// maxPerTask is where the search behind one first item ends when combinations of four or more are
// checked and the promise is broken that often already.
const maxPerTask = 100_000

// maxTriangle bounds the cells of a table of pairs: 32 MB a worker.
const maxTriangle = 1 << 23

// checkItemsets checks the published view: every combination of at most m published nodes that
// occurs has support at least k and, with l-diversity, implies no sensitive item with a probability
// above 1/l. The empty combination is checkEmpty's. It returns the number of combinations counted.
//
// The method: where few nodes are published, count every combination in a cell of its own, see
// [tables]. Else take the data in chunks; project on one item after the other, as far as
// combinations of the last two sizes are left, and count those in an array and in a triangle. The
// extensions of a rare combination are not looked at: it is a breach already. What is never
// counted, and why that is sound, is said at [classes].
func checkItemsets(
	ctx context.Context, workers *pool, published, sensitive *dataset.Dataset, p privacy.KM,
) (*witnesses, int64, error) {
	if !p.Diverse() {
		sensitive = nil
	}
	m := min(p.M, published.MaxLen())
	if sensitive == nil {
		if t := newTables(published, p.K, m, workers.workers); t != nil {
			err := t.check(ctx, workers)
			return &t.found, t.counted, err
		}
	}
	searches := make([]*search, workers.workers)
	for i := range searches {
		searches[i] = &search{promise: p, ctx: ctx, largest: m, cells: maxTriangle}
	}
	for chunks := newChunks(published, sensitive, chunkSize); chunks.next(ctx); {
		checkChunk(ctx, workers, chunks, searches)
	}
	if ctx.Err() != nil {
		return nil, 0, context.Cause(ctx)
	}
	found, counted := &witnesses{}, int64(0)
	for _, s := range searches {
		found.merge(&s.witnesses)
		counted += s.counted
	}
	return found, counted, nil
}

// checkChunk checks the combinations that a chunk is for.
func checkChunk(ctx context.Context, workers *pool, chunks *chunks, searches []*search) {
	s := searches[0]
	all := classify(chunks.rows, chunks.label[chunks.from:], s.promise, s.largest)
	chunks.rows = nil // a part of all now
	first := s.singles(nil, all, everything(all), s.scratch(0, all), chunks.firsts())
	if s.largest == 1 {
		return
	}
	part := &pool{workers: workers.workers}
	if workers.progress != nil {
		part.progress = func(stage string, done, _ int64) {
			workers.progress(stage, int64(chunks.from)+done, int64(len(chunks.label)))
		}
	}
	part.run(ctx, "itemsets", len(first), func(worker, i int) {
		s := searches[worker]
		s.begin()
		s.extend([]int32{all.label[first[i]]}, all, all.refs(first[i]), s.largest-1)
	})
}

// everything refers to all rows from their beginning.
func everything(c *classes) []ref {
	refs := make([]ref, len(c.weight))
	for i := range refs {
		refs[i] = ref{int32(i), c.start[i]}
	}
	return refs
}

// search is one worker's state.
type search struct {
	witnesses
	promise privacy.KM
	ctx     context.Context
	largest int // combinations of up to this size are checked
	cells   int // largest triangle
	counted int64

	taskStart int64           // count when the task began
	whole     map[string]bool // rows reported as a whole in this task, see closeShort
	levels    []*level
	rest      []int32 // the part of a row that is looked at
	bySens    []sensRef
}

// level is the working memory at one depth of the projection. Counts are zero between uses.
type level struct {
	count    []int32 // by item
	second   []int32 // by item, for one sensitive item
	touched  []int32
	local    []int32 // item -> position among the alive items; -1: not alive
	row      []int
	triangle []int32
	other    []int32 // triangle for one sensitive item
	refs     []ref
	refStart []uint32
}

func (s *search) begin() {
	s.taskStart = s.witnesses.count
	s.whole = nil
}

// stopped tells whether to give up: the context has ended, or this task has found its share.
func (s *search) stopped() bool {
	return s.ctx.Err() != nil || s.largest >= 4 && s.witnesses.count-s.taskStart >= maxPerTask
}

func (s *search) scratch(depth int, c *classes) *level {
	for len(s.levels) <= depth {
		s.levels = append(s.levels, &level{})
	}
	lv := s.levels[depth]
	if n := len(c.label); len(lv.count) < n {
		lv.count = make([]int32, n)
		lv.second = make([]int32, n)
		lv.local = slices.Repeat([]int32{-1}, n)
	}
	return lv
}

// extend checks every combination of the prefix with 1 to size items behind it. prefix holds nodes,
// refs the occurrences of its last item in the rows that contain all of it.
func (s *search) extend(prefix []int32, c *classes, refs []ref, size int) {
	if s.stopped() {
		return
	}
	lv := s.scratch(len(prefix), c)
	alive := s.singles(prefix, c, refs, lv, nil)
	if size == 1 || len(alive) < 2 {
		return
	}
	if size == 2 {
		s.pairs(prefix, c, refs, alive)
		return
	}
	sub := s.project(prefix, c, refs, alive, size)
	if !sub.anyOpen {
		return
	}
	for item := range sub.label {
		s.extend(append(prefix, sub.label[item]), sub, sub.refs(int32(item)), size-1)
	}
}

// singles checks the prefix with one item more, and returns the items to go on with, ascending:
// those that an open row has and that are not rare with the prefix. within, if given, is
// non-negative for the items to be looked at. It costs one pass over the rows.
func (s *search) singles(prefix []int32, c *classes, refs []ref, lv *level,
	within []int32,
) []int32 {
	touched := lv.countItems(c, refs)
	if within != nil {
		touched = slices.DeleteFunc(touched, func(z int32) bool {
			if within[z] < 0 {
				lv.count[z] = 0
				return true
			}
			return false
		})
	}
	slices.Sort(touched)
	s.counted += int64(len(touched))
	s.singleRatios(prefix, c, refs, lv)
	alive := touched[:0]
	for _, z := range touched {
		if n := int(lv.count[z]); n < s.promise.K {
			s.report(append(prefix, c.label[z]), n)
		} else {
			alive = append(alive, z)
		}
		lv.count[z] = 0
	}
	lv.touched = alive
	return alive
}

// countItems counts, over all rows, the items that an open row has, and lists them.
func (lv *level) countItems(c *classes, refs []ref) []int32 {
	touched := lv.touched[:0]
	for _, at := range refs {
		if c.open[at.row] {
			for _, z := range c.items[at.next:c.start[at.row+1]] {
				if lv.count[z] == 0 {
					touched = append(touched, z)
				}
				lv.count[z] += c.weight[at.row]
			}
		}
	}
	if len(touched) > 0 {
		for _, at := range refs {
			if !c.open[at.row] {
				for _, z := range c.items[at.next:c.start[at.row+1]] {
					if lv.count[z] > 0 {
						lv.count[z] += c.weight[at.row]
					}
				}
			}
		}
	}
	return touched
}

// report files a rare combination, unless it was filed as a whole row before.
func (s *search) report(nodes []int32, support int) {
	if s.whole == nil || !s.whole[key(nodes)] {
		s.add(nodes, -1, support, s.promise.K)
	}
}

// project makes the classes of the projection on a prefix: what stands behind it in the rows that
// contain it, cut down to the alive items.
func (s *search) project(prefix []int32, c *classes, refs []ref, alive []int32, size int) *classes {
	lv := s.scratch(len(prefix), c)
	label := make([]int32, len(alive))
	for i, z := range alive {
		lv.local[z] = int32(i)
		label[i] = c.label[z]
	}
	r := &rows{start: []uint32{0}}
	if c.tallyStart != nil {
		r.tallyStart = []uint32{0}
	}
	for _, at := range refs {
		from := len(r.items)
		for _, z := range c.items[at.next:c.start[at.row+1]] {
			if lv.local[z] >= 0 {
				r.items = append(r.items, lv.local[z])
			}
		}
		if len(r.items) == from {
			continue
		}
		r.start = append(r.start, uint32(len(r.items)))
		r.weight = append(r.weight, c.weight[at.row])
		if c.tallyStart != nil {
			r.tally = append(r.tally, c.tallies(int(at.row))...)
			r.tallyStart = append(r.tallyStart, uint32(len(r.tally)))
		}
	}
	for _, z := range alive {
		lv.local[z] = -1
	}
	sub := classify(mergeRows(r), label, s.promise, size+1)
	s.closeShort(prefix, sub, size)
	return sub
}

// closeShort judges every light row of at most size items as a whole, and closes it: the row
// occurs, so it must itself have support k. If it does, so has everything inside it; if not, it is
// reported, as one breach. Without this the search would go through all 2^size combinations of a
// long row that is rare as a whole.
func (s *search) closeShort(prefix []int32, c *classes, size int) {
	c.anyOpen = false
	for i := range c.open {
		row := c.row(i)
		if c.open[i] && len(row) <= size && c.diverse(i, s.promise) && !s.stopped() {
			if n := c.support(row, s.promise.K); n < s.promise.K {
				s.reportRow(prefix, c, row, n)
			}
			c.open[i] = false
		}
		c.anyOpen = c.anyOpen || c.open[i]
	}
}

// reportRow files a prefix with a whole row behind it as one breach, and remembers it for report.
func (s *search) reportRow(prefix []int32, c *classes, row []int32, support int) {
	nodes := slices.Clone(prefix)
	for _, z := range row {
		nodes = append(nodes, c.label[z])
	}
	k := key(nodes)
	if s.whole[k] {
		return
	}
	s.add(nodes, -1, support, s.promise.K)
	if s.whole == nil {
		s.whole = map[string]bool{}
	}
	s.whole[k] = true
}

func key(nodes []int32) string {
	b := make([]byte, 0, 4*len(nodes))
	for _, u := range nodes {
		b = append(b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
	}
	return string(b)
}
