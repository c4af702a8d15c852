package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"

	"mingle/internal/par"
)

// loose is the transactions of a dataset that is to be packed, as they come in: the length of each,
// and its items by provisional ids, as varints. They are packed by their final ids, for which all
// labels must be known.
type loose struct {
	blocks []looseBlock
	// of all: transactions, occurrences with repeats, and bytes of the blocks
	n, occurrences, bytes int
}

// looseSize is about how many bytes a block has at most. A packer's working space is some ten times
// as much.
const looseSize = 1 << 18

// looseBlock is a multiple of markEvery transactions, but for the last block.
type looseBlock struct {
	text           []byte
	n, occurrences int
	// once it is packed: the first transaction with a repeat, and the first that was not sorted;
	// -1: none
	repeat, unsorted int
}

func (b *looseBlock) repeatAt() int   { return b.repeat }
func (b *looseBlock) unsortedAt() int { return b.unsorted }

// add appends a part's transactions; to translates its ids, nil if they are the collector's own.
func (l *loose) add(p *part, to []int32) {
	begin := uint32(0)
	for _, end := range p.ends {
		tx := p.items[begin:end]
		begin = end
		b := l.block(binary.MaxVarintLen32 * (1 + len(tx)))
		text := binary.AppendUvarint(b.text, uint64(len(tx)))
		for _, it := range tx {
			if to != nil {
				it = to[it]
			}
			if it < 1<<7 {
				text = append(text, byte(it))
			} else {
				text = binary.AppendUvarint(text, uint64(it))
			}
		}
		b.text = text
		b.n++
		b.occurrences += len(tx)
		l.n++
		l.occurrences += len(tx)
	}
}

// block is one with room for so many bytes. Blocks grow with what there is, so that little data
// takes little. A sixteenth is for the transactions up to a multiple of markEvery.
func (l *loose) block(need int) *looseBlock {
	size := firstChunk
	if last := len(l.blocks) - 1; last >= 0 {
		b := &l.blocks[last]
		switch left := cap(b.text) - len(b.text); {
		case b.n%markEvery == 0 && cap(b.text) <= looseSize && left >= max(need, cap(b.text)/16):
			return b
		case b.n%markEvery != 0:
			l.bytes -= cap(b.text)
			b.text = slices.Grow(b.text, need)
			l.bytes += cap(b.text)
			return b
		}
		size = min(2*cap(b.text), looseSize)
	}
	l.blocks = append(l.blocks, looseBlock{text: make([]byte, 0, max(size, need))})
	b := &l.blocks[len(l.blocks)-1]
	l.bytes += cap(b.text)
	return b
}

// pack packs the transactions, item i as to[i], all different, on at most so many goroutines. It
// tells how many items were repeats. The blocks are let go one by one, so that little of both forms
// is held at once.
func (l *loose) pack(to []int32, workers int) (out *packed, repeats int) {
	parts := make([]*packed, len(l.blocks))
	space := func(int) *packer { return &packer{sorter: newManySorter(to)} }
	_ = par.EachIn(context.Background(), workers, len(l.blocks), space,
		func(_ context.Context, w *packer, i int) error {
			parts[i] = w.pack(&l.blocks[i])
			l.blocks[i].text = nil
			return nil
		})
	out = stitched(parts)
	return out, l.occurrences - out.occurrences
}

// first is the first transaction of something in packed blocks, at tells that of a block; -1: there
// is none.
func (l *loose) first(at func(*looseBlock) int) int {
	before := 0
	for i := range l.blocks {
		b := &l.blocks[i]
		if in := at(b); in >= 0 {
			return before + in
		}
		before += b.n
	}
	return -1
}

// packer packs blocks. It is for one goroutine.
type packer struct {
	sorter  *manySorter
	items   []int32
	offsets []uint32
	text    []byte
}

// pack packs a block, into one chunk.
func (w *packer) pack(b *looseBlock) *packed {
	w.spell(b)
	w.sorter.sort(w.items, w.offsets)
	w.text = slices.Grow(w.text[:0], 4*b.occurrences+binary.MaxVarintLen64*(b.n+1))
	out := &packed{chunks: []*[]byte{&w.text}}
	b.repeat, b.unsorted = -1, w.sorter.unsorted
	for i := range b.n {
		tx := w.items[w.offsets[i]:w.offsets[i+1]]
		if hasTwice(tx) {
			if b.repeat < 0 {
				b.repeat = i
			}
			tx = slices.Compact(tx)
		}
		out.add(tx)
	}
	chunk := bytes.Clone(w.text)
	out.chunks[0], out.bytes = &chunk, len(chunk)
	return out
}

// hasTwice tells whether some item is like the one before it.
func hasTwice(tx []int32) bool {
	for at := 1; at < len(tx); at++ {
		if tx[at] == tx[at-1] {
			return true
		}
	}
	return false
}

// spell reads the items of a block.
func (w *packer) spell(b *looseBlock) {
	w.items = slices.Grow(w.items[:0], b.occurrences)[:b.occurrences]
	w.offsets = append(slices.Grow(w.offsets[:0], b.n+1), 0)
	text, items := b.text, w.items
	number := func() int32 {
		if x := text[0]; x < 1<<7 {
			text = text[1:]
			return int32(x)
		}
		x, bytes := binary.Uvarint(text)
		text = text[bytes:]
		return int32(x)
	}
	at := uint32(0)
	for range b.n {
		for end := at + uint32(number()); at < end; at++ {
			items[at] = number()
		}
		w.offsets = append(w.offsets, at)
	}
}

// stitched is the transactions of all parts, each a multiple of markEvery but for the last.
func stitched(parts []*packed) *packed {
	out := &packed{}
	for _, p := range parts {
		for _, m := range p.marks {
			m.chunk += uint32(len(out.chunks))
			m.start += int64(out.occurrences)
			out.marks = append(out.marks, m)
		}
		out.chunks = append(out.chunks, p.chunks...)
		out.n += p.n
		out.occurrences += p.occurrences
		out.empty += p.empty
		out.longest = max(out.longest, p.longest)
		out.bytes += p.bytes
	}
	return out
}
