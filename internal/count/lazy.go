package count

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// unions are what a lazy index has made of its packed lists: plain lists of rare nodes, and of frequent ones the bitmap
// alone.
type unions struct {
	leaves  packedLists
	bound   int64 // bytes; 0: none
	bytes   int64
	list    map[int32][]int32
	kept    []int32 // nodes with a bitmap
	scratch []uint64
}

// NewLazyIndex is an index that lists the leaves alone, as gaps, in 1 to 2 bytes an occurrence, and unites them into the
// list or bitmap of a node when it is first asked for. What it has made takes about bound bytes, after which it begins
// anew; 0: no bound. It is not safe for concurrent use.
func NewLazyIndex(m *dataset.Merged, t *hierarchy.Tree, bound int64) *Index {
	x := newIndex(m, t)
	x.lazy = &unions{bound: bound, list: map[int32][]int32{}, scratch: make([]uint64, (m.Len()+63)/64)}
	p := &x.lazy.leaves
	p.measure(t.Leaves())
	x.eachNode(m, func(i int, u int32) {
		x.count(m, i, u)
		if t.IsLeaf(u) {
			p.room(u, int32(i))
		}
	})
	p.allot()
	txs := m.Cursor()
	for i := range m.Len() {
		for _, leaf := range txs.Tx(i) {
			p.put(leaf, int32(i))
		}
	}
	p.before, p.end = nil, nil
	return x
}

// packedLists are ascending lists as gaps in variable-length integers, one list after another. They are filled in two
// passes: one for the room each takes, one to put them there.
type packedLists struct {
	text  []byte
	start []int

	before []int32 // the last element of a list so far
	end    []int   // where its next gap goes
}

func (p *packedLists) measure(lists int) {
	p.start = make([]int, lists+1)
	p.before = slices.Repeat([]int32{-1}, lists)
}

// room makes room for the next element of a list.
func (p *packedLists) room(list, i int32) {
	p.start[list+1] += (bits.Len32(uint32(i-p.before[list]-1)|1) + 6) / 7
	p.before[list] = i
}

func (p *packedLists) allot() {
	for list := range p.before {
		p.start[list+1] += p.start[list]
		p.before[list] = -1
	}
	p.text = make([]byte, p.start[len(p.start)-1])
	p.end = slices.Clone(p.start)
}

func (p *packedLists) put(list, i int32) {
	p.end[list] += binary.PutUvarint(p.text[p.end[list]:], uint64(i-p.before[list]-1))
	p.before[list] = i
}

// each calls f with the elements of a list.
func (p *packedLists) each(list int32, f func(i int32)) {
	i := int32(-1)
	for text := p.text[p.start[list]:p.start[list+1]]; len(text) > 0; {
		gap, n := uint64(text[0]), 1
		if gap >= 0x80 {
			gap, n = binary.Uvarint(text)
		}
		i += int32(gap) + 1
		f(i)
		text = text[n:]
	}
}

// gather makes the lists and bitmaps of nodes that have none. Nothing is forgotten between it and its caller's use.
func (x *Index) gather(nodes []int32) {
	z := x.lazy
	if z.bound > 0 && z.bytes > z.bound {
		for _, u := range z.kept {
			x.bitmap[u] = nil
		}
		z.bytes, z.kept = 0, z.kept[:0]
		clear(z.list)
	}
	for _, u := range nodes {
		switch {
		case x.bitmap[u] != nil:
		case x.frequent(u):
			x.bitmap[u] = x.setBits(u, make([]uint64, len(z.scratch)))
			z.kept = append(z.kept, u)
			z.bytes += 8 * int64(len(z.scratch))
		case z.list[u] == nil:
			z.list[u] = x.unite(u)
			z.bytes += 4 * int64(x.size[u])
		}
	}
}

// setBits marks the transactions of all leaves below u.
func (x *Index) setBits(u int32, words []uint64) []uint64 {
	lo, hi := x.tree.Range(u)
	for leaf := lo; leaf < hi; leaf++ {
		x.lazy.leaves.each(leaf, func(i int32) { words[i>>6] |= 1 << (i & 63) })
	}
	return words
}

// unite makes the list of a node.
func (x *Index) unite(u int32) []int32 {
	out := make([]int32, 0, x.size[u])
	if x.tree.IsLeaf(u) {
		x.lazy.leaves.each(u, func(i int32) { out = append(out, i) })
		return out
	}
	words := x.setBits(u, x.lazy.scratch)
	defer clear(words)
	return appendBits(out, words)
}

func appendBits(out []int32, words []uint64) []int32 {
	for w, word := range words {
		for ; word != 0; word &= word - 1 {
			out = append(out, int32(w<<6+bits.TrailingZeros64(word)))
		}
	}
	return out
}

// union is the list of a node.
func (x *Index) union(u int32) []int32 {
	if list, made := x.lazy.list[u]; made {
		return list
	}
	if words := x.bitmap[u]; words != nil {
		return appendBits(make([]int32, 0, x.size[u]), words)
	}
	return x.unite(u)
}

// Has tells whether merged transaction i contains a leaf below u.
func (x *Index) Has(u, i int32) bool {
	x.gather([]int32{u})
	if words := x.bitmap[u]; words != nil {
		return words[i>>6]&(1<<(i&63)) != 0
	}
	_, has := slices.BinarySearch(x.lazy.list[u], i)
	return has
}
