package count

import (
	"math/bits"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// unions are what a lazy index has made of inner nodes: the lists of rare ones, and of frequent ones the bitmap alone.
type unions struct {
	bound   int64 // bytes; 0: none
	bytes   int64
	list    map[int32][]int32
	kept    []int32 // nodes with a bitmap
	scratch []uint64
}

// NewLazyIndex is an index that lists the leaves alone, 4 bytes an occurrence, and unites them into the list or bitmap of
// a node when it is first asked for. What it has made takes about bound bytes, after which it begins anew; 0: no bound. It
// is not safe for concurrent use.
func NewLazyIndex(m *dataset.Merged, t *hierarchy.Tree, bound int64) *Index {
	x := newIndex(m, t, t.Leaves())
	x.lazy = &unions{bound: bound, list: map[int32][]int32{}, scratch: make([]uint64, (m.Len()+63)/64)}
	return x
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
		case !x.tree.IsLeaf(u) && z.list[u] == nil:
			z.list[u] = x.unite(u)
			z.bytes += 4 * int64(x.size[u])
		}
	}
}

// setBits marks the transactions of all leaves below u.
func (x *Index) setBits(u int32, words []uint64) []uint64 {
	lo, hi := x.tree.Range(u)
	for _, i := range x.tids[x.start[lo]:x.start[hi]] {
		words[i>>6] |= 1 << (i & 63)
	}
	return words
}

// unite makes the list of a node.
func (x *Index) unite(u int32) []int32 {
	words := x.setBits(u, x.lazy.scratch)
	defer clear(words)
	return appendBits(make([]int32, 0, x.size[u]), words)
}

func appendBits(out []int32, words []uint64) []int32 {
	for w, word := range words {
		for ; word != 0; word &= word - 1 {
			out = append(out, int32(w<<6+bits.TrailingZeros64(word)))
		}
	}
	return out
}

// union is the list of an inner node.
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
	lo, hi := x.tree.Range(u)
	for leaf := lo; leaf < hi; leaf++ {
		if _, has := slices.BinarySearch(x.tids[x.start[leaf]:x.start[leaf+1]], i); has {
			return true
		}
	}
	return false
}
