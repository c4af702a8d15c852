package itemset

import (
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"mingle/internal/par"
)

// chunk is some transactions, one after another, as far as they have a node that is not kept.
type chunk struct {
	from, to int      // words of bitmaps: transactions from 64 from on, before 64 to
	start    []uint32 // of each transaction's numbers
	items    int64
	sets     int64 // that are to be counted; more than setsAnItem an item: too many
}

// chunkWords is the length of a chunk: its rows stay in the processor's cache.
const chunkWords = 1 << 9

// chunksWith measures the transactions with a node that is not kept.
func (c *Cuts) chunksWith(ctx context.Context, t *cutTable) []chunk {
	x := c.index
	x.prepare(t.nodes)
	words := len(x.scratch)
	marks := make([]uint64, words)
	for _, u := range t.nodes[t.kept:] {
		if b := x.bitmap[u]; b != nil {
			for w := range marks {
				marks[w] |= b[w]
			}
			continue
		}
		for _, i := range x.list[u] {
			marks[i>>6] |= 1 << (i & 63)
		}
	}
	t.marks = marks
	out := make([]chunk, (words+chunkWords-1)/chunkWords)
	par.Each(ctx, c.workers, len(out), func(_ context.Context, i int) error {
		out[i].from = i * chunkWords
		out[i].to = min(words, out[i].from+chunkWords)
		out[i].measure(x, t)
		return nil
	})
	return out
}

// measure finds how many nodes the transactions have, and sets with one that is not kept.
func (c *chunk) measure(x *Index, t *cutTable) {
	c.start = make([]uint32, (c.to-c.from)*64+1)
	length, old, tids := c.start[1:], []uint32(nil), []int32(nil)
	for number, u := range t.nodes {
		if number == t.kept {
			old = slices.Clone(length)
		}
		tids = x.appendMarked(tids[:0], u, c.from, t.marks[:c.to])
		for _, i := range tids {
			length[int(i)-c.from*64]++
		}
	}
	for _, n := range length {
		c.items += int64(n)
	}
	most := setsAnItem*c.items + 1
	for i, n := range length {
		if int(n) >= t.size && c.sets < most {
			all := chosen(int(n), t.size, most)
			c.sets += all - chosen(int(old[i]), t.size, all)
		}
	}
	for i := range length {
		length[i] += c.start[i]
	}
}

// fits tells whether counting takes no longer than projecting. With nothing kept, looking through
// the cells may take no longer either.
func (t *cutTable) fits(chunks []chunk, cells int64) bool {
	items, sets := int64(0), int64(0)
	for i := range chunks {
		items += chunks[i].items
		sets += chunks[i].sets
	}
	return sets <= setsAnItem*items && (t.kept > 0 || cells <= cellsASet*sets)
}

// addChunks counts the sets of the chunks that have a node that is not kept.
func (c *Cuts) addChunks(ctx context.Context, t *cutTable, chunks []chunk) {
	workers := min(c.workers, len(chunks))
	tables := make([]cellTable, workers)
	var next atomic.Int64
	par.Each(ctx, workers, workers, func(ctx context.Context, i int) error {
		tables[i] = t.cellTable
		if i > 0 {
			tables[i].cells = make([]int32, len(t.cells))
		}
		for ctx.Err() == nil {
			at := int(next.Add(1)) - 1
			if at >= len(chunks) {
				break
			}
			chunks[at].add(c.index, t, &tables[i])
		}
		return nil
	})
	if ctx.Err() != nil {
		return
	}
	for _, more := range tables[1:] {
		for i, n := range more.cells {
			t.cells[i] += n
		}
	}
}

// add counts the sets of a chunk. The rows are filled node by node, so that the sets whose largest
// node it is are what stands there and it.
func (c *chunk) add(x *Index, t *cutTable, to *cellTable) {
	first := int32(c.from * 64)
	ids := make([]int32, c.start[len(c.start)-1])
	next := slices.Clone(c.start[:len(c.start)-1])
	var tids []int32
	for number, u := range t.nodes {
		tids = x.appendMarked(tids[:0], u, c.from, t.marks[:c.to])
		base := to.choose[t.size][number]
		for _, i := range tids {
			at := i - first
			if begin := c.start[at]; number >= t.kept && int(next[at]-begin) >= t.size-1 {
				weight := int32(1)
				if x.weights != nil {
					weight = x.weights[i]
				}
				to.add(ids[begin:next[at]], t.size-1, base, weight)
			}
			ids[next[at]] = int32(number)
			next[at]++
		}
	}
}

// appendMarked appends the transactions of a node that are marked, from a word of the marks on. The
// node must have been prepared.
func (x *Index) appendMarked(out []int32, u int32, from int, marks []uint64) []int32 {
	if b := x.bitmap[u]; b != nil {
		for w := from; w < len(marks); w++ {
			for word := b[w] & marks[w]; word != 0; word &= word - 1 {
				out = append(out, int32(w<<6+bits.TrailingZeros64(word)))
			}
		}
		return out
	}
	begin, _ := slices.BinarySearch(x.list[u], int32(from)*64)
	for _, i := range x.list[u][begin:] {
		if int(i>>6) >= len(marks) {
			break
		}
		if marks[i>>6]&(1<<(i&63)) != 0 {
			out = append(out, i)
		}
	}
	return out
}
