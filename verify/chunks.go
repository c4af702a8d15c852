package verify

import (
	"cmp"
	"context"
	"slices"

	"mingle/dataset"
)

// chunkSize is how many items the distinct rows of a chunk have, at most, where it is for more than
// one first item. With the index over them and what is projected from them that is about 80 MB.
const chunkSize = 1 << 22

// chunks cuts the check of combinations into parts of bounded memory. Items are numbered by
// ascending support: the projection on a rare item is small, and that on a frequent one has only
// the few items behind it. A chunk is for the combinations whose first item is in a range of
// numbers: the lines that have an item of the range, cut down to what is not before the range. Such
// a combination has the same support in the chunk as in all lines, because every line that has it
// is there, with all of it; those that begin behind the range are not complete, and are another
// chunk's. What is said at [classes] about rows holds in a chunk for the combinations that it is
// for, word for word.
//
// Data that fits is one chunk of all lines.
type chunks struct {
	published, sensitive *dataset.Dataset // sensitive: nil where diversity is not checked
	size                 int

	label  []int32 // number -> node
	number []int32 // node -> number, -1 for those not in use
	behind []int64 // number -> items not before it in the lines that have it, in all

	from, to int   // the range of the chunk
	rows     *rows // the chunk: items are numbers less from
	// left is the share of the items of the chunk before that was left when equal rows had been
	// merged.
	left float64
}

func newChunks(published, sensitive *dataset.Dataset, size int) *chunks {
	c := &chunks{published: published, sensitive: sensitive, size: size, left: 1}
	c.numberNodes()
	if c.published.Occurrences() > size {
		c.weigh()
	}
	return c
}

// numberNodes numbers the nodes in use. Ties go by node id.
func (c *chunks) numberNodes() {
	supports := c.published.Supports()
	for u, n := range supports {
		if n > 0 {
			c.label = append(c.label, int32(u))
		}
	}
	slices.SortFunc(c.label, func(a, b int32) int {
		return cmp.Or(supports[a]-supports[b],
			int(a-b))
	})
	c.number = slices.Repeat([]int32{-1}, len(supports))
	for i, u := range c.label {
		c.number[u] = int32(i)
	}
}

// weigh finds how much there is behind every item.
func (c *chunks) weigh() {
	c.behind = make([]int64, len(c.label))
	var row []int32
	lines := c.published.Cursor()
	for i := range c.published.Len() {
		row = c.cut(row[:0], lines.Tx(i), 0)
		for at, z := range row {
			c.behind[z] += int64(len(row) - at)
		}
	}
}

// cut appends the numbers of a line that are not before from, less from, ascending.
func (c *chunks) cut(row, line []int32, from int32) []int32 {
	for _, u := range line {
		if z := c.number[u] - from; z >= 0 {
			row = append(row, z)
		}
	}
	slices.Sort(row)
	return row
}

// next makes the next chunk; it returns false when there is none, or ctx has ended. The range is as
// long as the chunk before lets expect to fit, and halved while it does not.
func (c *chunks) next(ctx context.Context) bool {
	c.from, c.rows = c.to, nil
	if c.from == len(c.label) || ctx.Err() != nil {
		return false
	}
	c.to = c.fitting()
	for ctx.Err() == nil {
		if c.fill(ctx) {
			return ctx.Err() == nil
		}
		c.to = c.from + (c.to-c.from)/2
	}
	return false
}

// fitting is where the range ends that should fit: of one item at least.
func (c *chunks) fitting() int {
	if c.behind == nil {
		return len(c.label)
	}
	to, total := c.from, int64(0)
	for to < len(c.label) {
		if total += c.behind[to]; to > c.from && float64(total)*c.left > 0.9*float64(c.size) {
			break
		}
		to++
	}
	return to
}

// fill merges the lines of the chunk; it returns false if there is too much.
func (c *chunks) fill(ctx context.Context) bool {
	d := newDeduplicator(min(c.published.Len(), c.size/4))
	var with withSensitive
	var row []int32
	total := 0
	lines := c.published.Cursor()
	for i := range c.published.Len() {
		if i%linesPerTask == 0 && ctx.Err() != nil {
			return true
		}
		line := lines.Tx(i)
		if !c.meets(line) {
			continue
		}
		row = c.cut(row[:0], line, int32(c.from))
		at := d.add(row, 1)
		total += len(row)
		if c.sensitive != nil {
			with.add(at, c.sensitive.Tx(i))
		}
		if c.behind != nil && c.to-c.from > 1 && len(d.items) > c.size {
			return false
		}
	}
	if c.sensitive != nil {
		d.addTallies(&with.rows, with.of)
	}
	c.rows = &d.rows
	if total > 0 {
		c.left = float64(len(d.items)) / float64(total)
	}
	return true
}

// meets tells whether a line has an item of the range.
func (c *chunks) meets(line []int32) bool {
	for _, u := range line {
		if z := int(c.number[u]); z >= c.from && z < c.to {
			return true
		}
	}
	return false
}

// firsts has 0 for the items of the chunk with which its combinations begin, and -1 for those
// behind.
func (c *chunks) firsts() []int32 {
	out := make([]int32, len(c.label)-c.from)
	for z := c.to - c.from; z < len(out); z++ {
		out[z] = -1
	}
	return out
}

// withSensitive collects what sensitive items each line has, and which row it went into.
type withSensitive struct {
	rows
	of []int32
}

func (w *withSensitive) add(row int32, sensitive []int32) {
	if w.tallyStart == nil {
		w.tallyStart = []uint32{0}
	}
	for _, s := range sensitive {
		w.tally = append(w.tally, tally{s, 1})
	}
	w.tallyStart = append(w.tallyStart, uint32(len(w.tally)))
	w.of = append(w.of, row)
}
